// The clocks, timers and random numbers of the platform, replaced by those of a simulation while it runs.

import { createHash } from "node:crypto";
import type { Random } from "./random.js";
import type { Scheduler, Timer } from "./scheduler.js";

/** The time at which simulations begin, in milliseconds since 1970. */
export const epoch = 1_800_000_000_000;

/** The part of a world that takes the place of the platform. */
interface World {
  readonly scheduler: Scheduler;
  readonly random: Random;
  count(what: string): void;
}

/** Replaces them. Returns the function that puts the real ones back. */
export function replaceGlobals(world: World): () => void {
  const { scheduler, random } = world;
  const warn = (): void => {
    world.count("warnings");
  };
  const undo = [
    replace(globalThis, {
      setTimeout: (work: () => void, ms = 0) => handleOf(scheduler.after(ms, work)),
      setInterval: (work: () => void, ms = 0) => interval(scheduler, work, ms),
      setImmediate: (work: () => void) => handleOf(scheduler.after(0, work)),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    }),
    replace(Date, { now: () => epoch + scheduler.clock() }),
    replace(console, { warn }),
    replace(Math, { random: () => random.next() }),
    replace(performance, { now: () => scheduler.clock() }),
    replace(crypto, { randomUUID: () => uuid(random) }),
    replace(crypto.subtle, {
      // The real one answers from a pool of threads, in any order.
      digest: async (_name: string, bytes: Uint8Array) =>
        Uint8Array.from(createHash("sha256").update(bytes).digest()).buffer,
    }),
  ];
  return () => {
    for (const back of undo) back();
  };
}

/** A timer as the platform's: `unref` does nothing, because nothing keeps a simulation alive. */
interface Handle {
  timer: Timer;
  unref(): Handle;
  ref(): Handle;
}

function handleOf(timer: Timer): Handle {
  const handle: Handle = { timer, unref: () => handle, ref: () => handle };
  return handle;
}

function interval(scheduler: Scheduler, work: () => void, ms: number): Handle {
  const again = (): void => {
    handle.timer = scheduler.after(ms, again);
    work();
  };
  const handle = handleOf(scheduler.after(ms, again));
  return handle;
}

function clear(handle: Handle | undefined): void {
  if (handle !== undefined) handle.timer.isCancelled = true;
}

/** A random id in the form of a UUID. */
export function uuid(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}

/** Defines the properties on the object, and returns the function that restores what was there. */
function replace(object: object, properties: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(properties).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)] as const);
  for (const [key, value] of Object.entries(properties))
    Object.defineProperty(object, key, { value, configurable: true, writable: true });
  return () => {
    for (const [key, own] of before) {
      if (own === undefined) Reflect.deleteProperty(object, key);
      else Object.defineProperty(object, key, own);
    }
  };
}
