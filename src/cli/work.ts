// One task from start to end: the agent, the log, the questions on the way, the answer and the closing line.

import {
  addUsage,
  noUsage,
  type Event,
  type LimitOptions,
  type Model,
  type Outcome,
  type Session,
  type Stopped,
  type Usage,
} from "../core/index.js";
import { command, postEdit, type PostEditCheck } from "../checks/index.js";
import { createAgent } from "../index.js";
import type { Approver } from "../permission/index.js";
import { windowed, type StoredSessionHandle } from "../memory/index.js";
import {
  askQuestion,
  giveUp,
  notes,
  readResult,
  taskCompletion,
  workspaceTools,
  type Question,
} from "../tools/index.js";
import { nobody } from "./approver.js";
import type { CommandLine, Rights } from "./args.js";
import { choose, suggestionsOf } from "./choose.js";
import { dryTools } from "./dry-run.js";
import { describeEnding, doubts, exitCode } from "./ending.js";
import { humanLog, seconds, tokens, type Style } from "./log.js";
import type { Person } from "./person.js";
import { howToGoOn } from "./sessions.js";
import { findShell, hiddenBy, permissionFor } from "./rights.js";
import { visible, withoutThinking } from "./visible.js";

/** What one task needs. */
export interface Work {
  /** The session that is kept; undefined where none is. */
  readonly session: StoredSessionHandle | undefined;
  /** The task or an answer; undefined to go on where the session was left. */
  readonly input: string | undefined;
  /** The call that the input answers, if it answers one. */
  readonly answers: string | undefined;
  readonly workdir: string;
  readonly model: Model;
  /** What it may do. */
  readonly rights: Rights;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  readonly protect: readonly string[];
  readonly attempts: number | undefined;
  readonly onEdit: readonly PostEditCheck[];
  readonly limits: LimitOptions;
  /** True where the model has tools to note things with. */
  readonly notes: boolean;
  /** The session whose notes a new one begins with. */
  readonly notesFrom: Session | undefined;
  /** Tokens that the model takes; undefined where that is not known. */
  readonly window: number | undefined;
  /** Who can be asked; undefined where nobody is at a terminal. */
  readonly person: Person | undefined;
  /** Who approves; undefined where nobody does. */
  readonly approver: Approver | undefined;
  /** Keys that must not be kept or shown, wherever they turn up. */
  readonly secrets: readonly string[];
  /** Folders and files, in or outside of the workspace, that no tool may write. */
  readonly guarded: readonly string[];
  /** False where nobody is ever there: the model is not offered to ask. */
  readonly interactive: boolean;
  readonly json: boolean;
  readonly log: "quiet" | "normal" | "verbose";
  readonly style: Style;
  readonly signal: AbortSignal;
  /** To standard output: the answer. */
  readonly answer: (text: string) => void;
  /** To standard error: a line. */
  readonly say: (line: string) => void;
}

const instructions = `You are a careful engineer working in one folder with the tools you have. Paths are relative to that folder.
Look before you change anything, change only what the task needs, and see for yourself that it works before you say so.
A command's exit code other than 0 is an answer: read its output.`;

/** Characters of a result that the prompt shows: whole source files, as a rule. */
const clip = 40_000;

/** Milliseconds that a check may take: whole test suites do. */
const checkTimeout = 20 * 60_000;

