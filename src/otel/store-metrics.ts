// Metrics of a store: a wrapper that records appends, take-overs and failures, and gauges of what waits.

/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions, expectKind, portKinds, type OptionKinds } from "../core/internal.js";
import type { Lock, Store } from "../memory/index.js";
import { loadApi, type StoreMeter } from "./data/api.js";
import { errorType } from "./data/error-type.js";
import { scope } from "./data/names.js";
import { makeStoreInstruments, type StoreInstruments } from "./live/store-instruments.js";

/** The options of `storeMetrics`. */
export interface StoreMetricsOptions {
  /** Default: the meter `lastcall` of the provider that the program has registered before. */
  readonly meter?: StoreMeter | undefined;
}

const storeMetricsOptions = { meter: "object" } satisfies OptionKinds<StoreMetricsOptions>;

/** The operations whose failures are counted. Failures of `changes` and `attachments` are not counted, and `lockOf` wraps `lock`. */
const operations = ["list", "unfinished", "read", "readBytes", "send", "messages", "drop", "delete"] as const;

/**
 * Returns the store, with metrics of its appends, of the locks that were taken over and of its failures. If the store counts its sessions,
 * as `pgStore` does, each collection of the metrics reads these counts once. They are of the whole store, so every worker tells the same:
 * take the maximum, not the sum. A failing count goes to OpenTelemetry's `diag`. Disposing of the store ends the gauges.
 * @throws LastcallError `configuration` if the package `@opentelemetry/api` is missing; the message has the line that installs it.
 */
export async function storeMetrics<Kind extends Store>(store: Kind, options: StoreMetricsOptions = {}): Promise<Kind> {
  expectKind("The store of storeMetrics", store, portKinds.store);
  checkOptions("storeMetrics", options, storeMetricsOptions);
  const api = await loadApi();
  const instruments = makeStoreInstruments(options.meter ?? api.metrics.getMeter(scope), store, (thrown) => {
    api.diag.error("lastcall: the sessions of a store could not be counted", thrown);
  });
  return { ...store, ...counted(store, instruments), lock: lockOf(store, instruments), ...ending(store, instruments) };
}

/** The operations of the store, each of which counts its failures. */
function counted(store: Store, instruments: StoreInstruments): Partial<Store> {
  const all = operations.flatMap((name) => {
    const work = store[name]?.bind(store) as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    if (work === undefined) return [];
    return [[name, async (...given: readonly unknown[]) => counting(instruments, name, () => work(...given))] as const];
  });
  return Object.fromEntries(all);
}

function lockOf(store: Store, instruments: StoreInstruments): Store["lock"] {
  return async (id, holder) => {
    const lock = await counting(instruments, "lock", () => store.lock(id, holder));
    if (!("append" in lock)) return lock;
    if (lock.takenFrom !== undefined) instruments.takeover();
    return watched(lock, instruments);
  };
}

/** The lock, whose appends are timed. */
function watched(lock: Lock, instruments: StoreInstruments): Lock {
  return {
    ...lock,
    async append(lines, flush) {
      const began = performance.now();
      try {
        await lock.append(lines, flush);
      } catch (thrown) {
        instruments.append({ duration: performance.now() - began, flush, error: errorType(thrown) });
        instruments.failure("append", errorType(thrown));
        throw thrown;
      }
      instruments.append({ duration: performance.now() - began, flush });
    },
    cut: (lines) => counting(instruments, "cut", () => lock.cut(lines)),
    renew: () => counting(instruments, "renew", () => lock.renew()),
    release: () => counting(instruments, "release", () => lock.release()),
  };
}

async function counting<Made>(
  instruments: StoreInstruments,
  operation: string,
  work: () => Promise<Made>,
): Promise<Made> {
  try {
    return await work();
  } catch (thrown) {
    instruments.failure(operation, errorType(thrown));
    throw thrown;
  }
}

/** A store that can be disposed of ends its gauges then. */
function ending(store: Store & Partial<AsyncDisposable>, instruments: StoreInstruments): Partial<AsyncDisposable> {
  const dispose = store[Symbol.asyncDispose]?.bind(store);
  if (dispose === undefined) return {};
  return {
    async [Symbol.asyncDispose]() {
      instruments.close();
      await dispose();
    },
  };
}
