// A virtual clock: a runtime (time, ids, randomness and warnings) whose time passes only on request, so that tests need not wait.

import type { LastcallError, Runtime } from "../../core/index.js";
import { checkOptions, type OptionKinds } from "../../core/internal.js";

/** The options of `virtualClock`. */
export interface VirtualClockOptions {
  /** The start time, in milliseconds since 1970. Default 0. */
  readonly start?: number;
  /**
   * True to jump to the next timer automatically, in the turn of the event loop after a sleep has begun. Use it only if the run
   * waits for nothing but this clock: work that takes real time would hit its timeout at once. Default false.
   */
  readonly auto?: boolean;
}

/** A deterministic runtime whose time passes only on request. */
export interface VirtualClock extends Runtime {
  /** The warnings so far. */
  readonly warnings: readonly LastcallError[];
  /** Lets this many milliseconds pass, timer by timer. After each timer it waits for the work that the timer starts. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  wake(): void;
}

/** Makes a clock. Its ids are `session-1`, `session-2`, ...; its random number is always 0.5. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  checkOptions("virtualClock", options, { start: "number", auto: "flag" } satisfies OptionKinds<VirtualClockOptions>);
  const { start = 0, auto = false } = options;
  let now = start;
  let ids = 0;
  let sleepers: readonly Sleeper[] = [];
  const warnings: LastcallError[] = [];

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const forget = (sleeper: Sleeper): void => {
    sleepers = sleepers.filter((other) => other !== sleeper);
  };
  /** Wakes the next sleeper that is due by `end`, and returns false if none is. Of equal times, the earlier sleeper wakes first. */
  const wakeNext = (end: number): boolean => {
    const [next] = sleepers.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
    if (next === undefined) return false;
    forget(next);
    now = Math.max(now, next.until);
    next.wake();
    return true;
  };

  let isJumping = false;
  const jumpSoon = (): void => {
    if (isJumping) return;
    isJumping = true;
    setImmediate(() => {
      isJumping = false;
      if (wakeNext(Infinity) && sleepers.length > 0) jumpSoon();
    });
  };

  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => {
        forget(sleeper);
        reject(signal.reason as Error);
      };
      const sleeper: Sleeper = {
        until: now + ms,
        wake() {
          signal.removeEventListener("abort", stop);
          resolve();
        },
      };
      sleepers = [...sleepers, sleeper];
      signal.addEventListener("abort", stop, { once: true });
      if (auto) jumpSoon();
    });

  const advance = async (ms: number): Promise<void> => {
    await turn();
    const end = now + ms;
    while (wakeNext(end)) await turn();
    now = Math.max(now, end);
  };

  return {
    warnings,
    now: () => now,
    random: () => 0.5,
    id: () => `session-${String((ids += 1))}`,
    sleep,
    turn,
    warn: (fault) => {
      warnings.push(fault);
    },
    advance,
  };
}
