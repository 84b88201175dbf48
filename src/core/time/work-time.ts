// Work time: the time that a run has worked, and deadlines in it. Time in which other programs or people hold the run
// up does not count.

import type { Runtime } from "./runtime.js";

/** A deadline in work time. */
export interface Deadline {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Cancels the deadline. */
  end(): void;
}

/** The work time of one run. It does not run until it is started. */
export class WorkTime {
  readonly #runtime: Runtime;
  #spent = 0;
  #since: number | undefined;
  #readers = 0;
  #holds = 0;
  /** Restarts the timer of a deadline. Set while the work time is paused. */
  #resume: (() => void) | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The work time so far, in milliseconds. */
  get elapsed(): number {
    return this.#spent + (this.#since === undefined ? 0 : this.#runtime.now() - this.#since);
  }

  /** Counts a reader that waits for the run. The work time runs while there is at least one. Each `start` needs a `stop`. */
  start(): void {
    this.#readers += 1;
    this.#settle();
  }

  stop(): void {
    this.#readers -= 1;
    this.#settle();
  }

  /** Waits for the promise and does not count the wait as work time. */
  async without<T>(promise: Promise<T>): Promise<T> {
    this.#holds += 1;
    this.#settle();
    try {
      return await promise;
    } finally {
      this.#holds -= 1;
      this.#settle();
    }
  }

  /** Sets a deadline: its signal aborts with `reason` after `ms` milliseconds of work time from now on. */
  deadline(ms: number, reason: unknown): Deadline {
    const abort = new AbortController();
    const canceled = new AbortController();
    const until = this.elapsed + ms;
    const wait = (): void => {
      this.#resume = undefined;
      const left = until - this.elapsed;
      if (left <= 0) abort.abort(reason);
      else this.#runtime.sleep(left, canceled.signal).then(check, () => undefined);
    };
    const check = (): void => {
      if (this.#since === undefined) this.#resume = wait;
      else wait();
    };
    wait();
    return {
      signal: abort.signal,
      end: () => {
        this.#resume = undefined;
        canceled.abort();
      },
    };
  }

  #settle(): void {
    const isRunning = this.#readers > 0 && this.#holds === 0;
    if (isRunning === (this.#since !== undefined)) return;
    if (this.#since === undefined) {
      this.#since = this.#runtime.now();
      this.#resume?.();
    } else {
      this.#spent += this.#runtime.now() - this.#since;
      this.#since = undefined;
    }
  }
}
