// Receipts: what the harness wrote down of a check, and whether it still agrees with the journal.

import type { Receipt } from "./check.js";
import type { CheckRecord, JournalRecord } from "./record.js";

/** The SHA-256 of a text in UTF-8, hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The receipt for a check's record, given how often the check had failed before. */
export function receiptFor(record: CheckRecord & { readonly seq: number }, failedBefore: number): Receipt {
  const { check, passed, exitCode, digest, duration, seq } = record;
  return { check, passed, ...(exitCode !== undefined && { exitCode }), digest, duration, failedBefore, record: seq };
}

/** Whether a receipt holds, and if not, what speaks against it. */
export type ReceiptVerdict = { readonly holds: true } | { readonly holds: false; readonly reason: string };

/**
 * Holds a receipt against the journal it came from: the record it names, that record's output against the digest, and the
 * failures of the same check before it in the same run.
 */
export async function verifyReceipt(receipt: Receipt, records: readonly JournalRecord[]): Promise<ReceiptVerdict> {
  const no = (reason: string): ReceiptVerdict => ({ holds: false, reason });
  const record = records.find(({ seq }) => seq === receipt.record);
  if (record?.type !== "check") return no(`record ${String(receipt.record)} of the journal is no check`);
  if ((await sha256(record.output)) !== record.digest) return no("the output in the journal does not have its digest");
  const start = records.findLast(({ type, seq }) => type === "input" && seq < record.seq)?.seq ?? 0;
  const earlier = records.filter(({ seq }) => seq > start && seq < record.seq);
  const failures = earlier.filter((one) => one.type === "check" && one.check === record.check && !one.passed).length;
  const expected = receiptFor(record, failures);
  const odd = (Object.keys(expected) as (keyof Receipt)[]).find((key) => expected[key] !== receipt[key]);
  return odd === undefined
    ? { holds: true }
    : no(`${odd} is ${String(receipt[odd])}, in the journal ${String(expected[odd])}`);
}
