// A process that works on the queues: it delivers, tells that it lives, and takes over the runs of dead ones.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";
import {
  attempt,
  attemptAfter,
  pause,
  RunsHere,
  type Attempted,
  type Work,
  type WorkResult,
} from "../host/host-parts.js";
import type { RunWatcher } from "../host/index.js";
import type { DbosHostOptions } from "./dbos-options.js";
import { parametersOf, queueOf } from "./dbos-options.js";
import type { Dbos, DbosClient } from "./dbos-package.js";
import { appVersion, keeping, workflowName } from "./deliveries.js";
import type { WorkerRows } from "./worker-rows.js";

/** The things that a worker works with. */
export interface WorkerParts {
  readonly dbos: Dbos;
  readonly client: DbosClient;
  readonly rows: WorkerRows;
  readonly queue: string;
  readonly url: string;
  readonly options: DbosHostOptions;
}

/** A fault of the store is tried again for more than an hour, at longer and longer distances. */
const retries = { retriesAllowed: true, maxAttempts: 12, intervalSeconds: 1, backoffRate: 2 };
/** The most workflows that are given to others at once. */
const most = 10_000;

/** A process that works on the queues. */
export class DbosWorker {
  readonly #parts: WorkerParts;
  readonly #runs = new RunsHere();
  readonly #id: string = crypto.randomUUID();
  #timers: readonly NodeJS.Timeout[] = [];
  /** The number of workflows whose runs are suspended. */
  #suspended = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** @throws LastcallError `configuration` if this process works on DBOS already. */
  async launch(): Promise<void> {
    const { dbos, options, queue, url, rows } = this.#parts;
    const { DBOS } = dbos;
    if (DBOS.isInitialized())
      throw new LastcallError(
        "configuration",
        "DBOS is launched in this process already: it can work for one host alone.",
      );
    const queues = Object.keys(options.agents).map((agent) => ({ agent, name: queueOf(queue, agent) }));
    DBOS.registerWorkflow((work: Work) => this.#deliver(work), { name: workflowName, maxRecoveryAttempts: 1000 });
    DBOS.setConfig({
      name: queue,
      systemDatabaseUrl: url,
      systemDatabasePool: options.pool as never,
      executorID: this.#id,
      applicationVersion: appVersion,
      runMigrations: false,
      listenQueues: queues.map(({ name }) => name),
      logLevel: "error",
    });
    await rows.beat(this.#id);
    await DBOS.launch();
    for (const { agent, name } of queues) await DBOS.registerQueue(name, parametersOf(options, agent));
    await this.#takeOrphans();
    this.#timers = [
      this.#regularly("sign of life", () => rows.beat(this.#id)),
      this.#regularly("search for dead processes", () => rows.bury(this.#silence, (ids) => this.#giveAway(ids))),
    ];
  }

  /** Does the work five times in the time of silence. It never overlaps itself: a slow database would get more and more of it. */
  #regularly(name: string, work: () => Promise<void>): NodeJS.Timeout {
    let isAtWork = false;
    const doIt = async (): Promise<void> => {
      if (isAtWork) return;
      isAtWork = true;
      try {
        await work();
      } catch (thrown) {
        console.warn(`lastcall: the ${name} on the queue ${this.#parts.queue} failed: ${explain(thrown)}`);
      }
      isAtWork = false;
    };
    return setInterval(() => void doIt(), this.#silence / 5).unref();
  }

  get #silence(): number {
    return this.#parts.options.deadAfter ?? 10_000;
  }

  /** Watches the runs of this process. */
  watch(watcher: RunWatcher): () => void {
    return this.#runs.watch(watcher);
  }

  /** Suspends the runs, and gives them to other processes. Returns the sessions whose runs are at work still. */
  async close(grace: number): Promise<readonly string[]> {
    const late = await this.#runs.close("the host closes", grace);
    this.#timers.forEach((timer) => {
      clearInterval(timer);
    });
    await this.#untilRecorded(late.length);
    await this.#parts.dbos.DBOS.shutdown({ deregister: true });
    await this.#giveAway([this.#id]);
    await this.#parts.rows.remove(this.#id);
    return late;
  }

  /**
   * Waits until DBOS has recorded the workflows whose runs have ended, a second at most. One that is put back before is delivered once more
   * for nothing. The others are those of runs that are suspended or at work.
   */
  async #untilRecorded(atWork: number): Promise<void> {
    const end = Date.now() + 1000;
    // A database that is gone has none.
    const count = async (): Promise<number> => (await this.#pendingOf([this.#id]).catch(() => [])).length;
    while ((await count()) > this.#suspended + atWork && Date.now() < end) await sleep(50);
  }

  /** The workflows that these processes have at work. */
  #pendingOf(executorId: readonly string[]): ReturnType<DbosClient["listWorkflows"]> {
    const filter = { status: "PENDING" as const, executorId: [...executorId], loadInput: false, limit: most };
    return this.#parts.client.listWorkflows(filter);
  }

  /** Takes over the runs of processes that have no row: one that closed and was killed in between. */
  async #takeOrphans(): Promise<void> {
    const { client, rows, queue } = this.#parts;
    const pending = await client.listWorkflows({
      status: "PENDING",
      applicationName: queue,
      loadInput: false,
      limit: most,
    });
    const known = new Set(await rows.ids());
    const orphans = pending.map(({ executorId = "" }) => executorId).filter((id) => !known.has(id));
    if (orphans.length > 0) await this.#giveAway([...new Set(orphans)]);
  }

  /**
   * Puts the workflows that these processes had at work back on their queues. A process that lives after all is fenced off by the lease.
   */
  async #giveAway(executorId: readonly string[]): Promise<void> {
    const { client } = this.#parts;
    const left = await this.#pendingOf(executorId);
    const queues = new Map<string, string[]>();
    for (const { workflowID, queueName } of left)
      if (queueName !== undefined) queues.set(queueName, [...(queues.get(queueName) ?? []), workflowID]);
    for (const [queueName, ids] of queues) await client.resumeWorkflows(ids, { queueName });
  }

  /** One delivery: one step, and once more later if it has to come again. */
  async #deliver(work: Work): Promise<WorkResult> {
    const { DBOS } = this.#parts.dbos;
    const isRetried = (thrown: unknown): boolean => thrown instanceof LastcallError && thrown.code === "store";
    const stepped = await DBOS.runStep(() => this.#step(work), { name: "drive", ...retries, shouldRetry: isRetried });
    if (!("again" in stepped)) return stepped;
    const { queue, options } = this.#parts;
    const next = attemptAfter(work);
    const place = {
      queue: queueOf(queue, work.agent),
      hasTenants: options.concurrency?.perTenant !== undefined,
      delay: pause(work.times),
    };
    await DBOS.enqueueWorkflowWithOptions(keeping(next.name, work, place), next.work);
    return { next: next.name };
  }

  async #step(work: Work): Promise<Attempted> {
    const { dbos, rows, options } = this.#parts;
    const cancel = {
      signal: dbos.DBOS.stepStatus?.cancelSignal,
      reasonOf: (session: string) => rows.reasonOf(session),
    };
    const stepped = await this.#runs.begin(work.session, (signals) => attempt(options, work, signals, cancel));
    const again = "again" in stepped ? stepped.again : undefined;
    // The workflow stays this process's until `close` puts it back: a step that returned would be its end.
    if (again === "suspended") {
      this.#suspended += 1;
      return new Promise<never>(() => undefined);
    }
    if (again === undefined && work.stop !== undefined) await rows.dropReason(work.session);
    return stepped;
  }
}
