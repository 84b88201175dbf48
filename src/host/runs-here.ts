// The runs of this process by session: they are aborted by session, and suspended all together.

import { systemRuntime } from "../core/index.js";
import type { RunWatcher } from "./delivery/run-watcher.js";

/** A run of this process. */
interface ActiveRun {
  readonly abort: AbortController;
  readonly ended: Promise<unknown>;
}

/** The signals of a run of this process. */
export interface RunSignals {
  readonly signal: AbortSignal;
  readonly suspend: AbortSignal;
  /** Those who watch the runs of this process. */
  readonly watchers: Iterable<RunWatcher>;
}

/** The runs of this process. */
export class RunsHere {
  readonly #suspend = new AbortController();
  readonly #runs = new Map<string, Set<ActiveRun>>();
  readonly #watchers = new Set<RunWatcher>();

  /** True once `close` was called. */
  get isClosed(): boolean {
    return this.#suspend.signal.aborted;
  }

  /** True if a run of this process has the session, or waits for it. */
  has(session: string): boolean {
    return this.#runs.has(session);
  }

  /** Begins work on a session, which counts as a run until it ends. */
  begin<Result>(session: string, work: (signals: RunSignals) => Promise<Result>): Promise<Result> {
    const abort = new AbortController();
    const signals = { signal: abort.signal, suspend: this.#suspend.signal, watchers: this.#watchers };
    const result = work(signals).finally(() => {
      this.#end(session, run);
    });
    const run: ActiveRun = { abort, ended: result.catch(() => undefined) };
    this.#runs.set(session, (this.#runs.get(session) ?? new Set()).add(run));
    return result;
  }

  /** Watches the runs of this process that begin from now on, until the function that it returns is called. */
  watch(watcher: RunWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Aborts the runs of this process on the session. Returns false if there is none. */
  abort(session: string, reason: string): boolean {
    const runs = this.#runs.get(session);
    for (const { abort } of runs ?? []) abort.abort(new DOMException(reason, "AbortError"));
    return runs !== undefined;
  }

  /** Suspends all runs, waits so many milliseconds for them, and returns the sessions whose runs are still at work then. */
  async close(reason: string, grace: number): Promise<readonly string[]> {
    this.#suspend.abort(new DOMException(reason, "AbortError"));
    const ended = [...this.#runs.values()].flatMap((runs) => [...runs].map((run) => run.ended));
    const timer = new AbortController();
    const late = systemRuntime.sleep(grace, timer.signal).catch(() => undefined);
    await Promise.race([Promise.all(ended), late]);
    timer.abort();
    return [...this.#runs.keys()];
  }

  #end(session: string, run: ActiveRun): void {
    const runs = this.#runs.get(session);
    runs?.delete(run);
    if (runs?.size === 0) this.#runs.delete(session);
  }
}
