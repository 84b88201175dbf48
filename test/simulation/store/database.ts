// A simulated database: one row a session, and statements that each happen at one moment, as those of our store for Postgres do.

import type { JournalRecord } from "../../../src/core/index.js";
import { runState } from "../../../src/core/internal.js";
import { stale, type Holder } from "../../../src/lock/index.js";
import type { StoredMessage } from "../../../src/memory/store/store.js";
import type { World } from "../world/world.js";

/** The right to write a session, as the database's own log tells it. */
export interface Grant {
  readonly holder: string;
  readonly worker: string;
  readonly from: number;
  /** The true time of the last renewal. */
  renewed: number;
  /** The end of it; undefined if it has none yet. */
  until?: { readonly at: number; readonly how: "released" | "taken" };
}

/** A session. */
export interface Row {
  readonly lines: string[];
  /** The true times at which the lines were added. */
  readonly times: number[];
  inbox: readonly StoredMessage[];
  /** The senders of the messages in the inbox, by the messages' ids. */
  readonly senders: Map<string, Sender>;
  held: { readonly by: Holder; renewed: number } | undefined;
  updated: number;
  /** True if the last run had no end when the journal had so many lines. */
  open: { readonly lines: number; readonly isOpen: boolean };
  readonly grants: Grant[];
  readonly listeners: Set<() => void>;
}

/** The process that sends a statement. */
export interface Sender {
  readonly name: string;
  /** Its clock. A database that is sound has no use for it. */
  readonly clock: number;
  /**
   * True if it did nothing more about what it said: it had taken the statement for lost, and may have sent it again, or it had stood still,
   * and is dead by now.
   */
  readonly isGone: () => boolean;
}

/** The lines of an append, and what the writer believes of the session. */
export interface Append {
  readonly holder: string;
  /** The number of lines that the log has, as far as the writer knows. */
  readonly expected: number;
  readonly lines: readonly string[];
}

/** The answer to an append. `lines` is the number of lines that the log has now. */
export interface Appended {
  readonly isDone: boolean;
  readonly holds: boolean;
  readonly lines: number;
  readonly last: string | undefined;
}

/** The sessions, and the statements on them. */
export class Database {
  readonly rows = new Map<string, Row>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The row of a session, which is made if it is new. */
  row(id: string): Row {
    const known = this.rows.get(id);
    if (known !== undefined) return known;
    const open = { lines: 0, isOpen: false };
    const rest = { held: undefined, updated: 0, grants: [], listeners: new Set<() => void>() };
    const row: Row = { lines: [], times: [], inbox: [], senders: new Map(), open, ...rest };
    this.rows.set(id, row);
    return row;
  }

  /** Takes the lease, or keeps it. Returns the holder, and the number of lines of the log. */
  lock(id: string, holder: Holder, sender: Sender): { readonly holder: Holder; readonly lines: number } {
    const row = this.row(id);
    const now = this.#now(sender);
    const { held } = row;
    const counts = held !== undefined && now - held.renewed < stale;
    if (held !== undefined && counts && held.by.id !== holder.id) return { holder: held.by, lines: row.lines.length };
    if (held?.by.id !== holder.id) this.#grant(id, row, { holder: holder.id, worker: sender.name });
    row.held = { by: holder, renewed: now };
    row.grants.at(-1)!.renewed = this.#world.scheduler.now;
    return { holder, lines: row.lines.length };
  }

  append(id: string, { holder, expected, lines }: Append): Appended {
    const row = this.row(id);
    const holds = row.held?.by.id === holder;
    const isDone = holds ? row.lines.length === expected : this.#world.planted === "unchecked-append";
    if (isDone) this.#add(id, { holder, lines });
    return { isDone, holds, lines: row.lines.length, last: row.lines.at(-1) };
  }

  /** A batch that is no transaction: its first line alone is there once the connection is lost. */
  tear(id: string, { holder, expected, lines }: Append): void {
    const row = this.row(id);
    if (row.held?.by.id === holder && row.lines.length === expected)
      this.#add(id, { holder, lines: lines.slice(0, 1) });
  }

  cut(id: string, holder: string, lines: number): boolean {
    const row = this.row(id);
    if (row.held?.by.id !== holder) return false;
    if (row.lines.length > lines) this.#world.find(`${id}: ${String(row.lines.length - lines)} stored lines were cut`);
    row.lines.length = Math.min(lines, row.lines.length);
    row.times.length = row.lines.length;
    return true;
  }

  renew(id: string, holder: string, sender: Sender): boolean {
    const row = this.row(id);
    if (row.held?.by.id !== holder) return false;
    row.held.renewed = this.#now(sender);
    row.grants.at(-1)!.renewed = this.#world.scheduler.now;
    return true;
  }

  release(id: string, holder: string): void {
    const row = this.row(id);
    if (row.held?.by.id !== holder) return;
    row.held = undefined;
    row.grants.at(-1)!.until = { at: this.#world.scheduler.now, how: "released" };
  }

  /** The sessions with a run that has no end, and those with an inbox that is not empty. */
  unfinished(): readonly string[] {
    return [...this.rows].filter(([, row]) => row.inbox.length > 0 || hasOpenRun(row)).map(([id]) => id);
  }

  send(id: string, message: StoredMessage, sender: Sender): void {
    const row = this.row(id);
    if (row.inbox.some((other) => other.id === message.id)) return;
    row.senders.set(message.id, sender);
    row.inbox = [...row.inbox, message];
  }

  drop(id: string, messages: readonly string[]): void {
    const row = this.row(id);
    row.inbox = row.inbox.filter((message) => !messages.includes(message.id));
  }

  #add(id: string, { holder, lines }: Pick<Append, "holder" | "lines">): void {
    const row = this.row(id);
    const last = row.grants.at(-1);
    if (last?.holder !== holder || last.until !== undefined) {
      const own = row.grants.findLast((grant) => grant.holder === holder);
      this.#world.doubt(`${id}: ${own?.worker ?? holder} wrote line ${String(row.lines.length)} without the lease`);
    }
    row.lines.push(...lines);
    row.times.push(...lines.map(() => this.#world.scheduler.now));
    row.updated = this.#world.scheduler.now;
    for (const ring of row.listeners) ring();
  }

  #grant(id: string, row: Row, to: { readonly holder: string; readonly worker: string }): void {
    const { now } = this.#world.scheduler;
    const last = row.grants.at(-1);
    if (last !== undefined && last.until === undefined) {
      last.until = { at: now, how: "taken" };
      this.#world.count("takeovers");
      const age = now - last.renewed;
      if (age < stale)
        this.#world.doubt(
          `${id}: ${to.worker} took the lease of ${last.worker}, which was renewed ${String(age)} ms before`,
        );
    }
    row.grants.push({ ...to, from: now, renewed: now });
  }

  #now({ clock }: Sender): number {
    return this.#world.planted === "skewed-clock" ? clock : this.#world.scheduler.now;
  }
}

function hasOpenRun(row: Row): boolean {
  const { lines } = row;
  if (row.open.lines !== lines.length)
    row.open = { lines: lines.length, isOpen: runState(recordsOf(lines)) === "open" };
  return row.open.isOpen;
}

/** The records of the lines. The first line is the header of the session, which begins no run. */
function recordsOf(lines: readonly string[]): readonly JournalRecord[] {
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}
