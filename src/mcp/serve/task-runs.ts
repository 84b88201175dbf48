// Task runs: the runs of tasks that are at work in this process, each of which goes on without the request that began it.

import { setTimeout as sleep } from "node:timers/promises";
import {
  LastcallError,
  type AnyOutcome,
  type Input,
  type JournalRecord,
  type Lease,
  type OpenSession,
  type Principal,
} from "../../core/index.js";
import { abortBy, asFault, beginsRun, follow } from "../../core/internal.js";
import { ownedBy } from "../../guard/index.js";
import type { ServedAgents } from "./served-agents.js";
import type { ServableAgent, ServedRun } from "./serve-call.js";

/** The agent and the session of a task, for the caller whose task it is. */
export interface TaskPlace {
  readonly name: string;
  readonly session: string;
  readonly inputId: string;
  readonly caller: Principal | undefined;
}

/** The beginning of a run: it has taken its input, another run has the session, or it was refused and left no trace. */
export type Beginning = { readonly is: "begun" | "busy" } | { readonly is: "refused"; readonly fault: LastcallError };

/** A run to begin. */
export interface Start {
  readonly place: TaskPlace;
  readonly input: Input | undefined;
  readonly more?: Pick<ServedRun, "answers" | "inputId">;
  /** The session as the run gets it. Default: as it is. */
  readonly over?: (session: OpenSession) => OpenSession;
  /** True if the run is not to wait for a session that is busy. Default false. */
  readonly leaves?: boolean;
  /** Checks the records under the lease: false lets the run not begin. Default: it begins. */
  readonly mayBegin?: (records: readonly JournalRecord[]) => boolean;
  /** Aborts the run as soon as it has begun, with these words. Default: it goes on. */
  readonly stop?: { readonly words: string; readonly by: Principal | undefined };
  /** Aborts the run until it has begun: nobody can come back to it yet. */
  readonly until?: AbortSignal;
}

/** Milliseconds during which runs are waited for that are to stop: a call that is at work ends first. */
const longestStop = 5000;

/** The runs at work. */
export class TaskRuns {
  readonly #served: ServedAgents;
  /** The runs that have begun, by their sessions. */
  readonly #atWork = new Map<string, AbortController>();
  readonly #ends = new Set<Promise<unknown>>();
  readonly #suspend = new AbortController();

  constructor(served: ServedAgents) {
    this.#served = served;
  }

  /** The abort of the run that is at work here on the session; undefined if none is. */
  at(session: string): AbortController | undefined {
    return this.#atWork.get(session);
  }

  /** The session of a place. Nothing is read. */
  open({ session, caller }: TaskPlace): OpenSession {
    return this.#served.sessions(session, caller && ownedBy(caller));
  }

  agentOf({ name }: TaskPlace): ServableAgent {
    const served = this.#served.agents[name];
    if (served === undefined) throw new LastcallError("configuration", `There is no agent ${name}.`);
    return served.agent;
  }

  /** Begins a run in this process. It goes on when the returned promise has resolved. */
  start(start: Start): Promise<Beginning> {
    const { place, input, more = {}, stop, until } = start;
    const { caller, session } = place;
    const abort = new AbortController();
    const unfollow = follow(abort, until);
    let isBegun = false;
    let isBusy = false;
    const begun = new Promise<Beginning>((resolve) => {
      const onBegun = (): void => {
        unfollow();
        isBegun = true;
        this.#atWork.set(session, abort);
        resolve({ is: "begun" });
      };
      const onBusy = (): void => {
        isBusy = true;
      };
      const opened = watched(this.open(place), start, { onBegun, onBusy });
      const options: ServedRun = {
        session: start.over?.(opened) ?? opened,
        signal: abort.signal,
        suspend: this.#suspend.signal,
        ...more,
        ...(caller && { by: caller }),
        ...(this.#served.budget && { budget: this.#served.budget }),
        onEvent: ({ type }) => {
          if (type === "run-start" && stop !== undefined) abort.abort(abortBy(stop.words, stop.by));
        },
      };
      const ended = (async () => faultOf(await this.agentOf(place).run(input, options)))()
        .catch(asFault)
        .then((fault) => {
          unfollow();
          if (this.#atWork.get(session) === abort) this.#atWork.delete(session);
          resolve(isBusy ? { is: "busy" } : isBegun ? { is: "begun" } : { is: "refused", fault });
          this.#ends.delete(ended);
        });
      this.#ends.add(ended);
    });
    return begun;
  }

  /** Suspends the runs at work here, so that a later process goes on with them. Waits until they have stopped, five seconds at most. */
  async suspend(): Promise<void> {
    this.#suspend.abort();
    const over = new AbortController();
    await Promise.race([
      Promise.all(this.#ends),
      sleep(longestStop, undefined, { signal: over.signal }).catch(() => 0),
    ]);
    over.abort();
  }
}

/** The reason why a run took no input. */
function faultOf(outcome: AnyOutcome): LastcallError {
  if (outcome.status === "failed") return outcome.fault;
  return new LastcallError("configuration", "message" in outcome ? outcome.message : "The run has ended.");
}

/** The session of a run, watched until the run begins. */
function watched(
  session: OpenSession,
  { leaves = false, mayBegin = () => true }: Start,
  { onBegun, onBusy }: { onBegun(): void; onBusy(): void },
): OpenSession {
  return {
    ...session,
    async lease(tell) {
      const lease = await session.lease(tell);
      if (lease !== undefined && mayBegin(lease.records)) return telling(lease, onBegun);
      if (lease === undefined && !leaves) return undefined;
      await lease?.release();
      onBusy();
      throw new LastcallError("configuration", "Another process is at work on the session.");
    },
  };
}

/** The lease, which says when its run has begun. A process that dies right after it counts as an attempt. */
function telling(lease: Lease, onBegun: () => void): Lease {
  return {
    ...lease,
    async append(record) {
      await lease.append(record);
      if (record.type === "resume") await lease.stored();
      if (beginsRun(record)) onBegun();
    },
  };
}
