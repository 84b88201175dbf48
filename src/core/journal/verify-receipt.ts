// Verification of receipts: compares a receipt with the journal that it came from.

import type { Receipt } from "../data/receipt.js";
import { canonical } from "../data/json.js";
import type { JournalRecord } from "./record.js";
import { replay } from "./step.js";

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The result of a verification: the receipt holds, or the reason why it does not. */
export type ReceiptVerdict = { readonly holds: true } | { readonly holds: false; readonly reason: string };

/**
 * Compares a receipt with the journal that it came from. The receipt has to agree with the check record that it names, with the
 * digest of that record's output, and with the earlier records of the same check.
 */
export async function verifyReceipt(receipt: Receipt, records: readonly JournalRecord[]): Promise<ReceiptVerdict> {
  const rejected = (reason: string): ReceiptVerdict => ({ holds: false, reason });
  const index = records.findIndex(({ seq }) => seq === receipt.record);
  const record = records[index];
  if (record?.type !== "check") return rejected(`record ${String(receipt.record)} of the journal is no check`);
  if ((await sha256(record.output)) !== record.digest)
    return rejected("the output in the journal does not have its digest");
  const expected = replay(records.slice(0, index + 1)).checks[record.check]?.receipt;
  const keys = Object.keys({ ...expected, ...receipt }) as (keyof Receipt)[];
  const differing = keys.find((key) => canonical(expected?.[key]) !== canonical(receipt[key]));
  return differing === undefined
    ? { holds: true }
    : rejected(`${differing} is ${String(receipt[differing])}, in the journal ${String(expected?.[differing])}`);
}
