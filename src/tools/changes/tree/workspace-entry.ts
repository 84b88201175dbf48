// An entry of a workspace: what is at a path, as far as it can be put back.

import { hash } from "node:crypto";
import { readlinkSync, lstatSync, type Stats } from "node:fs";

/**
 * The thing at a path. The `digest` of a file is missing if its content was not kept: the file holds secrets, or is too large. `other` is a
 * pipe, a socket or a device.
 */
export type Entry =
  | { readonly kind: "none" }
  | { readonly kind: "file"; readonly mode: number; readonly digest?: string | undefined }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "other" };

/** Nothing is there. */
export const nothing: Entry = { kind: "none" };

/** True if both are the same thing. A file whose content is not known is like no other. */
export function isSame(one: Entry, other: Entry): boolean {
  if (one.kind === "file" && other.kind === "file")
    return one.mode === other.mode && one.digest !== undefined && one.digest === other.digest;
  if (one.kind === "folder" && other.kind === "folder") return one.mode === other.mode;
  if (one.kind === "link" && other.kind === "link") return one.target === other.target;
  return one.kind === other.kind && one.kind === "none";
}

/** Changes with each change of an entry: no program can set the time of a change. */
export interface Stamp {
  readonly ino: number;
  /** Bytes. */
  readonly size: number;
  /** The time of the last change of its content or mode, in milliseconds since 1970. */
  readonly ctimeMs: number;
}

/** An entry that is there, as the system describes it. */
export interface Looked extends Stamp {
  /** The time at which it was made, or the time of its last change where the system does not tell. */
  readonly bornAt: number;
  /** The entry, without the digest of a file. */
  readonly entry: Exclude<Entry, { readonly kind: "none" }>;
}

const orNothing = { throwIfNoEntry: false } as const;

/** The description of what is at the path itself; undefined if nothing is. */
export function statsAt(path: string): Stats | undefined {
  return lstatSync(path, orNothing);
}

/** The entry that the system describes. */
export function lookedAt(path: string, stats: Stats): Looked {
  const { ino, size, ctimeMs, birthtimeMs } = stats;
  return { ino, size, ctimeMs, bornAt: birthtimeMs || ctimeMs, entry: entryOf(path, stats) };
}

function entryOf(path: string, stats: Stats): Looked["entry"] {
  const mode = stats.mode & 0o7777;
  if (stats.isFile()) return { kind: "file", mode };
  if (stats.isDirectory()) return { kind: "folder", mode };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
  return { kind: "other" };
}

/** The digest of a content. */
export function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}
