// Shared limits: one budget that many runs draw from.

import type { Budget } from "./budget.js";
import { checkMaxCost, limitReached } from "./limit.js";
import { LastcallError } from "../data/fault.js";
import { checkOptions, needed, wholeNumber, type OptionKinds } from "../data/settings.js";
import { addSpent, nothingSpent, type Spent } from "../journal/spent.js";

/** Bounds on all runs together. At least one is given. */
export interface SharedLimitOptions {
  /** Maximum cost of all requests, in the currency of the agents' `limits.prices`, which must have the price of each model. */
  readonly maxCost?: number | undefined;
  /** Maximum number of tokens of all requests, input and output. */
  readonly maxTokens?: number | undefined;
  /** Maximum number of model replies. */
  readonly maxIterations?: number | undefined;
  /** The amounts that earlier runs used, such as `spent` of an earlier process. They count as used. Default: nothing. */
  readonly spent?: Spent | undefined;
}

/** A budget for many runs: `run(input, { budget })`. */
export interface SharedLimits extends Budget {
  /** The amounts that all runs have used so far. */
  readonly spent: Spent;
}

const sharedLimitOptions = {
  maxCost: "number",
  maxTokens: "number",
  maxIterations: "number",
  spent: "object",
} satisfies OptionKinds<SharedLimitOptions>;

/**
 * Makes limits that several runs share, at the same time or one after the other, over any number of agents of this process. A request is
 * only sent if its likely usage fits; a run that gets none stops with the limit as its reason, without a closing iteration. A reply may
 * use more than estimated, so the sum may pass the limit by the difference.
 * @throws LastcallError `configuration` for a limit that is no number above 0, or if there is no limit.
 */
export function sharedLimits(options: SharedLimitOptions): SharedLimits {
  checkOptions("sharedLimits", options, sharedLimitOptions);
  const { maxCost, maxTokens, maxIterations } = options;
  if (maxTokens !== undefined) wholeNumber("sharedLimits.maxTokens", maxTokens);
  if (maxIterations !== undefined) wholeNumber("sharedLimits.maxIterations", maxIterations);
  if (maxCost !== undefined) checkMaxCost("sharedLimits.maxCost", maxCost);
  if ((maxCost ?? maxTokens ?? maxIterations) === undefined) {
    throw new LastcallError("configuration", "sharedLimits needs a limit: maxCost, maxTokens or maxIterations.");
  }
  const limits = { maxCost, maxTokens, maxIterations, prices: {}, warnAt: 1, reserve: 0 };
  let spent = addSpent(nothingSpent, checkSpent(options.spent ?? nothingSpent));
  let reserved = nothingSpent;
  return {
    needsPrice: maxCost !== undefined,
    get spent() {
      return spent;
    },
    reserve(next) {
      const reached = limitReached({ spent: addSpent(spent, reserved), elapsed: 0 }, limits, next);
      if (reached !== undefined)
        return { ...reached, message: `the limit that several runs share: ${reached.message}` };
      reserved = addSpent(reserved, next);
      const release = (): void => {
        reserved = addSpent(reserved, { iterations: -next.iterations, tokens: -next.tokens, cost: -next.cost });
      };
      const settle = (used: Spent): Promise<void> => {
        release();
        spent = addSpent(spent, used);
        return Promise.resolve();
      };
      return { release, settle };
    },
  };
}

const spentOptions = {
  iterations: needed("number"),
  tokens: needed("number"),
  cost: needed("number"),
} satisfies OptionKinds<Spent>;

/** @throws LastcallError `configuration` unless each amount is a number of at least 0. */
function checkSpent(spent: Spent): Spent {
  checkOptions("sharedLimits.spent", spent, spentOptions);
  for (const [name, amount] of Object.entries(spent) as [string, number][])
    if (!Number.isFinite(amount) || amount < 0)
      throw new LastcallError("configuration", `sharedLimits.spent.${name} is ${String(amount)}: give 0 or more.`);
  return spent;
}
