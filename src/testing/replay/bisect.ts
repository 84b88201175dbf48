// Bisecting: names the differences between two agents at which the run of a session departs.

import type { ReadableSession, Session } from "../../core/index.js";
import { explain, checkOptions, needed, portKinds, recipeOf, type OptionKinds } from "../../core/internal.js";
import { differencesBetween } from "./agent-differences.js";
import type { Departure } from "./difference-words.js";
import { plainOf, replaySession } from "./replay.js";

/** The options of `bisectSession`. */
export interface BisectOptions {
  /** The agent that the session is from, as `createAgent` made it. */
  readonly agent: object;
  /** The agent with which the run departs, as `createAgent` made it. */
  readonly against: object;
  /** The context of the runs, if a tool declares one. */
  readonly context?: unknown;
}

/** The result of bisecting. */
export interface Bisected {
  /** The first departure that `against` has and `agent` has not. Undefined if both go the same way. */
  readonly departure: Departure | undefined;
  /** The differences that alone make the run depart there, in words. Empty if only several together do. */
  readonly causes: readonly string[];
  /** The other differences: alone, they make the run depart elsewhere or not at all. */
  readonly others: readonly string[];
  /** The differences that can't be made alone, with the reasons. */
  readonly untried: readonly string[];
}

const bisectOptions = {
  agent: needed(portKinds.agent),
  against: needed(portKinds.agent),
  context: "any",
} satisfies OptionKinds<BisectOptions>;

/**
 * Replays a session with one agent, and with one difference of another agent at a time: a paragraph of the instructions, a tool, a check,
 * an option. Names the differences at which the run departs. No call runs, and no model and no person is asked.
 * @throws LastcallError `configuration` as `replaySession` does.
 */
export async function bisectSession(session: Session | ReadableSession, options: BisectOptions): Promise<Bisected> {
  checkOptions("bisectSession", options, bisectOptions);
  const { agent, against, context } = options;
  const plain = await plainOf(session);
  const before = recipeOf(agent);
  const known = new Set((await replaySession(plain, { agent, context })).departures.map(keyOf));
  const newIn = async (one: object): Promise<Departure | undefined> =>
    (await replaySession(plain, { agent: one, context })).departures.find((departure) => !known.has(keyOf(departure)));
  const departure = await newIn(against);
  const causes: string[] = [];
  const others: string[] = [];
  const untried: string[] = [];
  for (const { name, options: changed } of differencesBetween(before.options, recipeOf(against).options)) {
    let made: object;
    try {
      made = before.make(changed);
    } catch (thrown) {
      untried.push(`${name}: ${explain(thrown)}`);
      continue;
    }
    const own = await newIn(made);
    (own !== undefined && isAt(own, departure) ? causes : others).push(name);
  }
  return { departure, causes, others, untried };
}

/** True if both are about the same effect. */
function isAt({ at, kind }: Departure, other: Departure | undefined): boolean {
  return at === other?.at && kind === other.kind;
}

function keyOf({ at, kind, differences }: Departure): string {
  return JSON.stringify([at, kind, differences]);
}
