// A dry run: the disk with all changes kept in memory.

import { dirname, basename, join, parse, sep } from "node:path";
import { isUtf8 } from "node:buffer";
import { readlink } from "node:fs/promises";
import { unifiedDiff } from "../../core/internal.js";
import { codeOf } from "../../files/index.js";
import { collect } from "../text/collect.js";
import { disk } from "./disk.js";
import type { FileEntry, FileKind, FileLook, WorkspaceFiles } from "./workspace-files.js";

/** A change that would have been made. */
export interface PlannedChange {
  readonly kind: "write" | "move" | "delete";
  /** The real path. */
  readonly path: string;
  /** The new path of a move. */
  readonly to?: string;
  /** A unified diff of the write or deletion of a text. Empty for a move, and if the file is not text or too large. */
  readonly diff: string;
}

/** Files on which all changes stay in memory. */
export interface DryRun extends WorkspaceFiles {
  /** The changes so far, in order. */
  changes(): readonly PlannedChange[];
}

/** An entry kept in memory. The bytes of a file are in `content`, or on the disk at `source` if the file was moved. */
interface PlannedEntry {
  readonly look: FileLook;
  readonly content?: Buffer;
  readonly source?: string;
}

/** Bytes of the largest text that a diff is made of. */
const maxDiffedBytes = 4 * 1024 * 1024;

/**
 * Files like the disk's files, without writing to the disk. Writes, moves and deletions are kept in memory, and all
 * reads, lists and searches through the same object see them. The changes last as long as the object. `base` is the disk, or files over the
 * disk: the port has no method for the target of a link, so the links of `base` have to be links on the disk. Default: `disk()`.
 */
