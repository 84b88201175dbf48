// list_files: lists a folder and the folders below it.

import { join } from "node:path";
import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { shown } from "../../files/index.js";
import { compare } from "../workspace/compare.js";
import { missing } from "../workspace/missing.js";
import type { RootOptions } from "../workspace/root.js";
import { skipped } from "../workspace/skipped.js";
import { openWorkplace, slashed, type Workplace } from "../workspace/workplace.js";
import { kindInWords, type FileEntry } from "../workspace/workspace-files.js";

/** The arguments of `list_files`. */
export interface ListFiles {
  /** The folder. Default: the whole workspace. */
  path?: string | undefined;
}

const maxEntries = 500;
const parameters = z.object({
  path: z.string().optional().describe("The folder, relative to the workspace; the whole workspace if left out"),
});

/**
 * `list_files{ path? }`: lists a folder inside the root, and the folders below it. Symbolic links are named, not
 * followed. Files that a `.gitignore` matches are left out, unless it matches the requested folder itself.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function listFiles(options: RootOptions): Tool<"list_files", ListFiles, string, "never"> {
  const whole = openWorkplace(options);
  return tool({
    name: "list_files",
    description: `Lists a folder of the workspace and the folders below it, at most ${String(maxEntries)} entries. Folders end with a slash; ${skipped.join(", ")} and what .gitignore names are left out.`,
    input: parameters,
    effect: "read",
    reach: ({ path = "." }) => ({ reads: [path] }),
    async run({ path = "." }, { signal, permission }) {
      const workplace = whole.seenWith(permission);
      const { real } = await workplace.find(path, { signal });
      await expectFolder(workplace, real, signal);
      return report(await walk(workplace, real, signal));
    },
  });
}

async function expectFolder(workplace: Workplace, folder: string, signal: AbortSignal): Promise<void> {
  const look = await workplace.files.look(folder);
  if (look === undefined) throw await missing(workplace, folder, signal);
  if (look.kind !== "folder")
    throw new Error(
      `${shown(workplace.root, folder)} is ${kindInWords(look.kind)}, so there is nothing to list in it.`,
    );
}

interface Listing {
  readonly entries: string[];
  readonly leftOut: string[];
  readonly unreadable: string[];
  isCut: boolean;
}

/** Level by level, so that a list that is cut shows the entries nearest to the folder. */
async function walk(workplace: Workplace, start: string, signal: AbortSignal): Promise<Listing> {
  const { root } = workplace;
  const listing: Listing = { entries: [], leftOut: [], unreadable: [], isCut: false };
  const visibility = workplace.visibility(signal);
  const isAsked = await visibility.isLeftOut(slashed(root, start), true);
  const queue = [start];
  for (const folder of queue) {
    for (const entry of await read(workplace, folder, listing)) {
      signal.throwIfAborted();
      const isFolder = entry.kind === "folder";
      const path = slashed(root, join(folder, entry.name));
      if (await visibility.isHidden(path, isFolder)) continue;
      const name = nameOf(path, entry);
      if ((isFolder && skipped.includes(entry.name)) || (!isAsked && (await visibility.isLeftOut(path, isFolder)))) {
        listing.leftOut.push(name);
        continue;
      }
      if (listing.entries.length === maxEntries) return { ...listing, isCut: true };
      listing.entries.push(name);
      if (isFolder) queue.push(join(folder, entry.name));
    }
  }
  return listing;
}

async function read(
  { root, files }: Workplace,
  folder: string,
  { unreadable }: Listing,
): Promise<readonly FileEntry[]> {
  try {
    return [...(await files.list(folder))].sort((a, b) => compare(a.name, b.name));
  } catch {
    unreadable.push(`${shown(root, folder)}/`);
    return [];
  }
}

/** Quotes a name with a line break: unquoted, it would look like two entries. */
function nameOf(path: string, { kind }: FileEntry): string {
  const name = /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
  if (kind === "link") return `${name} (symbolic link)`;
  return kind === "folder" ? `${name}/` : name;
}

function report({ entries, leftOut, unreadable, isCut }: Listing): string {
  const notes: string[] = [];
  if (entries.length === 0) notes.push("[There is nothing to list.]");
  if (isCut)
    notes.push(`[There is more than these ${String(maxEntries)} entries. List a folder below for what is in it.]`);
  if (leftOut.length > 0) notes.push(`[Left out: ${some(leftOut)}]`);
  if (unreadable.length > 0) notes.push(`[Could not be read: ${some(unreadable)}]`);
  return [...entries.sort(compare), ...notes].join("\n");
}

/** The first 10 names, and the number of the other names. */
function some(names: readonly string[]): string {
  const rest = names.length - 10;
  return names.slice(0, 10).join(", ") + (rest > 0 ? ` and ${String(rest)} more` : "");
}
