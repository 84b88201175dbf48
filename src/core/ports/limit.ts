// Limits: the caller's bounds on a run as data, and pure functions that tell if one is reached.

import { LastcallError } from "../data/fault.js";
import { checkOptions, type OptionKinds, milliseconds, wholeNumber } from "../data/settings.js";
import {
  checkPrices,
  unpriced,
  type Answering,
  type LimitRaise,
  type Prices,
  type Spent,
  type LimitReason,
  type LimitReached,
} from "../journal/spent.js";
import type { Decision } from "../data/decision.js";
import type { State } from "../journal/state.js";

/** Bounds on a run. All are off by default. The usage of agents that the run's tools start counts as well. */
export interface LimitOptions {
  /** Maximum number of model replies. The closing reply is not counted. */
  readonly maxIterations?: number | undefined;
  /** Maximum work time in milliseconds. The time that the reader of a stream or an approver takes does not count. */
  readonly timeout?: number | undefined;
  /** Maximum number of tokens of all requests, input and output, cached tokens included. Estimated if the provider reports none. */
  readonly maxTokens?: number | undefined;
  /** Maximum cost of all requests, in the currency of `prices`. It requires a price for the model, or for each model of a `fallback`. */
  readonly maxCost?: number | undefined;
  /** Prices of models, by model name. `outcome.cost` also depends on them. */
  readonly prices?: Prices | undefined;
  /** Maximum work time of one iteration in milliseconds: its request, its calls and its checks. */
  readonly iterationTimeout?: number | undefined;
  /** Maximum work time of one call in milliseconds. A tool's own `timeout` applies if it is shorter. */
  readonly toolTimeout?: number | undefined;
  /** The share of a limit, from 0 to 1, at which the model is warned once. Default 0.8. With 1 there is no warning. */
  readonly warnAt?: number | undefined;
  /**
   * The share of time, tokens and cost that is reserved for the closing iteration, from 0 to 0.9. The reserve of tokens and cost
   * is at least the estimate for one more request. Default 0.1. With 0 there is no closing iteration.
   */
  readonly reserve?: number | undefined;
}

/** The amounts that a person may add to limits. Each limit that is named has to be set, too. */
export interface LimitsThatAsk {
  /** Model replies. */
  readonly maxIterations?: number | undefined;
  /** Milliseconds of work time. */
  readonly timeout?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** In the currency of `prices`. */
  readonly maxCost?: number | undefined;
}

/** Stands in the type of an agent whose run may ask to go on at a limit. */
export interface AsksForMore extends Decision {
  readonly at: "limit";
}

/** The limits of an agent, and the limits among them that ask. */
export type AskingLimits<Ask extends LimitsThatAsk = LimitsThatAsk> = LimitOptions & {
  /**
   * The limits at which the run asks whether it may go on, each with the amount that a yes adds to it. The run then ends `waiting` for an
   * approval of `raise_limit`: a yes raises the limit once, for this run, and a no lets the limit count. Default: a limit ends the run.
   */
  readonly ask?: Ask | undefined;
};

/** `AsksForMore` if such limits ask, never otherwise. */
export type AskingAt<Ask> = Ask extends LimitsThatAsk ? AsksForMore : never;

/** Limit options that are checked, with their defaults. */
export interface Limits extends LimitOptions {
  readonly prices: Prices;
  readonly warnAt: number;
  readonly reserve: number;
  readonly ask?: LimitsThatAsk | undefined;
}

/**
 * Checks the options for a run with this model and fills in the defaults.
 * @throws LastcallError `configuration` that names the wrong option and says what to give.
 */
