// Receipts, verified in the page against the records that it has.

import { verifyReceipt, type JournalRecord, type Receipt } from "../../core/index.js";

/** A receipt with the verdict of the page. */
export interface VerifiedReceipt {
  readonly receipt: Receipt;
  readonly holds: boolean;
  /** True if nobody can say here whether it holds. Absent otherwise. */
  readonly isOpen?: boolean;
  /** Says why it does not hold, or why it can't be verified here. Empty if it holds. */
  readonly reason: string;
}

/** The means of a verification in a page. */
export interface VerifyMeans {
  /** Fetches a record whose texts were cut. */
  whole(seq: number): Promise<JournalRecord>;
  /** The numbers of the records that lost a secret after they were written. Each digest is still the digest of the text before. */
  redacted(): Promise<readonly number[]>;
  /** False in a page that came over plain HTTP from another machine: its browser makes no digests. */
  readonly canDigest: boolean;
}

/** The receipts of the claim with this number, verified. */
export async function verifyClaim(
  records: readonly JournalRecord[],
  seq: number,
  { whole, redacted, canDigest }: VerifyMeans,
): Promise<readonly VerifiedReceipt[]> {
  const claim = records.find((record) => record.seq === seq);
  if (claim?.type !== "claim") return [];
  if (!canDigest)
    return claim.receipts.map((receipt) => ({
      receipt,
      holds: false,
      isOpen: true,
      reason: "this page can't make digests: open it over https, or as localhost",
    }));
  const changed = new Set(await redacted());
  const journal = await Promise.all(
    records.map(async (record) => (record.type === "check" && record.seq < seq ? whole(record.seq) : record)),
  );
  return Promise.all(
    claim.receipts.map(async (receipt) => {
      if (changed.has(receipt.record))
        return {
          receipt,
          holds: false,
          isOpen: true,
          reason: "a secret was left out of its output, so it can't be checked here",
        };
      const verdict = await verifyReceipt(receipt, journal);
      return verdict.holds ? { receipt, holds: true, reason: "" } : { receipt, holds: false, reason: verdict.reason };
    }),
  );
}
