// Sessions over a store: the lines of its log as records, and the right to write them.

import { hostname } from "node:os";
import {
  replay,
  LastcallError,
  type JournalRecord,
  type JsonObject,
  type Lease,
  type OpenSession,
  type SentInput,
  type Session,
  type Waiting,
} from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { noSum, readLog, writeLine, type ReadLog } from "./record-lines.js";
import { checkId } from "../store/session-id.js";
import { heartbeat, type Lock, type Store } from "../store/store.js";

/** Which session, and where it is kept. */
export interface SessionOptions {
  readonly store: Store;
  /** 1 to 128 letters, digits, `_`, `-` or `.`, the first no dot. Default: a new one. */
  readonly id?: string | undefined;
  /** What the host wants to find again, kept with a session that is new. Default: nothing. */
  readonly about?: JsonObject | undefined;
  /** Told of a line that was not written whole and is left out: its characters. Default: nobody is. */
  readonly onTorn?: ((characters: number) => void) | undefined;
}

/** The call that a session waits with for an answer: as `outcome` told it to whoever asked. */
export type WaitingCall = Pick<Waiting<string, unknown>, "id" | "by" | "value" | "replySchema" | "expiresAt">;

/** A session in a store. */
export interface StoredSessionHandle extends OpenSession {
  /** The session as it is now, as plain data; without records where nothing is kept yet. */
  toJSON(): Promise<Session>;
  /** What the host said of it when it was new; undefined where that was nothing, or nothing is kept yet. */
  about(): Promise<JsonObject | undefined>;
  /**
   * The call that the next input answers, as the records say now; its `id` is what `answers` takes. Undefined where none waits, or where
   * no answer is waited for any more.
   */
  waiting(): Promise<WaitingCall | undefined>;
}

/** Records that must not be lost with the power: see `Lease`. */
const flushed: ReadonlySet<JournalRecord["type"]> = new Set(["input", "steer", "intent", "result", "claim", "outcome"]);

/**
 * Opens a session, new or kept. Nothing is written before its first run.
 * @throws LastcallError `configuration` for an id that can't be one.
 */
export function openSession({ store, id = crypto.randomUUID(), about, onTorn }: SessionOptions): StoredSessionHandle {
  checkId(id);
  const where = `The session ${id} (${store.name})`;
  const read = async (): Promise<Partial<ReadLog>> => {
    const lines = await store.read(id);
    return hasBegun(lines) ? readLog(lines, where) : {};
  };
  return {
    id,
    async toJSON() {
      const { records = [] } = await read();
      return { version: 1, id, records };
    },
    async about() {
      return (await read()).header?.about;
    },
    async waiting() {
      return waitingIn((await read()).records ?? []);
    },
    async send(input) {
      const sent = { id: crypto.randomUUID(), ...input };
      await store.send(id, { id: sent.id, text: JSON.stringify(input) });
      return sent;
    },
    async lease() {
      const holder = { id: crypto.randomUUID(), host: hostname(), pid: process.pid };
      const lock = await store.lock(id, holder);
      if (!("append" in lock)) return undefined;
      try {
        const log = await begin(lock, await store.read(id), { id, where, about });
        if (log.torn > 0) onTorn?.(log.torn);
        return leaseOf(store, lock, { id, log });
      } catch (thrown) {
        // What failed first says more.
        await lock.release().catch(() => undefined);
        throw thrown;
      }
    },
  };
}

function waitingIn(records: readonly JournalRecord[]): WaitingCall | undefined {
  const { claim } = replay(records);
  if (claim?.ending !== "waiting") return undefined;
  const { callId: id, by, value, replySchema, expiresAt } = claim;
  if (Date.now() >= (expiresAt ?? Infinity)) return undefined;
  return { id, by, value, ...(replySchema && { replySchema }), ...(expiresAt !== undefined && { expiresAt }) };
}

/** Cuts what was not written whole, and writes the header of a new log. */
async function begin(
  lock: Lock,
  lines: readonly string[] | undefined,
  { id, where, about }: { readonly id: string; readonly where: string; readonly about: JsonObject | undefined },
): Promise<ReadLog> {
  if (!hasBegun(lines)) {
    await lock.cut(0);
    const header = { lastcall: "session", version: 1, id, ...(about !== undefined && { about }) } as const;
    const { line, sum } = writeLine(header, noSum);
    await lock.append(line, true);
    return { header, records: [], lines: 1, sum, torn: 0 };
  }
  const log = readLog(lines, where);
  if (log.torn > 0) await lock.cut(log.lines);
  return log;
}

/** False where not even the first line was written whole: a line that is torn is no JSON. */
function hasBegun(lines: readonly string[] | undefined): lines is readonly string[] {
  const [first = "", ...rest] = lines ?? [];
  return rest.length > 0 || isJson(first);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function leaseOf(store: Store, lock: Lock, { id, log }: { readonly id: string; readonly log: ReadLog }): Lease {
  const lost = new AbortController();
  let { sum } = log;
  const beat = setInterval(() => {
    lock.renew().then(
      (holds) => {
        if (!holds) lose(new LastcallError("store", `The session ${id} was taken over by another process.`));
      },
      (thrown: unknown) => {
        lose(new LastcallError("store", `The session ${id} could not be held: ${explain(thrown)}`, { cause: thrown }));
      },
    );
  }, heartbeat);
  beat.unref();
  const lose = (why: LastcallError): void => {
    clearInterval(beat);
    lost.abort(why);
  };
  return {
    records: log.records,
    signal: lost.signal,
    async append(record) {
      lost.signal.throwIfAborted();
      const next = writeLine(record, sum);
      await lock.append(next.line, flushed.has(record.type));
      ({ sum } = next);
    },
    async inbox() {
      const messages = await store.messages(id);
      return messages.map((message) => ({ ...(JSON.parse(message.text) as Omit<SentInput, "id">), id: message.id }));
    },
    drop: (ids) => store.drop(id, ids),
    async release() {
      clearInterval(beat);
      await lock.release();
    },
  };
}
