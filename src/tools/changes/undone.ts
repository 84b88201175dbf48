// The result of an undo or a redo, and the files that a session has changed.

/** Why a path is left as it is. */
export type ConflictReason =
  /** Somebody else changed it since. */
  | "changed since"
  /** Somebody else changed it between two changes of this session. */
  | "changed between"
  /** A command of another session ran at the same time, and either may have changed it. */
  | "two at once"
  /** The earlier entry was not kept, or is lost: a file of secrets, a file that is too large, a pipe or a socket. */
  | "not kept"
  /** Somebody else put files into the folder that would be removed. */
  | "not empty"
  /** The system does not allow it. */
  | "not allowed";

/** A path that is left as it is. */
export interface Conflict {
  readonly path: string;
  readonly reason: ConflictReason;
  /** The reason in words for people, such as `it was changed since`. */
  readonly why: string;
}

const words: Readonly<Record<ConflictReason, string>> = {
  "changed since": "it was changed since",
  "changed between": "somebody else changed it in between",
  "two at once": "a command of another session ran at the same time",
  "not kept": "its content before was not kept",
  "not empty": "other files are in it",
  "not allowed": "the system does not allow it",
};

/** The conflict at a path. */
export function conflictAt(path: string, reason: ConflictReason): Conflict {
  return { path, reason, why: words[reason] };
}

/** The paths that were changed, and the paths that were not. */
export interface Made {
  /** The paths that were changed, in alphabetical order. */
  readonly changed: readonly string[];
  /** The paths that were left as they are, in alphabetical order. */
  readonly conflicts: readonly Conflict[];
}

/** A call whose changes are not known: the workspace has more files than are looked at. They stay. */
export interface UnseenCall {
  readonly tool: string;
  readonly iteration: number;
}

/** The paths that an undo or a redo has changed, and what it has left as it is. */
export interface Undone extends Made {
  readonly unseen: readonly UnseenCall[];
  /** The digest of what was to be done, conflicts among it: `undo` with this `plan` does that and nothing else. */
  readonly plan: string;
}

/** The thing at a path at some time. */
export interface KeptFile {
  /** `program` is a file that can be run. `unknown`: its content was not kept, or it is neither a file nor a link. */
  readonly kind: "none" | "file" | "program" | "link" | "unknown";
  /** The bytes, for a link its target; undefined if there are none, or if they are not kept any more. */
  content(): Uint8Array | undefined;
}

/** A file that a session has changed, also if it is now as it was. */
export interface ChangedFile {
  /** From the root. */
  readonly path: string;
  /** What was there before each of the session's changes, the earliest first. A change of somebody else in between begins the list anew. */
  readonly before: readonly KeptFile[];
  /** What the session left there. */
  readonly after: KeptFile;
}

/** The files that a session has changed. */
export interface SessionFiles {
  /** In alphabetical order. A file that checks alone have changed is left out. */
  readonly files: readonly ChangedFile[];
  /** The paths that a command of another session may have changed at the same time. */
  readonly shared: readonly string[];
  /** The commands whose changes are not known. */
  readonly unseen: readonly UnseenCall[];
}
