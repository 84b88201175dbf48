// The nemesis: what is done to a session from outside, by a seed; and a process's view of a store, in which it may die.

import { openSession, type Lock, type Store, type StoredSessionHandle } from "../../src/memory/index.js";
import { torn } from "./around-store.js";
import { LastcallError, type JournalRecord } from "../../src/index.js";

/** One thing that is done to a run, or instead of one. */
export interface Deed {
  /** What the run is: new words or an answer, a resume, or an answer to something that nobody asked. */
  readonly run: "say" | "resume" | "stray answer";
  /** The number of the event at which it is aborted. */
  readonly abortAt?: number;
  /** The number of the operation on the store at which its process dies, and how. */
  readonly deathAt?: number;
  readonly death: "before" | "after" | "torn";
  /** The number of the event at which another process says something, or gives the same answer once more. */
  readonly joinAt?: number;
  /** The number of the operation at which that other process dies. */
  readonly joinDeathAt?: number;
  /** True where the session is forked after it, and the fork is gone on with. */
  readonly forks: boolean;
}

/** All that deeds do, each by its name. */
export const deeds = [
  ...["say", "resume", "stray answer", "an abort", "a fork"],
  ...["a death before an operation", "a death after an operation", "a death torn an operation"],
  ...["another process that joins", "a death of the one that joins"],
] as const;

/** The next deed. */
export function anyDeed(random: () => number): Deed {
  const maybe = (share: number, most: number): number | undefined =>
    random() < share ? Math.floor(random() * most) : undefined;
  const [abortAt, deathAt, joinAt, joinDeathAt] = [maybe(0.2, 60), maybe(0.35, 40), maybe(0.2, 30), maybe(0.3, 6)];
  return {
    run: random() < 0.6 ? "say" : random() < 0.9 ? "resume" : "stray answer",
    ...(abortAt !== undefined && { abortAt }),
    ...(deathAt !== undefined && { deathAt }),
    death: (["before", "after", "torn"] as const)[Math.floor(random() * 3)]!,
    ...(joinAt !== undefined && { joinAt }),
    ...(joinDeathAt !== undefined && { joinDeathAt }),
    forks: random() < 0.05,
  };
}

/** A process's view of a session. */
export interface View {
  readonly session: StoredSessionHandle;
  readonly isDead: () => boolean;
}

/**
 * A view whose process dies at an operation, which calls `onDeath`: nothing that comes after it is done. What it was told is kept goes
 * to `acknowledged`.
 */
export function viewOf(
  store: Store,
  id: string,
  { deathAt = -1, death }: { readonly deathAt?: number | undefined; readonly death: Deed["death"] },
  acknowledged: JournalRecord[],
  onDeath: () => void,
): View {
  let [count, isDead] = [0, false];
  const operate = async <T>(work: () => Promise<T>, tear?: () => Promise<unknown>): Promise<T> => {
    if (isDead) throw new LastcallError("store", "The process is dead.");
    if (count++ !== deathAt) return work();
    isDead = true;
    onDeath();
    if (death === "after") await work();
    if (death === "torn") await tear?.();
    throw new LastcallError("store", "The process is dead.");
  };
  const mortal = (lock: Lock): Lock => ({
    ...(lock.isTorn !== undefined && { isTorn: lock.isTorn }),
    async append(lines, flush) {
      await operate(
        () => lock.append(lines, flush),
        () => lock.append(torn(lines), flush),
      );
      for (const line of lines) {
        const { sum: _sum, ...record } = JSON.parse(line) as JournalRecord & { readonly sum: string };
        if ("seq" in record) acknowledged.push(record);
      }
    },
    cut: (lines) => operate(() => lock.cut(lines)),
    renew: () => lock.renew(),
    // The lock of a dead process is taken over at once.
    release: () => lock.release(),
  });
  const view: Store = {
    ...store,
    async lock(...taken) {
      const lock = await store.lock(...taken);
      return "append" in lock ? mortal(lock) : lock;
    },
    send: (to, message) => operate(() => store.send(to, message)),
    drop: (from, messages) => operate(() => store.drop(from, messages)),
  };
  return { session: openSession({ store: view, id, onTorn: () => undefined }), isDead: () => isDead };
}
