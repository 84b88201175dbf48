// Shared limits: one budget that many runs draw from, or one for each principal or tenant.

import type { Budget } from "./budget.js";
import { checkMaxCost, limitReached, type Limits } from "./limit.js";
import { LastcallError } from "../data/fault.js";
import { readPrincipal, type Principal } from "../data/principal.js";
import { checkOptions, choiceOf, needed, objectWith, wholeNumber, type OptionKinds } from "../data/settings.js";
import { addSpent, nothingSpent, type LimitReached, type Spent } from "../journal/spent.js";

/** Bounds on many runs, wherever their amounts are kept. At least one is given. */
export interface LimitsOfMany {
  /** Maximum cost of all requests, in the currency of the agents' `limits.prices`, which must have the price of each model. */
  readonly maxCost?: number | undefined;
  /** Maximum number of tokens of all requests, input and output. */
  readonly maxTokens?: number | undefined;
  /** Maximum number of model replies. */
  readonly maxIterations?: number | undefined;
  /**
   * Bounds each principal, or each tenant, by itself. The principal is the principal of the words that a request follows from, also in
   * agents that calls run and after a resume. Runs without a principal have one limit together, and so have runs without a tenant.
   * Default: all runs have one limit together.
   */
  readonly per?: "principal" | "tenant" | undefined;
  /**
   * Begins anew with each hour, day or month of UTC. A request counts for the period in which its amount was set aside. Default: there is
   * one period without an end.
   */
  readonly every?: "hour" | "day" | "month" | undefined;
}

/** Bounds on many runs of this process. At least one is given. */
export interface SharedLimitOptions extends LimitsOfMany {
  /**
   * The amounts that earlier runs used, such as `spent` of an earlier process. They count as used. Not with `per` or `every`. Default:
   * nothing.
   */
  readonly spent?: Spent | undefined;
  /** The clock of `every`, for tests. Default: the clock of the system. */
  readonly runtime?: { now(): number } | undefined;
}

/** A budget for many runs: `run(input, { budget })`. */
export interface SharedLimits extends Budget {
  /** The amounts that all runs have used so far, in all periods. */
  readonly spent: Spent;
  /**
   * The amounts that the limit of this principal counts now: in the present period, and with `per` of the principal or of its tenant.
   * Without a principal: of the runs that have none.
   */
  spentBy(principal?: Principal): Spent;
}

const sharedLimitOptions = {
  maxCost: "number",
  maxTokens: "number",
  maxIterations: "number",
  per: choiceOf("principal", "tenant"),
  every: choiceOf("hour", "day", "month"),
} satisfies OptionKinds<LimitsOfMany>;

const ownOptions = {
  ...sharedLimitOptions,
  spent: "object",
  runtime: objectWith("a clock: { now() }", "now"),
} satisfies OptionKinds<SharedLimitOptions>;

/** The amounts of one key in one period. */
interface Account {
  spent: Spent;
  reserved: Spent;
}

/**
 * Makes limits that several runs share, at the same time or one after the other, over any number of agents of this process. A request is
 * only sent if its likely usage fits; a run that gets none stops with the limit as its reason, without a closing iteration. A reply may
 * use more than estimated, so the sum may pass the limit by the difference.
 * @throws LastcallError `configuration` for a limit that is no number above 0, if there is no limit, and for `spent` beside `per` or
 * `every`.
 */
export function sharedLimits(options: SharedLimitOptions): SharedLimits {
  checkOptions("sharedLimits", options, ownOptions);
  const { spent: earlier, runtime = { now: () => Date.now() }, ...many } = options;
  const limits = limitsOfMany("sharedLimits", many);
  const { per, every } = many;
  if (earlier !== undefined && (per !== undefined || every !== undefined))
    throw new LastcallError(
      "configuration",
      "sharedLimits.spent is one sum, and per or every counts several: leave spent out, or use limits of pgStore, which outlive the process.",
    );
  let spent = addSpent(nothingSpent, checkSpent(earlier ?? nothingSpent));
  const accounts = new Accounts();
  accounts.of(periodAt(runtime.now(), every), limitKey(undefined, per)).spent = spent;
  return {
    needsPrice: limits.maxCost !== undefined,
    get spent() {
      return spent;
    },
    spentBy(principal) {
      const who = principal === undefined ? undefined : readPrincipal(principal, "The principal of spentBy");
      return accounts.seen(periodAt(runtime.now(), every), limitKey(who, per))?.spent ?? nothingSpent;
    },
    reserve(next, _key, principal) {
      const period = periodAt(runtime.now(), every);
      const account = accounts.of(period, limitKey(principal, per));
      const used = addSpent(account.spent, account.reserved);
      const reached = limitReached({ spent: used, elapsed: 0 }, limits, next);
      if (reached !== undefined) return sharedLimitReached(reached, { per, principal, period });
      account.reserved = addSpent(account.reserved, next);
      const release = (): void => {
        const { iterations, tokens, cost } = next;
        account.reserved = addSpent(account.reserved, { iterations: -iterations, tokens: -tokens, cost: -cost });
      };
      const settle = (used: Spent): Promise<void> => {
        release();
        account.spent = addSpent(account.spent, used);
        spent = addSpent(spent, used);
        return Promise.resolve();
      };
      return { release, settle };
    },
  };
}

