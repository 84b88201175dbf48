// Importing: a session from a page or from JSON becomes a stored session. The file is a stranger's, so it brings no rights.

import { failure, LastcallError, replay, type JournalRecord, type Session } from "../../core/index.js";
import {
  checkOptions,
  describeFailure,
  digestOf,
  explain,
  maxAttachment,
  needed,
  portKinds,
  type OptionKinds,
} from "../../core/internal.js";
import { attachmentsIn } from "./attachments.js";
import { asFork } from "./fork-session.js";
import { mostBytes, packedElement, unpacked } from "./packed-session.js";
import { noSum, writeLine, type Header } from "./record-lines.js";
import { soundSession } from "./sound-session.js";
import { giveBack, newHolder } from "../../lock/index.js";
import { appendAll } from "../store/log-line.js";
import { checkId } from "../store/session-id.js";
import type { Store } from "../store/store.js";

/** The options of `importSession`. */
export interface ImportOptions {
  readonly store: Store;
  /** The text of a page of `sessionPage`, or of a session as JSON. */
  readonly text: string;
  /**
   * The id of the new session, which must not exist yet. Default: the id of the file if it is free and a random id, such as the ids of the
   * command; else a random id.
   */
  readonly to?: string | undefined;
}

/** An imported session. */
export interface ImportedSession {
  readonly id: string;
  /** The sessions of agents that its calls ran, which came along. */
  readonly agents: number;
  /** The files that its records name, and whose bytes the file does not have. */
  readonly missingFiles: number;
}

const importOptions = {
  store: needed(portKinds.store),
  text: needed("text"),
  to: "text",
} satisfies OptionKinds<ImportOptions>;

/**
 * Writes a session into a store, from a page or from JSON. The whole session is checked first: nothing is written if something is wrong.
 *
 * The file brings no rights. Its options, the names of the people in it and whatever was said about a call that has no result yet are left
 * out: such a call is decided about anew, by the rules of the agent that goes on. A run without an end goes on if somebody resumes it, and
 * never by itself.
 * @throws LastcallError `configuration` for a file that can't be imported, and for an id that is taken; `store` if it can't be written.
 */
export async function importSession(options: ImportOptions): Promise<ImportedSession> {
  checkOptions("importSession", options, importOptions);
  const { store, text, to } = options;
  const given = soundSession(await sessionIn(text));
  const id = checkId(to ?? (await idFor(store, given)));
  const session = given.id === id ? given : renamed(given, id);
  const root = own(session.id, session.records, given);
  const agents = reached(root, session.children ?? {}).map(([child, records]) => ({
    id: checkId(child),
    records: own(child, records, given),
  }));
  const files = await filesIn(given);
  const known = new Set(agents.map((one) => one.id));
  const all = [...agents, { id, records: root }].map((one) => withoutStrangers(one, known));
  for (const one of all)
    if ((await store.read(one.id)) !== undefined)
      throw new LastcallError("configuration", `There is a session ${one.id} already (${store.name}).`);
  await writeAll(store, all, { from: given, files });
  const named = new Set(all.flatMap(({ records }) => attachmentsIn(records).map((file) => file.digest)));
  const kept = store.attachments === undefined ? 0 : [...named].filter((digest) => files.has(digest)).length;
  return { id, agents: agents.length, missingFiles: named.size - kept };
}

/** The session in a page, or in JSON. It is not checked yet. */
async function sessionIn(text: string): Promise<unknown> {
  const wrong = (what: string): LastcallError =>
    new LastcallError("configuration", `This file ${what}. Give a page of lastcall show ID --html, or its JSON.`);
  if (text.length > mostBytes) throw wrong(`has more than ${String(mostBytes / 1024 / 1024)} MB`);
  const [begin, end] = packedElement;
  const at = text.indexOf(begin);
  if (at < 0) {
    try {
      return JSON.parse(text);
    } catch {
      throw wrong("is no session");
    }
  }
  const stop = text.indexOf(end, at);
  const page = await unpacked(text.slice(at + begin.length, stop < 0 ? undefined : stop).trim());
  const { lastcall, version, session } = (page ?? {}) as Readonly<Record<string, unknown>>;
  if (lastcall !== "page") throw wrong("is a page without a session");
  if (version !== 1) throw wrong("is a page of another version of lastcall, which this version does not read");
  return session;
}

