// Approvals in inputs: a yes or no over HTTP names its call and the digest of what was shown, on whichever path it comes.

import type { Input } from "../../core/index.js";
import { waitingIn } from "../../core/internal.js";
import { recordsAfter } from "../../memory/index.js";
import type { Hub } from "../hub/hub.js";
import { BadRequest } from "./json-answer.js";

/** An input for a session. */
interface Given {
  readonly id: string;
  readonly input: Input;
  /** The id of the call that it answers. */
  readonly answers: string | undefined;
}

/**
 * Refuses an approval that counts for whatever waits. The answer to a question may have the same field: then it names the question.
 * @throws BadRequest 400
 */
export async function expectNamed({ store }: Hub, { id, input, answers }: Given): Promise<void> {
  if (typeof input === "string" || typeof input["allowed"] !== "boolean") return;
  if (answers !== undefined && typeof input["digest"] === "string") return;
  const records = id === "" || answers === undefined ? [] : await recordsAfter({ store, id });
  const waiting = waitingIn(records, Date.now());
  const isQuestion = waiting !== undefined && waiting.approval === undefined && waiting.approves === undefined;
  if (isQuestion && waiting.id === answers) return;
  throw new BadRequest(
    400,
    "An approval names its call and its digest, and an answer the question that waits: POST callId, digest and allowed to /sessions/:id/approvals, or give answers with the input.",
  );
}
