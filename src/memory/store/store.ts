// The port for stores. A store keeps a log of lines, an inbox and a lock for each session, and does not interpret the lines.

import type { AttachmentStore } from "../../core/index.js";
import type { Holder } from "../../lock/index.js";

/** A message in an inbox. */
export interface StoredMessage {
  readonly id: string;
  readonly text: string;
}

/** A session in a store. */
export interface StoredSession {
  readonly id: string;
  /** Time of the last append, in milliseconds since 1970. */
  readonly updated: number;
}

/** The options of `store.list`. */
export interface ListOptions {
  /** The number of sessions that the caller looks at: the sessions that were used last. Default: all. */
  readonly most?: number | undefined;
}

/**
 * The right to write one log.
 *
 * Contract: `append` stores the lines after all other lines, in order, before it resolves. With `flush` it also flushes them and all
 * before them to the disk. If it can't, or if the lock was lost, it throws, and the lines are not stored. It also throws if the log is no
 * longer what the holder left; without `flush` that may be found a moment later. A process that is killed meanwhile may leave the first
 * of the lines. A line that contains a line feed or a NUL is refused. Appends that are not awaited keep their order. A line after an
 * incomplete line begins a new line. `renew` keeps the lock from becoming stale, and returns false if the lock was lost. `cut` keeps this
 * number of lines from the start of the log, drops the rest, and completes the last line that it keeps.
 */
export interface Lock {
  /** True if the end of the last line was not written when the lock was taken. Absent in a store whose appends are atomic. */
  readonly isTorn?: boolean;
  /**
   * The holder from whom the lock was taken over, since it had not released it. Absent if nobody held it, and in a store that can't tell.
   */
  readonly takenFrom?: Holder;
  append(lines: readonly string[], flush: boolean): Promise<void>;
  cut(lines: number): Promise<void>;
  /** Keeps an exact copy of the log next to it, and returns its place. Absent in a store that has no such place. */
  copy?(): Promise<string>;
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Stores sessions.
 *
 * Contract: a lock has one holder at a time, across all processes that use the store. It can be taken over if it was not renewed for
 * `stale` milliseconds, or at once if its holder was a process of this host that no longer runs. A holder whose `birth` says that it
 * still runs on this host keeps its lock if the clock jumps. `read` needs no lock and may be called at any time. It returns the lines
 * from number `from` on, including an incomplete last line, or undefined if the session does not exist. There may be none. Messages are
 * listed in the order in which they were sent, until they are dropped. Sending a message with the id of another does nothing. An id is
 * 1 to 200 characters, without control characters; any other id is refused. Two ids are never the same session. If an operation fails,
 * it throws a LastcallError `store` that says what failed, where and why.
 */
export interface Store {
  /** A description for people: the kind of store and its location. */
  readonly name: string;
  /** The place of the log of a session, for people. Default: the name of the store. */
  place?(id: string): string;
  /**
   * The sessions that have lines, in any order. With `most`, the sessions that were used last are among them, if there are so many. A
   * store may return more. Lines that were appended after the end of a run may not count as a use.
   */
  list(options?: ListOptions): Promise<readonly StoredSession[]>;
  /**
   * The ids of sessions that somebody may have to go on with: at least the sessions whose last run has no end, or was broken off by a
   * failure of the store, and the sessions with messages. Absent in a store that can't tell: then each session is looked at.
   */
  unfinished?(): Promise<readonly string[]>;
  /** Counts the sessions in one cheap read. Absent in a store that does not know the states of its sessions. */
  counts?(): Promise<SessionCounts>;
  /** The lines of the log, from this number on. Default: from 0, so all lines. */
  read(id: string, from?: number): Promise<readonly string[] | undefined>;
  /**
   * Hints that the log of a session may have changed, so that a reader looks again: once at the beginning, and then soon after each append,
   * of any process. Several changes may have one hint, and there may be a hint without a change. Ends when the signal aborts. The session
   * need not exist. Absent in a store that can't tell: it is looked at by the clock.
   */
  changes?(id: string, signal: AbortSignal): AsyncGenerator<undefined, void, void>;
  /**
   * The bytes of a log of many megabytes, UTF-8 with a line feed after each line, so that its lines can be used while the rest is read.
   * Undefined if the log is shorter or missing: then `read` is called, and also if a line is in doubt. Absent in a store that keeps lines
   * in another form.
   */
  readBytes?(id: string): Promise<LogBytes | undefined>;
  /** Texts for watchers of a session. Absent in a store that can't pass them on. */
  readonly live?: LiveTexts;
  /** Takes the lock, or returns the current holder. */
  lock(id: string, holder: Holder): Promise<Lock | Holder>;
  send(id: string, message: StoredMessage): Promise<void>;
  messages(id: string): Promise<readonly StoredMessage[]>;
  drop(id: string, messages: readonly string[]): Promise<void>;
  /**
   * The bytes of the attachments of a session. Needs no lock, since bytes under a digest never change. A session that has only bytes is
   * not listed. Absent in a store that keeps none.
   */
  attachments?(id: string): AttachmentStore;
  /** Deletes the session with its inbox and its attachments. Throws if the session is locked. */
  delete(id: string): Promise<void>;
}

/**
 * Passes texts on to the watchers of a session, in any process that uses the store. None is kept.
 *
 * Contract: the texts of one sender arrive in order, and any text may be lost. Nothing throws, and nobody waits.
 */
export interface LiveTexts {
  /** Begins to send to the watchers of the session, if it has watchers. */
  sender(id: string): LiveSender;
  /** Hears the texts that are sent to the session until the signal aborts. */
  hear(id: string, onText: (text: string) => void, signal: AbortSignal): void;
}

/** Sends texts to the watchers of one session. */
export interface LiveSender {
  /** True if somebody watches, as far as the store knows: it learns of watchers in other processes a moment later. */
  readonly isHeard: boolean;
  send(text: string): void;
  /** Ends the sending: the store may give back what it holds for it. */
  close(): void;
}

/** Sessions by the state that their logs tell, and ages in milliseconds, for operators. */
export interface SessionCounts {
  /** Sessions that wait for an answer or an approval. */
  readonly waiting: number;
  /** Sessions with an open run that somebody holds. */
  readonly held: number;
  /** Sessions with an open run that nobody holds, or whose lock is stale. */
  readonly leftAlone: number;
  /** Sessions with messages that no run took. */
  readonly withMessages: number;
  /** Age of the oldest wait. 0 if nothing waits. */
  readonly oldestWait: number;
  /** Age of the oldest message that no run took. 0 if there is none. */
  readonly oldestMessage: number;
}

/** The bytes of a log while they are read. */
export interface LogBytes {
  /** Room for all bytes of the log, in memory that threads share. */
  readonly memory: SharedArrayBuffer;
  /** The offsets up to which the bytes have been read, in order. The last offset is the end of the log. */
  readonly ends: AsyncIterable<number>;
}

/** The time between two renewals of a lock, in milliseconds. */
export const heartbeat = 10_000;
