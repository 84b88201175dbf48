// Limits: bounds of the caller's on a run, as data, and the pure question whether one is reached.

import type { LimitReason, LimitReached } from "../data/limit-reached.js";
import { LastcallError } from "../data/fault.js";
import { milliseconds, wholeNumber } from "../data/settings.js";
import { checkPrices, type Prices, type Spent } from "../journal/spent.js";
import type { State } from "../journal/state.js";

/** Bounds on a run; all of them off by default. What agents use that its tools run counts as well. */
export interface LimitOptions {
  /** Replies of the model, the closing one not counted. */
  readonly maxIterations?: number | undefined;
  /** Milliseconds of work. The time that a watcher holds the run up, or a person thinks about a permission, is not counted. */
  readonly timeout?: number | undefined;
  /** Tokens of all requests, in and out, cached ones included. Where a provider reports none they are estimated. */
  readonly maxTokens?: number | undefined;
  /** What all requests may cost, in the currency of `prices`, which must have the model. */
  readonly maxCost?: number | undefined;
  /** What models cost, by their names; also what makes `outcome.cost` known. */
  readonly prices?: Prices | undefined;
  /** Milliseconds of work that one iteration may take: its request, its calls and its checks. */
  readonly iterationTimeout?: number | undefined;
  /** Milliseconds that one call may work, whatever its tool says; a tool's own `timeout` holds where it is less. */
  readonly toolTimeout?: number | undefined;
  /** The share of a limit at which the model is told, once. Default 0.8; 1 for never. */
  readonly warnAt?: number | undefined;
  /**
   * The share of the time, the tokens and the cost that is kept for the closing iteration; of tokens and cost at least what
   * one more request is likely to take. Default 0.1. With 0 there is no closing iteration.
   */
  readonly reserve?: number | undefined;
}

/** The same, checked. */
export interface Limits extends LimitOptions {
  readonly prices: Prices;
  readonly warnAt: number;
  readonly reserve: number;
}

/**
 * The limits that the options say, for a run with this model.
 * @throws LastcallError `configuration` that names the option and says what to give.
 */
export function checkLimits(options: LimitOptions, model: string): Limits {
  const { maxIterations, timeout, maxTokens, maxCost, iterationTimeout, toolTimeout } = options;
  const { prices = {}, warnAt = 0.8, reserve = 0.1 } = options;
  for (const [name, value] of Object.entries({ maxIterations, maxTokens })) {
    if (value !== undefined) wholeNumber(`limits.${name}`, value);
  }
  for (const [name, value] of Object.entries({ timeout, iterationTimeout, toolTimeout })) {
    if (value !== undefined) milliseconds(`limits.${name}`, value);
  }
  share("limits.warnAt", warnAt, 1);
  share("limits.reserve", reserve, 0.9);
  checkPrices(prices);
  if (maxCost !== undefined) {
    if (!(maxCost > 0 && maxCost < Infinity)) {
      throw new LastcallError("configuration", `limits.maxCost is ${String(maxCost)}: give a number greater than 0.`);
    }
    if (!Object.hasOwn(prices, model)) {
      const message = `limits.maxCost needs what ${model} costs: add it to limits.prices.`;
      throw new LastcallError("configuration", message);
    }
  }
  return { ...options, prices, warnAt, reserve };
}

function share(name: string, value: number, most: number): void {
  if (value >= 0 && value <= most) return;
  const message = `${name} is ${String(value)}: give a number from 0 to ${String(most)}.`;
  throw new LastcallError("configuration", message);
}

/** One limit and how much of it is used. */
interface Meter {
  readonly reason: LimitReason;
  readonly used: number;
  readonly most: number;
  /** What the next request is likely to add; known for tokens and cost alone. */
  readonly next: number;
  readonly describe: (amount: number) => string;
}

const counted = (noun: string) => (amount: number) => `${String(amount)} ${noun}${amount === 1 ? "" : "s"}`;

const describe: Readonly<Record<LimitReason, (amount: number) => string>> = {
  max_iterations: counted("iteration"),
  token_budget: counted("token"),
  timeout: (ms) => (ms < 1000 ? `${String(Math.round(ms))} ms` : `${String(Math.round(ms / 100) / 10)} s`),
  cost_budget: (cost) => `a cost of ${String(Number(cost.toPrecision(3)))}`,
};

/** The limits that are set, in the order in which they are asked. */
function metersOf({ spent, elapsed }: State, limits: Limits, next: Spent): readonly Meter[] {
  const { maxIterations, timeout, maxTokens, maxCost } = limits;
  const rows: readonly (readonly [LimitReason, number, number | undefined, number])[] = [
    ["max_iterations", spent.iterations, maxIterations, 0],
    ["timeout", elapsed, timeout, 0],
    ["token_budget", spent.tokens, maxTokens, next.tokens],
    ["cost_budget", spent.cost, maxCost, next.cost],
  ];
  return rows.flatMap(([reason, used, most, adds]) =>
    most === undefined ? [] : [{ reason, used, most, next: adds, describe: describe[reason] }],
  );
}

/** The first limit that forbids a request that is likely to use so much; undefined where none does. */
export function limitReached(state: State, limits: Limits, next: Spent): LimitReached | undefined {
  for (const meter of metersOf(state, limits, next)) {
    const reached = ask(meter, limits.reserve);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

function ask({ reason, used, most, next, describe: words }: Meter, reserve: number): LimitReached | undefined {
  const closes = reserve > 0;
  switch (reason) {
    case "max_iterations":
      if (used < most) return undefined;
      return { reason, message: `${words(used)}, as many as allowed`, canClose: closes };
    case "timeout":
      if (used < most * (1 - reserve)) return undefined;
      return { reason, message: `${words(used)} of ${words(most)} have passed`, canClose: closes && used < most };
    case "token_budget":
    case "cost_budget": {
      const kept = closes ? Math.max(most * reserve, next) : 0;
      if (used < most && used + next + kept <= most) return undefined;
      const message = `${words(used)} used, ${words(most)} allowed, and the next request is likely to take ${words(next)}`;
      return { reason, message, canClose: closes && used + next <= most };
    }
  }
}

/** What is told at the soft warning, for each limit of which so much is used for the first time. */
export function warnings(
  state: State,
  limits: Limits,
): readonly { readonly reason: LimitReason; readonly text: string }[] {
  return metersOf(state, limits, { iterations: 0, tokens: 0, cost: 0 })
    .filter(({ reason, used, most }) => !state.warned.includes(reason) && used >= most * limits.warnAt && used < most)
    .map(({ reason, used, most, describe: words }) => ({
      reason,
      text: `${words(used)} of at most ${words(most)} are used. Do what matters most first, and end before the rest is used up.`,
    }));
}
