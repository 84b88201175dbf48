// The port of workspace files: the file system operations of the tools, on real paths.

/** The kind of an entry in the file system. */
export type FileKind = "file" | "folder" | "link" | "pipe" | "socket" | "device";

/** One entry of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** The metadata of an entry, known without reading its content. */
export interface FileLook {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** The mode bits; undefined if the entry has none yet. */
  readonly mode: number | undefined;
  /** True if the file can't be written to. */
  readonly isReadOnly: boolean;
  /** Changes with each change of the file, as far as the file system can tell. */
  readonly version: string;
}

/** Options of a replacement. */
export interface Replacing {
  /** The mode of the new file. Default: the default mode of the process. */
  readonly mode?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The files that the workspace tools work on: `disk()`, `dryRun()`, or your own.
 *
 * Contract: paths are absolute. `follow` takes any path. Every other method takes a real path, in which no part is a symbolic link; the
 * last part of a path given to `look`, `move` and `remove` may be a link, and is never followed. If a link has appeared in a path after
 * `follow`, then `read`, `list`, `replace`, `move` and `remove` reject, as far as the system allows. `look` may follow such a link. Later
 * calls see the effects of earlier calls. Errors have system codes where one fits: `ENOENT`, `EACCES`.
 */
export interface WorkspaceFiles {
  /** True if other programs see the same files, so that other programs may search the files. */
  readonly isDisk: boolean;
  /** The real path of an existing path, with all links followed. */
  follow(path: string): Promise<string>;
  /** The entry at the path itself; undefined if nothing exists there. */
  look(path: string): Promise<FileLook | undefined>;
  /**
   * The bytes of a file, in chunks, read only as far as they are consumed. Rejects with the signal's reason soon after
   * it aborts.
   */
  read(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The entries of a folder, in any order. */
  list(path: string): Promise<readonly FileEntry[]>;
  /**
   * Makes a file and the missing folders above the file, or replaces the file. At an error, an abort or a crash, the file is
   * written whole or not at all.
   */
  replace(path: string, content: Uint8Array, replacing: Replacing): Promise<void>;
  /** Renames a file or a symbolic link, and makes the missing folders. A file at the new path is replaced. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file, a symbolic link, or an empty folder. */
  remove(path: string): Promise<void>;
}

/** The kind in words, with an article. */
export function kindInWords(kind: FileKind): string {
  if (kind === "link") return "a symbolic link";
  return kind === "pipe" ? "a named pipe" : `a ${kind}`;
}