/** The ids that the command and `openSession` make. A name that a program gives to its sessions is never taken from a file. */
const randomId = /^(?:\d{8}-\d{4}-[a-z0-9]{4}(?:\.\d+)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

async function idFor(store: Store, { id, children = {} }: Session): Promise<string> {
  if (!randomId.test(id)) return crypto.randomUUID();
  for (const one of [id, ...Object.keys(children)])
    if ((await store.read(one)) !== undefined) return crypto.randomUUID();
  return id;
}

/** The session under another id: the ids of its calls, and with them the sessions of its agents, begin with it. */
function renamed(session: Session, to: string): Session {
  const before = `${session.id}/`;
  const rename = (value: unknown): unknown => {
    if (typeof value === "string") return value.startsWith(before) ? renamedText(value) : value;
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rename(inner)]));
  };
  // The id of a call, of a session, or of a question: no text that a model or a tool wrote looks like that.
  const renamedText = (text: string): string =>
    /^\S+\/call:\d+:\d+(?::[^:/\s]+)?(?:\/ask:\d+)?$/.test(text) ? `${to}/${text.slice(before.length)}` : text;
  const { children = {} } = session;
  return {
    ...session,
    id: to,
    records: rename(session.records) as readonly JournalRecord[],
    children: Object.fromEntries(
      Object.entries(children).map(([id, child]) => [
        renamedText(id),
        { ...child, id: renamedText(id), records: rename(child.records) as readonly JournalRecord[] },
      ]),
    ),
  };
}

/** The sessions that records lead to, and that the file has. Sessions that nothing leads to are left out. */
function reached(
  records: readonly JournalRecord[],
  children: Readonly<Record<string, Session>>,
  seen = new Set<string>(),
): readonly (readonly [id: string, records: readonly JournalRecord[]])[] {
  return records.flatMap((record) => {
    if (record.type !== "child" || seen.has(record.callId) || !Object.hasOwn(children, record.callId)) return [];
    seen.add(record.callId);
    const below = children[record.callId]?.records ?? [];
    return [[record.callId, below] as const, ...reached(below, children, seen)];
  });
}

/**
 * The session without records of sessions that did not come along. Such a record would show a session of this store to everybody who
 * reads the imported session.
 */
function withoutStrangers({ id, records }: NewSession, known: ReadonlySet<string>): NewSession {
  const isBelow = (callId: string): boolean => known.has(callId) && callId.startsWith(`${id}/`);
  const bound = (record: JournalRecord, seq: number): JournalRecord =>
    record.type === "child" && !isBelow(record.callId)
      ? { ...record, callId: `${id}/left-out:${String(seq)}` }
      : record;
  return { id, records: records.map(bound) };
}

/** The records for a session of this store: without rights, with new keys for what is open, and with nothing at work. */
function own(id: string, all: readonly JournalRecord[], { id: origin }: Session): readonly JournalRecord[] {
  const records = withoutWork(withoutVerdicts(all.map(withoutPerson)));
  return asFork(records, { to: id, from: `${origin}@${String(all.length)}` });
}

/** The records that may name the person who gave them. */
const spoken: ReadonlySet<string> = new Set([
  "input",
  "resume",
  "steer",
  "approval",
  "answer",
] satisfies JournalRecord["type"][]);

/** The record without the name of a person, whom nobody here has checked: tools use the rights of the person who asked. */
function withoutPerson(record: JournalRecord): JournalRecord {
  if (!spoken.has(record.type) || !("by" in record)) return record;
  const { by: _by, ...rest } = record;
  return rest as JournalRecord;
}

/** The records that say something about a call before its result. */
const verdicts: ReadonlySet<string> = new Set([
  "decision",
  "parked",
  "question",
  "child",
] satisfies JournalRecord["type"][]);

