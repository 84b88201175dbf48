// The port for stores: for each session a log of lines, an inbox and a lock. A store does not know what the lines say.

/** Who holds a lock. */
export interface Holder {
  /** Unique for each time a lock is taken. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** A message in an inbox. */
export interface StoredMessage {
  readonly id: string;
  readonly text: string;
}

/** A session in a store. */
export interface StoredSession {
  readonly id: string;
  /** Milliseconds since 1970 of the last append. */
  readonly updated: number;
}

/**
 * The right to write one log.
 *
 * Contract: `append` keeps the line, behind all others, before it resolves, and flushes it and all before it where `flush` is
 * true; it throws where it can't or where the lock was lost, and then the line is not there. A line with a line feed or a NUL in
 * it is refused. Appends that are not waited for keep their order. `renew` says that the holder is
 * still at work; false where the lock was lost. `cut` keeps the first so many lines of the log and drops the rest.
 */
export interface Lock {
  append(line: string, flush: boolean): Promise<void>;
  cut(lines: number): Promise<void>;
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Keeps sessions.
 *
 * Contract: a lock is held by one at a time, over all processes that use the store; it is taken over once it was not renewed for
 * `stale` milliseconds, or at once where its holder's process is gone on this host. `read` returns all lines, the last one also
 * where it was not written to its end, and undefined where there is no such session; it may be called by anybody at any time.
 * Messages are listed in the order in which they were sent, until they are dropped; sending one with the id of another does
 * nothing. An id is 1 to 128 letters, digits, `_`, `-` or `.`, and does not begin with a dot; anything else is refused. Where
 * something can't be done, a LastcallError `store` says what, where and why.
 */
export interface Store {
  /** For people: what it is and where. */
  readonly name: string;
  list(): Promise<readonly StoredSession[]>;
  read(id: string): Promise<readonly string[] | undefined>;
  /** The lock, or who has it. */
  lock(id: string, holder: Holder): Promise<Lock | Holder>;
  send(id: string, message: StoredMessage): Promise<void>;
  messages(id: string): Promise<readonly StoredMessage[]>;
  drop(id: string, messages: readonly string[]): Promise<void>;
  /** Deletes the session with its inbox. It must not be locked. */
  delete(id: string): Promise<void>;
}

/** How long a lock may go without being renewed, in milliseconds. */
export const stale = 30_000;
/** How often a lock is renewed, in milliseconds. */
export const heartbeat = 10_000;
