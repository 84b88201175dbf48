// Finish reasons: the words by which servers end a reply, and what each says of it.

/**
 * The meaning of a finish reason.
 * - `complete`: the model ended the reply itself.
 * - `cut`: something ended the reply before the model did, and the same request would end in the same way: the model is told.
 * - `refused`: a filter, or the model, refused to answer.
 * - `malformed`: the provider discarded a call that the model wrote badly.
 * - `broken`: the server gave the reply up. The same request may succeed.
 * - `unknown`: the word says nothing of the reply.
 */
export type Finish = "complete" | "cut" | "refused" | "malformed" | "broken" | "unknown";

/** The words in small letters, without the prefix that Google's enumeration has. All other words are `unknown`. */
const words: Readonly<Record<Exclude<Finish, "unknown">, readonly string[]>> = {
  complete: [
    // OpenAI, with its first form of calls and the words of the AI SDK.
    ...["stop", "tool_calls", "function_call", "completed"],
    // Anthropic and Bedrock, which gateways pass on.
    ...["end_turn", "stop_sequence", "tool_use"],
    // Together, TGI, watsonx and gateways.
    ...["eos", "eos_token", "stop_token", "stop_string", "end", "end_of_turn", "tool_call"],
    // Cohere, Baidu.
    ...["complete", "normal"],
  ],
  cut: [
    ...["length", "max_tokens", "max_output_tokens", "max_completion_tokens", "max_new_tokens", "max_length"],
    // Mistral, watsonx, Cohere.
    ...["model_length", "token_limit", "error_limit"],
    // The window was full before the model had ended: GLM, Anthropic.
    ...["model_context_window_exceeded", "context_length_exceeded", "context_window_exceeded"],
    // The model wrote the same again and again, and would do so once more: vLLM.
    "repetition",
    // The turn goes on after these: Anthropic paused the work of a tool that it runs itself, or made room; Google goes on elsewhere.
    ...["pause_turn", "compaction", "continuation", "incomplete"],
  ],
  refused: [
    ...["content_filter", "content_filtered", "refusal", "guardrail_intervened"],
    // GLM, Cohere.
    ...["sensitive", "error_toxic"],
    ...["safety", "recitation", "language", "blocklist", "prohibited_content", "spii", "model_armor", "escalation"],
    ...["image_safety", "image_prohibited_content", "image_recitation"],
  ],
  malformed: [
    ...["malformed_function_call", "unexpected_tool_call", "malformed_response"],
    ...["malformed_tool_use", "malformed_model_output"],
  ],
  broken: [
    // vLLM and SGLang stopped the request; GLM lost its backend; DeepSeek had no room.
    ...["abort", "aborted", "cancel", "cancelled", "canceled", "user_cancel"],
    ...["error", "failed", "internal_error", "server_error", "network_error", "insufficient_system_resource"],
    ...[
      "timeout",
      "time_limit",
      "not_finished",
      "interrupted",
      "engine_overloaded",
      "overloaded",
      "rate_limit_exceeded",
    ],
  ],
};

const meanings: ReadonlyMap<string, Finish> = new Map(
  Object.entries(words).flatMap(([finish, all]) => all.map((word) => [word, finish as Finish] as const)),
);

/** The meaning of a finish reason, whatever its letters: `STOP`, `tool-calls`, `FINISH_REASON_MAX_TOKENS`. */
export function finishOf(reason: string | undefined): Finish {
  if (reason === undefined) return "complete";
  const word = reason
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return meanings.get(word.replace(/^finish_reason_/, "")) ?? "unknown";
}

/** The meanings by their weight in a reply of several reasons. A reply that was cut stays cut: some routers call the limit an error too. */
const order: readonly Finish[] = ["refused", "cut", "broken", "malformed", "unknown", "complete"];

/** The reason of a reply that gave two reasons: the later, unless the earlier weighs more. */
export function worseReason(earlier: string | undefined, later: string | undefined): string | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  return order.indexOf(finishOf(earlier)) < order.indexOf(finishOf(later)) ? earlier : later;
}
