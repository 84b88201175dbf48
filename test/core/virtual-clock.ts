// A clock that stands still until it is told to go on: the port for time, without waiting.

import type { LastcallError, Runtime } from "../../src/core/index.js";

/** A runtime whose time passes only by `pass`. */
export interface VirtualClock extends Runtime {
  readonly warnings: readonly LastcallError[];
  /** Lets so many milliseconds pass, and everything that follows from them happen. */
  pass(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Starts a clock at 0. */
export function virtualClock(): VirtualClock {
  let now = 0;
  let ids = 0;
  let sleepers: readonly Sleeper[] = [];
  const warnings: LastcallError[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    warnings,
    now: () => now,
    random: () => 0.5,
    id: () => `session-${String((ids += 1))}`,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const sleeper: Sleeper = { until: now + ms, wake: resolve };
        sleepers = [...sleepers, sleeper];
        signal.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason as Error);
        });
      }),
    turn: settle,
    warn: (fault) => {
      warnings.push(fault);
    },
    async pass(ms) {
      await settle();
      const end = now + ms;
      for (;;) {
        const [next] = sleepers.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
        if (next === undefined) break;
        sleepers = sleepers.filter((other) => other !== next);
        now = next.until;
        next.wake();
        await settle();
      }
      now = end;
    },
  };
}
