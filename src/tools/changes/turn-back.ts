// Makes changes in a workspace: each path goes from one entry to another, or stays as it is and is named.

import { rmSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, MovedFolder } from "../../files/index.js";
import { inPinned } from "../workspace/pinned-folder.js";
import { replaceFile, unfinishedName } from "../workspace/replace-file.js";
import type { Change, Turned } from "./change-file.js";
import { digestOf, isSame, lookedAt, nothing, statsAt, type Entry } from "./workspace-entry.js";
import type { Packs } from "./packs.js";
import type { Conflict, Made } from "./undone.js";

/**
 * Brings each path from `before` to `after`, in an order that works for folders and what is in them. A path that is neither is left as it
 * is. A step that was made before a crash is not made twice. With `isGoingOn`, a step may have been
 * made half: nothing is at its path then.
 */
export async function makeChanges(
  root: string,
  packs: Packs,
  { id, changes }: Pick<Turned, "id" | "changes">,
  { isGoingOn = false, signal }: { readonly isGoingOn?: boolean; readonly signal: AbortSignal },
): Promise<Made> {
  // A process that was killed may have left a file that was not whole.
  if (isGoingOn)
    for (const folder of new Set(changes.map(({ path }) => dirname(path))))
      rmSync(join(root, folder, unfinishedName(id)), { force: true });
  const changed: string[] = [];
  const conflicts: Conflict[] = [];
  const take = async (change: Change): Promise<void> => {
    signal.throwIfAborted();
    const reason = await bring(root, packs, change, { id, isGoingOn, signal }).catch(reasonOf);
    if (reason === undefined) changed.push(change.path);
    else if (reason !== "as it is") conflicts.push({ path: change.path, reason });
  };
  const depth = ({ path }: Change): number => path.split("/").length;
  const removed = changes.filter(({ after }) => after.kind === "none").toSorted((a, b) => depth(b) - depth(a));
  const made = changes.filter(({ after }) => after.kind !== "none").toSorted((a, b) => depth(a) - depth(b));
  for (const change of [...removed, ...made]) await take(change);
  // A folder that its owner may not write to gets its mode when all that is in it is made.
  const left = new Set(conflicts.map(({ path }) => path));
  for (const { path, after } of made.toReversed())
    if (after.kind === "folder" && isSealed(after.mode) && !left.has(path)) await chmod(join(root, path), after.mode);
  const byPath = <T>(list: readonly T[], pathOf: (one: T) => string): readonly T[] =>
    list.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  return { changed: byPath(changed, (path) => path), conflicts: byPath(conflicts, ({ path }) => path) };
}

/** The right of the owner to change what is in a folder. */
const ownersRight = 0o300;

function isSealed(mode: number): boolean {
  return (mode & ownersRight) !== ownersRight;
}

/** The entry at the path now, with the digest of a file. */
async function entryNow(path: string): Promise<Entry> {
  const stats = statsAt(path);
  if (stats === undefined) return nothing;
  const { entry } = lookedAt(path, stats);
  return entry.kind === "file" ? { kind: "file", mode: entry.mode, digest: digestOf(await readFile(path)) } : entry;
}

async function bring(
  root: string,
  packs: Packs,
  { path, before, after }: Change,
  { id, isGoingOn, signal }: { readonly id: string; readonly isGoingOn: boolean; readonly signal: AbortSignal },
): Promise<Conflict["reason"] | "as it is" | undefined> {
  const at = join(root, path);
  const now = await entryNow(at).catch((thrown: unknown) => {
    // A folder above it is no folder any more.
    if (codeOf(thrown) === "ENOTDIR") return { kind: "none" } as const;
    throw thrown;
  });
  if (isSame(now, after)) return "as it is";
  const content = after.kind === "file" && after.digest !== undefined ? packs.get(after.digest) : undefined;
  if (after.kind === "other" || (after.kind === "file" && content === undefined)) return "not kept";
  const isMidway = isGoingOn && (now.kind === "none" || (now.kind === "folder" && after.kind === "folder"));
  if (!isSame(now, before) && !isMidway) return "changed since";
  return inPinned(
    dirname(at),
    async (folder) => {
      folder.check();
      const held = folder.at(basename(at));
      if (now.kind === "folder" && after.kind === "folder") {
        await chmod(held, after.mode | ownersRight);
        return undefined;
      }
      if (now.kind === "folder" && !(await removed(held))) return "not empty";
      if (now.kind !== "none" && now.kind !== "folder" && after.kind !== "file") await unlink(held);
      if (after.kind === "folder") {
        await mkdir(held);
        await chmod(held, after.mode | ownersRight);
      } else if (after.kind === "link") await symlink(after.target, held);
      else if (after.kind === "file" && content !== undefined)
        await replaceFile(at, content, { mode: after.mode, signal, id });
      return undefined;
    },
    { makes: after.kind !== "none" },
  );
}

/** The reason why a step could not be made. */
function reasonOf(thrown: unknown): Conflict["reason"] {
  const code = String(codeOf(thrown));
  if (["EACCES", "EPERM", "EROFS"].includes(code)) return "not allowed";
  // A folder above it is another one by now, or a link.
  if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code) || thrown instanceof MovedFolder) return "changed since";
  throw thrown;
}

async function removed(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTEMPTY" || codeOf(thrown) === "EEXIST") return false;
    if ((await lstat(folder).catch(() => undefined)) === undefined) return true;
    throw thrown;
  }
}
