// Runs one task: the agent, the log, questions to the person, and the answer.

import type { AnyOutcome, ApprovalAnswer, ParkedCall, Session, Stopped, WaitingCall } from "../../core/index.js";
import type { StoredSessionHandle } from "../../memory/index.js";
import { askQuestion, giveUp, taskCompletion, type Question } from "../../tools/index.js";
import { makeAgent, type AgentNeeds } from "./make-agent.js";
import { choose, suggestionsOf } from "../person/choose.js";
import { doubts, exitCode, howToGoOn, type Strictness } from "../show/ending.js";
import { answerCommands, askAbout, parkedWords } from "../person/parked.js";
import type { Person } from "../person/person.js";
import { saidIn } from "../words/said.js";
import { type SessionStart } from "../sessions/sessions.js";
import type { Surface } from "../person/surface.js";
import { visible, visibleWords, withoutThinking } from "../words/visible.js";
import { watch, type Watching } from "../show/watch.js";

/** The needs of one task. */
export interface Task extends AgentNeeds, Strictness, Surface, SessionStart, Omit<Watching, "now"> {
  /** The session whose notes a new session begins with. */
  readonly notesFrom: Session | undefined;
  /** The person at the terminal; undefined if there is none. */
  readonly person: Person | undefined;
}

/** Runs the task. Returns the exit code. */
export async function runTask(options: Task): Promise<number> {
  const { say, signal, log, style, session: kept, notesFrom } = options;
  const { onEvent, hooks, ending } = watch(options);
  const endings = [taskCompletion(), askQuestion(), giveUp()] as const;
  const { agent, shellNotice, remarks } = await makeAgent(options, { endings, hooks });
  if (log !== "quiet") say(style.dim(shellNotice));
  let { input, answers } = options;
  let session: Session | StoredSessionHandle | undefined = kept;
  const left = input === undefined ? await kept?.waiting() : undefined;
  if (left?.approval !== undefined && kept !== undefined) {
    input = await decide(left, options);
    if (input === undefined) {
      if (options.json) options.answer(JSON.stringify(left, null, 2));
      say(answerCommands(left, kept.id));
      return signal.aborted ? 130 : 3;
    }
    answers = left.id;
  }
  for (;;) {
    const outcome: Awaited<ReturnType<typeof agent.run>> =
      input === undefined && session !== undefined
        ? await agent.resume(session, { onEvent, signal })
        : await agent.run(input ?? "", { onEvent, signal, session, answers, notesFrom });
    session = kept ?? outcome.session;
    input = outcome.status === "waiting" ? await answerTo(outcome, options) : undefined;
    answers = outcome.status === "waiting" ? outcome.id : undefined;
    if (input !== undefined) continue;
    const isLeft = outcome.status === "waiting" && signal.aborted;
    if (!isLeft) report(outcome, options);
    remarks().forEach(say);
    const next = kept && howToGoOn(outcome, kept.id);
    if (next !== undefined) say(next);
    if (!isLeft) ending().forEach(say);
    else if (log !== "quiet") say("interrupted");
    return isLeft ? 130 : exitCode(outcome, options);
  }
}

/** The person's answer to what the run waits for; undefined if there is no person or no answer. */
function answerTo(
  waiting: WaitingCall<string, Question> | ParkedCall,
  options: Task,
): Promise<string | ApprovalAnswer | undefined> {
  return waiting.approval === undefined ? ask(waiting.value, options) : decide(waiting, options);
}

/** The person's decision about a parked call, which is shown in any case; undefined if there is no person or no answer. */
async function decide(parked: ParkedCall, { person, signal, say, style }: Task): Promise<ApprovalAnswer | undefined> {
  if (person !== undefined) return askAbout(parked, person, { style, say, signal });
  say(`\n${await parkedWords(parked, style)}\nDigest: ${parked.approval.digest}`);
  return undefined;
}

/** Shows a question with its suggestions. */
function pose(asked: Question, say: Task["say"]): void {
  say(`\n${visibleWords(asked.question, { multiline: true })}`);
  suggestionsOf(asked).forEach((suggestion, index) => {
    say(`  ${String(index + 1)}. ${visibleWords(suggestion)}`);
  });
}

/** The person's answer to a question; undefined if there is no person or no answer. */
async function ask(asked: Question, { person, signal, say }: Task): Promise<string | undefined> {
  if (person === undefined) return undefined;
  pose(asked, say);
  const answer = (await person.ask("> ", signal))?.trim();
  return answer === undefined || answer === "" ? undefined : choose(asked, answer);
}

/** Prints the answer to standard output, or the words of another outcome to standard error. */
function report(outcome: AnyOutcome, { json, answer, say, person, requireVerified }: Task): void {
  if (json) answer(JSON.stringify(outcome, null, 2));
  switch (outcome.status) {
    case "completed":
      if (!json) answer(saidIn(outcome.value));
      doubts(outcome, { requireVerified }).forEach((doubt) => {
        say(visible(doubt));
      });
      return;
    case "waiting":
      if (person === undefined && outcome.approval === undefined) pose(outcome.value as Question, say);
      return;
    case "stopped":
      say(visible(unfinished(outcome.partial), { multiline: true }));
      return;
    case "failed":
      say(visible(outcome.fault.message, { multiline: true }));
      return;
    case "aborted":
      return;
  }
}

/** The last words of the model in a stopped run. They are marked as unfinished, because they are no answer. */
function unfinished({ text, claim }: Stopped<{ readonly by: string; readonly value: unknown }>["partial"]): string {
  if (claim !== undefined) return `Not finished. It said (${claim.by}): ${saidIn(claim.value)}`;
  return text === "" ? "Not finished." : `Not finished. It said last: ${withoutThinking(text)}`;
}
