// The parts of a world that all processes share, and what is known of the things that people asked for.

import type { AnyOutcome, Usage } from "../../../src/core/index.js";
import type { RunEnd } from "../../../src/host/index.js";
import type { Database } from "../store/database.js";
import type { World } from "../world/world.js";
import type { Ask } from "./asks.js";
import type { EngineServer } from "./engine-server.js";
import type { Process } from "./process.js";

/** The outcome of a run that a process was told. */
export interface Told {
  readonly worker: string;
  readonly session: string;
  readonly status: AnyOutcome["status"];
  readonly joined: boolean;
  readonly usage: Usage;
  /** The number of records of the journal at the time. */
  readonly records: number;
}

/** Something that a person asked a host for, and what came of it. */
export interface Asked {
  readonly ask: Ask;
  /** The true time at which it was asked for first. */
  readonly since: number;
  /** The number of lines that the journal had then. */
  readonly lines: number;
  /** How often it was asked for: again after each fault, and after silence. */
  times: number;
  /** The true time at which a host told that it has it. Undefined before. */
  acknowledged?: number;
  /** The words with which a host refused it. */
  refused?: string;
  /** The number of lines that the journal had when it was acknowledged. */
  linesThen?: number;
  /** The end of its run, as a host told it. */
  end?: RunEnd;
}

/** The parts of a world that processes share. */
export interface Site {
  readonly world: World;
  readonly database: Database;
  /** The engine. Undefined in a world whose hosts have none: runs of their processes, over the store alone. */
  readonly server: EngineServer | undefined;
  readonly processes: () => readonly Process[];
  /** The number of the agent of a session. */
  readonly agentOf: (session: string) => number;
  readonly told: Told[];
  readonly asked: Asked[];
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
