// Waits for the ends of workflows: however many are awaited, DBOS is asked once in an interval.

import { LastcallError, systemRuntime } from "../core/index.js";
import { explain } from "../core/internal.js";
import type { RunEnd } from "../host/index.js";
import { awaitEnd, givenUp, waitOver, withdrawn, type WorkResult } from "../host/host-parts.js";
import type { DbosClient } from "./dbos-package.js";

/** The status of a workflow that has ended, with its result. */
type Ended = Awaited<ReturnType<DbosClient["listWorkflows"]>>[number];

/** A caller that waits for a workflow. */
interface Waiting {
  readonly told: (ended: Ended) => void;
  readonly failed: (thrown: unknown) => void;
}

/** The workflows that one statement asks for. */
const most = 500;
/** The statuses that a workflow keeps. */
const lasting = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"] as const;

/** The ends of workflows, as one client of DBOS sees them. */
export class WorkflowEnds {
  readonly #client: DbosClient;
  readonly #poll: number;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #closed = new AbortController();
  #isAsking = false;

  /** `poll` is the interval in milliseconds. */
  constructor(client: DbosClient, poll: number) {
    this.#client = client;
    this.#poll = poll;
  }

  /**
   * Waits for the end of a delivery, over all workflows that deliver it.
   * @throws LastcallError `store` if the engine gave it up, if DBOS can't be asked, and once this is closed.
   */
  endOf(id: string): Promise<RunEnd> {
    return awaitEnd(id, (workflow) => this.#resultOf(workflow));
  }

  /**
   * The last attempt at a delivery that was given before, if DBOS gave it up or it was withdrawn; undefined if it is new, at work or done.
   * @throws LastcallError `store` if DBOS can't be asked.
   */
  async brokenOff(id: string): Promise<{ readonly name: string; readonly isWithdrawn: boolean } | undefined> {
    for (let name = id; ;) {
      const [ended] = await this.#ask([name]);
      if (ended === undefined) return undefined;
      if (ended.status !== "SUCCESS") return { name, isWithdrawn: ended.status === "CANCELLED" };
      const result = ended.output as WorkResult;
      if (!("next" in result)) return undefined;
      name = result.next;
    }
  }

  /** Ends all waits with a fault. */
  close(): void {
    this.#closed.abort();
    const fault = waitOver();
    for (const id of this.#waiting.keys())
      this.#settle(id, ({ failed }) => {
        failed(fault);
      });
  }

  async #resultOf(id: string): Promise<WorkResult> {
    const { status, output, error } = (await this.#ask([id]))[0] ?? (await this.#wait(id));
    if (status === "SUCCESS") return output as WorkResult;
    if (status === "CANCELLED") return withdrawn;
    throw givenUp(id, error === undefined ? status : explain(error), error);
  }

  #wait(id: string): Promise<Ended> {
    if (this.#closed.signal.aborted) return Promise.reject(waitOver());
    return new Promise((told, failed) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { told, failed }]);
      if (!this.#isAsking) void this.#askAgainAndAgain();
    });
  }

  /** Asks for all that are awaited, as long as there are some. */
  async #askAgainAndAgain(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.size > 0) {
      await systemRuntime.sleep(this.#poll, this.#closed.signal).catch(() => undefined);
      const ids = [...this.#waiting.keys()];
      for (let from = 0; from < ids.length; from += most) await this.#askFor(ids.slice(from, from + most));
    }
    this.#isAsking = false;
  }

  async #askFor(ids: readonly string[]): Promise<void> {
    try {
      for (const ended of await this.#ask(ids))
        this.#settle(ended.workflowID, ({ told }) => {
          told(ended);
        });
    } catch (thrown) {
      for (const id of ids)
        this.#settle(id, ({ failed }) => {
          failed(thrown);
        });
    }
  }

  async #ask(ids: readonly string[]): Promise<Ended[]> {
    try {
      return await this.#client.listWorkflows({ workflowIDs: [...ids], status: [...lasting], loadInput: false });
    } catch (cause) {
      throw new LastcallError("store", `DBOS can't be asked for ends: ${explain(cause)}`, { cause });
    }
  }

  #settle(id: string, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    waiting.forEach(how);
  }
}
