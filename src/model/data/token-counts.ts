// Token counts as providers write them: single numbers, and tokens that only their total has.

import type { Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** A number of tokens; 0 for a value that is not a positive number. */
export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/**
 * The usage with the tokens that only the provider's `total_tokens` has. xAI counts reasoning beside the completion, and Google counts
 * thoughts in the total alone: both are output. Mistral counts audio beside the prompt. `raw` is the usage as the provider wrote it, in the
 * words of the two APIs of OpenAI; in other words it says nothing.
 */
export function wholeUsage(usage: Usage, raw: Readonly<Record<string, unknown>>): Usage {
  const { inputTokens, outputTokens } = usage;
  const missing = count(raw["total_tokens"]) - inputTokens - outputTokens;
  const { prompt_tokens_details: prompt, completion_tokens: completion, output_tokens: output } = raw;
  if (missing <= 0 || inputTokens + outputTokens === 0 || (completion ?? output) === undefined) return usage;
  const isAudio = isPlainObject(prompt) && prompt["audio_tokens"] === missing;
  return isAudio
    ? { ...usage, inputTokens: inputTokens + missing }
    : { ...usage, outputTokens: outputTokens + missing };
}
