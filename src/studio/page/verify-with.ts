// Approvals, verified in the page with the public keys that its reader gives.

import type { ApprovalKey, ApprovalVerdict, Session } from "../../core/index.js";
import { keyNamesIn, publicKeyOf, verifyApprovals, verifyUnsigned } from "../../core/internal.js";

/** The verdicts about a session, and the problems with keys. */
export interface VerifiedApprovals {
  /** Undefined as long as the answers are signed and no key is given. */
  readonly verdicts: readonly ApprovalVerdict[] | undefined;
  /** The problem with a key, by its name. */
  readonly badKeys: Readonly<Record<string, string>>;
}

/**
 * Verifies the approvals with the texts of public keys, by the names of the keys. Answers that nobody signed are verified without keys.
 * @throws Error in a page that can't do it.
 */
export async function verifyWith(
  session: Session,
  texts: Readonly<Record<string, string>>,
): Promise<VerifiedApprovals> {
  if (!("subtle" in crypto))
    throw new Error("This page can't verify signatures: open it from a file, over https, or as localhost.");
  if (keyNamesIn(session).length === 0) return { verdicts: await verifyUnsigned(session), badKeys: {} };
  const keys: Record<string, ApprovalKey> = {};
  const badKeys: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts).filter(([, given]) => given.trim() !== "")) {
    try {
      keys[name] = await publicKeyOf(text);
    } catch (thrown) {
      badKeys[name] = thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  const verdicts = Object.keys(keys).length === 0 ? undefined : await verifyApprovals(session, keys);
  return { verdicts, badKeys };
}
