// Repairing: cuts a damaged log after its last valid line, and keeps a copy.

import { LastcallError } from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds } from "../../core/internal.js";
import { whereOf } from "./open-session.js";
import { readLog, readValid, typeOf } from "./record-lines.js";
import { giveBack, newHolder } from "../../lock/index.js";
import { appendAll } from "../store/log-line.js";
import { checkId } from "../store/session-id.js";
import type { Lock, Store } from "../store/store.js";

/** The options of `repairSession`. */
export interface RepairOptions {
  readonly store: Store;
  readonly id: string;
  /** Cut the log. Default: false, which changes nothing and says what would be kept and dropped. */
  readonly write?: boolean | undefined;
}

/** What a repair keeps and drops. */
export interface Repair {
  /** The first damage, in words for people. Undefined if the log is whole; then nothing is dropped. */
  readonly problem?: string;
  /** The number of records that are kept: the records before the first damage. */
  readonly kept: number;
  /** The lines that are dropped, each with the type of its record if that can still be read. */
  readonly dropped: readonly { readonly characters: number; readonly type?: string }[];
  /** The place of the copy of the damaged log. Undefined if nothing was written. */
  readonly copy?: string;
}

const repairOptions = {
  store: needed(portKinds.store),
  id: needed("text"),
  write: "flag",
} satisfies OptionKinds<RepairOptions>;

/**
 * Repairs a session whose log is damaged. A call whose intent or result is dropped may have happened: the model no longer knows
 * that, and may do it again.
 * @throws LastcallError `configuration` if the session does not exist; `store` if it is being written, or is another session's.
 */
export async function repairSession(options: RepairOptions): Promise<Repair> {
  checkOptions("repairSession", options, repairOptions);
  const { store, id, write = false } = options;
  checkId(id);
  if ((await store.read(id)) === undefined)
    throw new LastcallError("configuration", `There is no session ${id} to repair (${store.name}).`);
  const holder = newHolder();
  const lock = await store.lock(id, holder);
  if (!("append" in lock))
    throw new LastcallError("store", `The session ${id} is being written. Repair it after that.`);
  try {
    const lines = (await store.read(id)) ?? [];
    const { values, problem } = readValid(lines);
    if (values.length > 0) readLog(lines.slice(0, values.length), { id, where: whereOf(store, id), isTorn: false });
    const dropped = lines.slice(values.length).map((line) => {
      const type = typeOf(line);
      return { characters: line.length, ...(type !== undefined && { type }) };
    });
    const repair = { ...(problem !== undefined && { problem }), kept: Math.max(0, values.length - 1), dropped };
    if (problem === undefined || !write) return repair;
    const copy = await copyOf(store, id, { lock, lines });
    await lock.cut(values.length);
    return { ...repair, copy };
  } finally {
    await giveBack(holder, () => lock.release());
  }
}

/** Copies the log to a place next to it, or else into a new session. Returns the place. */
async function copyOf(
  store: Store,
  id: string,
  { lock, lines }: { readonly lock: Lock; readonly lines: readonly string[] },
): Promise<string> {
  if (lock.copy !== undefined) return lock.copy();
  const to = `damaged-${crypto.randomUUID()}`;
  const holder = newHolder();
  const copy = await store.lock(to, holder);
  if (!("append" in copy)) throw new LastcallError("store", `The session ${id} could not be copied to ${to}.`);
  try {
    await appendAll(copy, lines);
  } finally {
    await giveBack(holder, () => copy.release());
  }
  return `the session ${to} (${store.name})`;
}
