// Makes one trial: runs the agent, asks the truth about its end, and writes the row.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { redactor, type AnyOutcome, type JournalRecord, type LastcallError } from "../../core/index.js";
import { explain, headOf } from "../../core/internal.js";
import { askTruth, type Answer } from "../plan/truth.js";
import type { PlannedTrial } from "../plan/trial-list.js";
import { changedIn, claimsIn, servedIn } from "./claims-in.js";
import { runCommand } from "./command-trial.js";
import { endingOf, faultOf, isExpected } from "./ending-of.js";
import { journalLines, type JournalLine } from "./journal-lines.js";
import type { ClaimRow, TrialRow } from "./trial-row.js";
import { runAgent, type AgentEnd } from "./run-agent.js";
import { totalsOf } from "./totals.js";
import type { Attempt, Workshop } from "./trial-tools.js";
import { secretValuesIn, secretValuesOf } from "./workspace-secrets.js";

/** A trial that was made, and the fault that ends the evaluation, if it met one. */
export interface MadeTrial {
  readonly row: TrialRow;
  /** The journal for people, without secrets. Absent for a command. */
  readonly journal?: readonly JournalLine[] | undefined;
  readonly fault?: LastcallError | undefined;
}

/** A trial as it ended, before secrets are taken out. */
interface EndedTrial extends Pick<MadeTrial, "row" | "fault"> {
  readonly records?: readonly JournalRecord[];
}

/** The most characters of a reason in a row. */
const mostReason = 600;

/** Makes the trial, or goes on with it. The folder of a trial that passed is deleted. */
export async function makeTrial(shop: Workshop, planned: PlannedTrial, attempt: Attempt): Promise<MadeTrial> {
  const variant = shop.evaluation.variants[planned.variant];
  const made =
    typeof variant === "object"
      ? await commandTrial(shop, planned, { attempt, variant })
      : await agentTrial(shop, planned, attempt);
  // The agent may have removed a file that it read, so the files at the beginning count too.
  const values = await Promise.all([secretValuesOf(planned.task, shop), secretValuesIn(join(shop.work, attempt.id))]);
  const secrets = redactor({ values: [...shop.evaluation.secrets, ...values.flat()] });
  const { records, row, fault } = made;
  const why = headOf(secrets.text(row.why), mostReason);
  const journal = records && journalLines(secrets.data(records));
  return { row: { ...row, why }, journal, fault };
}

/** The reason for which a task can't be tried, as a row may say it: without the secrets of the task's files. */
export async function reasonFor(
  why: string,
  task: PlannedTrial["task"],
  { evaluation, base }: Pick<Workshop, "evaluation" | "base">,
): Promise<string> {
  const secrets = redactor({ values: [...evaluation.secrets, ...(await secretValuesOf(task, { base }))] });
  return headOf(secrets.text(why), mostReason);
}

/** The row of a trial that was not made. */
export function voidRow(planned: PlannedTrial, attempt: Attempt, why: string): TrialRow {
  const ended = { result: "void", why, ending: "void", status: "failed", duration: 0 } as const;
  return { ...planFields(planned, attempt), ...nothing, ...ended };
}

/** Deletes the folder of a trial. */
export async function clearTrial(shop: Workshop, attempt: Attempt): Promise<void> {
  await rm(join(shop.work, attempt.id), { recursive: true, force: true });
}

/** The fields of a row that the plan gives. */
function planFields({ id, task, variant, model, trial }: PlannedTrial, { before }: Attempt) {
  return { id, task: task.id, variant, model, trial, attempts: before };
}

const nothing = {
  declared: 0,
  claims: [],
  changed: [],
  answered: 0,
  iterations: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  served: [],
};

