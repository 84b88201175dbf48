// The part of a host that differs from engine to engine: it keeps deliveries, owns them, and makes them again.

import { LastcallError, type JournalRecord } from "../core/index.js";
import type { Store } from "../memory/index.js";
import type { AgentOf, Agents } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import type { RunEnd } from "./delivery/run-end.js";
import type { RunWatcher } from "./delivery/run-watcher.js";

/**
 * Delivers to sessions.
 *
 * Contract: `give` resolves once the delivery is kept. Each is made, over `driveSession`, until it has an end, again after the death of a
 * process and after a fault of the store. The same delivery given twice is one. `ended` of the result rejects only if the engine gave the
 * delivery up.
 */
export interface Engine {
  /** The function that made the host, for messages. */
  readonly name: string;
  readonly agents: Agents;
  readonly store: Store;
  /** The terms of deliveries that the engine fulfils. */
  readonly terms: readonly ("priority" | "tenant")[];
  /** Finds the agents of sessions that have no such name. Absent if the engine knows its agents by name alone. */
  readonly agentOf?: AgentOf | undefined;
  give(work: Work, given?: GivenWith): Promise<Given>;
  /**
   * Aborts the run of the session in whichever process, and withdraws its deliveries. Returns false if there was nothing, or if the run is
   * in a process out of reach.
   */
  abort(session: string, reason: string): Promise<boolean>;
  /** Watches the runs of this process. */
  watch(watcher: RunWatcher): () => void;
  close(timeout: number): Promise<readonly string[]>;
}

/** The things that an engine may use with a delivery. */
export interface GivenWith {
  /** The time before which it is not made, in milliseconds since 1970. */
  readonly at?: number | undefined;
  /** The records of the session, if they were just read. */
  readonly seen?: readonly JournalRecord[] | undefined;
}

/** A delivery that an engine keeps. */
export interface Given {
  /** False if a run of this process has taken the input. Default true. */
  readonly waits?: boolean;
  /** True if the same delivery was given before and withdrawn. Default false. */
  readonly isWithdrawn?: boolean;
  ended(): Promise<RunEnd>;
}

/** Milliseconds before a delivery is made again whose session was busy, after so many times. */
export function pause(times: number): number {
  return Math.min(250 * 2 ** times, 30_000);
}

/**
 * Checks the store of a host whose deliveries outlive the process.
 * @throws LastcallError `configuration` for `memoryStore`: the sessions would be gone, and the deliveries not.
 */
export function expectLastingStore(host: string, { name }: Pick<Store, "name">): void {
  if (name !== "memory") return;
  throw new LastcallError(
    "configuration",
    `The store of ${host} is memoryStore(), which ends with this process, and the inputs do not: give a store that all processes share, for example pgStore(pool).`,
  );
}
