// The file of a replay, as `lastcall replay ID --json` writes it.

import { isPlainObject } from "../../core/internal.js";
import type { JournalRecord } from "../../core/index.js";
import { Timeline } from "./timeline.js";

/** One difference of a departure. */
export interface ReplayDifference {
  readonly part: string;
  readonly name: string;
  /** The text in the session. Undefined if it was not there. */
  readonly was?: string;
  /** The text in the replay. Undefined if it is not there. */
  readonly is?: string;
}

/** A difference with a cause of its own, and what follows from it. */
export interface Departure {
  /** The effect, such as `1/call:3:0`. */
  readonly at: string;
  readonly kind: string;
  readonly differences: readonly ReplayDifference[];
  /** The later effects that differ because of this. */
  readonly follows: readonly string[];
}

/** A replay that a person opened. */
export interface ReplayFile {
  readonly timeline: Timeline;
  readonly departures: readonly Departure[];
  readonly end: { readonly was: string; readonly is: string };
  /** The number of recorded replies that were not asked for. */
  readonly unsaid: number;
  readonly remarks: readonly string[];
}

/**
 * Reads the file of a replay of the session with this id.
 * @throws Error for any other file, with words for people.
 */
export function readReplay(text: string, id: string): ReplayFile {
  const read = parsed(text);
  if (!isReplay(read)) throw new Error("This is no file that lastcall replay --json has written.");
  const { session, departures, end, unsaid, remarks } = read;
  if (session.id !== id) throw new Error(`This is a replay of the session ${session.id}, and ${id} is open.`);
  const timeline = new Timeline();
  for (const record of session.records) timeline.add(record);
  return { timeline, departures, end, unsaid, remarks };
}

/** The content of the file. */
interface Written extends Omit<ReplayFile, "timeline"> {
  readonly session: { readonly id: string; readonly records: readonly JournalRecord[] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isReplay(read: unknown): read is Written {
  if (!isPlainObject(read)) return false;
  const { session, departures, end, remarks, unsaid } = read;
  return (
    isPlainObject(session) &&
    Array.isArray(session["records"]) &&
    isPlainObject(end) &&
    typeof unsaid === "number" &&
    Array.isArray(remarks) &&
    Array.isArray(departures) &&
    departures.every(isDeparture)
  );
}

function isDeparture(read: unknown): boolean {
  return (
    isPlainObject(read) &&
    typeof read["at"] === "string" &&
    Array.isArray(read["follows"]) &&
    Array.isArray(read["differences"]) &&
    read["differences"].every(isPlainObject)
  );
}
