// Sessions over a store: reads the lines of its log as records, and writes new records under the store's lock.

import {
  LastcallError,
  type JournalRecord,
  type JsonObject,
  type Lease,
  type OpenSession,
  type ParkedCall,
  type SentInput,
  type Session,
  type WaitingCall,
} from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds, explain, isBlank, waitingIn } from "../../core/internal.js";
import { keepAttachments, plainAttachments } from "./attachments.js";
import {
  flushed,
  isTornHeader,
  noSum,
  readLog,
  readValid,
  writeLine,
  type Dropped,
  type LogPlace,
  type ReadLog,
} from "./record-lines.js";
import { plainChildren } from "./tree.js";
import { readLong } from "./read-long.js";
import { giveBack, newHolder, type Holder } from "../../lock/index.js";
import { queue } from "../store/queue.js";
import { checkId } from "../store/session-id.js";
import { heartbeat, type Lock, type Store } from "../store/store.js";

/** The options of `openSession`. */
export interface SessionOptions {
  readonly store: Store;
  /** 1 to 200 characters, without control characters. Default: a random id. */
  readonly id?: string | undefined;
  /** Data of the host, stored when a session is new. Default: none. */
  readonly about?: JsonObject | undefined;
  /**
   * Called if the end of the log is dropped, because nothing in it was ever acknowledged: an incomplete last line, blank lines, or
   * lines that a loss of power left unfinished. Gets its length in characters, and a sentence for people. Default: `console.warn`.
   */
  readonly onTorn?: ((characters: number, message: string) => void) | undefined;
}

/** A session in a store. */
export interface StoredSessionHandle extends OpenSession {
  /** The current session as plain data. It has no records if nothing is stored yet. */
  toJSON(): Promise<Session>;
  /** The data that the host gave when the session was new. Undefined if it gave none, or if nothing is stored yet. */
  about(): Promise<JsonObject | undefined>;
  /**
   * The call that the next input answers or approves, according to the current records. Pass its `id` as `answers`. Undefined if
   * no call waits, or if its time is over. A call that waits for an approval has an `approval` and an `input`, a question a `value`.
   * `agent.waiting(session)` returns it with the types of the agent's tools.
   */
  waiting(): Promise<WaitingCall | ParkedCall | undefined>;
}

const sessionOptions = {
  store: needed(portKinds.store),
  id: "text",
  about: "object",
  onTorn: "function",
} satisfies OptionKinds<SessionOptions>;

/**
 * Opens a new or a stored session. Nothing is written before its first run.
 * @throws LastcallError `configuration` for an invalid id.
 */
export function openSession(options: SessionOptions): StoredSessionHandle {
  checkOptions("openSession", options, sessionOptions);
  const { store, id = crypto.randomUUID(), about, onTorn = warn } = options;
  checkId(id);
  const where = whereOf(store, id);
  return {
    id,
    async toJSON() {
      const { records } = await readStored(store, id);
      const below = await plainChildren(records, (child) => openSession({ store, id: child, onTorn }).toJSON());
      return { version: 1, id, records, ...(await plainAttachments(store, id, records)), ...below };
    },
    async about() {
      return (await readStored(store, id)).about;
    },
    async waiting() {
      return waitingIn((await readStored(store, id)).records, Date.now());
    },
    async send({ id: inputId = crypto.randomUUID(), attachments: files = [], ...input }) {
      if (isBlank(input.text)) throw new LastcallError("configuration", `${where} takes no blank text: send words.`);
      const attachments = await keepAttachments(store, id, files);
      const content = { ...input, ...(attachments.length > 0 && { attachments }) };
      const sent = { id: inputId, ...content };
      await store.send(id, { id: inputId, text: JSON.stringify(content) });
      return sent;
    },
    async lease(onBusy) {
      const holder = newHolder();
      const lock = await store.lock(id, holder);
      if (!("append" in lock)) {
        onBusy?.(lock);
        return undefined;
      }
      try {
        const place = { id, where, isTorn: lock.isTorn ?? false };
        const log = (await readIfLong(store, place)) ?? (await begin(lock, await store.read(id), { ...place, about }));
        if (log.dropped !== undefined)
          onTorn(
            log.dropped.characters,
            `${where} ${log.dropped.what}. Nobody was told that it was kept; it is dropped.`,
          );
        return leaseOf(store, lock, { id, holder, log, child: (child) => openSession({ store, id: child, onTorn }) });
      } catch (thrown) {
        // A failing release is ignored, because the first failure says more.
        await giveBack(holder, () => lock.release()).catch(() => undefined);
        throw thrown;
      }
    },
  };
}

/** A session that is read once, without its lease. */
export interface StoredLog {
  /** The data that its host gave. Undefined if it gave none, or if nothing is stored yet. */
  readonly about: JsonObject | undefined;
  /** None if nothing is stored yet. */
  readonly records: readonly JournalRecord[];
}

