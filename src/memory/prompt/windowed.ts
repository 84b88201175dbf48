// The windowed memory: keeps the prompt within the model's window, step by step.

import { type MemoryFactory, type Model } from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds, wholeNumber } from "../../core/internal.js";
import { remember } from "./remember.js";

/** The options of `windowed`. */
export interface WindowOptions {
  /** The context window of the model in tokens, prompt and reply together; at least 1000. */
  readonly window: number;
  /** The model that writes the summary when older messages are folded. A small model is enough. Default: the summary is made by rule. */
  readonly summarize?: Model | undefined;
  /**
   * The timeout of the summary in milliseconds, over all attempts; after it the summary is made by rule, and so are later summaries of the
   * run. Default 60,000.
   */
  readonly timeout?: number | undefined;
  /** The number of latest groups (a reply and its results) that are never shortened. Default 4. */
  readonly keep?: number | undefined;
}

const windowOptions = {
  window: needed("number"),
  summarize: portKinds.model,
  timeout: "number",
  keep: "number",
} satisfies OptionKinds<WindowOptions>;

/**
 * A memory that keeps every record and shortens the prompt as the window fills. At 60 % of the window, old results become
 * stubs; at 75 %, older messages become a summary; at 90 %, the oldest groups are removed. If nothing more can be removed, the
 * run stops with `context_full`. Failed streaks leave the prompt once the model recovers.
 * @throws LastcallError `configuration` for an invalid number, or a `summarize` that is not a model.
 */
export function windowed(options: WindowOptions): MemoryFactory {
  checkOptions("windowed", options, windowOptions);
  const { window, summarize, timeout = 60_000, keep = 4 } = options;
  const bounds = {
    window: wholeNumber("window", window, 1000),
    keep: wholeNumber("keep", keep),
    timeout: wholeNumber("timeout", timeout),
    summarize,
  };
  return (session) => remember(session, bounds);
}
