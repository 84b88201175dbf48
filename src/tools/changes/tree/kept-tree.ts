// The tree of a workspace in a file, so that another process can tell what a dead process had seen.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Known } from "./workspace-tree.js";

/** A line: a path, and what was there; `null` if nothing is there any more. */
type Line = readonly [path: string, known: Known | null];

/** The newest tree of a process that has ended: a good start, since files that have its stamps need not be read. */
const newest = "newest.jsonl";

/** Appends entries to a file. */
export function appendEntries(path: string, entries: Iterable<readonly [string, Known | undefined]>): void {
  const lines = [...entries].map(([at, known]) => JSON.stringify([at, known === undefined ? null : plain(known)]));
  if (lines.length === 0) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
}

/** The fields that the file keeps. */
function plain({ ino, size, ctimeMs, entry }: Known): Known {
  return { ino, size, ctimeMs, entry };
}

/** The entries of a file; none if it can't be read. */
export function entriesIn(path: string): ReadonlyMap<string, Known> {
  const entries = new Map<string, Known>();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return entries;
  }
  for (const line of text.split("\n")) {
    try {
      const [at, known] = JSON.parse(line) as Line;
      if (known === null) entries.delete(at);
      else entries.set(at, known);
    } catch {
      // The last line of a process that died.
    }
  }
  return entries;
}

/** The entries of the newest tree in the folder. */
export function newestEntries(folder: string): ReadonlyMap<string, Known> {
  return entriesIn(join(folder, newest));
}

/** Makes the file the newest tree of its folder. */
export function makeNewest(path: string, entries: Iterable<readonly [string, Known]>): void {
  rmSync(path, { force: true });
  appendEntries(path, entries);
  try {
    renameSync(path, join(dirname(path), newest));
  } catch {
    // The workspace is empty.
  }
}

/** Removes the trees of processes that died this many milliseconds ago. */
export function removeOld(folder: string, age: number): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (name !== newest && Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > age)
      rmSync(path, { force: true });
  }
}
