// The parts of a world that all workers share, and how a worker reads an outcome.

import type { AnyOutcome, Usage } from "../../../src/core/index.js";
import type { Database } from "../store/database.js";
import type { World } from "../world/world.js";
import type { Deliveries, Ending } from "./deliveries.js";

/** The outcome of a run that a worker was told. */
export interface Told {
  readonly worker: string;
  readonly session: string;
  readonly status: AnyOutcome["status"];
  readonly joined: boolean;
  readonly usage: Usage;
  /** The number of records of the journal at the time. */
  readonly records: number;
}

/** The parts of a world that workers share. */
export interface Site {
  readonly world: World;
  readonly database: Database;
  /** The queue. */
  readonly deliveries: Deliveries;
  /** The agent of a session. */
  readonly agentOf: (session: string) => number;
  readonly told: Told[];
  /** True if all runs of one process share a limit. */
  readonly sharesLimits: boolean;
}

/** The most iterations of all runs of one process together, in worlds that have such a limit. */
export const sharedIterations = 15;

/** The part of an outcome that a host adds up. */
export function toldOf(outcome: AnyOutcome, by: Pick<Told, "worker" | "session">): Told {
  const { status, joined = false, usage, session } = outcome;
  return { ...by, status, joined, usage, records: session.records.length };
}

/** How the input of a run ended; undefined if it has to be delivered again. */
export function endingOf(outcome: AnyOutcome, answers: string | undefined): Ending | undefined {
  if (outcome.status === "aborted") return undefined;
  if (outcome.status === "failed") {
    if (outcome.fault.code === "store") return undefined;
    if (outcome.fault.code === "configuration") return answers === undefined ? "failed" : "too late";
  }
  return outcome.joined === true ? "joined" : "taken";
}
