// The windowed memory: a prompt that is kept within the model's window, step by step.

import { LastcallError, type MemoryFactory, type Model } from "../../core/index.js";
import { wholeNumber } from "../../core/internal.js";
import { remember } from "./remember.js";

/** How a prompt is kept within a window. */
export interface WindowOptions {
  /** Tokens that the model takes, prompt and reply together; at least 1000. */
  readonly window: number;
  /** Writes the summary when older messages are folded: any model, a small one will do. Default: it is made by rule. */
  readonly summarize?: Model | undefined;
  /** Milliseconds that the summary may take; then it is made by rule. Default 120,000. */
  readonly timeout?: number | undefined;
  /** The latest groups, a reply and its results each, that are kept as they are. Default 4. */
  readonly keep?: number | undefined;
}

/**
 * A memory that keeps every record, leaves failed streaks out of the prompt once the model recovers, and shortens the
 * prompt as the window fills: old results become stubs at 60 % of it, what is old becomes a summary at 75 %, the oldest groups
 * go at 90 %. Where nothing is left that could go, the run stops `context_full`.
 * @throws LastcallError `configuration` for a number that can't be used, or a `summarize` that is no model.
 */
export function windowed({ window, summarize, timeout = 120_000, keep = 4 }: WindowOptions): MemoryFactory {
  if (summarize !== undefined && typeof (summarize as Partial<Model>).respond !== "function") {
    throw new LastcallError("configuration", 'summarize is no model: give one, for example openai({ model: "..." }).');
  }
  const bounds = {
    window: wholeNumber("window", window, 1000),
    keep: wholeNumber("keep", keep),
    timeout: wholeNumber("timeout", timeout),
    summarize,
  };
  return (session) => remember(session, bounds);
}
