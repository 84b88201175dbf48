// Recognizes the words and codes by which servers say that a prompt is longer than the model's window.

/** The facts of an error that tell an overflow from other refusals. */
export interface Refusal {
  readonly status: number | undefined;
  /** The `code` and the `type` of the error. */
  readonly codes: readonly unknown[];
  readonly message: string;
}

const overflowCodes: ReadonlySet<unknown> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "request_too_large",
  "tokens_limit_reached",
  "too_many_prompt_tokens",
]);

/** A limit of a window is named together with a word for "more than". */
const aboutWindow = /context (?:length|window|size)|max(?:imum)? context/i;
const aboutExcess = /exceed|longer|larger|greater|too (?:long|large|big|many)|max|limit|requested/i;

/** The words of servers that do not name the window. */
const aboutPrompt =
  /too many (?:\w+ )?tokens|\b(?:prompt|input|messages)(?: is| are)? too long|(?:prompt|input) token count[^.]{0,60} exceeds|maximum (?:prompt|input) length|reduce the length of the (?:messages|prompt|input)|exceed(?:s|ed)? (?:the )?model(?:'s)? token limit|prompt exceeds (?:the )?max|range of input length/i;

/** A limit on requests or tokens in a span of time. Waiting helps against it, a shorter prompt does not. */
const aboutRate = /per[ _-]?(?:second|minute|hour|day)|\b[TR]P[MD]\b|rate[ _-]?limit|quota/i;

/** True if the provider refuses the prompt because it is too long. */
export function isTooLong({ status, codes, message }: Refusal): boolean {
  if (codes.some((code) => overflowCodes.has(code))) return true;
  if (status === 429 || [message, ...codes].some((words) => typeof words === "string" && aboutRate.test(words)))
    return false;
  // The body of a request is large because its prompt is.
  if (status === 413) return true;
  return (aboutWindow.test(message) && aboutExcess.test(message)) || aboutPrompt.test(message);
}
