// What the cases of the store port have in common: a place with a store, holders of locks, and a clock that can be put forward.

import { hostname } from "node:os";
import type { Holder, Lock, Store } from "../../memory/index.js";
import { withPort, type ConformanceCase, type Disposable } from "./conformance.js";
import { demand, show } from "../oracle/demand.js";

/** Where a store keeps what it keeps. */
export interface StorePlace {
  /** A store over this place; each time as another process would open it. */
  open(): Store | Promise<Store>;
}

/** What a place is made with. */
export interface StorePlaceOptions {
  /** Milliseconds since 1970. The suite puts it forward, so that locks get old. */
  readonly now: () => number;
}

/** Makes an empty place. What it has under `Symbol.asyncDispose` is called after each case. */
export type StoreMaker = (options: StorePlaceOptions) => Disposable<StorePlace> | Promise<Disposable<StorePlace>>;

/** What a case works with. */
export interface StoreWorld {
  /** A store that is open all the time. */
  readonly store: Store;
  /** Another one over the same place. */
  open(): Promise<Store>;
  /** Puts the clock forward by so many milliseconds. */
  pass(milliseconds: number): void;
  now(): number;
}

/** A case in a place of its own. */
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

/** A holder in this process, as it takes a lock. */
export function newHolder(): Holder {
  return { id: crypto.randomUUID(), host: hostname(), pid: process.pid };
}

/** A holder whose process ran on this machine and is gone. */
export async function goneHolder(): Promise<Holder> {
  const { spawnSync } = await import("node:child_process");
  return { ...newHolder(), pid: spawnSync(process.execPath, ["--version"]).pid };
}

/** Takes a lock that must be there to be taken. */
export async function taken(store: Store, id: string, holder: Holder = newHolder()): Promise<Lock> {
  const lock = await store.lock(id, holder);
  demand(isLock(lock), `the lock of ${id} was not given: ${show(lock)} has it`);
  return lock;
}

export function isLock(lock: Lock | Holder): lock is Lock {
  return "append" in lock;
}

/** What the work threw. It must throw. */
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
