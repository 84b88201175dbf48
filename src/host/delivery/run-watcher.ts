// Watchers of the runs of this process: they see each event as it comes, and each record once it is stored.

import type { Event, LastcallError, OpenSession } from "../../core/index.js";

/** Watches the runs of a process. */
export interface RunWatcher {
  /** A run of this process begins work on a session, or waits for its lease. It must not throw. */
  begin(session: string): WatchedRun;
}

/** One run that is watched. Its functions never throw. */
export interface WatchedRun {
  /** The session as the run writes it, so that the watcher learns of its lease and its records. */
  over(session: OpenSession): OpenSession;
  event(event: Event): void;
  /** The run has ended in this process. The fault is one of the store, after which the delivery is made again. */
  end(fault?: LastcallError): void;
}

/** Watches one run for all of these watchers. */
export function watchedBy(watchers: Iterable<RunWatcher>, session: string): WatchedRun {
  const runs = [...watchers].map((watcher) => watcher.begin(session));
  return {
    over: (open) => runs.reduce((inner, run) => run.over(inner), open),
    event(event) {
      for (const run of runs) run.event(event);
    },
    end(fault) {
      for (const run of runs) run.end(fault);
    },
  };
}
