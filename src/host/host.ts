// The port for hosts: the party that queues, owns and retries the runs of agents. One run is one step of the host, and the journal is the
// truth.

import type { Input, Principal } from "../core/index.js";
import type { Store } from "../memory/index.js";
import type { Delivery } from "./delivery/delivery.js";
import type { RunEnd } from "./delivery/run-end.js";
import type { RunWatcher } from "./delivery/run-watcher.js";

/**
 * Runs agents on stored sessions.
 *
 * Contract: an input counts once for its session and its id, however often it is given and delivered. `give` resolves once the delivery is
 * kept, so that the end of this process does not lose it. A run whose process died goes on with the same keys, and a run that has ended is
 * not touched. A question or a parked call ends the run, and holds nothing while it waits. A fault of the store is no end: the delivery is
 * made again. An option that the host can't fulfil is refused when it is given.
 */
export interface Host {
  /** The names of the agents. */
  readonly agents: readonly string[];
  readonly store: Store;
  /** True once the host closes: it takes nothing any more. */
  readonly isClosed: boolean;
  /**
   * Gives a session something. A call is answered once: a second answer has the end of the run that took the first.
   * @throws LastcallError `configuration` for an unknown agent, for a delivery that the session can't take, for options that this host does
   * not have, and once it closes; `store` if the delivery can't be kept.
   */
  give(delivery: Delivery): Promise<HostedRun>;
  /**
   * Aborts the run of the session, and withdraws its inputs that no run took. A run that a dead process left is ended as well. Returns
   * false if there was nothing to abort, or if the run is in a process that the host does not reach. `by` stands in the journal, at the
   * end of the run.
   */
  abort(session: string, reason?: string, by?: Principal): Promise<boolean>;
  /**
   * Gives an input at a time, or again and again. Returns a function that ends it.
   * @throws LastcallError `configuration` for a time that is none.
   */
  schedule(plan: HostPlan): Promise<() => void>;
  /**
   * Watches the runs of this process from now on, until the function that it returns is called. Other processes pass their events
   * on over `store.live`.
   */
  watch(watcher: RunWatcher): () => void;
  /**
   * Takes nothing any more, and suspends the runs of this process, for SIGTERM: another process goes on with them, or the next
   * process. Returns the sessions whose runs were still at work when the time was up; they stay as a dead process would leave
   * them.
   */
  close(options?: HostCloseOptions): Promise<readonly string[]>;
}

/** A delivery that a host keeps. */
export interface HostedRun {
  readonly session: string;
  /** The id of the input; undefined for an answer without an id, which its call tells apart, and without an input. */
  readonly inputId: string | undefined;
  /**
   * True if the delivery waits: for the run of another caller, which takes it or leaves it to this caller, or for a process that takes it.
   */
  readonly waits: boolean;
  /**
   * The end of the run that takes the delivery, in whichever process. A run that is suspended has no end yet: it goes on elsewhere, and so
   * does this wait, as long as the host can tell.
   * @throws LastcallError `store` if the host gave the delivery up, because the store failed too often.
   */
  ended(): Promise<RunEnd>;
}

/** An input that is given by the clock. */
export interface HostPlan {
  /** The name of the plan: one of a name has one input at each time, in all processes together. */
  readonly name: string;
  /** The time, in milliseconds since 1970. A time that is over is due at once. With `every`: the first time, and none before it. */
  readonly at?: number | undefined;
  /**
   * Milliseconds between two times, from `at` on, or else from 1970 on, at least 1,000. Times at which no process had the plan are left
   * out.
   */
  readonly every?: number | undefined;
  /** The session. Default: a new session each time, called by the name and the time. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly input: Input;
}

/** The options of `host.close`. */
export interface HostCloseOptions {
  /** Milliseconds to wait for calls that are at work. Default 10,000. */
  readonly timeout?: number | undefined;
}
