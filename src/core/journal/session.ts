// Sessions: everything that happened, as plain data that can be kept anywhere and gone on from.

import { LastcallError } from "../data/fault.js";
import type { JournalRecord } from "./record.js";

/** A session as plain data: what `outcome.session` holds and `run(input, { session })` goes on from. */
export interface Session {
  /** The version of the record format. */
  readonly version: 1;
  readonly id: string;
  /** Everything that happened, oldest first. */
  readonly records: readonly JournalRecord[];
}

/** An input that was sent to a session while somebody else was writing it. */
export interface SentInput {
  readonly id: string;
  readonly text: string;
  /** The call that it answers, where it was given as an answer: it is taken for that or not at all. */
  readonly answers?: string;
}

/**
 * The right to write a session, held by one run at a time.
 *
 * Contract: `append` keeps the record before it resolves, flushed where `kept` would be lost with the power otherwise, and throws
 * where it can't or where the lease is lost; then the record is not there. `inbox` says what was sent and not dropped, oldest
 * first. `signal` aborts once the lease is lost. `release` may be called once, and gives up nothing that was kept.
 */
export interface Lease {
  /** Everything that happened so far, oldest first; as it was when the lease was taken. */
  readonly records: readonly JournalRecord[];
  readonly signal: AbortSignal;
  append(record: JournalRecord): Promise<void>;
  inbox(): Promise<readonly SentInput[]>;
  /** The inputs with these ids are in the journal. */
  drop(ids: readonly string[]): Promise<void>;
  release(): Promise<void>;
}

/**
 * A session that is kept while it goes on, so that any process can go on with it.
 *
 * Contract: `lease` gives the right to write to one caller at a time, over all processes, and undefined where somebody has it.
 * `send` keeps an input for whoever has it, or takes the lease next, under an id that nobody else has.
 */
export interface OpenSession {
  readonly id: string;
  lease(): Promise<Lease | undefined>;
  send(input: Omit<SentInput, "id">): Promise<SentInput>;
}

/**
 * Looks at a session's outside: version, id, and that no record is missing.
 * @throws LastcallError `configuration` that says what is wrong with it.
 */
export function checkSession({ version, id, records }: Session): void {
  if ((version as number) !== 1) {
    throw new LastcallError(
      "configuration",
      `The session has version ${String(version)}; this lastcall reads version 1.`,
    );
  }
  if (typeof (id as unknown) !== "string" || id === "" || !Array.isArray(records)) {
    throw new LastcallError("configuration", "The session must have an id and its records, as `outcome.session` has.");
  }
  const gap = (records as Session["records"]).findIndex(
    (record, index) => (record as Partial<JournalRecord> | null)?.seq !== index,
  );
  if (gap >= 0) {
    throw new LastcallError(
      "configuration",
      `The session's records are not whole: number ${String(gap)} is missing or out of place. Hand over all of them.`,
    );
  }
}
