// Reads the answer to a parked call from the input of a run.

import { prove, type Unsigned } from "../approvals/proof.js";
import { asksApproval, expectAnswerCounts, type Asking } from "../call/asked-call.js";
import type { ApprovalAnswer } from "../data/decision.js";
import { LastcallError } from "../data/fault.js";
import type { ApprovalRecord, JournalRecord, ParkedRecord } from "../journal/record.js";
import type { JsonObject } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import { dueOf } from "../journal/state.js";
import { replay } from "../journal/step.js";
import { partsFor, type Run } from "../run/run.js";
import { partsOf } from "./speakers.js";

/** The fields of an approval record that come from the input. */
export type Approved = Pick<ApprovalRecord, "answers" | "allowed" | "reason" | "always" | "text">;

/** The session of a run, and its rules for answers. */
export function askingOf({ state, parts, approvals }: Run): Asking {
  return { state, tools: parts.tools, approvals };
}

/** The proof of an answer as a field of its record; no field if no agent of the run signs approvals. */
export async function proofOf(
  run: Run,
  parked: ParkedRecord,
  answer: Unsigned,
): Promise<Pick<ApprovalRecord, "proof">> {
  const signer = run.approvals.find(({ sign }) => sign !== undefined)?.sign;
  if (signer === undefined) return {};
  const { session, now, parts } = run;
  const call = run.reply.calls.find(({ id }) => id === parked.callId);
  const last = session.records.findLast((record) => record.type === "approval");
  const place = { session: session.id, parked, call, last, now, salt: parts.runtime.id() };
  return { proof: await prove(answer, place, signer) };
}

/**
 * Checks before a run, by the rules of the agent, that an answer counts for the call of a session that waits for it. An answer that is no
 * yes or no, and an answer to another call, are for the run to refuse.
 * @throws LastcallError `not_allowed` if the answer does not count; the session then stays the same.
 */
export async function expectApprover(
  agent: object,
  records: readonly JournalRecord[],
  {
    input,
    answers,
    by,
  }: { readonly input: unknown; readonly answers: string | undefined; readonly by: Principal | undefined },
): Promise<void> {
  const first = partsOf(agent);
  const state = replay(records);
  const due = dueOf(state, answers);
  if (first === undefined || due === undefined || input === undefined || !asksApproval(due)) return;
  const { allowed, always } = typeof input === "string" ? { allowed: false } : (input as Partial<ApprovalAnswer>);
  if (typeof allowed !== "boolean") return;
  const { tools, approvals } = partsFor(first, state.speakers);
  await expectAnswerCounts({ state, tools, approvals: [approvals] }, due, { allowed, always, by });
}

/** True if a rule of the agent says who may answer calls of the session that wait for an approval. */
export function hasApproverRule(agent: object, records: readonly JournalRecord[]): boolean {
  const first = partsOf(agent);
  return first !== undefined && partsFor(first, replay(records).speakers).approvals.mayApprove !== undefined;
}

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
