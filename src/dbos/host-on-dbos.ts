// A host on DBOS: Postgres queues the inputs, owns the runs, and gives the runs of a dead process to another.

import { atCaller } from "../core/internal.js";
import type { Store } from "../memory/index.js";
import type { Host, RunWatcher } from "../host/index.js";
import {
  abortOver,
  hostOver,
  type Agents,
  type Engine,
  type Given,
  type GivenWith,
  type Work,
} from "../host/host-parts.js";
import { checkDbosOptions, type DbosHostOptions } from "./dbos-options.js";
import { loadDbos, type DbosClient } from "./dbos-package.js";
import { hearErrors } from "../postgres/pool.js";
import { urlOf } from "./dbos-pool.js";
import { DbosWorker } from "./dbos-worker.js";
import { workflowOptions } from "./deliveries.js";
import { WorkflowEnds } from "./workflow-ends.js";
import { migrate, WorkerRows } from "./worker-rows.js";

/**
 * Makes a host on DBOS, and works on its queues unless `work` is false. It makes its tables, and the tables of DBOS, if they are
 * missing. A process can work for one such host. DBOS keeps inputs and ends of runs; the journal, in the store, is the truth.
 * @throws LastcallError `configuration` for wrong options, without the package `@dbos-inc/dbos-sdk`, and if this process works already.
 */
export async function hostOnDbos(options: DbosHostOptions): Promise<Host> {
  const url = atCaller(hostOnDbos, () => {
    checkDbosOptions(options);
    return urlOf(options.pool, options.url);
  });
  const { pool, queue = "lastcall", work = true } = options;
  hearErrors(pool);
  const dbos = await loadDbos();
  await migrate(pool, () => dbos.DBOS.migrate(url));
  const logger = { info: () => undefined, debug: () => undefined, warn: console.warn, error: console.error };
  const client = await dbos.DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool as never,
    applicationName: queue,
    logger,
  });
  const rows = new WorkerRows(pool, queue);
  const worker = work ? new DbosWorker({ dbos, client, rows, queue, url, options }) : undefined;
  try {
    await worker?.launch();
  } catch (thrown) {
    await client.destroy().catch(() => undefined);
    throw thrown;
  }
  return hostOver(new OnDbos({ client, rows, queue, worker, options }));
}

/** The things that the engine is made of. */
interface EngineParts {
  readonly client: DbosClient;
  readonly rows: WorkerRows;
  readonly queue: string;
  /** Undefined in a process that only gives inputs. */
  readonly worker: DbosWorker | undefined;
  readonly options: DbosHostOptions;
}

class OnDbos implements Engine {
  readonly name = "hostOnDbos";
  readonly agents: Agents;
  readonly store: Store;
  readonly terms: readonly ("priority" | "tenant")[];
  readonly #parts: EngineParts;
  readonly #ends: WorkflowEnds;

  constructor(parts: EngineParts) {
    const { agents, store, concurrency, poll = 1000 } = parts.options;
    this.#parts = parts;
    this.#ends = new WorkflowEnds(parts.client, poll);
    this.agents = agents;
    this.store = store;
    this.terms = concurrency?.perTenant === undefined ? ["priority"] : ["priority", "tenant"];
  }

  async give(work: Work, { at }: GivenWith = {}): Promise<Given> {
    await this.#enqueue(work, at === undefined ? undefined : at - Date.now());
    const broken = await this.#ends.brokenOff(work.first);
    const isWithdrawn = broken?.isWithdrawn === true;
    if (broken !== undefined && !isWithdrawn) await this.#makeAgain(work, broken.name);
    return { isWithdrawn, ended: () => this.#ends.endOf(work.first) };
  }

  /** Has DBOS make an attempt again that it has given up: an older version let errors of DBOS itself end it. */
  async #makeAgain(work: Work, name: string): Promise<void> {
    const { client, queue, options } = this.#parts;
    const hasTenants = options.concurrency?.perTenant !== undefined;
    const {
      queueName,
      queuePartitionKey,
      appVersion: applicationVersion,
    } = workflowOptions(name, work, { queue, hasTenants });
    try {
      await client.rewindWorkflow(name, {
        queueName,
        applicationVersion,
        ...(queuePartitionKey !== undefined && { queuePartitionKey }),
      });
    } catch (thrown) {
      // Another process may have been quicker.
      if ((await this.#ends.brokenOff(work.first))?.name === name) throw thrown;
    }
  }

  abort(session: string, reason: string): Promise<boolean> {
    const { client, rows, queue } = this.#parts;
    return abortOver(
      this.store,
      { session, reason },
      {
        live: async () => {
          const known = await client.listWorkflows({
            attributes: { session },
            applicationName: queue,
            status: ["PENDING", "ENQUEUED", "DELAYED"],
            loadInput: false,
          });
          return known.map(({ workflowID, queueName = "" }) => ({
            name: workflowID,
            agent: queueName.slice(queue.length + 1),
          }));
        },
        give: (stop) => this.#enqueue(stop, undefined),
        withdraw: async (live) => {
          await rows.keepReason(session, reason);
          await client.cancelWorkflows(live.map(({ name }) => name));
        },
      },
    );
  }

  watch(watcher: RunWatcher): () => void {
    return this.#parts.worker?.watch(watcher) ?? (() => undefined);
  }

  async close(timeout: number): Promise<readonly string[]> {
    const { worker, client } = this.#parts;
    const late = (await worker?.close(timeout)) ?? [];
    this.#ends.close();
    await client.destroy();
    return late;
  }

  async #enqueue(work: Work, delay: number | undefined): Promise<void> {
    const { client, queue, options } = this.#parts;
    const hasTenants = options.concurrency?.perTenant !== undefined;
    const place = { queue, hasTenants, ...(delay !== undefined && { delay }) };
    await client.enqueue(workflowOptions(work.first, work, place), work);
  }
}