/** Does the work. Returns the exit code. */
export async function work(options: Work): Promise<number> {
  const { say, signal, log, workdir: cwd, protect } = options;
  const began = Date.now();
  const absent = nobody();
  const { rights } = options;
  const { shell, words } = await findShell(cwd, rights);
  if (log !== "quiet") say(options.style.dim(words));
  const checking = { cwd, shell, protect, timeout: checkTimeout };
  const place = { root: cwd, shell, hide: hiddenBy(rights.deny) };
  const dry = rights.dryRun ? dryTools(place) : undefined;
  const agent = createAgent({
    model: options.model,
    instructions,
    tools: [
      taskCompletion(),
      askQuestion(),
      giveUp(),
      readResult(),
      ...(dry?.tools ?? workspaceTools(place)),
      ...(options.notes ? notes() : []),
    ],
    clip,
    ...(options.window !== undefined && { memory: windowed({ window: options.window }) }),
    permission: permissionFor(rights, {
      root: cwd,
      guarded: options.guarded,
      approver: options.approver ?? absent.approver,
    }),
    checks: dry ? [] : options.until.map(({ line, every }) => command(line, { ...checking, every })),
    limits: options.limits,
    hooks: dry ? [] : [postEdit(options.onEdit, { cwd, shell })],
    secrets: { values: options.secrets },
    ...(options.attempts !== undefined && { maxAttempts: options.attempts }),
    interactive: options.interactive,
  });
  const lines = humanLog({ style: options.style, isVerbose: log === "verbose", now: () => Date.now() });
  const onEvent = (event: Event): void => {
    if (log !== "quiet") lines(event).forEach(say);
  };
  const kept = options.session;
  let { input, answers } = options;
  let session: Session | StoredSessionHandle | undefined = kept;
  let iterations = 0;
  let usage: Usage = noUsage;
  let cost: number | undefined;
  for (;;) {
    const outcome: Awaited<ReturnType<typeof agent.run>> =
      input === undefined && session !== undefined
        ? await agent.resume(session, { onEvent, signal })
        : await agent.run(input ?? "", {
            onEvent,
            signal,
            ...(session !== undefined && { session }),
            ...(answers !== undefined && { answers }),
            ...(options.notesFrom !== undefined && { notesFrom: options.notesFrom }),
          });
    session = kept ?? outcome.session;
    iterations += outcome.iterations;
    usage = addUsage(usage, outcome.usage);
    if (outcome.cost !== undefined) cost = (cost ?? 0) + outcome.cost;
    input = outcome.status === "waiting" ? await ask(outcome.value, options) : undefined;
    answers = outcome.status === "waiting" ? outcome.id : undefined;
    if (input !== undefined) continue;
    const isLeft = outcome.status === "waiting" && signal.aborted;
    if (!isLeft) report(outcome, options);
    dry?.plan().forEach(say);
    if (dry !== undefined && options.until.length > 0) say("The checks were not run either, so nothing is verified.");
    const hint = absent.hint();
    if (hint !== undefined) say(hint);
    const next = kept && howToGoOn(outcome, kept.id);
    if (next !== undefined) say(next);
    const spent = [count(iterations, "iteration"), tokens(usage, cost), seconds(Date.now() - began)];
    if (log !== "quiet") say(`${isLeft ? "interrupted" : describeEnding(outcome)} · ${spent.join(" · ")}`);
    return isLeft ? 130 : exitCode(outcome);
  }
}

/** Shows a question with what could be answered. */
function pose(asked: Question, say: Work["say"]): void {
  say(`\n${visible(asked.question, { multiline: true })}`);
  suggestionsOf(asked).forEach((suggestion, index) => {
    say(`  ${String(index + 1)}. ${visible(suggestion)}`);
  });
}

/** Puts a question to the person; undefined where there is no answer. */
async function ask(asked: Question, { person, signal, say }: Work): Promise<string | undefined> {
  if (person === undefined) return undefined;
  pose(asked, say);
  const answer = (await person.ask("> ", signal))?.trim();
  return answer === undefined || answer === "" ? undefined : choose(asked, answer);
}

/** The answer to standard output; what there is instead of one to standard error. */
function report(outcome: Outcome, { json, answer, say, person }: Work): void {
  if (json) answer(JSON.stringify(outcome, null, 2));
  switch (outcome.status) {
    case "completed":
      if (!json) answer(textOf(outcome.value));
      doubts(outcome.receipts).forEach((doubt) => {
        say(visible(doubt));
      });
      return;
    case "waiting":
      if (person === undefined) pose(outcome.value as Question, say);
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

/** What the model said when it had to end, or last: no answer, and called none. */
function unfinished({ text, claim }: Stopped<{ readonly by: string; readonly value: unknown }>["partial"]): string {
  if (claim !== undefined) return `Not finished. It said (${claim.by}): ${textOf(claim.value)}`;
  return text === "" ? "Not finished." : `Not finished. It said last: ${withoutThinking(text)}`;
}

/** The words in the value of one of the tools that end a run. */
function textOf(value: unknown): string {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const text = [fields["result"], fields["question"], fields["reason"]].find((field) => typeof field === "string");
  return text === undefined ? JSON.stringify(value) : withoutThinking(text);
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}
