// Runs the agent of one trial to its end, or goes on with the run that a dead process left.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf, type AnyOutcome, type Event, type Session } from "../../core/index.js";
import { openSession } from "../../memory/index.js";
import { askTruth } from "../plan/truth.js";
import { stubbed } from "../plan/stub-tool.js";
import type { PlannedTrial } from "../plan/trial-list.js";
import type { AskedOfUser } from "../plan/user.js";
import type { EvaluatedAgent, TrialPlace, TrialRunOptions } from "../plan/variant.js";
import { layOutNew } from "../plan/workspace-source.js";
import type { Attempt, Workshop } from "./trial-tools.js";

/** The most questions that the user answers in one trial. */
const mostAnswers = 20;

/** A run that has ended. */
export interface AgentEnd {
  readonly outcome: AnyOutcome;
  readonly session: Session;
  readonly answered: number;
}

/**
 * Runs the agent. A session without records begins with new files; any other goes on with the files that it left. A run that has ended in
 * its journal is read.
 * @throws the error of a user who can't answer, and the signal's reason if the evaluation is suspended.
 */
export async function runAgent(shop: Workshop, planned: PlannedTrial, attempt: Attempt): Promise<AgentEnd> {
  const { store, base, suspend, budget } = shop;
  const root = join(shop.work, attempt.id);
  const session = openSession({ store, id: attempt.id, onTorn: () => undefined });
  const stored = await session.toJSON();
  const isNew = stored.records.length === 0;
  if (isNew || !existsSync(root)) await layOutNew(planned.task.workspace, root, base);
  const agent = await agentOf(shop, planned, root);
  const watch = watcher(shop, planned, { root, trial: attempt.id });
  const run = async (...[input, options]: Parameters<EvaluatedAgent["stream"]>): Promise<AnyOutcome> => {
    const stream = agent.stream(input, options);
    for await (const event of stream) await watch(event);
    return stream.outcome;
  };
  const options: TrialRunOptions = { session, suspend, ...(budget !== undefined && { budget }) };
  const ended = isNew ? undefined : outcomeOf(stored);
  const isOver = ended !== undefined && ended.status !== "aborted";
  let outcome = isOver ? ended : await run(isNew ? planned.task.input : undefined, options);
  let answered = answersIn(stored);
  while (outcome.status === "waiting" && answered < mostAnswers) {
    suspend.throwIfAborted();
    const answer = await answerFor(planned, outcome, { number: answered + 1, suspend });
    if (answer === undefined) break;
    answered += 1;
    outcome = await run(answer, { ...options, answers: outcome.id });
  }
  if (outcome.status === "aborted") suspend.throwIfAborted();
  return { outcome, session: await session.toJSON(), answered };
}

async function agentOf(shop: Workshop, planned: PlannedTrial, root: string): Promise<EvaluatedAgent> {
  const { task, variant, trial } = planned;
  const made = shop.evaluation.variants[variant];
  const model = shop.models[planned.model];
  if (typeof made !== "function" || model === undefined) throw new Error(`The variant ${variant} makes no agent.`);
  const place: TrialPlace = {
    root,
    model,
    task: task.id,
    trial,
    prices: shop.evaluation.prices,
    hidden: [...(task.truth?.hidden(shop.base) ?? []), ...(task.solution?.hidden(shop.base) ?? [])],
    stub: stubbed,
  };
  return made(place);
}

/** Asks the truth at each claim that a check begins to look at. The run waits meanwhile, so the files stay as they are. */
function watcher(
  shop: Workshop,
  { task }: PlannedTrial,
  { root, trial }: { readonly root: string; readonly trial: string },
): (event: Event) => Promise<void> {
  return async (event) => {
    if (event.type !== "check-start" || event.when !== "claim" || event.callId === undefined) return;
    if (task.truth === undefined || shop.truths.of(trial, event.callId) !== undefined) return;
    const answer = await askTruth(task.truth, root, shop.base, new AbortController().signal);
    await shop.truths.keep(trial, event.callId, answer.is);
  };
}

/** The user's answer to the question that ended the run; undefined if the task has none. */
async function answerFor(
  { task }: PlannedTrial,
  { by, value }: { readonly by: string; readonly value?: unknown },
  { number, suspend }: { readonly number: number; readonly suspend: AbortSignal },
): ReturnType<typeof asText> {
  const answer = task.answers?.[by];
  return answer === undefined ? undefined : asText(answer, { value, number }, suspend);
}

async function asText(
  answer: NonNullable<PlannedTrial["task"]["answers"]>[string],
  asked: AskedOfUser,
  signal: AbortSignal,
): Promise<Parameters<EvaluatedAgent["stream"]>[0]> {
  return typeof answer === "function" ? answer(asked, signal) : answer;
}

/** The answers that the session has already. */
function answersIn({ records }: Session): number {
  return records.filter(
    (record) => record.type === "answer" || (record.type === "input" && record.answers !== undefined),
  ).length;
}
