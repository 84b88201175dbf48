// list_files: what is in a folder and the folders below it.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { tool, type Tool } from "../core/index.js";
import { missing } from "./missing.js";
import { kindOf, locate, look, openRoot, shown } from "../files/index.js";
import type { RootOptions } from "./root.js";

/** The arguments of `list_files`. */
export interface ListFiles {
  /** The folder; the whole workspace if left out. */
  path?: string | undefined;
}

const mostEntries = 500;
/** Folders whose content is seldom what anyone looks for. One that is asked for by its own path is listed. */
const skipped: readonly string[] = [".git", "node_modules"];

/**
 * `list_files{ path? }`: what is in a folder inside the root, and below it. Symbolic links are named, not followed.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export function listFiles(options: RootOptions): Tool<"list_files", ListFiles, string, "never"> {
  const root = openRoot(options.root);
  return tool({
    name: "list_files",
    description: `Lists a folder of the workspace and the folders below it, at most ${String(mostEntries)} entries. Folders end with a slash; ${skipped.join(" and ")} are left out.`,
    input: z.object({
      path: z.string().optional().describe("The folder, relative to the workspace; the whole workspace if left out"),
    }),
    effect: "read",
    async run({ path = "." }, { signal }) {
      const folder = await locate(root, path);
      await expectFolder(root, folder);
      return report(await walk(root, folder, signal));
    },
  });
}

async function expectFolder(root: string, folder: string): Promise<void> {
  const stats = await look(folder);
  if (stats === undefined) throw await missing(root, folder);
  if (!stats.isDirectory())
    throw new Error(`${shown(root, folder)} is ${kindOf(stats)}, so there is nothing to list in it.`);
}

interface Listing {
  readonly entries: string[];
  readonly leftOut: string[];
  readonly unreadable: string[];
  isCut: boolean;
}

/** Level by level, so that where not all fits, the entries nearest to the folder are the ones that are shown. */
async function walk(root: string, start: string, signal: AbortSignal): Promise<Listing> {
  const listing: Listing = { entries: [], leftOut: [], unreadable: [], isCut: false };
  const queue = [start];
  for (const folder of queue) {
    signal.throwIfAborted();
    for (const entry of await read(root, folder, listing)) {
      const name = nameOf(root, folder, entry);
      if (entry.isDirectory() && skipped.includes(entry.name)) {
        listing.leftOut.push(name);
        continue;
      }
      if (listing.entries.length === mostEntries) return { ...listing, isCut: true };
      listing.entries.push(name);
      if (entry.isDirectory()) queue.push(join(folder, entry.name));
    }
  }
  return listing;
}

async function read(root: string, folder: string, { unreadable }: Listing): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => compare(a.name, b.name));
  } catch {
    unreadable.push(`${shown(root, folder)}/`);
    return [];
  }
}

/** A name may hold a newline; shown as it is, it would be two entries. */
function nameOf(root: string, folder: string, entry: Dirent): string {
  const path = shown(root, join(folder, entry.name));
  const name = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
  if (entry.isSymbolicLink()) return `${name} (symbolic link)`;
  return entry.isDirectory() ? `${name}/` : name;
}

function report({ entries, leftOut, unreadable, isCut }: Listing): string {
  const notes: string[] = [];
  if (entries.length === 0) notes.push("[There is nothing to list.]");
  if (isCut)
    notes.push(`[There is more than these ${String(mostEntries)} entries. List a folder below for what is in it.]`);
  if (leftOut.length > 0) notes.push(`[Left out: ${some(leftOut)}]`);
  if (unreadable.length > 0) notes.push(`[Could not be read: ${some(unreadable)}]`);
  return [...entries.sort(compare), ...notes].join("\n");
}

/** The first few names, and how many more there are. */
function some(names: readonly string[]): string {
  const rest = names.length - 10;
  return names.slice(0, 10).join(", ") + (rest > 0 ? ` and ${String(rest)} more` : "");
}

/** By code units: the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
