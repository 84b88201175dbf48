// The runs of this process by session: they are suspended all together.

import { systemRuntime } from "../core/index.js";

/** The runs of this process. */
export class RunsHere {
  readonly #suspend = new AbortController();
  readonly #runs = new Map<string, Set<Promise<unknown>>>();

  /** Aborts once `close` was called. */
  get suspend(): AbortSignal {
    return this.#suspend.signal;
  }

  /** Counts the work on a session as a run until it ends. */
  begin<Result>(session: string, work: Promise<Result>): Promise<Result> {
    const runs = this.#runs.get(session) ?? new Set();
    this.#runs.set(session, runs.add(work));
    const end = (): void => {
      runs.delete(work);
      if (runs.size === 0 && this.#runs.get(session) === runs) this.#runs.delete(session);
    };
    work.then(end, end);
    return work;
  }

  /** Suspends all runs, waits so many milliseconds for them, and returns the sessions whose runs are still at work then. */
  async close(reason: string, timeout: number): Promise<readonly string[]> {
    this.#suspend.abort(new DOMException(reason, "AbortError"));
    const timer = new AbortController();
    const late = systemRuntime.sleep(timeout, timer.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled([...this.#runs.values()].flatMap((runs) => [...runs])), late]);
    timer.abort();
    return [...this.#runs.keys()];
  }
}
