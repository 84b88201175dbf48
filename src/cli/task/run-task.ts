// Runs one task: the agent, the log, questions to the person, and the answer.

import type { AnyOutcome, ApprovalAnswer, NewAttachment, ParkedCall, Session, WaitingCall } from "../../core/index.js";
import type { SignInQuestion } from "../../mcp/index.js";
import type { StoredSessionHandle } from "../../memory/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../tools/index.js";
import { makeAgent, type AgentNeeds } from "./make-agent.js";
import { askReply, waitingLines } from "../person/ask-reply.js";
import { finishing } from "../person/finish-iteration.js";
import type { Leave } from "../outputs/outputs.js";
import { doubts, exitCode, howToGoOn } from "../show/ending.js";
import { answerCommands, approvalOf, askAbout, parkedWords, questionOf } from "../person/parked.js";
import { signInHowTo, signInLines, signInQuestion } from "../person/sign-in-words.js";
import type { Person } from "../person/person.js";
import { findingLines, findingsIn } from "../display/finding-lines.js";
import type { Speech } from "../display/said.js";
import { principalIn } from "../person/principal-in.js";
import { type SessionStart } from "../sessions/sessions.js";
import type { Surface } from "../person/surface.js";
import { visible, withoutThinking } from "../display/visible.js";
import { watch, type Watching } from "../show/watch.js";

/** The needs of one task. */
export interface Task extends AgentNeeds, Surface, SessionStart, Omit<Watching, "now"> {
  /** The files that go with the input. */
  readonly attachments: readonly NewAttachment[];
  /** The session whose notes a new session begins with. */
  readonly notesFrom: Session | undefined;
  /** The person at the terminal; undefined if there is none. */
  readonly person: Person | undefined;
  /** Leaves what the options ask for, at the end. Default: nothing, and the exit code is the task's. */
  readonly leave?: Leave | undefined;
}

/** Runs the task. Returns the exit code. */
export async function runTask(options: Task): Promise<number> {
  const { say, signal, atInterrupt, log, style, session: kept, notesFrom } = options;
  const { onEvent, hooks, ending } = watch(options);
  const endings = [taskCompletion(), askQuestion(), giveUp()];
  const { agent, context, notices, speech, remarks } = await makeAgent(options, { endings, hooks });
  if (log !== "quiet") for (const line of notices) say(style.dim(line));
  const start = await startOf(options);
  if (start === undefined) return signal.aborted ? 130 : 3;
  let { input, answers } = start;
  let { attachments } = options;
  // A call that asks several questions has one id, and a second answer to an id that is answered changes nothing.
  const answered = new Set<string>();
  let session: Session | StoredSessionHandle | undefined = kept;
  for (;;) {
    const by = principalIn(options.settings);
    const run = finishing({ signal, onEvent, by });
    const given = { onEvent: run.onEvent, signal: run.signal, context, by };
    atInterrupt(run.finish);
    const outcome: AnyOutcome = await (
      input === undefined && session !== undefined
        ? agent.resume(session, given)
        : agent.run(input ?? "", { ...given, session, answers, notesFrom, attachments })
    ).finally(() => {
      atInterrupt(undefined);
      run.end();
    });
    // Somebody who stopped the run is asked nothing more.
    const isStopped = (): boolean => signal.aborted || run.isWanted();
    attachments = [];
    session = kept ?? outcome.session;
    input = outcome.status === "waiting" && !isStopped() ? await answerTo(outcome, speech, options) : undefined;
    if (answers !== undefined) answered.add(answers);
    answers = outcome.status === "waiting" && !answered.has(outcome.id) ? outcome.id : undefined;
    if (input !== undefined) continue;
    const isLeft = outcome.status === "waiting" && isStopped();
    if (!isLeft) report(outcome, speech, options);
    remarks().forEach(say);
    const next = kept && howToGoOn(outcome, kept.id);
    if (next !== undefined) say(next);
    if (!isLeft) ending().forEach(say);
    else if (log !== "quiet") say("interrupted");
    const code = isLeft ? 130 : exitCode(outcome, options.settings);
    const words = outcome.status === "completed" ? speech(outcome.by, outcome.value).text : "";
    return (await options.leave?.(outcome, { code, words })) ?? code;
  }
}

