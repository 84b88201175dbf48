// The changes of one session, as lines of a file: what calls changed, and what was taken back.

import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../files/index.js";
import type { Entry } from "./tree/workspace-entry.js";

/** One path that was changed. */
export interface Change {
  /** From the root, with slashes. */
  readonly path: string;
  readonly before: Entry;
  readonly after: Entry;
}

/** A call begins that may change the workspace. Without an `ended` line it is at work, or its process died. */
export interface Begun {
  readonly type: "begun";
  /** The session, for people who look at the file. */
  readonly session: string;
  /** The key of the run. */
  readonly run: string;
  /** The id of the call, which no call of another agent has. A check has a random id. */
  readonly call: string;
  readonly tool: string;
  /** The iteration of that run. */
  readonly iteration: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The paths that it says it changes; absent for a command, which may change any. */
  readonly paths?: readonly string[];
  /** The name of the file with the tree as it was before, and the number of its entries. */
  readonly tree: string;
  readonly entries: number;
}

/** The changes that a call made. */
export interface Ended {
  readonly type: "ended";
  readonly call: string;
  readonly at: number;
  readonly changes: readonly Change[];
}

/** Calls are taken back, or made again, by these changes. Without a `done` line the process did not finish. */
export interface Turned {
  readonly type: "undo" | "redo";
  readonly id: string;
  readonly at: number;
  readonly calls: readonly string[];
  readonly changes: readonly Change[];
}

/** The changes of an undo or a redo were made. */
export interface Done {
  readonly type: "done";
  readonly id: string;
  readonly at: number;
  /** The paths among its changes that were left as they are; absent if there are none. */
  readonly left?: readonly string[];
}

/** A command whose changes are not known, since the workspace has more files than are looked at. */
export interface Unseen {
  readonly type: "unseen";
  readonly run: string;
  readonly call: string;
  readonly tool: string;
  readonly iteration: number;
  readonly at: number;
}

/** A command is run. The line is there only if commands are counted. */
export interface Ran {
  readonly type: "ran";
  readonly run: string;
  readonly call: string;
}

/** A line of the file. */
export type Line = Begun | Ended | Turned | Done | Unseen | Ran;

/** Appends the line. A line that a dead process left unfinished is ended before. */
export function append(path: string, line: Line): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, `${endsWhole(path) ? "" : "\n"}${JSON.stringify(line)}\n`, { mode: 0o600 });
}

function endsWhole(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return true;
  }
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last.toString() === "\n");
  } finally {
    closeSync(file);
  }
}

/** All whole lines; none if there is no file. */
export function linesIn(path: string): readonly Line[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
  return parsed(text);
}

/** The lines of a file that only grows. Each is read once. */
export class GrowingLines {
  readonly #path: string;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The whole lines that came since the last time; none if there is no file. */
  next(): readonly Line[] {
    let file: number;
    try {
      file = openSync(this.#path, "r");
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return [];
      throw thrown;
    }
    try {
      const fresh = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#offset));
      const read = readSync(file, fresh, 0, fresh.length, this.#offset);
      const end = fresh.subarray(0, read).lastIndexOf("\n") + 1;
      this.#offset += end;
      return parsed(fresh.toString("utf8", 0, end));
    } finally {
      closeSync(file);
    }
  }
}

function parsed(text: string): readonly Line[] {
  return text.split("\n").flatMap((line): readonly Line[] => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Line];
    } catch {
      // The process died while it wrote the line.
      return [];
    }
  });
}
