// The port for time, randomness, ids and warnings. It can be replaced, so that a run can be replayed and tested.

import type { LastcallError } from "../data/fault.js";
import { onAbort } from "./abort.js";

/**
 * The source of time, randomness and ids, and the receiver of warnings.
 *
 * Contract: `now` never goes backwards within a run. `id` never repeats, and outside of tests it can't be guessed. `sleep` resolves
 * after `ms` milliseconds, or rejects with the signal's reason as soon as the signal aborts. `turn` resolves in a later turn of the
 * event loop, so that timers and signals fire even in a run whose model and tools never wait for anything. `warn` never throws.
 */
export interface Runtime {
  /** The current time in milliseconds since 1970. */
  now(): number;
  /** A random number in [0, 1), for jitter. */
  random(): number;
  /** A new id that can't be guessed: for a session, or for the marks around content from outside. */
  id(): string;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  turn(): Promise<void>;
  /** Tells a person about a fault that did not stop the run. */
  warn(fault: LastcallError): void;
}

/** The default runtime: a monotonic clock, which ignores changes of the system time, and random ids. Warnings go to the console. */
export const systemRuntime: Runtime = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  random: () => Math.random(),
  id: () => globalThis.crypto.randomUUID(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      let leave = (): void => undefined;
      const timer = setTimeout(() => {
        leave();
        resolve();
      }, ms);
      if (signal.aborted) stop();
      else leave = onAbort(signal, stop);
    }),
  turn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
  warn: (fault) => {
    console.warn(`lastcall: ${fault.message}`);
  },
};
