// Approvals in inputs: a yes or no over HTTP names its call and the digest of what was shown, on whichever path it comes.

import { waitingIn } from "../../core/internal.js";
import { recordsAfter } from "../../memory/index.js";
import type { Delivery } from "../../host/index.js";
import type { Hub } from "../hub/hub.js";
import { BadRequest } from "../answer/json-answer.js";

/**
 * Refuses an approval that counts for whatever waits. The answer to a question may have the same field: then it names the question.
 * @throws BadRequest 400
 */
export async function expectNamed({ store }: Hub, { session: id, input, answers }: Delivery): Promise<void> {
  if (typeof input !== "object" || typeof input["allowed"] !== "boolean") return;
  if (answers !== undefined && typeof input["digest"] === "string") return;
  const records = id === undefined || answers === undefined ? [] : await recordsAfter({ store, id });
  const waiting = waitingIn(records, Date.now());
  const isQuestion = waiting !== undefined && waiting.approval === undefined && waiting.approves === undefined;
  if (isQuestion && waiting.id === answers) return;
  throw new BadRequest(
    400,
    "An approval names its call and its digest, and an answer the question that waits: POST callId, digest and allowed to /sessions/:id/approvals, or give answers with the input.",
  );
}
