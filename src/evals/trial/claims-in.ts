// The claims of a session: which the checks refused, and which of their files were changed.

import type { JournalRecord } from "../../core/index.js";

/** A claim that checks looked at, by the id of its call. */
export interface SeenClaim {
  readonly callId: string;
  readonly isRefused: boolean;
}

/** The claims of completion in the order in which the checks saw them. A claim that was accepted without a check comes last. */
export function claimsIn(records: readonly JournalRecord[]): readonly SeenClaim[] {
  const seen = new Map<string, boolean>();
  for (const record of records) {
    if (record.type === "check" && record.when === "claim" && record.callId !== undefined) {
      seen.set(record.callId, (seen.get(record.callId) ?? false) || !record.passed);
    }
    if (record.type === "claim" && record.ending === "completed") seen.set(record.callId, false);
  }
  return Array.from(seen, ([callId, isRefused]) => ({ callId, isRefused }));
}

/** The files that checks watch and that were changed, sorted. */
export function changedIn(records: readonly JournalRecord[]): readonly string[] {
  const files = records.flatMap((record) => (record.type === "check" ? (record.changed ?? []) : []));
  return [...new Set(files)].sort();
}

/** The names under which the provider served the model, sorted. */
export function servedIn(records: readonly JournalRecord[]): readonly string[] {
  const names = records.flatMap((record) =>
    record.type === "reply" && record.reply.served !== undefined ? [record.reply.served.model] : [],
  );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
