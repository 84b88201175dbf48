// Makes changes in a workspace, or foresees them: each path goes from one entry to another, or stays as it is and is named.

import { constants, rmSync } from "node:fs";
import { access, chmod, lstat, mkdir, readdir, readFile, rmdir, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, contains, MovedFolder } from "../../files/index.js";
import { inPinned } from "../workspace/pinned-folder.js";
import { replaceFile, unfinishedName } from "../workspace/replace-file.js";
import type { Change, Turned } from "./change-file.js";
import { digestOf, isSame, lookedAt, nothing, statsAt, type Entry } from "./tree/workspace-entry.js";
import type { Packs } from "./tree/packs.js";
import { conflictAt, type Conflict, type Made } from "./undone.js";

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
    for (const folder of new Set(changes.map(({ path }) => dirname(join(root, path)))))
      if (contains(root, folder)) rmSync(join(folder, unfinishedName(id)), { force: true });
  const changed: string[] = [];
  const conflicts: Conflict[] = [];
  const { removed, made } = inOrder(changes);
  for (const change of [...removed, ...made]) {
    signal.throwIfAborted();
    const reason = await bring(root, packs, change, { id, isGoingOn, signal }).catch(reasonOf);
    if (reason === undefined) changed.push(change.path);
    else if (reason !== "as it is") conflicts.push(conflictAt(change.path, reason));
  }
  // A folder that its owner may not write to gets its mode when all that is in it is made.
  const left = new Set(conflicts.map(({ path }) => path));
  for (const { path, after } of made.toReversed())
    if (after.kind === "folder" && isSealed(after.mode) && !left.has(path)) await chmod(join(root, path), after.mode);
  return sorted({ changed, conflicts });
}

/** Says what `makeChanges` would do, and changes nothing. A right that is missing may be found only later. */
export async function foreseen(root: string, packs: Packs, changes: readonly Change[]): Promise<Made> {
  /** The entries that the changes so far would leave, by path. */
  const coming = new Map<string, Entry>();
  const conflicts: Conflict[] = [];
  const { removed, made } = inOrder(changes);
  for (const change of [...removed, ...made]) {
    const reason = await obstacle(root, packs, change, coming).catch(reasonOf);
    if (reason === undefined) coming.set(change.path, change.after);
    else if (reason !== "as it is") conflicts.push(conflictAt(change.path, reason));
  }
  return sorted({ changed: [...coming.keys()], conflicts });
}

/** The reason for which a change can't be made, as far as a look tells; undefined without one. */
async function obstacle(
  root: string,
  packs: Packs,
  change: Change,
  coming: ReadonlyMap<string, Entry>,
): Promise<Reason | undefined> {
  const { now, reason } = await judged(root, packs, change, false);
  if (reason !== undefined) return reason;
  if (now.kind === "folder" && change.after.kind !== "folder") {
    const left = (await readdir(join(root, change.path))).filter(
      (name) => coming.get(`${change.path}/${name}`)?.kind !== "none",
    );
    if (left.length > 0) return "not empty";
  }
  for (let above = dirname(change.path); ; above = dirname(above)) {
    const then = coming.get(above)?.kind;
    const kind = then ?? (await entryNow(join(root, above))).kind;
    if (kind === "none" && above !== ".") continue;
    if (kind !== "folder") return "changed since";
    if (then === undefined) await access(join(root, above), constants.W_OK);
    return undefined;
  }
}

/** The order that works for folders and what is in them. */
function inOrder(changes: readonly Change[]): Readonly<Record<"removed" | "made", readonly Change[]>> {
  const depth = ({ path }: Change): number => path.split("/").length;
  return {
    removed: changes.filter(({ after }) => after.kind === "none").toSorted((a, b) => depth(b) - depth(a)),
    made: changes.filter(({ after }) => after.kind !== "none").toSorted((a, b) => depth(a) - depth(b)),
  };
}

function sorted({ changed, conflicts }: Made): Made {
  return { changed: changed.toSorted(), conflicts: conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
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

/** Why a step is not made. */
type Reason = Conflict["reason"] | "as it is";

/** The entry at the path of a change, the content that the change needs, and the reason not to make it, if there is one. */
async function judged(
  root: string,
  packs: Packs,
  { path, before, after }: Change,
  isGoingOn: boolean,
): Promise<{ readonly now: Entry; readonly content: Buffer | undefined; readonly reason: Reason | undefined }> {
  const at = join(root, path);
  // The record is a file, and somebody may have written into it.
  if (at === root || !contains(root, at)) return { now: nothing, content: undefined, reason: "not allowed" };
  const now = await entryNow(at).catch((thrown: unknown) => {
    // A folder above it is no folder any more.
    if (codeOf(thrown) === "ENOTDIR") return nothing;
    throw thrown;
  });
  if (isSame(now, after)) return { now, content: undefined, reason: "as it is" };
  const content = after.kind === "file" && after.digest !== undefined ? packs.get(after.digest) : undefined;
  const isKept = after.kind !== "other" && (after.kind !== "file" || content !== undefined);
  const isMidway = isGoingOn && (now.kind === "none" || (now.kind === "folder" && after.kind === "folder"));
  const reason = !isKept ? "not kept" : !isSame(now, before) && !isMidway ? "changed since" : undefined;
  return { now, content, reason };
}

async function bring(
  root: string,
  packs: Packs,
  change: Change,
  { id, isGoingOn, signal }: { readonly id: string; readonly isGoingOn: boolean; readonly signal: AbortSignal },
): Promise<Reason | undefined> {
  const { now, content, reason } = await judged(root, packs, change, isGoingOn);
  if (reason !== undefined) return reason;
  const { path, after } = change;
  const at = join(root, path);
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
