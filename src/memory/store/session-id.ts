// Ids of sessions: only names that every file system accepts.

import { hostname } from "node:os";
import { LastcallError } from "../../core/index.js";
import type { Holder } from "./store.js";

/** True if this can be the id of a session. */
export function isId(id: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(id);
}

/**
 * Returns the id unchanged.
 * @throws LastcallError `configuration` if it could not be a file name everywhere.
 */
export function checkId(id: string): string {
  if (isId(id)) return id;
  throw new LastcallError(
    "configuration",
    `${JSON.stringify(id.slice(0, 140))} can't be the id of a session: use 1 to 128 letters, digits, _, - or ., not with a dot first.`,
  );
}

/** True if the holder was a process of this machine that no longer runs. */
export function isGone({ host, pid }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}
