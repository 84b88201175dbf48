// Receipts, verified in the page against the records that it has.

import { verifyReceipt, type JournalRecord, type Receipt } from "../../core/index.js";

/** A receipt with the verdict of the page. */
export interface VerifiedReceipt {
  readonly receipt: Receipt;
  readonly holds: boolean;
  /** Says why it does not hold, or why it can't be verified here. Empty if it holds. */
  readonly reason: string;
}

/** The means of a verification in a page. */
export interface VerifyMeans {
  /** Fetches a record whose texts were cut. */
  whole(seq: number): Promise<JournalRecord>;
  /** False in a page that came over plain HTTP from another machine: its browser makes no digests. */
  readonly canDigest: boolean;
}

/** The receipts of the claim with this number, verified. */
export async function verifyClaim(
  records: readonly JournalRecord[],
  seq: number,
  { whole, canDigest }: VerifyMeans,
): Promise<readonly VerifiedReceipt[]> {
  const claim = records.find((record) => record.seq === seq);
  if (claim?.type !== "claim") return [];
  if (!canDigest)
    return claim.receipts.map((receipt) => ({
      receipt,
      holds: false,
      reason: "this page can't make digests: open it over https, or as localhost",
    }));
  const journal = await Promise.all(
    records.map(async (record) => (record.type === "check" && record.seq < seq ? whole(record.seq) : record)),
  );
  return Promise.all(
    claim.receipts.map(async (receipt) => {
      const verdict = await verifyReceipt(receipt, journal);
      return verdict.holds ? { receipt, holds: true, reason: "" } : { receipt, holds: false, reason: verdict.reason };
    }),
  );
}
