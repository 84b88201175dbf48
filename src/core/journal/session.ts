// Sessions: all records as plain data that can be stored anywhere and continued later.

import type { Attachment, AttachmentStore, NewAttachment } from "../data/attachment.js";
import { LastcallError } from "../data/fault.js";
import { isPlainObject } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { JournalRecord } from "./record.js";

/** A session as plain data. `outcome.session` is one, and `run(input, { session })` continues it. */
export interface Session {
  /** The version of the record format. */
  readonly version: 1;
  readonly id: string;
  /** All records, oldest first. */
  readonly records: readonly JournalRecord[];
  /**
   * The bytes of the attachments that the records name, in Base64, by digest. Absent if there are none. The session of an outcome of a
   * stored session has none either, since the store keeps them.
   */
  readonly attachments?: Readonly<Record<string, string>>;
  /**
   * The sessions of the agents that calls of this session run, and of the agents below them, by id. Each call's id is the id of its
   * session. Absent if there are none. The session of an outcome of a stored session has none either, since the store keeps them.
   */
  readonly children?: Readonly<Record<string, Session>>;
}

/** A stored session as far as it is read without a lease. The sessions of `openSession` are such. */
export interface ReadableSession {
  /** The current session as plain data. It has no records if nothing is stored yet. */
  toJSON(): Promise<Session>;
}

/** An input that was sent to a session while another process held its lease. */
export interface SentInput {
  readonly id: string;
  readonly text: string;
  /** The call that the input answers, if it was sent as an answer. It is used as that answer or not at all. */
  readonly answers?: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
  /** The person or program that gave the input. Absent if nobody said so. */
  readonly by?: Principal;
}

/** An input to send to a session. */
export interface NewInput {
  readonly text: string;
  /** The id of the input. Sending an id that the inbox or the journal has changes nothing. Default: a new unique id. */
  readonly id?: string;
  /** The call that the input answers. It is used as that answer or not at all. Default: none. */
  readonly answers?: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly (NewAttachment | Attachment)[];
  /** The person or program that gives the input. Default: nobody says so. */
  readonly by?: Principal;
}

/**
 * The exclusive right to write a session. One run holds it at a time.
 *
 * Contract: `append` takes one record after the other. It stores and flushes a record that must survive a power failure before it
 * resolves, and with it all records before: `input`, `steer`, `parked`, `approval`, `question`, `answer`, `intent`, `claim` and
 * `outcome`. Any other record is stored, together with its neighbours, at the end of the turn of the event loop, or when `stored` is
 * called. A result that a power failure takes away leaves its intent, so the call is not run again. `append` throws if it can't store the
 * record or if the lease is lost; then the record is not in the journal. If a record can't be stored at the end of the turn, the lease is
 * lost. `inbox` returns the inputs that were sent and not dropped, oldest first. `signal` aborts when the lease is lost. `release` may be
 * called once. It loses no stored record, and stores waiting records, if it can.
 */
export interface Lease {
  /** All records at the time when the lease was taken, oldest first. */
  readonly records: readonly JournalRecord[];
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  /** Keeps the bytes of attachments. Absent if the store keeps none. */
  readonly attachments?: AttachmentStore;
  /**
   * Opens the session of an agent that a call of this session runs, in the same store. Its id is the call's id.
   * @throws LastcallError `configuration` if the store takes no such id.
   */
  child(id: string): OpenSession & ReadableSession;
  /**
   * Appends a record to the journal.
   * @throws LastcallError `store` if the record can't be stored or the lease is lost.
   */
  append(record: JournalRecord): Promise<void>;
  /**
   * Waits until all records are stored. A run calls it before a tool begins that needs no intent, because the process may die in the tool.
   * @throws LastcallError `store` if a record can't be stored.
   */
  stored(): Promise<void>;
  /** The inputs in the inbox, oldest first. */
  inbox(): Promise<readonly SentInput[]>;
  /** Removes the inputs with these ids from the inbox, after the journal has received them. */
  drop(ids: readonly string[]): Promise<void>;
  release(): Promise<void>;
}

/** The process that holds a lease. */
export interface LeaseHolder {
  readonly host: string;
  readonly pid: number;
}

/**
 * A stored session that any process can continue.
 *
 * Contract: `lease` returns the lease to one caller at a time, over all processes. It returns undefined while another caller holds
 * it, after it has told `onBusy` who that is, if it knows. `send` stores an input under its id, or under a unique id, for the
 * current or the next holder of the lease, and keeps the bytes of its attachments first.
 */
export interface OpenSession {
  readonly id: string;
  lease(onBusy?: (holder: LeaseHolder) => void): Promise<Lease | undefined>;
  send(input: NewInput): Promise<SentInput>;
}

/**
 * Refuses other things that callers have at hand in place of a session: an id, a store, messages, an outcome.
 * @throws LastcallError `configuration` that says what to give.
 */
export function expectSession(session: unknown): void {
  const usual = (id: string): string => `give \`outcome.session\`, or openSession({ store${id} })`;
  const refuse = (what: string, remedy: string): never => {
    throw new LastcallError("configuration", `The session is no session but ${what}: ${remedy}.`);
  };
  if (typeof session === "string") refuse("a text", usual(`, id: ${JSON.stringify(session)}`));
  if (typeof session !== "object" || session === null) return refuse(typeof session, usual(""));
  if (Array.isArray(session)) refuse("a list", "give fromMessages([...]) for messages from elsewhere");
  if ("lock" in session) refuse("a store", 'give openSession({ store, id: "..." })');
  if ("session" in session) refuse("an outcome", "give its field `session`");
}

/**
 * Checks the version and the id of a session, and that no record is missing.
 * @throws LastcallError `configuration` that names the problem.
 */
export function checkSession(session: Session): void {
  expectSession(session);
  if ("lease" in session) {
    throw new LastcallError("configuration", "The session is not plain data: give `await session.toJSON()`.");
  }
  const { version, id, records, attachments = {}, children = {} } = session;
  if ((version as number) !== 1) {
    throw new LastcallError(
      "configuration",
      (version as unknown) === undefined
        ? "The session has no version: give `outcome.session` as it was returned."
        : `The session has version ${String(version)}; this lastcall reads version 1.`,
    );
  }
  if (typeof (id as unknown) !== "string" || id === "" || !Array.isArray(records)) {
    throw new LastcallError("configuration", "The session must have an id and its records, as `outcome.session` has.");
  }
  if (!isPlainObject(attachments) || Object.values(attachments).some((text) => typeof (text as unknown) !== "string")) {
    throw new LastcallError(
      "configuration",
      "The session's attachments must be texts in Base64, as `outcome.session` has them.",
    );
  }
  if (!isPlainObject(children)) {
    throw new LastcallError("configuration", "The session's children must be sessions, as `outcome.session` has them.");
  }
  for (const child of Object.values(children)) checkSession(child);
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
