// A run that other programs watch: its pieces of text, and all other events that no record tells, on their way to the
// programs that show them.

import type { Event, JournalRecord } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { LiveSender, LiveTexts } from "../../memory/index.js";
import type { WatchedRun } from "./run-watcher.js";

/** Milliseconds for which events are collected. */
const together = 50;
/** Milliseconds between two looks whether somebody hears the events that are kept. */
const lookAgain = 250;
/** The most events since the last record that are kept for watchers who are not heard of yet. */
const mostKept = 1000;
/** The most bytes of a text: a notice of Postgres takes 8,000. */
const mostBytes = 6000;
/** The most characters of a piece that is made of several. */
const longest = 1000;

/** Events with their place in a session. */
export interface LivePiece {
  /** The number (`seq`) of the record before them; -1 before the first. */
  readonly after: number;
  /** The number of the piece since that record, from 1. A watcher that misses a piece leaves out the pieces up to the next record. */
  readonly number: number;
  readonly events: readonly Event[];
}

/** The events of a run on their way to the watchers of its session. */
export class LiveRun implements WatchedRun {
  readonly #sender: LiveSender;
  #after = -1;
  #number = 0;
  #events: Event[] = [];
  /** The events before these, joined, which nobody was there to hear. The sender may learn late that somebody is. */
  #kept: Event[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveTexts, id: string) {
    this.#sender = live.sender(id);
  }

  hold(last: Pick<JournalRecord, "seq"> | undefined): void {
    this.#flush();
    this.#forget();
    this.#after = last?.seq ?? -1;
    this.#number = 0;
  }

  record(record: Pick<JournalRecord, "seq">): void {
    this.hold(record);
  }

  event(event: Event): void {
    this.#events.push(event);
    this.#flushIn(together);
  }

  release(): void {
    this.#flush();
  }

  end(): void {
    this.#flush();
    this.#forget();
    this.#sender.close();
  }

  /** Nobody heard the events that were kept. The record that follows tells what they were. */
  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#kept = [];
  }

  #flushIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#flush();
    }, milliseconds).unref();
  }

  /** Sends the events that were collected. While nobody hears them they are kept, or they count as lost. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const last = this.#kept.pop();
    const events = [...this.#kept, ...joined([...(last === undefined ? [] : [last]), ...this.#events])];
    this.#events = [];
    this.#kept = [];
    if (events.length === 0) return;
    if (this.#sender.isHeard) for (const part of partsOf(events)) this.#send(part);
    else if (this.#number === 0 && areKept(events)) {
      this.#kept = events;
      this.#flushIn(lookAgain);
    } else this.#number += 1;
  }

  #send(part: string): void {
    this.#number += 1;
    const text = `{"after":${String(this.#after)},"number":${String(this.#number)},"events":[${part}]}`;
    // A text that is too long counts as lost.
    if (Buffer.byteLength(text) <= mostBytes) this.#sender.send(text);
  }
}

/** True for the events of a reply, in so far as they are few. Progress of calls has any size, and an old state of it is of no use. */
function areKept(events: readonly Event[]): boolean {
  return events.length <= mostKept && !events.some(({ type }) => type === "call-progress" || type === "child-event");
}

/** The piece that a text is; undefined for a text of another form, from another version for example. */
export function readPiece(text: string): LivePiece | undefined {
  try {
    const piece = JSON.parse(text) as unknown;
    return isPlainObject(piece) && Array.isArray(piece["events"]) ? (piece as unknown as LivePiece) : undefined;
  } catch {
    return undefined;
  }
}

/** The events, with successive pieces of one text joined into one piece. The cuts between them mean nothing. */
function joined(events: readonly Event[]): readonly Event[] {
  const all: Event[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const both = last === undefined ? undefined : oneOf(last, event);
    if (both === undefined) all.push(event);
    else all[all.length - 1] = both;
  }
  return all;
}

/** One event for two pieces of the same text; undefined for other events, and if it would be long. */
function oneOf(one: Event, other: Event): Event | undefined {
  if (!("text" in one && "text" in other) || one.text.length + other.text.length > longest) return undefined;
  if (JSON.stringify({ ...one, text: "" }) !== JSON.stringify({ ...other, text: "" })) return undefined;
  return { ...other, text: one.text + other.text };
}

/** The events as JSON, in parts that are short enough. */
function partsOf(events: readonly Event[]): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const event of events) {
    const text = jsonOf(event);
    // Room for the place around the events.
    if (part !== "" && Buffer.byteLength(part) + Buffer.byteLength(text) > mostBytes - 100) {
      parts.push(part);
      part = "";
    }
    if (text !== "") part = part === "" ? text : `${part},${text}`;
  }
  return part === "" ? parts : [...parts, part];
}

/** Empty for an event that is no JSON: a tool may yield anything as its progress. */
function jsonOf(event: Event): string {
  try {
    return JSON.stringify(event);
  } catch {
    return "";
  }
}
