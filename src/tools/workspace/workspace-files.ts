// The port for the files of a workspace: what the tools ask of a file system, on real paths.

/** What a thing in the file system is. */
export type FileKind = "file" | "folder" | "link" | "pipe" | "socket" | "device";

/** One entry of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What is known of a thing without reading it. */
export interface FileLook {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** The bits of its mode; undefined for what has none yet. */
  readonly mode: number | undefined;
  /** True for a file that may not be written to. */
  readonly isReadOnly: boolean;
  /** Differs from what it was before a change, as far as the file system can tell. */
  readonly version: string;
}

/** How a file is replaced. */
export interface Replacing {
  /** The mode of the new file. Default: what the process makes files with. */
  readonly mode?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The files that the workspace tools work on: `disk()`, `dryRun()`, or your own.
 *
 * Contract: paths are absolute and real: no part of one is a symbolic link, save the last of what `look`, `move` and `remove` are
 * asked for, which they never follow. An implementation refuses (rejects) rather than follow a link that has come up in a path
 * since. What one call has done, the next ones see. Errors have the codes of the system where there is one: `ENOENT`, `EACCES`.
 */
export interface WorkspaceFiles {
  /** True where other programs see the same files, so that one may be used to search them. */
  readonly isDisk: boolean;
  /** The real path of what exists, all links followed. */
  follow(path: string): Promise<string>;
  /** What is at the path itself; undefined where nothing is. */
  look(path: string): Promise<FileLook | undefined>;
  /** The bytes of a file, in chunks; only as much is read as is taken. Ends with the signal's reason soon after it aborts. */
  read(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** What is in a folder, in whatever order. */
  list(path: string): Promise<readonly FileEntry[]>;
  /** Makes a file, and the folders it needs, or replaces it: whole, or, at an error, an abort or a crash, not at all. */
  replace(path: string, content: Uint8Array, replacing: Replacing): Promise<void>;
  /** Renames a file or a symbolic link; makes the folders it needs. A file at the new path is replaced. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file, a symbolic link, or a folder that is empty. */
  remove(path: string): Promise<void>;
}

/** A kind, in words. */
export function kindInWords(kind: FileKind): string {
  if (kind === "link") return "a symbolic link";
  return kind === "pipe" ? "a named pipe" : `a ${kind}`;
}
