// The checks of a world that has come to its end: from the journals, and from the log of what happened outside.

import type { JournalRecord } from "../../../src/core/index.js";
import { explain } from "../../../src/core/internal.js";
import type { StoredMessage } from "../../../src/memory/store/store.js";
import { readLog } from "../../../src/memory/session/record-lines.js";
import type { People } from "../host/people.js";
import type { Asked, Site, Told } from "../host/site.js";
import type { Grant } from "../store/database.js";
import type { Charge, Effect, World } from "../world/world.js";
import { checkAmounts, checkSharedLimits, keysOfReplies } from "./check-amounts.js";
import { actsWithoutLease, checkEffects } from "./check-effects.js";
import { checkAsks } from "./check-asks.js";
import { checkInputs } from "./check-inputs.js";
import { checkJournal } from "./check-journal.js";

/** A session at the end, and all that is known of it. */
export interface EndedSession {
  readonly id: string;
  readonly records: readonly JournalRecord[];
  /** The number of records that its followers have seen. */
  readonly seen: number;
  /** True if the clocks of the workers differ. */
  readonly isSkewed: boolean;
  /** The number of its agent. */
  readonly agent: number;
  readonly grants: readonly Grant[];
  readonly asked: readonly Asked[];
  /** The true times at which the records were stored. */
  readonly times: readonly number[];
  /** The words that nobody took. */
  readonly inbox: readonly StoredMessage[];
  /** The ids of words that somebody put there who did nothing more about them. */
  readonly left: ReadonlySet<string>;
  readonly hasEngine: boolean;
  readonly effects: readonly Effect[];
  readonly charges: readonly Charge[];
  readonly told: readonly Told[];
}

/** Adds to the findings of the world what does not hold. */
export function checkWorld(site: Site, people: readonly People[]): void {
  const { world } = site;
  const sessions = sessionsOf(site, people);
  for (const session of sessions) {
    for (const fact of actsWithoutLease(session)) world.doubt(`${session.id}: ${fact}`);
    try {
      checkJournal(session);
      checkInputs(session);
      checkAsks(session);
      checkEffects(session);
      checkAmounts(session);
    } catch (thrown) {
      world.find(`${session.id}: ${explain(thrown)}`);
    }
  }
  for (const { records, asked } of sessions) countAll(world, records, asked);
  if (site.sharesLimits) checkSharedLimits(world, new Set(sessions.flatMap(keysOfReplies)));
}

/** Counts what came up, so that it shows if something never does. */
function countAll(world: World, records: readonly JournalRecord[], asked: readonly Asked[]): void {
  for (const { type } of records) if (counted.has(type)) world.count(`records ${type}`);
  for (const { ask, refused } of asked) world.count(`asks ${ask.kind}${refused === undefined ? "" : " refused"}`);
  for (const record of records) {
    if (record.type === "result" && record.result.text.includes("outcome is unknown")) world.count("unknown outcomes");
    if (record.type === "input" && record.lapses !== undefined) world.count("expired questions");
  }
}

const counted: ReadonlySet<JournalRecord["type"]> = new Set([
  "steer",
  "question",
  "answer",
  "parked",
  "approval",
  "resume",
  "outcome",
]);

/** The sessions whose journals can be read. A journal that can't is a finding. */
function sessionsOf(
  { world, database, server, agentOf, told, asked }: Site,
  people: readonly People[],
): readonly EndedSession[] {
  const asks = by(asked, ({ ask }) => ask.session);
  const effects = by(world.effects, ({ callId }) => sessionOf(callId));
  const charges = by(world.charges, ({ key }) => sessionOf(key));
  const outcomes = by(told, ({ session }) => session);
  return people.flatMap(({ session: id, seen }) => {
    const { lines, times, inbox, senders, grants } = database.row(id);
    try {
      const place = { id, where: `The session ${id}`, isTorn: false };
      const records = lines.length === 0 ? [] : readLog(lines, place).records;
      const known = { id, records, seen: seen.length, agent: agentOf(id), grants, isSkewed: world.weather.skew > 0 };
      const stored = {
        times: times.slice(1),
        inbox,
        left: new Set([...senders].flatMap(([words, sender]) => (sender.isGone() ? [words] : []))),
        hasEngine: server !== undefined,
      };
      return { ...known, ...stored, asked: asks(id), effects: effects(id), charges: charges(id), told: outcomes(id) };
    } catch (thrown) {
      world.find(`${id}: ${explain(thrown)}`);
      return [];
    }
  });
}

function sessionOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/** The items of each session. */
function by<Item>(items: readonly Item[], idOf: (item: Item) => string): (id: string) => readonly Item[] {
  const of = new Map<string, Item[]>();
  for (const item of items) {
    const id = idOf(item);
    const known = of.get(id);
    if (known === undefined) of.set(id, [item]);
    else known.push(item);
  }
  return (id) => of.get(id) ?? [];
}
