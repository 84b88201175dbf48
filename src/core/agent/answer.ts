// Answer: what the user's words are to the session: the reply that a call waits for, or new words.

import { LastcallError } from "../data/fault.js";
import { isPlainObject, toJson, type JsonObject } from "../data/json.js";
import type { InputRecord } from "../journal/record.js";
import type { Run } from "../run/run.js";
import { pendingCall, type State } from "../journal/state.js";
import type { CompiledTool } from "../ports/toolbox.js";

/** The user's words, or a typed reply. */
export type Input = string | JsonObject;

/** What is recorded of an input. */
export type Answer = Pick<InputRecord, "text" | "answers" | "lapses">;

/** The input as text. */
export function textOf(input: Input): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/**
 * Reads the input against what the session waits for. `due` is the call that it answers, where that was said.
 * @throws LastcallError `configuration` where it can't be taken; then the session is as it was.
 */
export async function readAnswer(run: Run, input: Input | undefined, due: string | undefined): Promise<Answer> {
  const { state, session, parts } = run;
  const pending = pendingCall(state);
  const lapsed = hasLapsed(state, parts.runtime.now());
  if (input === undefined) refuseToGoOn(run, lapsed);
  if (due !== undefined && due !== pending) {
    throw wrong(
      `The session ${session.id} does not wait for an answer to ${due}. Leave \`answers\` out to give it new words.`,
    );
  }
  if (due !== undefined && lapsed) {
    throw wrong(`No answer to ${due} is waited for any more. Leave \`answers\` out to give the session new words.`);
  }
  const text = textOf(input ?? "");
  if (pending !== undefined && !lapsed) {
    const tool = parts.tools.find(state.claim?.by ?? "");
    if (tool?.reply !== undefined) return { text: await readReply(tool, tool.reply, input), answers: pending };
  }
  if (typeof input === "object") {
    throw wrong("The input is an object, and no call waits for an answer with a schema: give a text.");
  }
  if (pending === undefined) return { text };
  return lapsed ? { text, lapses: pending } : { text, answers: pending };
}

/** True where a call waits for an answer, and its time is over. */
function hasLapsed({ claim }: State, now: number): boolean {
  return claim?.ending === "waiting" && now >= (claim.expiresAt ?? Infinity);
}

async function readReply(
  { tool: { name } }: CompiledTool,
  { json, validate }: NonNullable<CompiledTool["reply"]>,
  input: Input | undefined,
): Promise<string> {
  const value = typeof input === "string" ? parse(input) : input;
  const validation = isPlainObject(value)
    ? await validate(value)
    : { ok: false as const, issues: [{ path: "", message: "it is no JSON object" }] };
  if (validation.ok) {
    const text = toJson(validation.value);
    if (text !== undefined) return text;
  }
  const issues = validation.ok ? [] : validation.issues;
  const what = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw wrong(`The answer does not fit what ${name} asked for: ${what}. It takes ${JSON.stringify(json)}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without new words a session can only go on where the last run came to no end of its own, or nobody answered in time. */
function refuseToGoOn({ state, session }: Run, lapsed: boolean): void {
  const refuse = (why: string, mend: string): LastcallError =>
    wrong(`The session ${session.id} ${why}, so there is nothing to go on with: ${mend}.`);
  if (state.run === 0) throw refuse("has no run yet", "give it an input");
  if (pendingCall(state) !== undefined && !lapsed) {
    throw refuse("waits for an answer", "give the answer as its input");
  }
  if (state.ended === "completed") throw refuse("is completed", "give it a new input");
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
