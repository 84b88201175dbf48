// Reads the part that ends a stream: the evidence that the reply is complete, and its usage.

import { LastcallError, noUsage, type Usage } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { count, finishOf, type RawReply } from "../model/carriers.js";

/** The end of a reply. Finish reasons that show no end are faults. */
export function endOf(given: unknown, provider: string): RawReply["finish"] {
  const { unified, raw } = (isPlainObject(given) ? given : {}) as {
    readonly unified?: unknown;
    readonly raw?: unknown;
  };
  const reason = typeof raw === "string" ? raw : undefined;
  if (unified === "length") return "cut";
  if (unified === "content-filter") return "refused";
  const finish = finishOf(reason);
  if (finish !== "complete") return finish;
  if (unified === "error" || reason === "error") throw brokenOff(provider, "broke the reply off with an error");
  // The packages begin with `other` and no reason of the provider, and keep that if the stream just ends.
  const isOpen = unified === undefined || unified === "interrupted" || (unified === "other" && reason === undefined);
  if (isOpen) throw brokenOff(provider, "closed the stream before the reply's end");
  return finish;
}

/** The same, for a reply without calls. If it ended for its calls, the package passed no call on: some drop a call without a name. */
export function endWithoutCalls(given: unknown, provider: string): RawReply["finish"] {
  const finish = endOf(given, provider);
  return finish === "complete" && isPlainObject(given) && given["unified"] === "tool-calls" ? "malformed" : finish;
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
  return {
    inputTokens: count(input["total"]),
    cachedInputTokens: count(input["cacheRead"]),
    outputTokens: count(output["total"]),
    // The package for Mistral leaves this number in the provider's own words.
    reasoningTokens: count(output["reasoning"] ?? details["reasoning_tokens"]),
  };
}
