// Sessions: everything that happened, as plain data that can be kept anywhere and gone on from.

import { LastcallError } from "./fault.js";
import type { JournalRecord } from "./record.js";

/** A session as plain data: what `outcome.session` holds and `run(input, { session })` goes on from. */
export interface Session {
  /** The version of the record format. */
  readonly version: 1;
  readonly id: string;
  /** Everything that happened, oldest first. */
  readonly records: readonly JournalRecord[];
}

/**
 * Looks at a session's outside: version, id, and that no record is missing.
 * @throws LastcallError `configuration` that says what is wrong with it.
 */
export function checkSession({ version, id, records }: Session): void {
  if ((version as number) !== 1) {
    throw new LastcallError(
      "configuration",
      `The session has version ${String(version)}; this lastcall reads version 1.`,
    );
  }
  if (typeof (id as unknown) !== "string" || id === "" || !Array.isArray(records)) {
    throw new LastcallError("configuration", "The session must have an id and its records, as `outcome.session` has.");
  }
  const gap = (records as Session["records"]).findIndex(
    (record, index) => (record as Partial<JournalRecord> | null)?.seq !== index,
  );
  if (gap >= 0) {
    throw new LastcallError(
      "configuration",
      `The session's records are not whole: number ${String(gap)} is missing or out of place. Hand over all of them.`,
    );
  }
}
