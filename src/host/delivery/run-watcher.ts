// Watchers of the runs of this process: they see each record once it is stored, and each event that no record tells, in their order.

import type { Event, JournalRecord, LastcallError } from "../../core/index.js";

/** Watches the runs of a process, and the runs of agents that their calls run. */
export interface RunWatcher {
  /** A run of this process begins work on a session, or waits for its lease. It must not throw. */
  begin(session: string): WatchedRun;
}

/** One run that is watched. Its functions never throw. */
export interface WatchedRun {
  /** The run has the session's lease. It goes on behind this record; undefined for a new session. */
  hold(last: JournalRecord | undefined): void;
  /** A record is stored. */
  record(record: JournalRecord): void;
  /** Something happened that no record tells, behind the records so far. */
  event(event: Event): void;
  /** The lease is given back. */
  release(): void;
  /** The run has ended in this process. The fault is one of the store, after which the delivery is made again. */
  end(fault?: LastcallError): void;
}