/** The accounts of the last two periods, by key. The clock may go back over the end of a period. */
class Accounts {
  readonly #periods = new Map<string, Map<string, Account>>();

  /** The account, made anew if there is none. */
  of(period: string, key: string): Account {
    const accounts = this.#periods.get(period) ?? new Map<string, Account>();
    this.#periods.set(period, accounts);
    const [oldest] = this.#periods.keys();
    if (this.#periods.size > 2 && oldest !== undefined) this.#periods.delete(oldest);
    const account = accounts.get(key) ?? { spent: nothingSpent, reserved: nothingSpent };
    accounts.set(key, account);
    return account;
  }

  seen(period: string, key: string): Account | undefined {
    return this.#periods.get(period)?.get(key);
  }
}

/**
 * Checks the bounds on many runs.
 * @throws LastcallError `configuration` for a limit that is no number above 0, and if there is no limit.
 */
export function limitsOfMany(where: string, options: LimitsOfMany): Limits {
  checkOptions(where, options, sharedLimitOptions);
  const { maxCost, maxTokens, maxIterations } = options;
  if (maxTokens !== undefined) wholeNumber(`${where}.maxTokens`, maxTokens);
  if (maxIterations !== undefined) wholeNumber(`${where}.maxIterations`, maxIterations);
  if (maxCost !== undefined) checkMaxCost(`${where}.maxCost`, maxCost);
  if ((maxCost ?? maxTokens ?? maxIterations) === undefined)
    throw new LastcallError("configuration", `${where} needs a limit: maxCost, maxTokens or maxIterations.`);
  return { maxCost, maxTokens, maxIterations, prices: {}, warnAt: 1, reserve: 0 };
}

/** The key that runs of one limit have in common. It has no line break. Empty for the runs that have one limit together. */
export function limitKey(principal: Principal | undefined, per: LimitsOfMany["per"]): string {
  if (per === undefined || principal === undefined) return "";
  const { id, tenant } = principal;
  if (per === "principal") return JSON.stringify(tenant === undefined ? [id] : [id, tenant]);
  return tenant === undefined ? "" : JSON.stringify(tenant);
}

/** The beginning of the time in ISO 8601 that all times of one period have in common. */
const periodLengths = { hour: "2026-11-29T13".length, day: "2026-11-29".length, month: "2026-11".length };

/** The name of the period of this time, by the calendar of UTC. Empty if there is one period. */
function periodAt(now: number, every: LimitsOfMany["every"]): string {
  return every === undefined ? "" : new Date(now).toISOString().slice(0, periodLengths[every]);
}

/** The account that forbids a request. */
export interface LimitAccount {
  /** The name of the budget. Default: it has none. */
  readonly name?: string;
  readonly per: LimitsOfMany["per"];
  readonly principal: Principal | undefined;
  /** The name of the period; empty if there is one. */
  readonly period: string;
}

/** The limit that was reached, and whose limit it is. No id is told: another person may read the message. */
export function sharedLimitReached(
  reached: LimitReached,
  { name, per, principal, period }: LimitAccount,
): LimitReached {
  const limit = name === undefined ? "the limit" : `the limit ${name}`;
  const time = period === "" ? "" : `, for ${period} (UTC)`;
  return { ...reached, message: `${limit} ${whose(principal, per)}${time}: ${reached.message}` };
}

function whose(principal: Principal | undefined, per: LimitsOfMany["per"]): string {
  if (per === undefined) return "that several runs share";
  if (limitKey(principal, per) === "") return `of all runs without a ${per}`;
  return per === "principal" ? "of the principal that asked" : "of the tenant that asked";
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
