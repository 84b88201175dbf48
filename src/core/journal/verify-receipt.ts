// Receipts: what the harness wrote down of a check, and whether it still agrees with the journal.

import type { Receipt } from "../data/receipt.js";
import { canonical } from "../data/json.js";
import type { JournalRecord } from "./record.js";
import { replay } from "./step.js";

/** The SHA-256 of a text in UTF-8, hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a receipt holds, and if not, what speaks against it. */
export type ReceiptVerdict = { readonly holds: true } | { readonly holds: false; readonly reason: string };

/**
 * Holds a receipt against the journal it came from: the record it names, that record's output against the digest, and what
 * the records before it say of the same check.
 */
export async function verifyReceipt(receipt: Receipt, records: readonly JournalRecord[]): Promise<ReceiptVerdict> {
  const no = (reason: string): ReceiptVerdict => ({ holds: false, reason });
  const index = records.findIndex(({ seq }) => seq === receipt.record);
  const record = records[index];
  if (record?.type !== "check") return no(`record ${String(receipt.record)} of the journal is no check`);
  if ((await sha256(record.output)) !== record.digest) return no("the output in the journal does not have its digest");
  const expected = replay(records.slice(0, index + 1)).checks[record.check]?.receipt;
  const keys = Object.keys({ ...expected, ...receipt }) as (keyof Receipt)[];
  const odd = keys.find((key) => canonical(expected?.[key]) !== canonical(receipt[key]));
  return odd === undefined
    ? { holds: true }
    : no(`${odd} is ${String(receipt[odd])}, in the journal ${String(expected?.[odd])}`);
}
