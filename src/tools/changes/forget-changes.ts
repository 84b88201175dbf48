// Forgets the changes of sessions, and the contents that no other session needs.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { linesIn } from "./change-file.js";
import { entriesIn } from "./tree/kept-tree.js";
import { sessionFile } from "./recorder.js";
import type { Entry } from "./tree/workspace-entry.js";

/** Milliseconds for which a pack stays that nobody needs: a process may be about to need it. */
const oneDay = 24 * 60 * 60 * 1000;

/**
 * Forgets what these sessions have changed, in all workspaces that the folder serves: their changes can't be taken back any more. Contents
 * of files that nothing else needs are deleted a day after they were written.
 */
export function forgetChanges(folder: string, sessions: readonly string[]): void {
  for (const name of namesIn(folder)) {
    const place = join(folder, name);
    for (const session of sessions) {
      const file = sessionFile(place, session);
      rmSync(file, { force: true });
      rmSync(`${file}.lock`, { recursive: true, force: true });
    }
    const left = namesIn(join(place, "sessions")).filter((one) => one.endsWith(".jsonl"));
    const isInUse = namesIn(join(place, "trees")).some((one) => isYoung(join(place, "trees", one)));
    if (left.length === 0 && !isInUse) rmSync(place, { recursive: true, force: true });
    else removePacks(place, left);
  }
}

function removePacks(place: string, sessions: readonly string[]): void {
  const needed = new Set<string>();
  const need = (entry: Entry): void => {
    if (entry.kind === "file" && entry.digest !== undefined) needed.add(entry.digest);
  };
  for (const session of sessions)
    for (const line of linesIn(join(place, "sessions", session)))
      if ("changes" in line)
        for (const { before, after } of line.changes) {
          need(before);
          need(after);
        }
  for (const tree of namesIn(join(place, "trees")))
    for (const { entry } of entriesIn(join(place, "trees", tree)).values()) need(entry);
  const packs = join(place, "packs");
  for (const name of namesIn(packs)) {
    if (!name.endsWith(".index") || isYoung(join(packs, name))) continue;
    const digests = readFileSync(join(packs, name), "latin1").matchAll(/^\w+/gm);
    if ([...digests].some(([digest]) => needed.has(digest))) continue;
    for (const end of [".index", ".pack"]) rmSync(join(packs, name.replace(/\.index$/, end)), { force: true });
  }
}

function isYoung(path: string): boolean {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < oneDay;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