/**
 * Reads a session once.
 * @throws LastcallError `configuration` for an invalid id or a log that can't be read; `store` if the store can't be read.
 */
export async function readStored(store: Store, id: string): Promise<StoredLog> {
  const place = { id: checkId(id), where: whereOf(store, id), isTorn: undefined };
  const long = await readIfLong(store, place);
  const lines = long === undefined ? ((await store.read(id)) ?? []) : [];
  const log = long ?? (hasBegun(lines, place) ? readLog(lines, place) : undefined);
  return { about: log?.header.about, records: log?.records ?? [] };
}

/** The session and the place of its log, for people. */
export function whereOf(store: Store, id: string): string {
  return `The session ${id} (${store.place?.(id) ?? store.name})`;
}

function warn(_characters: number, message: string): void {
  console.warn(`lastcall: ${message}`);
}

/** The log, if it is long and whole. Undefined for any other, whose lines are read one by one. */
async function readIfLong(store: Store, place: LogPlace): Promise<ReadLog | undefined> {
  if (place.isTorn === true) return undefined;
  const bytes = await store.readBytes?.(place.id);
  return bytes && readLong(bytes, place);
}

/** Removes the rest of a log that is dropped, and writes the header of a new log. */
async function begin(
  lock: Lock,
  stored: readonly string[] | undefined,
  { about, ...place }: LogPlace & { readonly about: JsonObject | undefined },
): Promise<ReadLog> {
  const lines = stored ?? [];
  if (!hasBegun(lines, place)) {
    if (stored !== undefined) await lock.cut(0);
    const header = { lastcall: "session", version: 1, id: place.id, ...(about !== undefined && { about }) } as const;
    const { line, sum } = writeLine(header, noSum);
    // The first input is flushed, and the header with it.
    await lock.append([line], false);
    return { header, records: [], lines: 1, sum, ...(stored !== undefined && { dropped: unbegun(lines) }) };
  }
  const log = readLog(lines, place);
  if (log.dropped !== undefined) await lock.cut(log.lines);
  return log;
}

/** False if nothing of the log was ever acknowledged: it has no line, or only the beginning of its header. */
function hasBegun(lines: readonly string[], { id, isTorn }: LogPlace): boolean {
  const [first] = lines;
  if (first === undefined) return false;
  return lines.length > 1 || isTorn === false || !isTornHeader(first, id) || readValid([first]).values.length > 0;
}

/** The rest that a process left which was killed during its first write. */
function unbegun([line = ""]: readonly string[]): Dropped {
  return {
    characters: line.length,
    what: line === "" ? "had an empty log" : "had a first line that was not written whole",
  };
}

/** A session whose lock was taken. */
interface Held extends Pick<Lease, "child"> {
  readonly id: string;
  readonly holder: Holder;
  readonly log: ReadLog;
}

function leaseOf(store: Store, lock: Lock, { id, holder, log, child }: Held): Lease {
  const lost = new AbortController();
  const inOrder = queue();
  let { sum } = log;
  /** The lines that are stored with the next line that is flushed, or at the end of the turn of the event loop. */
  let waiting: string[] = [];
  let endOfTurn: NodeJS.Immediate | undefined;
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
  const stored = (): Promise<void> =>
    inOrder(async () => {
      if (waiting.length === 0) return;
      try {
        await lock.append(waiting, false);
      } catch (thrown) {
        // Nobody knows which of the lines are in the log, so nothing may come behind them, nor the same lines once more.
        waiting = [];
        lose(new LastcallError("store", explain(thrown), { cause: thrown }));
        throw thrown;
      }
      waiting = [];
    });
  const storeWaiting = (): void => {
    endOfTurn = undefined;
    // The signal of the lease tells the run.
    stored().catch(() => undefined);
  };
  return {
    records: log.records,
    signal: lost.signal,
    ...(store.attachments !== undefined && { attachments: store.attachments(id) }),
    child,
    append: (record) =>
      inOrder(async () => {
        lost.signal.throwIfAborted();
        const next = writeLine(record, sum);
        if (flushed.has(record.type)) {
          await lock.append([...waiting, next.line], true);
          waiting = [];
        } else {
          waiting.push(next.line);
          endOfTurn ??= setImmediate(storeWaiting);
        }
        ({ sum } = next);
      }),
    stored,
    async inbox() {
      const messages = await store.messages(id);
      return messages.map((message) => ({ ...(JSON.parse(message.text) as Omit<SentInput, "id">), id: message.id }));
    },
    drop: (ids) => store.drop(id, ids),
    async release() {
      clearInterval(beat);
      // A run ends with a record that is flushed. If records still wait, an append has failed, and the run has told why.
      await stored().catch(() => undefined);
      await giveBack(holder, () => lock.release());
    },
  };
}
