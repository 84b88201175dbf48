// Calls as the model writes them, and the reply that holds them.

import type { Json, JsonObject } from "./json.js";

/** A call whose arguments could be read as JSON. They are not validated yet. */
export interface ReadableCall {
  readonly type: "call";
  /** The tool's name as the model wrote it; there may be no such tool. */
  readonly name: string;
  readonly input: Json;
  /** The arguments exactly as the model wrote them, kept only where `JSON.stringify(input)` differs. */
  readonly source?: string;
  /** What was mended in its name or arguments, in words for people; absent where nothing was. */
  readonly repairs?: readonly string[];
  /** The provider's own id, kept only for echoing it. */
  readonly providerId?: string;
  /** What else the provider put on the call (a thought signature, say); echoed verbatim. */
  readonly extras?: JsonObject;
}

/** A call that must not run, because its text is broken or was cut. */
export interface UnreadableCall {
  readonly type: "unreadable-call";
  readonly kind: "malformed_call" | "truncated";
  /** The name, as far as there is one. */
  readonly name: string;
  /** The text that could not be read. */
  readonly source: string;
  /** What is wrong with it, in words for the model. */
  readonly problem: string;
  readonly providerId?: string;
  readonly extras?: JsonObject;
}

/** A call as a model port returns it, before it has an id of ours. */
export type WrittenCall = ReadableCall | UnreadableCall;

/** A call with its id: the effect key `<session>/<run>/call:<iteration>:<index>`. */
export type Call = WrittenCall & { readonly id: string };

/** What a call was made with, as JSON text; as far as it was written, where it can't be read. */
export function argumentsOf(call: WrittenCall): string {
  return call.type === "call" ? JSON.stringify(call.input) : call.source;
}

/** Tokens spent, as the provider reported them. */
export interface Usage {
  /** Prompt tokens, cached ones included. */
  readonly inputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache. */
  readonly cachedInputTokens: number;
  /** Completion tokens, reasoning included. */
  readonly outputTokens: number;
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens: number;
}

/** No tokens at all: where counting starts. */
export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** One whole reply of the model. */
export interface Reply<C extends WrittenCall = Call> {
  /** What the model said outside its calls; empty if nothing. */
  readonly text: string;
  readonly calls: readonly C[];
  /** `complete`; `cut` when the length limit ended it; `refused` when the provider's filter or the model's refusal did. */
  readonly finish: "complete" | "cut" | "refused";
  readonly usage: Usage;
  /** What else the provider put on the message (reasoning to be echoed, say); sent back verbatim. */
  readonly extras?: JsonObject;
}