export function checkLimits(options: AskingLimits, model: Answering): Limits {
  checkOptions("limits", options, limitOptions);
  const { maxIterations, timeout, maxTokens, maxCost, iterationTimeout, toolTimeout } = options;
  const { prices = {}, warnAt = 0.8, reserve = 0.1 } = options;
  for (const [name, value] of Object.entries({ maxIterations, maxTokens })) {
    if (value !== undefined) wholeNumber(`limits.${name}`, value);
  }
  for (const [name, value] of Object.entries({ timeout, iterationTimeout, toolTimeout })) {
    if (value !== undefined) milliseconds(`limits.${name}`, value);
  }
  checkShare("limits.warnAt", warnAt, 1);
  checkShare("limits.reserve", reserve, 0.9);
  if (options.ask !== undefined) checkAsk(options.ask, options);
  checkPrices(prices);
  if (maxCost !== undefined) {
    checkMaxCost("limits.maxCost", maxCost);
    const missing = unpriced(model, prices);
    if (missing !== undefined) {
      const message = `limits.maxCost needs what ${missing} costs: add it to limits.prices.`;
      throw new LastcallError("configuration", message);
    }
  }
  return { ...options, prices, warnAt, reserve };
}

const limitOptions = {
  maxIterations: "number",
  timeout: "number",
  maxTokens: "number",
  maxCost: "number",
  prices: "object",
  iterationTimeout: "number",
  toolTimeout: "number",
  warnAt: "number",
  reserve: "number",
  ask: "object",
} satisfies OptionKinds<AskingLimits>;

const askOptions = {
  maxIterations: "number",
  timeout: "number",
  maxTokens: "number",
  maxCost: "number",
} satisfies OptionKinds<LimitsThatAsk>;

/** The option of each limit. */
const optionOf = {
  max_iterations: "maxIterations",
  timeout: "timeout",
  token_budget: "maxTokens",
  cost_budget: "maxCost",
} as const satisfies Readonly<Record<LimitReason, keyof LimitsThatAsk>>;

function checkAsk(ask: LimitsThatAsk, limits: LimitOptions): void {
  checkOptions("limits.ask", ask, askOptions);
  const { maxIterations, timeout, maxTokens, maxCost } = ask;
  if (maxIterations !== undefined) wholeNumber("limits.ask.maxIterations", maxIterations);
  if (timeout !== undefined) milliseconds("limits.ask.timeout", timeout);
  if (maxTokens !== undefined) wholeNumber("limits.ask.maxTokens", maxTokens);
  if (maxCost !== undefined) checkMaxCost("limits.ask.maxCost", maxCost);
  for (const name of Object.values(optionOf)) {
    if (ask[name] === undefined || limits[name] !== undefined) continue;
    const message = `limits.ask.${name} needs a limit to ask at: set limits.${name}, or leave it out.`;
    throw new LastcallError("configuration", message);
  }
}

/**
 * Checks a maximum cost.
 * @throws LastcallError `configuration` unless it is a number greater than 0.
 */
export function checkMaxCost(name: string, maxCost: number): void {
  if (maxCost > 0 && maxCost < Infinity) return;
  throw new LastcallError("configuration", `${name} is ${String(maxCost)}: give a number greater than 0.`);
}

function checkShare(name: string, value: number, maximum: number): void {
  if (value >= 0 && value <= maximum) return;
  const message = `${name} is ${String(value)}: give a number from 0 to ${String(maximum)}.`;
  throw new LastcallError("configuration", message);
}

