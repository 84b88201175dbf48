// Reads the part that ends a stream: the evidence that the reply is complete, and its usage.

import { LastcallError, noUsage, type Usage } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { count, finishOf, wholeUsage, type RawReply } from "../model/carriers.js";

/** The end of a reply, with the provider's own word if that is not known. */
export type ReplyEnd = Pick<RawReply, "finish" | "finishReason">;

/**
 * The end of a reply. The provider's own word decides, then the word of its package.
 * @throws LastcallError `provider_unavailable` for a finish reason that shows no end.
 */
export function endOf(given: unknown, provider: string): ReplyEnd {
  const { unified, raw } = (isPlainObject(given) ? given : {}) as {
    readonly unified?: unknown;
    readonly raw?: unknown;
  };
  const own = typeof raw === "string" && raw !== "" ? raw : undefined;
  if (unified === "length") return { finish: "cut" };
  if (unified === "content-filter") return { finish: "refused" };
  const finish = own === undefined ? "unknown" : finishOf(own);
  if (finish === "malformed") return { finish };
  if (finish === "broken" || unified === "error")
    throw brokenOff(provider, `broke the reply off: ${JSON.stringify(own ?? "error")}`);
  // The packages begin with `other` and no reason of the provider, and keep that if the stream just ends.
  const isOpen = unified === undefined || unified === "interrupted" || (own === undefined && !isEnd(unified));
  if (isOpen) throw brokenOff(provider, "closed the stream before the reply's end");
  if (finish !== "unknown") return { finish };
  return unified === "stop" || own === undefined ? { finish: "complete" } : { finish, finishReason: own };
}

function isEnd(unified: unknown): boolean {
  return unified === "stop" || unified === "tool-calls";
}

/** The same, for a reply without calls. If it ended for its calls, the package passed no call on: some drop a call without a name. */
export function endWithoutCalls(given: unknown, provider: string): ReplyEnd {
  const end = endOf(given, provider);
  return end.finish === "complete" && isPlainObject(given) && given["unified"] === "tool-calls"
    ? { finish: "malformed" }
    : end;
}

/** The fault for a reply that is not complete. */
export function brokenOff(provider: string, what: string): LastcallError {
  return new LastcallError("provider_unavailable", `The provider ${provider} ${what}.`);
}

/** The usage of a reply. */
export function usageOf(usage: unknown): Usage {
  if (!isPlainObject(usage)) return noUsage;
  const { inputTokens, outputTokens } = usage;
  const input = isPlainObject(inputTokens) ? inputTokens : {};
  const output = isPlainObject(outputTokens) ? outputTokens : {};
  const { raw: own } = usage;
  const raw = isPlainObject(own) ? own["completion_tokens_details"] : undefined;
  const details = isPlainObject(raw) ? raw : {};
  const parts = {
    inputTokens: count(input["total"]),
    cachedInputTokens: count(input["cacheRead"]),
    outputTokens: count(output["total"]),
    // The package for Mistral leaves this number in the provider's own words.
    reasoningTokens: count(output["reasoning"] ?? details["reasoning_tokens"]),
  };
  return isPlainObject(own) ? wholeUsage(parts, own) : parts;
}
