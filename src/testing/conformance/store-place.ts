// Shared parts of the store cases: storage for one case, holders of locks, and a clock that can be advanced.

import { hostname } from "node:os";
import type { Holder, Lock, Store } from "../../memory/index.js";
import { withPort, type ConformanceCase, type Disposable } from "./conformance.js";
import { demand, show } from "../oracle/demand.js";

/** The storage of one case, such as a folder or a file. */
export interface StorePlace {
  /** Opens a store on this storage. Each call returns a new store, as another process would open it. */
  open(): Store | Promise<Store>;
}

/** The options for making a storage. */
export interface StorePlaceOptions {
  /** The clock, in milliseconds since 1970. The suite advances it to make locks stale. */
  readonly now: () => number;
}

/** Makes an empty storage. Its `Symbol.asyncDispose`, if any, is called after each case. */
export type StoreMaker = (options: StorePlaceOptions) => Disposable<StorePlace> | Promise<Disposable<StorePlace>>;

/** The things that a case works with. */
export interface StoreWorld {
  /** A store that stays open during the case. */
  readonly store: Store;
  /** Opens another store on the same storage. */
  open(): Promise<Store>;
  /** Advances the clock by this many milliseconds. */
  pass(milliseconds: number): void;
  now(): number;
}

/** Makes a case that runs in its own storage. */
export function storeCase(make: StoreMaker, name: string, work: (world: StoreWorld) => Promise<void>): ConformanceCase {
  return {
    name,
    run: async () => {
      let ahead = 0;
      const now = (): number => Date.now() + ahead;
      await withPort(
        () => make({ now }),
        async (place) => {
          const open = async (): Promise<Store> => place.open();
          const pass = (milliseconds: number): void => {
            ahead += milliseconds;
          };
          await work({ store: await open(), open, pass, now });
        },
      );
    },
  };
}

/** A new holder for this process. */
export function newHolder(): Holder {
  return { id: crypto.randomUUID(), host: hostname(), pid: process.pid };
}

/** A holder whose process ran on this machine and has ended. */
export async function goneHolder(): Promise<Holder> {
  const { spawnSync } = await import("node:child_process");
  return { ...newHolder(), pid: spawnSync(process.execPath, ["--version"]).pid };
}

/** Takes a lock. Throws if somebody else holds it. */
export async function taken(store: Store, id: string, holder: Holder = newHolder()): Promise<Lock> {
  const lock = await store.lock(id, holder);
  demand(isLock(lock), `the lock of ${id} was not given: ${show(lock)} has it`);
  return lock;
}

/** True if the lock was taken, and false if its holder was returned. */
export function isLock(lock: Lock | Holder): lock is Lock {
  return "append" in lock;
}

/** The Error that the work throws. Throws if the work does not fail. */
export async function thrownBy(work: () => Promise<unknown>, what: string): Promise<Error> {
  let thrown: unknown;
  try {
    const made = await work();
    thrown = new Error(`${what} was not refused: it returned ${show(made)}`);
  } catch (refusal) {
    demand(refusal instanceof Error && refusal.message !== "", `${what} was refused without words: ${show(refusal)}`);
    return refusal;
  }
  throw thrown;
}