/** One limit and its usage. */
interface Meter {
  readonly reason: LimitReason;
  readonly used: number;
  readonly maximum: number;
  /** The amount that the next request is likely to add. It is 0 for iterations and time. */
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

/** The amounts that limits are held against. */
type Used = Pick<State, "spent" | "elapsed"> & Partial<Pick<State, "raised">>;

/** The limits that are set, in the order in which they are checked. */
function metersOf({ spent, elapsed, raised = {} }: Used, limits: Limits, next: Spent): readonly Meter[] {
  const rows: readonly (readonly [LimitReason, number, number])[] = [
    ["max_iterations", spent.iterations, 0],
    ["timeout", elapsed, 0],
    ["token_budget", spent.tokens, next.tokens],
    ["cost_budget", spent.cost, next.cost],
  ];
  return rows.flatMap(([reason, used, expected]) => {
    const own = limits[optionOf[reason]];
    if (own === undefined) return [];
    return [{ reason, used, maximum: own + (raised[reason] ?? 0), next: expected, describe: describe[reason] }];
  });
}

/** The maximum work time of a run in milliseconds, with the time that people added; undefined without a limit. */
export function timeoutOf({ raised }: Pick<State, "raised">, { timeout }: Limits): number | undefined {
  return timeout === undefined ? undefined : timeout + (raised.timeout ?? 0);
}

/** Milliseconds by which a timer may be early. */
const early = 20;

/**
 * The question of a run that a limit ends, if it may ask to go on. Undefined if the limit does not ask, or if another limit that does not
 * is reached as well: a yes would change nothing.
 */
export function questionAt(
  state: State,
  { reason, limits, next }: { readonly reason: LimitReason; readonly limits: Limits; readonly next: Spent },
): { readonly raise: LimitRaise; readonly words: string } | undefined {
  const { ask = {}, reserve } = limits;
  const isUp = (meter: Meter): boolean =>
    reachedBy(meter, reserve) !== undefined ||
    // A timer broke the iteration off.
    (meter.reason === "timeout" && state.expired !== undefined && meter.used + early >= meter.maximum * (1 - reserve));
  const reached = metersOf(state, limits, next).filter(isUp);
  const meter = reached.find((one) => one.reason === reason);
  if (meter === undefined || reached.some((one) => ask[optionOf[one.reason]] === undefined)) return undefined;
  const more = ask[optionOf[reason]] ?? 0;
  const { used, maximum: allowed } = meter;
  const isPriced = reason !== "cost_budget" && state.spent.cost > 0 && used > 0;
  const cost = isPriced ? Number(((state.spent.cost / used) * more).toPrecision(3)) : undefined;
  const raise = { limit: reason, used, allowed, more, ...(cost !== undefined && { cost }) };
  return { raise, words: questionWords(meter, raise) };
}

/** For example: The run reached 20 iterations. May it go on, for 20 more (at a cost of about 0.4)? */
function questionWords({ reason, describe: words }: Meter, { used, allowed, more, cost }: LimitRaise): string {
  const price = cost === undefined ? "" : ` (at ${describe.cost_budget(cost).replace("of", "of about")})`;
  const so =
    reason === "max_iterations"
      ? `The run reached ${words(used)}.`
      : `The run reached a limit: ${words(used)} of at most ${words(allowed)}.`;
  const much = reason === "max_iterations" ? `${String(more)} more` : `${words(more)} more`;
  return `${so} May it go on, for ${much}${price}?`;
}

/** The first limit that forbids a request with the estimated usage `next`; undefined if none does. */
export function limitReached(state: Used, limits: Limits, next: Spent): LimitReached | undefined {
  for (const meter of metersOf(state, limits, next)) {
    const reached = reachedBy(meter, limits.reserve);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

function reachedBy({ reason, used, maximum, next, describe: words }: Meter, reserve: number): LimitReached | undefined {
  const hasReserve = reserve > 0;
  switch (reason) {
    case "max_iterations":
      if (used < maximum) return undefined;
      return { reason, message: `${words(used)}, as many as allowed`, canClose: hasReserve };
    case "timeout":
      if (used < maximum * (1 - reserve)) return undefined;
      return {
        reason,
        message: `${words(used)} of ${words(maximum)} have passed`,
        canClose: hasReserve && used < maximum,
      };
    case "token_budget":
    case "cost_budget": {
      const reserved = hasReserve ? Math.max(maximum * reserve, next) : 0;
      if (used < maximum && used + next + reserved <= maximum) return undefined;
      const message = `${words(used)} used, ${words(maximum)} allowed, and the next request is likely to take ${words(next)}`;
      return { reason, message, canClose: hasReserve && used + next <= maximum };
    }
  }
}

/** One warning for each limit whose usage has reached `warnAt` for the first time. */
export function warnings(
  state: State,
  limits: Limits,
): readonly { readonly reason: LimitReason; readonly text: string }[] {
  return metersOf(state, limits, { iterations: 0, tokens: 0, cost: 0 })
    .filter(
      ({ reason, used, maximum }) =>
        !state.warned.includes(reason) && used >= maximum * limits.warnAt && used < maximum,
    )
    .map(({ reason, used, maximum, describe: words }) => ({
      reason,
      text: `${words(used)} of at most ${words(maximum)} are used. Do what matters most first, and end before the rest is used up.`,
    }));
}