export function dryRun(base: WorkspaceFiles = disk()): DryRun {
  /** `undefined` marks a deleted path. */
  const planned = new Map<string, PlannedEntry | undefined>();
  const changes: PlannedChange[] = [];
  let versions = 0;

  const entryOf = (kind: FileKind, rest: Partial<FileLook> & Omit<PlannedEntry, "look"> = {}): PlannedEntry => {
    const { content, source, mode, size = content?.length ?? 0 } = rest;
    const look = { kind, size, mode, isReadOnly: false, version: `planned ${String((versions += 1))}` };
    return { look, ...(content && { content }), ...(source !== undefined && { source }) };
  };

  /**
   * True for a path that was touched, and for all paths below it: the disk has nothing in a new folder, or the content
   * of another folder.
   */
  const isPlanned = (path: string): boolean =>
    planned.has(path) || (dirname(path) !== path && isPlanned(dirname(path)));

  /** Expects a path without links. */
  const lookAt = async (path: string): Promise<FileLook | undefined> =>
    isPlanned(path) ? planned.get(path)?.look : base.look(path);

  const files: WorkspaceFiles = {
    isDisk: false,
    follow: (path) => followIn(lookAt, linkOf, path),
    async look(path) {
      const folder = dirname(path);
      if (folder === path) return lookAt(path);
      const real = await files.follow(folder).catch((thrown: unknown) => {
        if (codeOf(thrown) === "ENOENT") return undefined;
        throw thrown;
      });
      if (real === undefined) return undefined;
      if ((await lookAt(real))?.kind !== "folder") throw systemError("ENOTDIR", path);
      return lookAt(join(real, basename(path)));
    },
    async *read(path, signal) {
      if (!isPlanned(path)) {
        yield* base.read(path, signal);
        return;
      }
      const entry = planned.get(path);
      if (entry?.look.kind !== "file") throw systemError("ENOENT", path);
      if (entry.content === undefined) yield* base.read(entry.source ?? path, signal);
      else yield entry.content;
    },
    async list(path) {
      const entries = new Map<string, FileEntry>();
      if (!isPlanned(path)) for (const entry of await base.list(path)) entries.set(entry.name, entry);
      for (const [at, entry] of planned) {
        if (dirname(at) !== path || at === path) continue;
        if (entry === undefined) entries.delete(basename(at));
        else entries.set(basename(at), { name: basename(at), kind: entry.look.kind });
      }
      return [...entries.values()];
    },
    async replace(path, content, { mode, signal }) {
      signal.throwIfAborted();
      const before = await textOf(path);
      await makeFolders(dirname(path));
      planned.set(path, entryOf("file", { content: Buffer.from(content), mode }));
      const diff = before === null ? "" : diffOf(path, before, text(content));
      changes.push({ kind: "write", path, diff });
    },
    async move(from, to) {
      const look = await files.look(from);
      if (look === undefined) throw systemError("ENOENT", from);
      const entry = planned.get(from);
      await makeFolders(dirname(to));
      planned.set(to, entry ?? { look, source: from });
      planned.set(from, undefined);
      changes.push({ kind: "move", path: from, to, diff: "" });
    },
    async remove(path) {
      const look = await files.look(path);
      if (look === undefined) throw systemError("ENOENT", path);
      if (look.kind === "folder" && (await files.list(path)).length > 0) throw systemError("ENOTEMPTY", path);
      const before = look.kind === "file" ? await textOf(path) : null;
      planned.set(path, undefined);
      changes.push({ kind: "delete", path, diff: before === null ? "" : diffOf(path, before, undefined) });
    },
  };

  /** The target of a symbolic link; undefined if the path is no link. */
  async function linkOf(path: string): Promise<string | undefined> {
    if ((await lookAt(path))?.kind !== "link") return undefined;
    return readlink(planned.get(path)?.source ?? path);
  }

  async function makeFolders(path: string): Promise<void> {
    const look = await files.look(path);
    if (look?.kind === "folder") return;
    if (look !== undefined) throw systemError("ENOTDIR", path);
    await makeFolders(dirname(path));
    planned.set(path, entryOf("folder"));
  }

  /** The text of a file; undefined without a file, null if it is not text or too large. */
  async function textOf(path: string): Promise<string | undefined | null> {
    if ((await files.look(path)) === undefined) return undefined;
    const bytes = await collect(files.read(path, new AbortController().signal), maxDiffedBytes);
    return bytes === undefined ? null : text(bytes);
  }

  return { ...files, changes: () => [...changes] };
}

/** Null if the bytes are not text. */
function text(bytes: Uint8Array): string | null {
  return bytes.length <= maxDiffedBytes && isUtf8(bytes) ? Buffer.from(bytes).toString() : null;
}

function diffOf(path: string, before: string | undefined, after: string | undefined | null): string {
  return after === null ? "" : unifiedDiff(path.split(sep).join("/").replace(/^\//, ""), before, after);
}

/**
 * Resolves a path part by part, as `realpath` does: entries in memory may replace links on the disk, and links may
 * replace entries.
 */
async function followIn(
  lookAt: WorkspaceFiles["look"],
  linkOf: (path: string) => Promise<string | undefined>,
  path: string,
): Promise<string> {
  const { root } = parse(path);
  let real = root;
  const parts = path.slice(root.length).split(sep);
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      real = dirname(real);
      continue;
    }
    const next = join(real, part);
    const target = await linkOf(next);
    if (target === undefined) {
      const look = await lookAt(next);
      if (look === undefined) throw systemError("ENOENT", next);
      if (look.kind !== "folder" && parts.some((rest) => rest !== "" && rest !== "."))
        throw systemError("ENOTDIR", next);
      real = next;
      continue;
    }
    if ((links += 1) > 40) throw systemError("ELOOP", path);
    if (target.startsWith(sep)) real = root;
    parts.unshift(...target.split(sep));
  }
  return real;
}

const messages = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many symbolic links",
};

/** An error like the system's. */
function systemError(code: keyof typeof messages, path: string): Error {
  return Object.assign(new Error(`${code}: ${messages[code]}, ${path}`), { code });
}
