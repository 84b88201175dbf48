// The amounts of a session over all of its runs: a question that was answered begins a new run.

import {
  addUsage,
  noUsage,
  replay,
  type JournalRecord,
  type Model,
  type Prices,
  type Spent,
  type State,
  type Usage,
} from "../../core/index.js";
import { addSpent } from "../../core/internal.js";
import type { TrialRow } from "./trial-row.js";

/** The amounts of a trial. */
export type Totals = Pick<TrialRow, "iterations" | "inputTokens" | "outputTokens" | "cost" | "duration">;

/** The model of a trial and the prices of the evaluation, for agents that know no prices. */
interface Priced {
  readonly model: Model | undefined;
  readonly prices: Prices;
}

/** The amounts of all runs of a session. */
export function totalsOf(records: readonly JournalRecord[], priced: Priced): Totals {
  const replies = records.flatMap((record) => (record.type === "reply" ? [record.reply.usage] : []));
  const usage = replies.reduce(addUsage, noUsage);
  const ends = runsIn(records);
  const cost = ends.reduce((all, { spent }) => all + spent.cost, 0);
  return {
    iterations: replies.length,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: cost > 0 ? cost : costOfUsage(usage, priced),
    duration: ends.reduce((all, { elapsed }) => all + elapsed, 0),
  };
}

/** The amounts that the session counts for limits, over all of its runs. */
export function spentIn(records: readonly JournalRecord[]): Spent {
  return runsIn(records)
    .map(({ spent }) => spent)
    .reduce(addSpent);
}

/** The work time of all runs of the session, in milliseconds. */
export function elapsedIn(records: readonly JournalRecord[]): number {
  return runsIn(records).reduce((all, { elapsed }) => all + elapsed, 0);
}

/** The state at the end of each run. */
function runsIn(records: readonly JournalRecord[]): readonly State[] {
  const starts = records.filter(({ type, seq }) => type === "input" && seq > 0).map(({ seq }) => seq);
  return [...starts, records.length].map((end) => replay(records.slice(0, end)));
}

function costOfUsage(usage: Usage, { model, prices }: Priced): number {
  const price = model === undefined || !Object.hasOwn(prices, model.name) ? undefined : prices[model.name];
  if (price === undefined) return 0;
  const { input, cachedInput = input, output } = price;
  const uncached = Math.max(0, usage.inputTokens - usage.cachedInputTokens);
  return (uncached * input + usage.cachedInputTokens * cachedInput + usage.outputTokens * output) / 1_000_000;
}
