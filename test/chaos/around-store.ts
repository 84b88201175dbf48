// Stores with something around each of their operations: a death, a failure, a wait.

import { memoryStore, type Lock, type Store } from "../../src/memory/index.js";

/** One operation on a store that is about to happen. */
export interface Operation {
  readonly name: "read" | "lock" | "append" | "cut" | "release" | "send" | "messages" | "drop";
  /** For an append. */
  readonly lines?: readonly string[];
  readonly flush?: boolean;
  /** The lock, where it is one's own. */
  readonly lock?: Lock;
}

/** Does what is around an operation, and the operation itself. */
export type Operate = <T>(operation: Operation, work: () => Promise<T>) => Promise<T>;

/** The store with this around each operation that a session needs; the renewal of a lock, which comes by the clock, goes through. */
export function aroundStore(store: Store, operate: Operate): Store {
  const aroundLock = (lock: Lock): Lock => ({
    ...(lock.isTorn !== undefined && { isTorn: lock.isTorn }),
    append: (lines, flush) => operate({ name: "append", lines, flush, lock }, () => lock.append(lines, flush)),
    cut: (lines) => operate({ name: "cut", lock }, () => lock.cut(lines)),
    renew: () => lock.renew(),
    release: () => operate({ name: "release", lock }, () => lock.release()),
  });
  return {
    ...store,
    read: (id, from) => operate({ name: "read" }, () => store.read(id, from)),
    lock: (id, holder) =>
      operate({ name: "lock" }, async () => {
        const lock = await store.lock(id, holder);
        return "append" in lock ? aroundLock(lock) : lock;
      }),
    send: (id, message) => operate({ name: "send" }, () => store.send(id, message)),
    messages: (id) => operate({ name: "messages" }, () => store.messages(id)),
    drop: (id, messages) => operate({ name: "drop" }, () => store.drop(id, messages)),
  };
}

/** The lines that an append leaves if it is broken off in its last line. */
export function torn(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1) ?? "";
  return [...lines.slice(0, -1), last.slice(0, last.length / 2)];
}

/** A line of a log that was written whole. */
const wholeLine = /,"sum":"[0-9a-f]{16}"\}$/;

/** A store in memory whose appends are not atomic, like those of a file: half a line may be at the end of a log. */
export function tearableStore(now?: () => number): Store {
  const store = memoryStore(now);
  return {
    ...store,
    async lock(id, holder) {
      const lock = await store.lock(id, holder);
      if (!("append" in lock)) return lock;
      const last = (await store.read(id))?.at(-1);
      return { ...lock, isTorn: last !== undefined && !wholeLine.test(last) };
    },
  };
}

/** When a process dies, and what is left of what it did. */
export interface Death {
  /** The number of the operation that changes something, from 1. */
  readonly at: number;
  /** Before it, right after it, in the midst of it, or before it and together with the power. */
  readonly how: "before" | "after" | "torn" | "power";
  /** With the power: how many of the last lines that were not flushed are lost, the first of them torn where `isTorn`. */
  readonly lost?: number;
  readonly isTorn?: boolean;
}

/** A process's view of a store, until it dies. Each line of an append is an operation of its own, since it may die between two. */
export interface Mortal {
  readonly store: Store;
  /** How many operations that change something were begun. */
  readonly count: () => number;
  readonly isDead: () => boolean;
  /** How many lines were not flushed when it died. */
  readonly pending: () => number;
}

/** The view of a process that dies so. Nothing that comes after it is done; its lock is not given back, but taken over. */
export function mortal(store: Store, id: string, { at, how, lost = 0, isTorn = false }: Death): Mortal {
  let count = 0;
  let pending = 0;
  let isDead = false;

  const loseThePower = async (lock: Lock): Promise<void> => {
    const lines = (await store.read(id)) ?? [];
    const kept = lines.length - Math.min(lost, pending);
    await lock.cut(kept);
    const next = lines[kept];
    if (isTorn && next !== undefined) await lock.append([next.slice(0, next.length / 2)], false);
  };

  const operate: Operate = async (operation, work) => {
    const { name, lock, lines = [], flush = false } = operation;
    if (name === "release") return work();
    if (isDead) throw new Error("The process is dead.");
    const changes = name === "append" ? lines.length : name === "cut" || name === "drop" ? 1 : 0;
    const done = at - count - 1;
    count += changes;
    if (done < 0 || done >= changes) {
      const made = await work();
      if (name === "append") pending = flush ? 0 : pending + lines.length;
      return made;
    }
    isDead = true;
    if (name === "append") {
      const left = how === "after" || how === "torn" ? lines.slice(0, done + 1) : lines.slice(0, done);
      await lock?.append(how === "torn" ? torn(left) : left, false);
      pending += done;
    } else if (how === "after") await work();
    if (how === "power" && lock !== undefined) await loseThePower(lock);
    throw new Error("The process died.");
  };
  return {
    store: aroundStore(store, operate),
    count: () => count,
    isDead: () => isDead,
    pending: () => pending,
  };
}
