// A process that works on the queues: it delivers, tells that it lives, and takes over the runs of dead processes.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";
import { Worker, type Attempted, type Hold, type NextAttempt, type Work } from "../host/host-parts.js";
import type { RunWatcher } from "../host/index.js";
import type { DbosHostOptions } from "./dbos-options.js";
import { parametersOf, queueOf } from "./dbos-options.js";
import type { Dbos, DbosClient } from "./dbos-package.js";
import { appVersionOf, workflowOptions, workflowName } from "./deliveries.js";
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

/** An error of DBOS itself is tried again each second, without an end: DBOS would record it as the result of the step. */
const retries = { retriesAllowed: true, maxAttempts: 1_000_000_000, intervalSeconds: 1, backoffRate: 1 };
/** Milliseconds before an order to DBOS is given again that failed. */
const between = 1000;
/** The most workflows that are given to other processes at once. */
const most = 10_000;

/** True while this process works on DBOS, or begins to: DBOS knows one set of workflows in a process. */
let isAtWork = false;

/** A process that works on the queues. */
export class DbosWorker {
  readonly #parts: WorkerParts;
  readonly #worker: Worker;
  readonly #id: string = crypto.randomUUID();
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#worker = new Worker(parts.options);
  }

  /** @throws LastcallError `configuration` if this process works on DBOS already. After another error, it can be launched again. */
  async launch(): Promise<void> {
    const { DBOS } = this.#parts.dbos;
    if (isAtWork || DBOS.isInitialized())
      throw new LastcallError(
        "configuration",
        "DBOS is launched in this process already: it can work for one host alone.",
      );
    isAtWork = true;
    try {
      await this.#begin();
    } catch (thrown) {
      await this.#shutDown().catch(() => undefined);
      throw thrown;
    }
  }

  /** Ends the work of DBOS in this process. DBOS knows no workflow then, so another host can begin. */
  async #shutDown(): Promise<void> {
    try {
      await this.#parts.dbos.DBOS.shutdown({ deregister: true });
    } finally {
      isAtWork = false;
    }
  }

  async #begin(): Promise<void> {
    const { dbos, options, queue, url, rows } = this.#parts;
    const { DBOS } = dbos;
    const queues = Object.keys(options.agents).map((agent) => ({ agent, name: queueOf(queue, agent) }));
    DBOS.registerWorkflow((work: Work) => this.#worker.deliver(work, this.#holdOf(work)), {
      name: workflowName,
      maxRecoveryAttempts: 1000,
    });
    DBOS.setConfig({
      name: queue,
      systemDatabaseUrl: url,
      systemDatabasePool: options.pool as never,
      executorID: this.#id,
      applicationVersion: appVersionOf(queue),
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
      this.#regularly("search for dead processes", () => this.#takeLeft()),
    ];
  }

  /** Does the work five times in the time of silence. It never overlaps itself: a slow database would get more and more work. */
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
    return this.#parts.options.heartbeatTimeout ?? 10_000;
  }

  /** Watches the runs of this process. */
  watch(watcher: RunWatcher): () => void {
    return this.#worker.watch(watcher);
  }

  /** Suspends the runs, and gives them to other processes. Returns the sessions whose runs are at work still. */
  async close(timeout: number): Promise<readonly string[]> {
    const late = await this.#worker.close(timeout);
    this.#timers.forEach((timer) => {
      clearInterval(timer);
    });
    await this.#untilRecorded(late.length);
    await this.#shutDown();
    await this.#giveAway([this.#id]);
    await this.#parts.rows.remove(this.#id);
    return late;
  }

  /**
   * Waits until DBOS has recorded the workflows whose runs have ended, a second at most. A workflow that is put back before is delivered
   * once more for nothing. The other workflows are the workflows of runs that are suspended or at work.
   */
  async #untilRecorded(atWork: number): Promise<void> {
    const end = Date.now() + 1000;
    // A database that is gone has none.
    const count = async (): Promise<number> => (await this.#pendingOf([this.#id]).catch(() => [])).length;
    while ((await count()) > this.#worker.left + atWork && Date.now() < end) await sleep(50);
  }

  /** The workflows that these processes have at work. */
  #pendingOf(executorId: readonly string[]): ReturnType<DbosClient["listWorkflows"]> {
    const filter = { status: "PENDING" as const, executorId: [...executorId], loadInput: false, limit: most };
    return this.#parts.client.listWorkflows(filter);
  }

  async #takeLeft(): Promise<void> {
    await this.#parts.rows.bury(this.#silence, (ids) => this.#giveAway(ids));
    await this.#takeOrphans();
  }

  /** Takes over the runs of processes that have no row: DBOS may give a process a workflow until the end of its close. */
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

  #holdOf(work: Work): Hold {
    const { DBOS, Error: errors } = this.#parts.dbos;
    // A workflow stays this process's until `close` puts it back: a workflow that returned or threw would be over.
    const leave = (): Promise<never> => new Promise<never>(() => undefined);
    const shouldRetry = (): boolean | Promise<boolean> => (this.#worker.isClosed() ? leave() : true);
    return {
      keep: (step) => DBOS.runStep(() => this.#step(work, step), { name: "drive", ...retries, shouldRetry }),
      give: (next) => this.#give(next),
      leave,
      again: (_thrown, next) => this.#giveUntilClosed(next, leave),
      isTaken: (thrown) =>
        thrown instanceof errors.DBOSWorkflowConflictError || thrown instanceof errors.DBOSWorkflowCancelledError,
    };
  }

  async #step(work: Work, step: Parameters<Hold["keep"]>[0]): Promise<Attempted> {
    const { dbos, rows } = this.#parts;
    const { stepStatus } = dbos.DBOS;
    const attempted = await step({
      signal: stepStatus?.cancelSignal,
      reasonOf: (session) => rows.reasonOf(session),
      // DBOS tells a process of the withdrawal with a delay, and not at all a process that stood still.
      isWithdrawn: (delivery) => rows.isWithdrawn(delivery),
    });
    if (!("again" in attempted) && work.stop !== undefined) await rows.dropReason(work.session);
    return attempted;
  }

  /** Over the client, which needs nothing that DBOS takes down in `close`. */
  async #give({ name, work, delay }: NextAttempt): Promise<string> {
    const { client, queue, options } = this.#parts;
    const hasTenants = options.concurrency?.perTenant !== undefined;
    await client.enqueue(workflowOptions(name, work, { queue, hasTenants, delay }), work);
    return name;
  }

  async #giveUntilClosed(next: NextAttempt, leave: () => Promise<never>): Promise<string> {
    for (;;) {
      try {
        return await this.#give(next);
      } catch {
        // The worker has told of the error that came first.
        if (this.#worker.isClosed()) return leave();
        await sleep(between);
      }
    }
  }
}
