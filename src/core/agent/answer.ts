// Answer: decides whether the input of a run answers a waiting call or is new words.

import type { Attachment, NewAttachment } from "../data/attachment.js";
import type { ApprovalAnswer } from "../data/decision.js";
import { LastcallError } from "../data/fault.js";
import { isPlainObject, toJson, type Json, type JsonObject } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { AnswerRecord, InputRecord, Note, QuestionRecord } from "../journal/record.js";
import type { Run } from "../run/run.js";
import { askingOf, readApproval } from "./read-approval.js";
import { expectAnswerCounts } from "../call/asked-call.js";
import { dueOf, parkedCall, pendingCall, type State } from "../journal/state.js";
import type { CompiledSchema } from "../ports/toolbox.js";

/** The input of a run: the user's words, an object for a call with a `replySchema`, or the answer to a call that waits for an approval. */
export type Input = string | JsonObject | ApprovalAnswer;

/** The input of a run, and where it comes from. */
export interface RunInput {
  /** The user's words or a typed reply; undefined to continue the session without new words. */
  readonly input: Input | undefined;
  /** The id of the call that the input answers; undefined if the caller did not say. */
  readonly answers?: string | undefined;
  /** The id of the input: its caller's, or the id in the session's inbox; undefined if it has none. */
  readonly inputId?: string | undefined;
  /** The time at which the input was given, in milliseconds since 1970; undefined if the caller did not say: now. */
  readonly givenAt?: number | undefined;
  /** The notes that a new session starts with. */
  readonly notes?: readonly Note[] | undefined;
  /** The files that go with the input. */
  readonly attachments?: readonly (NewAttachment | Attachment)[] | undefined;
  /** The person or program that gives the input; undefined if the caller did not say. */
  readonly by?: Principal | undefined;
}

/** The fields of an input record that come from the input. */
export type Answer = Pick<InputRecord, "text" | "answers" | "lapses">;

/** The input as text: an object is written as JSON. */
export function textOf(input: Input): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/**
 * Decides what the input is to the session. Whether a call has expired depends on when the input was given, not on when it comes: so each
 * process that gets the same input decides the same.
 * @throws LastcallError `configuration` if the session cannot take the input; the session then stays the same.
 */
export async function readAnswer(run: Run, { input, answers, givenAt = run.now }: RunInput): Promise<Answer> {
  const { state, session, parts } = run;
  const pending = pendingCall(state);
  const lapsed = hasLapsed(state, givenAt);
  if (input === undefined) checkContinuable(run, lapsed);
  if (answers !== undefined && answers !== pending) {
    throw wrong(
      `The session ${session.id} does not wait for an answer to ${answers}. Leave \`answers\` out to give it new words.`,
    );
  }
  if (answers !== undefined && lapsed) {
    throw wrong(`No answer to ${answers} is waited for any more. Leave \`answers\` out to give the session new words.`);
  }
  const text = textOf(input ?? "");
  if (pending !== undefined && !lapsed) {
    const tool = parts.tools.find(state.claim?.by ?? "");
    if (tool?.reply !== undefined)
      return { text: await readReply(tool.tool.name, tool.reply, input), answers: pending };
  }
  if (typeof input === "object") {
    throw wrong(
      "The input is an object, and no call waits for an answer with a schema or for an approval: give a text.",
    );
  }
  // An approval that nobody gave in time is no answer to lapse: its call gets a result before this input.
  if (pending === undefined || dueOf(state) !== undefined) return { text };
  return lapsed ? { text, lapses: pending } : { text, answers: pending };
}

/** True if a call waits for an answer or an approval and has expired. */
function hasLapsed(state: State, now: number): boolean {
  return expiredAt(state, now) !== undefined;
}

/** The time at which the call that waits for an answer or an approval has expired; undefined if none has. */
export function expiredAt(state: State, now: number): number | undefined {
  const { claim } = state;
  const { expiresAt = Infinity } = (claim?.ending === "waiting" ? claim : dueOf(state)) ?? {};
  return now >= expiresAt ? expiresAt : undefined;
}

/**
 * Reads the answer to the question of a running call. `answers` is the id of the call that the caller says it answers.
 * @throws LastcallError `configuration` if the input is no answer to it; the session then stays the same.
 */
export async function readReplyTo(
  run: Run,
  question: QuestionRecord,
  { input, answers, by }: { readonly input: Input } & Pick<RunInput, "answers" | "by">,
): Promise<Pick<AnswerRecord, "answers" | "value">> {
  const { parts, session } = run;
  const { id, name, replySchema, approves } = question;
  if (answers !== undefined && answers !== id)
    throw wrong(
      `The session ${session.id} does not wait for an answer to ${answers}: it waits for one to ${id} (${name}).`,
    );
  if (approves !== undefined) {
    const { allowed, reason, always } = readApproval({ callId: id, name, digest: approves }, input, answers);
    await expectAnswerCounts(askingOf(run), question, { allowed, always, by });
    return { answers: id, value: { allowed, ...(reason !== undefined && { reason }), ...(always && { always }) } };
  }
  if (replySchema !== undefined) {
    const text = await readReply(name, parts.compile(replySchema), input);
    return { answers: id, value: JSON.parse(text) as Json };
  }
  if (typeof input === "string") return { answers: id, value: input };
  throw wrong(`The question of ${name} takes a text as its answer, and the input is an object: give a text.`);
}

/** Validates a typed reply and returns it as JSON text. */
async function readReply(name: string, { json, validate }: CompiledSchema, input: Input | undefined): Promise<string> {
  const value = typeof input === "string" ? parse(input) : input;
  const validation = isPlainObject(value)
    ? await validate(value)
    : { ok: false as const, issues: [{ path: "", message: "it is no JSON object" }] };
  if (validation.ok) {
    const text = toJson(validation.value);
    if (text !== undefined) return text;
  }
  const issues = validation.ok ? [] : validation.issues;
  const problems = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw wrong(`The answer does not fit what ${name} asked for: ${problems}. It takes ${JSON.stringify(json)}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without new words, a session continues only if it has a run and does not wait for an answer. */
function checkContinuable({ state, session }: Run, lapsed: boolean): void {
  const refuse = (why: string, remedy: string): LastcallError =>
    wrong(`The session ${session.id} ${why}, so there is nothing to go on with: ${remedy}.`);
  if (state.run === 0) throw refuse("has no run yet", "give it an input");
  if (pendingCall(state) === undefined || lapsed) return;
  const parked = parkedCall(state);
  if (parked === undefined) throw refuse("waits for an answer", "give the answer as its input");
  throw refuse(`waits for an approval of ${parked.name}`, "give { allowed: true } or { allowed: false } as its input");
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
