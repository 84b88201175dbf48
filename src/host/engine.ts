// The part of a host that differs from engine to engine: it keeps deliveries, owns them, and makes them again.

import type { Input } from "../core/index.js";
import type { Store } from "../memory/index.js";
import type { Agents } from "./agents.js";
import type { RunEnd } from "./delivery/run-end.js";

/** An input on its way to a session, or the wish that the session goes on without one. */
export interface Delivery extends Address {
  readonly input?: Input | undefined;
  /** The number from which on the session has not gone on yet. Given if there is no input. */
  readonly resumeFrom?: number | undefined;
}

/** The session that a delivery goes to, and its terms. */
export interface Address {
  readonly session: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The id of the input, or of the delivery if it has none. At least one of this and `answers` is given. */
  readonly inputId: string | undefined;
  /** The call that the input answers. */
  readonly answers: string | undefined;
  readonly priority: number | undefined;
  readonly tenant: string | undefined;
}

/**
 * Delivers inputs to sessions.
 *
 * Contract: `give` resolves once the delivery is kept. Each is made, over `driveSession`, until it has an end, again after the death of a
 * process and after a fault of the store. The same delivery given twice is one. `at` is the time before which it is not made, in
 * milliseconds since 1970. `ended` of the result rejects only if the engine gave the delivery up.
 */
export interface Engine {
  /** The function that made the host, for messages. */
  readonly name: string;
  readonly agents: Agents;
  readonly store: Store;
  /** The terms of inputs that the engine fulfils. */
  readonly terms: readonly ("priority" | "tenant")[];
  give(delivery: Delivery, at?: number): Promise<Given>;
  /** Aborts the run of the session in whichever process, and withdraws its deliveries. Returns false if there was nothing. */
  abort(session: string, reason: string): Promise<boolean>;
  close(grace: number): Promise<readonly string[]>;
}

/** A delivery that an engine keeps. */
export interface Given {
  ended(): Promise<RunEnd>;
}

/** Milliseconds before a delivery is made again whose session was busy, after so many times. */
export function pause(times: number): number {
  return Math.min(250 * 2 ** times, 30_000);
}

/** The number of times that an answer is delivered before its call is there. */
export const mostEarly = 20;
