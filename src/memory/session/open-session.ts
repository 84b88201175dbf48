// Sessions over a store: reads the lines of its log as records, and writes new ones under the store's lock.

import { hostname } from "node:os";
import {
  LastcallError,
  type JournalRecord,
  type JsonObject,
  type Lease,
  type OpenSession,
  type SentInput,
  type Session,
  type WaitingCall,
} from "../../core/index.js";
import { explain, waitingIn } from "../../core/internal.js";
import { noSum, readLog, writeLine, type ReadLog } from "./record-lines.js";
import { checkId } from "../store/session-id.js";
import { heartbeat, type Lock, type Store } from "../store/store.js";

/** The options of `openSession`. */
export interface SessionOptions {
  readonly store: Store;
  /** 1 to 128 letters, digits, `_`, `-` or `.`, and no dot first. Default: a random id. */
  readonly id?: string | undefined;
  /** Data of the host, stored when a session is new. Default: none. */
  readonly about?: JsonObject | undefined;
  /** Called if the last line was not written completely and is dropped; gets its length in characters. Default: not reported. */
  readonly onTorn?: ((characters: number) => void) | undefined;
}

/** A session in a store. */
export interface StoredSessionHandle extends OpenSession {
  /** The current session as plain data. It has no records if nothing is stored yet. */
  toJSON(): Promise<Session>;
  /** The data that the host gave when the session was new. Undefined if it gave none, or if nothing is stored yet. */
  about(): Promise<JsonObject | undefined>;
  /**
   * The call that the next input answers, according to the current records. Pass its `id` as `answers`. Undefined if no call
   * waits, or if its answer has expired. `agent.waiting(session)` returns it with the types of the agent's tools.
   */
  waiting(): Promise<WaitingCall | undefined>;
}

/** The types of records that must survive a loss of power: see `Lease`. */
const flushed: ReadonlySet<JournalRecord["type"]> = new Set(["input", "steer", "intent", "result", "claim", "outcome"]);

/**
 * Opens a new or a stored session. Nothing is written before its first run.
 * @throws LastcallError `configuration` for an invalid id.
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
      return waitingIn((await read()).records ?? [], Date.now());
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
        // A failing release is ignored, because the first failure says more.
        await lock.release().catch(() => undefined);
        throw thrown;
      }
    },
  };
}

/** Removes an incomplete last line, and writes the header of a new log. */
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

/** False if even the first line is incomplete: an incomplete line is not valid JSON. */
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
