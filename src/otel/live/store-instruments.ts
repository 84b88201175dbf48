// The instruments of a store: durations of appends, failures, take-overs, and gauges of what waits.

import type { Store } from "../../memory/index.js";
import type { Observed, ObservableGauge, StoreMeter } from "../data/api.js";
import { attribute, metric } from "../data/names.js";

/** Bounds of the duration of an append, in seconds. */
const appendSeconds = [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 5, 10];

/** The instruments of one store. Durations are in milliseconds; they are recorded in seconds. */
export interface StoreInstruments {
  /** An append ended, or failed with the type of an error. */
  append(ended: { readonly duration: number; readonly flush: boolean; readonly error?: string }): void;
  /** An operation failed. */
  failure(operation: string, error: string): void;
  /** A lock was taken from a holder that had not released it. */
  takeover(): void;
  /** Ends the gauges. */
  close(): void;
}

/** Makes the instruments on a meter. A collection reads the counts of the store once; `failed` gets its errors. */
export function makeStoreInstruments(
  meter: StoreMeter,
  store: Store,
  failed: (thrown: unknown) => void,
): StoreInstruments {
  const appends = meter.createHistogram(metric.appendDuration, {
    unit: "s",
    description: "Duration of an append to a session",
    advice: { explicitBucketBoundaries: appendSeconds },
  });
  const failures = meter.createCounter(metric.storeFailures, {
    unit: "{failure}",
    description: "Operations of the store that failed",
  });
  const takeovers = meter.createCounter(metric.takeovers, {
    unit: "{takeover}",
    description: "Locks that were taken from holders that had not released them",
  });
  return {
    append({ duration, flush, error }) {
      const about = { [attribute.storeFlush]: flush };
      appends.record(duration / 1000, error === undefined ? about : { ...about, [attribute.errorType]: error });
    },
    failure(operation, error) {
      failures.add(1, { [attribute.storeOperation]: operation, [attribute.errorType]: error });
    },
    takeover() {
      takeovers.add(1);
    },
    close: watchCounts(meter, store, failed),
  };
}

/** Adds the gauges if the store counts. Returns the function that takes them away. */
function watchCounts(meter: StoreMeter, store: Store, failed: (thrown: unknown) => void): () => void {
  const counts = store.counts?.bind(store);
  if (counts === undefined) return () => undefined;
  const gauge = (name: string, unit: string, description: string): ObservableGauge =>
    meter.createObservableGauge(name, { unit, description });
  const sessions = gauge(metric.sessions, "{session}", "Sessions that wait, or whose run is open");
  const oldestWait = gauge(metric.oldestWait, "s", "Age of the oldest wait for an answer or an approval");
  const withMessages = gauge(metric.withMessages, "{session}", "Sessions with messages that no run took");
  const oldestMessage = gauge(metric.oldestMessage, "s", "Age of the oldest message that no run took");
  const all = [sessions, oldestWait, withMessages, oldestMessage];
  const observe = async (observed: Observed): Promise<void> => {
    try {
      const counted = await counts();
      const states = { waiting: counted.waiting, held: counted.held, left_alone: counted.leftAlone };
      for (const [state, count] of Object.entries(states))
        observed.observe(sessions, count, { [attribute.sessionState]: state });
      observed.observe(oldestWait, counted.oldestWait / 1000);
      observed.observe(withMessages, counted.withMessages);
      observed.observe(oldestMessage, counted.oldestMessage / 1000);
    } catch (thrown) {
      failed(thrown);
    }
  };
  meter.addBatchObservableCallback(observe, all);
  return () => {
    meter.removeBatchObservableCallback(observe, all);
  };
}
