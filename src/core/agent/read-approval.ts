// Reads the answer to a parked call from the input of a run.

import type { ApprovalAnswer } from "../data/decision.js";
import { LastcallError } from "../data/fault.js";
import type { ApprovalRecord, ParkedRecord } from "../journal/record.js";
import type { JsonObject } from "../data/json.js";

/** The fields of an approval record that come from the input. */
export type Approved = Pick<ApprovalRecord, "answers" | "allowed" | "reason" | "always" | "text">;

const answerFields: ReadonlySet<string> = new Set([
  "allowed",
  "reason",
  "always",
  "digest",
] satisfies (keyof ApprovalAnswer)[]);

/**
 * Reads the answer to a parked call. Plain words are a no with the words as its reason. `answers` is the id of the call that the caller
 * says it answers.
 * @throws LastcallError `configuration` if the input is no answer to this call; the session then stays the same.
 */
export function readApproval(
  parked: Pick<ParkedRecord, "callId" | "name" | "digest">,
  input: string | JsonObject | ApprovalAnswer,
  answers: string | undefined,
): Approved {
  const { callId, name } = parked;
  if (answers !== undefined && answers !== callId)
    throw wrong(
      `The session does not wait for an answer to ${answers}: it waits for an approval of ${callId} (${name}).`,
    );
  if (typeof input === "string")
    return { answers: callId, allowed: false, reason: `the user said no, and: ${input}`, text: input };
  const { allowed, reason, always = false, digest } = expectAnswer(input, name);
  if (digest !== undefined && digest !== parked.digest)
    throw wrong(
      `The answer is about a call with the digest ${digest}, and the session waits for an approval of ${callId} (${name}) with the digest ${parked.digest}. Nothing was changed: look at the call, and answer again.`,
    );
  return {
    answers: callId,
    allowed,
    ...(reason !== undefined && reason.trim() !== "" && { reason }),
    ...(allowed && always && { always }),
  };
}

function expectAnswer(given: object, name: string): ApprovalAnswer {
  const { allowed, reason, always, digest } = given as Partial<Record<keyof ApprovalAnswer, unknown>>;
  const others = Object.keys(given).filter((field) => !answerFields.has(field));
  const problems = [
    ...(typeof allowed === "boolean" ? [] : ["allowed is neither true nor false"]),
    ...(reason === undefined || typeof reason === "string" ? [] : ["reason is no text"]),
    ...(always === undefined || typeof always === "boolean" ? [] : ["always is neither true nor false"]),
    ...(digest === undefined || typeof digest === "string" ? [] : ["digest is no text"]),
    ...others.map((field) => `there is no field ${field}`),
  ];
  if (problems.length === 0) return given as ApprovalAnswer;
  throw wrong(
    `The session waits for an approval of ${name}, and the input is none: ${problems.join("; ")}. Give { allowed: true } or { allowed: false, reason: "..." }, or words for a no.`,
  );
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
