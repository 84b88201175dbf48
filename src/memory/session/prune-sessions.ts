// Pruning: deletes the sessions that have not been used for a long time.

import { LastcallError } from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds } from "../../core/internal.js";
import { rootOf } from "./tree.js";
import { giveBack, newHolder } from "../../lock/index.js";
import type { Store } from "../store/store.js";

/** The options of `pruneSessions`. */
export interface PruneOptions {
  readonly store: Store;
  /** A session is deleted if its last record is older than this many milliseconds. */
  readonly olderThan: number;
  /** The clock, in milliseconds since 1970. Default: the machine's. */
  readonly now?: (() => number) | undefined;
}

const pruneOptions = {
  store: needed(portKinds.store),
  olderThan: needed("number"),
  now: "function",
} satisfies OptionKinds<PruneOptions>;

/**
 * Deletes every session whose last record is older than the given age, in any state, except the sessions that are being written. A
 * session and the sessions of the agents that its calls run are deleted together, when the last record of all these sessions is old.
 * @returns the ids of the deleted sessions, oldest first.
 * @throws LastcallError `configuration` for an invalid age; `store` if a session can't be deleted.
 */
export async function pruneSessions(options: PruneOptions): Promise<readonly string[]> {
  checkOptions("pruneSessions", options, pruneOptions);
  const { store, olderThan, now = Date.now } = options;
  if (!Number.isFinite(olderThan) || olderThan < 0) {
    throw new LastcallError("configuration", `olderThan is ${String(olderThan)}: give milliseconds, 0 or more.`);
  }
  const latest = now() - olderThan;
  const all = await store.list();
  const used = new Map<string, number>();
  for (const { id, updated } of all) used.set(rootOf(id), Math.max(updated, used.get(rootOf(id)) ?? 0));
  const old = all.filter(({ id }) => (used.get(rootOf(id)) ?? 0) < latest).sort((a, b) => a.updated - b.updated);
  const gone: string[] = [];
  for (const { id } of old) if (await isDeleted(store, id)) gone.push(id);
  return gone;
}

/** Deletes the session. Returns false if another process is writing it. */
async function isDeleted(store: Store, id: string): Promise<boolean> {
  try {
    await store.delete(id);
    return true;
  } catch (thrown) {
    const holder = newHolder();
    const lock = await store.lock(id, holder);
    if (!("append" in lock)) return false;
    await giveBack(holder, () => lock.release());
    throw thrown;
  }
}
