// Faults of stores: their messages say where something failed, why, and what to do.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** Advice by the code of a system error. */
const advice: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room, then go on with the session.",
  EDQUOT: "The quota of the disk is used up: make room, then go on with the session.",
  EFBIG: "The file may not grow any further here: raise the limit of file sizes (ulimit -f), or begin a new session.",
  EACCES: "This user may not: look at the owner and the mode of the file and of its folder.",
  EPERM: "This user may not: look at the owner and the mode of the file and of its folder.",
  EROFS: "The file system is read-only: mount it for writing, or keep sessions elsewhere.",
  ENOENT: "It, or a folder above it, is gone: look who deletes there, or keep sessions elsewhere.",
  ENOTDIR: "Something above it is a file where a folder must be: keep sessions elsewhere.",
  ELOOP: "It is a link, which is not followed: put the file itself there.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n), or run fewer sessions at a time.",
  ENAMETOOLONG: "Its name is too long for the file system: keep sessions in a folder with a shorter path.",
  EIO: "The disk failed: look at the system's log before anything is written there again.",
};

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return (thrown as Partial<NodeJS.ErrnoException> | null | undefined)?.code;
}

/** Makes a `store` fault that says what failed, where, and what to do. A LastcallError is returned unchanged. */
export function storeFault(doing: string, where: string, thrown: unknown): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  const next = advice[codeOf(thrown) ?? ""];
  const words = `Could not ${doing} ${where}: ${explain(thrown)}.${next === undefined ? "" : ` ${next}`}`;
  return new LastcallError("store", words, { cause: thrown });
}

/** Runs the work. An error that it throws becomes a `store` fault. */
export async function orStoreFault<Made>(
  doing: string,
  where: string,
  work: () => Made | Promise<Made>,
): Promise<Made> {
  try {
    return await work();
  } catch (thrown) {
    throw storeFault(doing, where, thrown);
  }
}

/** The result of the work; undefined if a file or folder is missing. */
export async function unlessMissing<Made>(work: Promise<Made>): Promise<Made | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** The fault for a lock that was lost. */
export function lostLock(id: string): LastcallError {
  return new LastcallError("store", `The session ${id} was taken over or released, so nothing was written.`);
}

/** The fault for deleting a session that is being written. */
export function stillWritten(id: string): LastcallError {
  return new LastcallError("store", `The session ${id} is being written, so it was not deleted. Try again later.`);
}

/** The fault for a log that was deleted while it was open: further writes would be lost. */
export function deletedLog(file: string): LastcallError {
  const message = `${file} was deleted while it was written, so what it had is in the outcome of this run alone. Look who deletes there, or keep sessions elsewhere.`;
  return new LastcallError("store", message);
}

/** The fault for a log that another program has changed while it was open. */
export function changedLog(file: string, left: number, size: number): LastcallError {
  const message = `${file} was changed by another program while it was written: it has ${String(size)} bytes, and had ${String(left)}. Look who writes there; what this run did is in its outcome.`;
  return new LastcallError("store", message);
}

/** The fault for a log that once had lines. */
export function emptiedLog(file: string): LastcallError {
  const message = `${file} is empty, but was not made so: another program has emptied it. Restore it from a copy. To begin the session anew, delete the file.`;
  return new LastcallError("store", message);
}

/** The fault for every append after a failure that left the log in an unknown state. */
export function notTakenBack(file: string, cause: unknown): LastcallError {
  const message = `Nothing more is written to ${file}, because this failed before and could not be taken back: ${explain(cause)}. Open it anew.`;
  return new LastcallError("store", message, { cause });
}
