// Served agents: the options that every way to serve agents has.

import { LastcallError, type Budget, type JsonObject, type OpenSession } from "../../core/index.js";
import { objectWith, type ValueKind } from "../../core/internal.js";
import type { ServedAgent } from "./serve-call.js";

/** The agents that are served, and the settings of their questions. */
export interface ServedAgents {
  /** The agents by the names of their tools: 1 to 40 letters, digits, `_` or `-`. */
  readonly agents: Readonly<Record<string, ServedAgent>>;
  /**
   * Opens the session with this id: `(id) => openSession({ store, id })`. With `authenticate`, `about` has the owner of a new session:
   * `(id, about) => openSession({ store, id, about })`. A `createHandler` over the same store then shows it to its owner.
   */
  readonly sessions: (id: string, about?: JsonObject) => OpenSession;
  /**
   * The secret that signs the state of a question, at least 32 bytes; the same for all processes behind one address. Default: a random
   * secret.
   */
  readonly key?: Uint8Array | undefined;
  /** Milliseconds during which the answer to a question is taken. Default: one day. */
  readonly answerTimeout?: number | undefined;
  /** Limits that the runs draw from, such as `sharedLimits({ maxCost: 5, per: "principal", every: "day" })`. Default: none. */
  readonly budget?: Budget | undefined;
}

/** A function that opens sessions. */
export const sessionOpener: ValueKind = objectWith(
  "a function, for example (id) => openSession({ store, id })",
  "call",
);

/** @throws LastcallError `configuration` that names the wrong option of `maker`. */
export function checkServed(maker: string, { agents, key }: ServedAgents): void {
  const names = Object.keys(agents);
  const bad = names.find((name) => !/^[\w-]{1,40}$/.test(name));
  const problem =
    names.length === 0
      ? `${maker} has no agents: give at least one, by the name of its tool`
      : bad !== undefined
        ? `${maker} has an agent named ${JSON.stringify(bad)}: give 1 to 40 letters, digits, _ or -`
        : key !== undefined && key.length < 32
          ? `The key of ${maker} is shorter than 32 bytes: give randomBytes(32), for example`
          : undefined;
  if (problem !== undefined) throw new LastcallError("configuration", `${problem}.`);
}