/** The records without all decisions and answers about calls that have no result yet, and without the end that waited for an answer. */
function withoutVerdicts(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const { open, unanswered } = replay(records);
  if (!open || unanswered.length === 0) return records;
  const ids = new Set(unanswered.map(({ callId }) => callId));
  const reply = records.findLastIndex(({ type }) => type === "reply");
  const isOf = (answers: string): boolean => [...ids].some((id) => answers === id || answers.startsWith(`${id}/`));
  const kept = records.flatMap((record, at): readonly JournalRecord[] => {
    if (at <= reply) return [record];
    if (record.type === "approval" || record.type === "answer")
      return [isOf(record.answers) ? asResume(record) : record];
    const isVerdict = verdicts.has(record.type) && "callId" in record && ids.has(record.callId);
    return isVerdict || (record.type === "outcome" && record.status === "waiting") ? [] : [record];
  });
  return kept.map((record, seq) => ({ ...record, seq }));
}

/** An answer as a mere wish to go on: the definition of the agent stays, and the answer goes. */
function asResume(record: Extract<JournalRecord, { readonly type: "approval" | "answer" }>): JournalRecord {
  const { seq, at, life, nonce, definition } = record;
  return {
    type: "resume",
    ...(life !== undefined && { life }),
    ...(nonce !== undefined && { nonce }),
    ...(definition !== undefined && { definition }),
    ...{ seq, at },
  };
}

/** The records, with an end for each call that went on in the background: it does not go on here. */
function withoutWork(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const { background } = replay(records);
  const at = records.at(-1)?.at ?? 0;
  const ends = background.map(({ callId, work, name }, index): JournalRecord => {
    const why = failure("interrupted", {
      tool: name,
      message: "The session was imported, and the work in the background did not come along. Its outcome is unknown.",
      advice: "Look at what it has done before you begin it again.",
    });
    const result = { callId, name, ok: false, text: describeFailure(why), failure: why };
    return { type: "background-end", callId, work, result, seq: records.length + index, at };
  });
  return [...records, ...ends];
}

/** The bytes of the attachments that the session has, by digest. Bytes with another digest are refused. */
async function filesIn({ attachments = {} }: Session): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const [digest, text] of Object.entries(attachments)) {
    const refuse = (what: string): LastcallError =>
      new LastcallError("configuration", `The attachment ${digest.slice(0, 64)} ${what}. Nothing was written.`);
    if (text.length > (maxAttachment / 3) * 4 + 4) throw refuse("is too large");
    let bytes: Uint8Array;
    try {
      bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    } catch {
      throw refuse("is no Base64");
    }
    if ((await digestOf(bytes)) !== digest) throw refuse("has other bytes than its digest says");
    files.set(digest, bytes);
  }
  return files;
}

interface NewSession {
  readonly id: string;
  readonly records: readonly JournalRecord[];
}

/** Writes all sessions, the session of the agents first. If one can't be written, none stays. */
async function writeAll(
  store: Store,
  all: readonly NewSession[],
  { from, files }: { readonly from: Session; readonly files: ReadonlyMap<string, Uint8Array> },
): Promise<void> {
  const written: string[] = [];
  try {
    for (const session of all) {
      await writeOne(store, session, { from: `${from.id}@${String(from.records.length)}`, files, written });
    }
  } catch (thrown) {
    for (const id of written) await store.delete(id).catch(() => undefined);
    throw thrown instanceof LastcallError ? thrown : new LastcallError("store", explain(thrown), { cause: thrown });
  }
}

interface Writing {
  /** The session that the first line names as the origin. */
  readonly from: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Gets the id once the store may have a part of the session. */
  readonly written: string[];
}

async function writeOne(store: Store, { id, records }: NewSession, { from, files, written }: Writing): Promise<void> {
  const header: Header = { lastcall: "session", version: 1, id, from };
  let sum = noSum;
  const lines = [header, ...records].map((value) => {
    const next = writeLine(value, sum);
    ({ sum } = next);
    return next.line;
  });
  const holder = newHolder();
  const lock = await store.lock(id, holder);
  if (!("append" in lock)) throw new LastcallError("store", `The session ${id} is being written (${store.name}).`);
  try {
    if ((await store.read(id))?.length)
      throw new LastcallError("configuration", `There is a session ${id} already (${store.name}).`);
    written.push(id);
    for (const { digest } of attachmentsIn(records)) {
      const bytes = files.get(digest);
      if (bytes !== undefined) await store.attachments?.(id).write(digest, bytes);
    }
    await appendAll(lock, lines);
  } finally {
    await giveBack(holder, () => lock.release());
  }
}
