// A clock that stands still until it is told to go on: the port for time, ids and warnings, without waiting.

import type { LastcallError, Runtime } from "../../core/index.js";

/** How a virtual clock runs. */
export interface VirtualClockOptions {
  /** Milliseconds since 1970 at which it starts. Default 0. */
  readonly start?: number;
  /**
   * True to jump to the next timer whenever somebody sleeps and nothing else happens in that turn of the event loop. For
   * runs in which only this clock is waited for: work that takes real time would find its timeout over. Default false.
   */
  readonly auto?: boolean;
}

/** A runtime whose time passes only when it is told to, and in which nothing is left to chance. */
export interface VirtualClock extends Runtime {
  /** What a person would have been told. */
  readonly warnings: readonly LastcallError[];
  /** Lets so many milliseconds pass, timer by timer, and everything that follows from each happen. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  wake(): void;
}

/** Starts a clock. Its ids are `session-1`, `session-2`, ...; its random number is always 0.5. */
export function virtualClock({ start = 0, auto = false }: VirtualClockOptions = {}): VirtualClock {
  let now = start;
  let ids = 0;
  let sleepers: readonly Sleeper[] = [];
  const warnings: LastcallError[] = [];

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const forget = (sleeper: Sleeper): void => {
    sleepers = sleepers.filter((other) => other !== sleeper);
  };
  /** Wakes the next sleeper, if one is due until then; the first to fall asleep wakes first. */
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
