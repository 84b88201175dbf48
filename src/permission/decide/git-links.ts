// Looks for links among the data of a repository. Git follows them, so it prints what they lead to.

import { lstatSync, opendirSync, type BigIntStats } from "node:fs";
import { join, relative } from "node:path";
import type { Work } from "../command/decision-work.js";

/** The most entries of a `.git`. */
const maxEntries = 12_000;
/** The steps of a folder, and of an entry. */
const stepsOfFolder = 10;
const stepsOfEntry = 0.6;

/** A folder as it was seen: nothing in it is strange. */
interface Seen {
  /** Its number and the time of its last change, which no program can set. */
  readonly version: string;
  readonly entries: number;
  readonly folders: readonly string[];
}

/** The folders that were looked at. A folder that has not changed since is not listed again. */
const seen = new Map<string, Seen>();
const maxSeen = 4096;
/** A folder can change twice within one tick of the file system's clock, in milliseconds. */
const tick = 2000;

/** Words for the first link or device in a `.git`, or for a `.git` that has too many entries; undefined if it is usual. */
export function strangeEntry(git: string, work: Work): string | undefined {
  const open = [git];
  let entries = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const found = look(place);
    if (typeof found === "string") return `.git/${relative(git, found)} is no ordinary file`;
    entries += found.entries;
    work.spend(stepsOfFolder + found.entries * stepsOfEntry);
    if (entries > maxEntries) return "its .git has too many entries to look for links";
    for (const folder of found.folders) open.push(folder);
  }
  return undefined;
}

/** What is in a folder; the path of an entry that is neither a file nor a folder, if there is one. */
function look(place: string): Seen | string {
  const before = lstatSync(place, { bigint: true });
  const version = versionOf(before);
  const known = seen.get(place);
  if (known?.version === version) return known;
  const folders: string[] = [];
  let entries = 0;
  const opened = opendirSync(place, { bufferSize: 256 });
  try {
    for (let entry = opened.readSync(); entry !== null && entries <= maxEntries; entry = opened.readSync()) {
      entries += 1;
      if (entry.isDirectory()) folders.push(join(place, entry.name));
      else if (!entry.isFile()) return join(place, entry.name);
    }
  } finally {
    opened.closeSync();
  }
  const found = { version, entries, folders };
  if (seen.size >= maxSeen) seen.clear();
  if (Date.now() - Number(before.ctimeMs) > tick) seen.set(place, found);
  return found;
}

function versionOf({ dev, ino, ctimeNs, mtimeNs }: BigIntStats): string {
  return [dev, ino, ctimeNs, mtimeNs].join(":");
}