async function commandTrial(
  shop: Workshop,
  planned: PlannedTrial,
  how: Parameters<typeof runCommand>[2],
): Promise<EndedTrial> {
  const { ending, why, duration } = await runCommand(shop, planned, how);
  const status = ending === "exit 0" ? "completed" : ending === "void" ? "failed" : "stopped";
  const isRight = planned.task.ends.includes(ending) || planned.task.ends.includes(status);
  const truth = status === "completed" ? await truthAtEnd(shop, planned, how.attempt) : undefined;
  const judged: Answer = ending === "void" ? { is: "void", why } : judge(isRight, { ending, truth, why });
  return {
    row: {
      ...planFields(planned, how.attempt),
      ...nothing,
      ...{ result: judged.is, why: judged.why, ending, status, duration },
      claims: status === "completed" ? [{ truth: truth?.is ?? "unknown", isRefused: false }] : [],
      ...(truth !== undefined && truth.is !== "void" && { truth: truth.is }),
      ...(status === "completed" && { verified: "unchecked" as const }),
    },
  };
}

async function agentTrial(shop: Workshop, planned: PlannedTrial, attempt: Attempt): Promise<EndedTrial> {
  let end: AgentEnd;
  try {
    end = await runAgent(shop, planned, attempt);
  } catch (thrown) {
    shop.suspend.throwIfAborted();
    return { row: voidRow(planned, attempt, `The trial could not be made: ${explain(thrown)}`) };
  }
  const { outcome } = end;
  const fault = faultOf(outcome);
  const truth = outcome.status === "completed" ? await truthAtEnd(shop, planned, attempt) : undefined;
  const judged: Answer =
    fault !== undefined
      ? { is: "void", why: fault.fault.message }
      : judge(isExpected(outcome, planned.task.ends), { ending: endingOf(outcome), truth, why: messageOf(outcome) });
  const row = rowOf(shop, planned, { attempt, end, truth, judged });
  const { records } = end.session;
  return { row, records, ...(fault?.isForAll === true && { fault: fault.fault }) };
}

/** Asks the truth about the files that the trial left; undefined if the task has none. */
async function truthAtEnd(shop: Workshop, { task }: PlannedTrial, { id }: Attempt): Promise<Answer | undefined> {
  return task.truth && askTruth(task.truth, join(shop.work, id), shop.base, shop.suspend);
}

/** A trial passes if its ending is right and the truth does not say no. */
function judge(
  isRight: boolean,
  { ending, truth, why }: { readonly ending: string; readonly truth: Answer | undefined; readonly why: string },
): Answer {
  if (!isRight) return { is: "no", why: `ended with ${ending}${why === "" ? "" : `: ${why}`}` };
  return truth ?? { is: "yes", why: "" };
}

function messageOf(outcome: AnyOutcome): string {
  return "message" in outcome ? outcome.message : "";
}

/** The parts of a trial that its row is made of. */
interface Judged {
  readonly attempt: Attempt;
  readonly end: AgentEnd;
  readonly truth: Answer | undefined;
  readonly judged: Answer;
}

function rowOf(shop: Workshop, planned: PlannedTrial, { attempt, end, truth, judged }: Judged): TrialRow {
  const { outcome, session, answered } = end;
  const { records } = session;
  const totals = totalsOf(records, { model: shop.models[planned.model], prices: shop.evaluation.prices });
  return {
    ...planFields(planned, attempt),
    result: judged.is,
    why: judged.is === "yes" ? "" : judged.why,
    ending: endingOf(outcome),
    status: outcome.status,
    ...(truth !== undefined && truth.is !== "void" && { truth: truth.is }),
    ...(outcome.status === "completed" && { verified: outcome.verified }),
    declared: outcome.status === "completed" ? outcome.unverified.length : 0,
    claims: claimRows(shop, { attempt, end, truth }),
    changed: changedIn(records),
    answered,
    ...totals,
    served: servedIn(records),
  };
}

/** The truth of an accepted claim is the truth about the end; the truth of a refused claim was asked when it was made. */
function claimRows(shop: Workshop, { attempt, end, truth }: Omit<Judged, "judged">): readonly ClaimRow[] {
  return claimsIn(end.session.records).map(({ callId, isRefused }) => ({
    truth: (isRefused ? undefined : truth?.is) ?? shop.truths.of(attempt.id, callId) ?? "unknown",
    isRefused,
  }));
}