/** The input to start with. If the session waits for an approval, it is the person's answer; undefined if nobody gives one. */
async function startOf(options: Task): Promise<Pick<Task, "input" | "answers"> | undefined> {
  const { answers, session, say } = options;
  const input = await signedInput(options);
  const waiting = input === undefined ? await session?.waiting() : undefined;
  const toSignIn = signInQuestion(waiting);
  if (
    waiting !== undefined &&
    toSignIn !== undefined &&
    session !== undefined &&
    options.servers?.signIn !== undefined
  ) {
    const reply = await signedAnswer(toSignIn, options);
    if (reply !== undefined) return { input: reply, answers: waiting.id };
    if (options.person === undefined) [...signInLines(toSignIn), signInHowTo(session.id)].forEach(say);
    return undefined;
  }
  const left = waiting && approvalOf(waiting);
  if (left === undefined || session === undefined) return { input, answers };
  const answer = await decide(left, options);
  if (answer !== undefined) return { input: answer, answers: left.id };
  if (options.json) options.answer(JSON.stringify(left, null, 2));
  say(answerCommands(left, session.id));
  return undefined;
}

/** The input to start with. The address of a sign-in that the session waits for becomes its answer: the address has a code. */
async function signedInput({ input, session, servers, settings }: Task): Promise<Task["input"]> {
  const { signIn } = servers ?? {};
  if (typeof input !== "string" || signIn === undefined || session === undefined) return input;
  const question = signInQuestion(await session.waiting());
  if (question === undefined) return input;
  const { signInReply } = await import("../person/sign-in.js");
  return (await signInReply(input, { question, signIn, by: principalIn(settings) })) ?? input;
}

/** The person's answer to the call that the run waits for; undefined if there is no person or no answer. */
async function answerTo(
  waiting: WaitingCall | ParkedCall,
  speech: Speech,
  options: Task,
): Promise<string | ApprovalAnswer | undefined> {
  const parked = approvalOf(waiting);
  if (parked !== undefined) return decide(parked, options);
  const { person, say, signal } = options;
  const question = questionOf(waiting);
  const toSignIn = signInQuestion(question);
  if (toSignIn !== undefined && options.servers?.signIn !== undefined) return signedAnswer(toSignIn, options);
  return person && question && askReply(question, speech, { person, say, signal });
}

/** The answer of the person who signs in; undefined if there is no person or no answer. */
async function signedAnswer(
  question: SignInQuestion,
  { person, say, signal, servers, settings }: Task,
): Promise<string | undefined> {
  const { signIn } = servers ?? {};
  if (person === undefined || signIn === undefined) return undefined;
  const { askSignIn } = await import("../person/sign-in.js");
  return askSignIn(question, { person, say, signal, signIn, by: principalIn(settings) });
}

/** The person's decision about a parked call, which is shown in any case; undefined if there is no person or no answer. */
async function decide(parked: ParkedCall, { person, signal, say, style }: Task): Promise<ApprovalAnswer | undefined> {
  if (person !== undefined) return askAbout(parked, person, { style, say, signal });
  say(`\n${await parkedWords(parked, style)}\nDigest: ${parked.approval.digest}`);
  return undefined;
}

/** Prints the answer to standard output, or the words of another outcome to standard error. */
function report(outcome: AnyOutcome, speech: Speech, { json, answer, say, person, settings }: Task): void {
  if (json) answer(JSON.stringify(outcome, null, 2));
  switch (outcome.status) {
    case "completed":
      if (!json) answerOf(outcome, speech, { answer, say });
      doubts(outcome, settings).forEach((doubt) => {
        say(visible(doubt));
      });
      return;
    case "waiting": {
      const question = questionOf(outcome);
      const toSignIn = signInQuestion(question);
      if (toSignIn !== undefined) {
        if (person === undefined) say(`\n${signInLines(toSignIn).join("\n")}`);
        return;
      }
      if (person === undefined && question !== undefined) say(`\n${waitingLines(question, speech).join("\n")}`);
      return;
    }
    case "stopped":
      say(visible(unfinished(outcome.partial, speech), { multiline: true }));
      return;
    case "failed":
      say(visible(outcome.fault.message, { multiline: true }));
      return;
    case "aborted":
      return;
  }
}

/** Prints the answer to standard output: of a review the findings, a line each, and its summary to standard error. */
function answerOf(
  { by, value }: { readonly by: string; readonly value: unknown },
  speech: Speech,
  { answer, say }: Pick<Task, "answer" | "say">,
): void {
  const found = findingsIn(by, value);
  if (found === undefined) {
    answer(speech(by, value).text);
    return;
  }
  const lines = findingLines(found);
  if (lines.length > 0) answer(lines.join("\n"));
  say(visible(found.summary, { multiline: true }));
}

/** The last words of the model in a stopped run. They are marked as unfinished, because they are no answer. */
function unfinished(
  { text, claim }: Extract<AnyOutcome, { readonly status: "stopped" }>["partial"],
  speech: Speech,
): string {
  if (claim !== undefined) return `Not finished. It said (${claim.by}): ${speech(claim.by, claim.value).text}`;
  return text === "" ? "Not finished." : `Not finished. It said last: ${withoutThinking(text)}`;
}
