// Limits: from the options, and from the file with prices.

import { LastcallError, type AskingLimits } from "../../core/index.js";
import { checkPrices, explain } from "../../core/internal.js";
import type { Name, OptionValues } from "./option-table.js";
import { readWhole } from "../display/bounded-file.js";

/** The time limits of one iteration and of one tool, in milliseconds. No option sets them; an agent's module can. */
const unsetByOptions = { iterationTimeout: 30 * 60_000, toolTimeout: 20 * 60_000 };

/** The limits that the options set; limits that are `none` are left out. */
export function readLimits({ maxIterations, timeout, maxTokens, maxCost }: OptionValues): AskingLimits {
  const limits = Object.entries({ maxIterations, timeout, maxTokens, maxCost }).filter(([, value]) => value !== "none");
  return { ...Object.fromEntries(limits), ...unsetByOptions };
}

/**
 * The limits of a run. A given option wins over an agent's module, and the module over the command's defaults. Prices of the option and of
 * the module hold together; for the same model the option's price wins.
 */
export function joinLimits(
  { limits, given }: { readonly limits: AskingLimits; readonly given: readonly Name[] },
  own: AskingLimits = {},
): AskingLimits {
  const wins = Object.entries(byOption).flatMap(([limit, option]) => (given.includes(option) ? [limit] : []));
  const others = Object.entries(own).filter(([name, value]) => value !== undefined && !wins.includes(name));
  const prices = { ...own.prices, ...limits.prices };
  const joined = { ...limits, ...Object.fromEntries(others), ...(Object.keys(prices).length > 0 && { prices }) };
  if (own.ask === undefined) return joined;
  // A limit that an option took away asks nothing.
  const asks = Object.entries(own.ask).filter(([limit]) => !wins.includes(limit) || limit in limits);
  const { ask: _ask, ...rest } = joined as AskingLimits;
  return asks.length === 0 ? rest : { ...rest, ask: Object.fromEntries(asks) };
}

/** The limits that options set. */
const byOption = {
  maxIterations: "max-iterations",
  timeout: "timeout",
  maxTokens: "max-tokens",
  maxCost: "max-cost",
} satisfies Partial<Record<keyof AskingLimits, Name>>;

/**
 * The limits with the prices from their file.
 * @throws LastcallError `configuration` if the file can't be read or does not hold prices.
 */
export async function withPrices(limits: AskingLimits, file: string | undefined): Promise<AskingLimits> {
  if (file === undefined) return limits;
  try {
    return { ...limits, prices: checkPrices(JSON.parse(await readWhole(file))) };
  } catch (thrown) {
    throw new LastcallError("configuration", `--prices ${file} can't be used: ${explain(thrown)}`, { cause: thrown });
  }
}
