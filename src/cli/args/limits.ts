// Limits: from the options, and from the file with prices.

import { LastcallError, type LimitOptions } from "../../core/index.js";
import { checkPrices, explain } from "../../core/internal.js";
import type { OptionValues } from "./option-table.js";
import { readOptions } from "./options.js";
import { readWhole } from "../words/bounded-file.js";

/** Limits that no option sets, in milliseconds: generous, so that nothing runs for ever. */
const fixed = { iterationTimeout: 30 * 60_000, toolTimeout: 20 * 60_000 };

/** The limits that the options set; those that are `none` are left out. */
export function readLimits({ maxIterations, timeout, maxTokens, maxCost }: OptionValues): LimitOptions {
  const limits = Object.entries({ maxIterations, timeout, maxTokens, maxCost }).filter(([, value]) => value !== "none");
  return { ...Object.fromEntries(limits), ...fixed };
}

/** The limits of a run without options. */
export const defaultLimits: LimitOptions = readLimits(readOptions({}));

/**
 * The limits with the prices from their file.
 * @throws LastcallError `configuration` if the file can't be read or has other contents.
 */
export async function withPrices(limits: LimitOptions, file: string | undefined): Promise<LimitOptions> {
  if (file === undefined) return limits;
  try {
    return { ...limits, prices: checkPrices(JSON.parse(await readWhole(file))) };
  } catch (thrown) {
    throw new LastcallError("configuration", `--prices ${file} can't be used: ${explain(thrown)}`, { cause: thrown });
  }
}
