// Aborts a session over an engine: its deliveries are withdrawn, and a delivery of its own ends a run whose process is dead.

import { hasNoEnd } from "../core/internal.js";
import type { Store } from "../memory/index.js";
import { readStored } from "../memory/stores.js";
import { nameIn } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import { firstOf, inputIdOf, stopDelivery, stopPrefix } from "./work.js";

/** A delivery that has no end yet, as its engine knows it. */
export interface LiveDelivery {
  readonly name: string;
  /** The name of the agent that it is for. */
  readonly agent: string;
}

/** The functions of an engine that an abort needs. */
export interface Aborting<Live extends LiveDelivery> {
  /** The deliveries to the session that have no end yet. */
  live(): Promise<readonly Live[]>;
  withdraw(deliveries: readonly Live[]): Promise<void>;
  give(stop: Work): Promise<void>;
}

/**
 * Aborts a session, for the reason. Returns false if there was nothing to abort.
 * @throws LastcallError `store` if the store can't be read; and errors of the engine.
 */
export async function abortOver<Live extends LiveDelivery>(
  store: Store,
  { session, reason }: { readonly session: string; readonly reason: string },
  engine: Aborting<Live>,
): Promise<boolean> {
  const { about, records } = await readStored(store, session);
  const live = (await engine.live()).filter(({ name }) => !name.startsWith(stopPrefix(session)));
  if (live.length === 0 && !hasNoEnd(records)) return false;
  const agent = nameIn(about) ?? live[0]?.agent ?? "";
  const inputs = live.map(({ name }) => inputIdOf(name)).filter((id) => id !== undefined);
  const stopBefore = (before: number): Work => stopDelivery(session, agent, { stop: reason, before, inputs });
  // First: if this process dies in between, a run whose delivery was withdrawn would stay open, since nobody delivers it again.
  await engine.give(stopBefore(records.length));
  if (live.length === 0) return true;
  await withdrawAll(live, engine);
  // The delivery above may have been made before the withdrawal, and a process may have begun a run of one of these deliveries since then,
  // or be about to begin one.
  await engine.give(stopBefore((await readStored(store, session)).records.length));
  return true;
}

/** Withdraws the deliveries, and the later attempts at them that are given meanwhile. */
async function withdrawAll<Live extends LiveDelivery>(
  live: readonly Live[],
  engine: Pick<Aborting<Live>, "live" | "withdraw">,
): Promise<void> {
  const firsts = new Set(live.map(({ name }) => firstOf(name)));
  const names = new Set<string>();
  for (let left = live; left.length > 0;) {
    await engine.withdraw(left);
    for (const { name } of left) names.add(name);
    left = (await engine.live()).filter(({ name }) => firsts.has(firstOf(name)) && !names.has(name));
  }
}
