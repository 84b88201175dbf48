// The port for what sessions have changed: the server knows no workspace, and is given what does.

import type { JsonObject } from "../../core/index.js";

/** The changes that an undo or a redo has made, or would make. */
export interface TurnedBack {
  /** The paths that were changed, from the root of the workspace. */
  readonly changed: readonly string[];
  /** The paths that were left as they are, with the reason as a word for programs and in words for people. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string; readonly why: string }[];
  /** The calls whose changes are not known, and stay. */
  readonly unseen: readonly { readonly tool: string; readonly iteration: number }[];
  /** The digest of what was to be done. */
  readonly plan: string;
}

/**
 * The changes that the runs of a session have made in its workspace. `workspaceChanges` of `lastcall/tools` makes it.
 *
 * Contract: paths are from the root of the workspace, and nothing outside of the workspace is read or written. `changed`, `diff`,
 * `undone` and `isAtWork` only read. `undo` and `redo` never overwrite what somebody else has changed: such a path is a conflict. They
 * throw a LastcallError `configuration` while a run or another undo of the session is at work in any process, if there is nothing to do,
 * and for a `plan` that is another by now; then nothing was changed. With `dryRun` they say what they would do. With `after`, the last
 * run alone is meant, and its part after this iteration.
 */
export interface SessionChanges {
  changed(session: string, terms?: { readonly after?: number | undefined }): readonly string[];
  diff(session: string, terms?: { readonly after?: number | undefined; readonly path?: string | undefined }): string;
  undone(session: string): readonly string[];
  isAtWork(session: string): Promise<boolean>;
  undo(
    session: string,
    terms?: {
      readonly after?: number | undefined;
      readonly dryRun?: boolean | undefined;
      readonly plan?: string | undefined;
    },
  ): Promise<TurnedBack>;
  redo(
    session: string,
    terms?: { readonly dryRun?: boolean | undefined; readonly plan?: string | undefined },
  ): Promise<TurnedBack>;
}

/** Finds the changes of a session by its id and the data that its host keeps with it. Undefined if its workspace is not known here. */
export type ChangesOf = (session: {
  readonly id: string;
  readonly about: JsonObject;
}) => SessionChanges | undefined | Promise<SessionChanges | undefined>;
