// Work time: how long a run has worked, and a deadline in it. Who holds the run up does not use up its time.

import type { Runtime } from "./runtime.js";

/** A deadline that was set. */
export interface Deadline {
  /** Aborts once the time is up. */
  readonly signal: AbortSignal;
  /** Takes it back. */
  end(): void;
}

/** The working time of one run. It stands still until it is started. */
export class WorkTime {
  readonly #runtime: Runtime;
  #spent = 0;
  #since: number | undefined;
  #users = 0;
  #holds = 0;
  /** Set while a deadline waits for the clock to go on. */
  #resume: (() => void) | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Milliseconds so far. */
  get elapsed(): number {
    return this.#spent + (this.#since === undefined ? 0 : this.#runtime.now() - this.#since);
  }

  /** Somebody waits for the run to go on. To be paired with `stop`. */
  start(): void {
    this.#users += 1;
    this.#settle();
  }

  stop(): void {
    this.#users -= 1;
    this.#settle();
  }

  /** The time until the promise settles is not the run's. */
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

  /** Aborts with the reason once so many milliseconds have been worked from now on. */
  deadline(ms: number, reason: unknown): Deadline {
    const abort = new AbortController();
    const over = new AbortController();
    const until = this.elapsed + ms;
    const wait = (): void => {
      this.#resume = undefined;
      const left = until - this.elapsed;
      if (left <= 0) abort.abort(reason);
      else this.#runtime.sleep(left, over.signal).then(look, () => undefined);
    };
    const look = (): void => {
      if (this.#since === undefined) this.#resume = wait;
      else wait();
    };
    wait();
    return {
      signal: abort.signal,
      end: () => {
        this.#resume = undefined;
        over.abort();
      },
    };
  }

  #settle(): void {
    const runs = this.#users > 0 && this.#holds === 0;
    if (runs === (this.#since !== undefined)) return;
    if (this.#since === undefined) {
      this.#since = this.#runtime.now();
      this.#resume?.();
    } else {
      this.#spent += this.#runtime.now() - this.#since;
      this.#since = undefined;
    }
  }
}
