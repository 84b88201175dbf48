// Follows a session: the records that it has, and the records that any process adds.

import { LastcallError, type JournalRecord } from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds } from "../../core/internal.js";
import { readHeader, readLog, readValid, sumOf, type LogPlace } from "./record-lines.js";
import { whereOf } from "./open-session.js";
import { polled } from "../store/changes.js";
import { checkId } from "../store/session-id.js";
import type { Store } from "../store/store.js";

/** The options of `recordsAfter`. */
export interface RecordsOptions {
  readonly store: Store;
  /** The session. It need not exist yet. */
  readonly id: string;
  /** The number (`seq`) of the last record that the caller has. Default: none, so all records come. */
  readonly after?: number | undefined;
}

/** The options of `followSession`. */
export interface FollowOptions extends RecordsOptions {
  /** Ends the following. */
  readonly signal: AbortSignal;
}

const recordsOptions = {
  store: needed(portKinds.store),
  id: needed("text"),
  after: "number",
} satisfies OptionKinds<RecordsOptions>;
const followOptions = { ...recordsOptions, signal: needed("signal") } satisfies OptionKinds<FollowOptions>;

/**
 * Yields the records of a session after a given record, in order, each once, and then the records that any process adds, as soon as they
 * are stored. One value has all records that were new at a look. It takes no lease and ends with the signal alone. A store without
 * `changes` is looked at four times a second.
 * @throws LastcallError `store` if the log can't be read, is damaged, or was cut or replaced behind what was yielded.
 */
export async function* followSession(options: FollowOptions): AsyncGenerator<readonly JournalRecord[], void, void> {
  checkOptions("followSession", options, followOptions);
  const { store, id, signal } = options;
  let last = anchorOf(options);
  for await (const _hint of store.changes?.(id, signal) ?? polled(signal)) {
    const read = await readAfter(store, id, last);
    last = read.last;
    if (read.records.length > 0) yield read.records;
  }
}

/**
 * The records of a session after a given record, as they are now. A session that was never written has none.
 * @throws LastcallError `store` if the log can't be read, is damaged, or does not have the given record.
 */
export async function recordsAfter(options: RecordsOptions): Promise<readonly JournalRecord[]> {
  checkOptions("recordsAfter", options, recordsOptions);
  return (await readAfter(options.store, options.id, anchorOf(options))).records;
}

/** @throws LastcallError `configuration` for an id or a number that can't be one. */
function anchorOf({ id, after = -1 }: RecordsOptions): Anchor {
  checkId(id);
  if (Number.isInteger(after) && after >= -1) return { seq: after, sum: undefined };
  const message = `after is ${String(after)}: give the seq of a record, or leave it out.`;
  throw new LastcallError("configuration", message);
}

/** The last record that was yielded. Number -1 is the header. */
interface Anchor {
  readonly seq: number;
  /** The checksum of its line. Undefined before it was read. */
  readonly sum: string | undefined;
}

interface Later {
  readonly records: readonly JournalRecord[];
  readonly last: Anchor;
}

/** Reads the records after the anchor. The line of the anchor is read as well: the lines after it continue its checksum. */
async function readAfter(store: Store, id: string, last: Anchor): Promise<Later> {
  const place = { id, where: whereOf(store, id), isTorn: undefined };
  const [first, ...rest] = (await store.read(id, last.seq + 1)) ?? [];
  const sum = first === undefined ? undefined : sumOf(first);
  if (first === undefined || sum === undefined) {
    if (last.seq < 0 && last.sum === undefined) return { records: [], last };
    throw cut(place, last);
  }
  if (sum !== (last.sum ?? sum)) throw cut(place, last);
  if (last.seq < 0 && last.sum === undefined) readHeader(readValid([first]).values[0] ?? {}, place);
  const { values, sum: end, problem } = readValid(rest, { from: last.seq + 2, sum });
  // A line that is being written is no damage. The whole log tells the two apart.
  if (problem !== undefined && values.length < rest.length - 1) readLog((await store.read(id)) ?? [], place);
  const records = values as JournalRecord[];
  return { records, last: { seq: last.seq + records.length, sum: end } };
}

function cut({ where }: LogPlace, { seq }: Anchor): LastcallError {
  const message = `${where} no longer has record ${String(seq)} as it was: it was cut, restored or deleted. Follow it from its beginning.`;
  return new LastcallError("store", message);
}
