// Limits: what the options and the file with prices set.

import { readFile } from "node:fs/promises";
import { LastcallError, type LimitOptions } from "../../core/index.js";
import { checkPrices, explain } from "../../core/internal.js";
import { presets } from "./help.js";
import type { Values } from "./options.js";
import { readAmount, readCount, readLimit, readTime, wrong } from "./values.js";

/** The limits that the options set, where nothing else is said those that are on by themselves. */
export function readLimits(values: Values): LimitOptions {
  const { maxIterations, timeout, maxTokens, iterationTimeout, toolTimeout } = presets;
  const given = {
    maxIterations: readLimit("--max-iterations", values["max-iterations"], readCount) ?? maxIterations,
    timeout: readLimit("--timeout", values.timeout, readTime) ?? timeout,
    maxTokens: readLimit("--max-tokens", values["max-tokens"], readCount) ?? maxTokens,
    maxCost: readLimit("--max-cost", values["max-cost"], readAmount) ?? "none",
  } as const;
  if (given.maxCost !== "none" && values.prices === undefined) {
    throw wrong("--max-cost needs to know what the model costs; add --prices FILE");
  }
  const set = Object.entries(given).filter(([, value]) => value !== "none");
  return { ...Object.fromEntries(set), iterationTimeout, toolTimeout };
}

/** The limits, with the prices from their file. */
export async function withPrices(limits: LimitOptions, file: string | undefined): Promise<LimitOptions> {
  if (file === undefined) return limits;
  try {
    return { ...limits, prices: checkPrices(JSON.parse(await readFile(file, "utf8"))) };
  } catch (thrown) {
    throw new LastcallError("configuration", `--prices ${file} can't be used: ${explain(thrown)}`, { cause: thrown });
  }
}
