// The numbers of the sessions of a store: of one session, or of the sessions that were used last, with bounded work.

import type { Session } from "../../core/index.js";
import {
  recordsAfter,
  rootOf,
  sessionStats,
  type SessionStats,
  type Store,
  type StoredSession,
} from "../../memory/index.js";

/** The numbers of sessions, and the sessions that they are about. */
export interface StoreStats {
  readonly stats: SessionStats;
  /** The sessions that were looked at, without the sessions of agents that their calls ran. */
  readonly read: number;
  /** The sessions that there are. */
  readonly of: number;
  /** The sessions that were looked at and could not be read, also sessions of agents. They count nowhere. */
  readonly unreadable: number;
}

/** The numbers of one session, with the agents that its calls ran. Undefined if there is no such session. */
export async function statsOfSession(store: Store, id: string): Promise<StoreStats | undefined> {
  const own = (await store.list()).filter((one) => one.id === id || one.id.startsWith(`${id}/`));
  if (!own.some((one) => one.id === id)) return undefined;
  return { ...(await counted(store, own)), read: 1, of: 1 };
}

/** The numbers that were made last for the newest sessions, by store and number of sessions. */
const made = new WeakMap<Store, Map<number, { readonly of: string; readonly stats: Promise<StoreStats> }>>();

/**
 * The numbers of the sessions that were used last, with the agents that their calls ran. Who asks twice at once gets the same, and so does
 * who asks again before one of the sessions is used. Fewer than `most` are looked at if their calls ran very many agents.
 */
export async function statsOfNewest(store: Store, most: number): Promise<StoreStats> {
  const groups = new Map<string, StoredSession[]>();
  for (const one of await store.list()) groups.set(rootOf(one.id), [...(groups.get(rootOf(one.id)) ?? []), one]);
  const all = [...groups]
    .flatMap(([root, group]) => group.filter(({ id }) => id === root).map(({ updated }) => ({ updated, group })))
    .toSorted((one, other) => other.updated - one.updated);
  const logs: StoredSession[] = [];
  let read = 0;
  for (const { group } of all.slice(0, most)) {
    if (read > 0 && logs.length + group.length > logsPerSession * most) break;
    logs.push(...group);
    read += 1;
  }
  const of = JSON.stringify([all.length, logs.map(({ id, updated }) => [id, updated])]);
  const known = made.get(store) ?? new Map<number, never>();
  made.set(store, known);
  const last = known.get(most);
  if (last?.of === of) return last.stats;
  const stats = counted(store, logs).then((numbers) => ({ ...numbers, read, of: all.length }));
  known.clear();
  known.set(most, { of, stats });
  stats.catch(() => known.delete(most));
  return stats;
}

/** The most logs that are read for each session, on average. */
const logsPerSession = 5;

/** Milliseconds of work after which other requests have their turn. */
const longestTurn = 20;

/** Counts one session after the other. */
async function counted(
  store: Store,
  sessions: readonly StoredSession[],
): Promise<Pick<StoreStats, "stats" | "unreadable">> {
  let unreadable = 0;
  async function* all(): AsyncGenerator<Session, void, void> {
    let began = performance.now();
    for (const { id } of sessions) {
      if (performance.now() - began > longestTurn) {
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
      const records = await recordsAfter({ store, id }).catch(() => undefined);
      if (records === undefined) unreadable += 1;
      else yield { version: 1, id, records };
    }
  }
  return { stats: await sessionStats(all()), unreadable };
}
