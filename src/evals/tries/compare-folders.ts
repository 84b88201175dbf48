// Compares a rival's folder with the files that it began with.

import { lstat, readFile, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { unifiedDiff } from "../../core/internal.js";

/** The folders that are not compared: git's data, dependencies, generated files. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** A file or a link as it is; undefined for anything else, and for nothing. */
export interface FileState {
  readonly kind: "file" | "link";
  readonly bytes: Buffer;
  readonly mode: number;
}

/** The paths of all files and links below the folder, with slashes. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      if (passedOver.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(folder + entry.name);
    }
  }
  return found;
}

/** The file or link at the path. */
export async function stateOf(path: string): Promise<FileState | undefined> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return { kind: "link", bytes: Buffer.from(await readlink(path)), mode: 0 };
    return stat.isFile() ? { kind: "file", bytes: await readFile(path), mode: stat.mode & 0o777 } : undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** True if both are the same, or nothing. */
export function isSame(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.kind === b.kind && (a.mode & 0o111) === (b.mode & 0o111) && a.bytes.equals(b.bytes);
}

/** The paths that differ between two folders, in alphabetical order. */
export async function differing(before: string, after: string, signal: AbortSignal): Promise<readonly string[]> {
  const all = new Set([...(await filesBelow(before)), ...(await filesBelow(after))]);
  const found: string[] = [];
  for (const path of [...all].sort()) {
    signal.throwIfAborted();
    if (!(await hasSameStat(join(before, path), join(after, path))) || !(await hasSameState(before, after, path)))
      found.push(path);
  }
  return found;
}

/** A quick look: false if the two can't be the same. */
async function hasSameStat(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([lstat(a).catch(() => undefined), lstat(b).catch(() => undefined)]);
  if (first === undefined || second === undefined) return first === second;
  return first.size === second.size && (first.mode & 0o111) === (second.mode & 0o111);
}

async function hasSameState(before: string, after: string, path: string): Promise<boolean> {
  return isSame(await stateOf(join(before, path)), await stateOf(join(after, path)));
}

/** The lines that were added and removed at these paths. A file that is no text counts one line for 80 bytes. */
export async function changedLines(before: string, after: string, paths: readonly string[]): Promise<number> {
  let lines = 0;
  for (const path of paths) {
    const [then, now] = [await stateOf(join(before, path)), await stateOf(join(after, path))];
    const isText = ![then, now].some((one) => one?.bytes.includes(0));
    const diff = isText ? unifiedDiff(path, then?.bytes.toString(), now?.bytes.toString()) : "";
    const counted = diff.split("\n").filter((line) => /^[+-](?!\+\+ |-- )/.test(line)).length;
    const size = Math.max(then?.bytes.length ?? 0, now?.bytes.length ?? 0);
    lines += isText ? Math.max(1, counted) : Math.ceil(size / 80);
  }
  return lines;
}
