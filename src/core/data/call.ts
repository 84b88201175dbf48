// The calls that a model writes, and the reply that contains them.

import type { Json, JsonObject } from "./json.js";

/** A call whose arguments are valid JSON. They are not validated against the tool's schema yet. */
export interface ReadableCall {
  readonly type: "call";
  /** The tool's name as the model wrote it. A tool of this name need not exist. */
  readonly name: string;
  readonly input: Json;
  /** The arguments exactly as the model wrote them. Present only if `JSON.stringify(input)` differs. */
  readonly source?: string;
  /** The repairs of the name or the arguments, in words for people; absent if there were none. */
  readonly repairs?: readonly string[];
  /** The provider's own id, stored only to send it back. */
  readonly providerId?: string;
  /** Other fields that the provider put on the call, such as a thought signature. They are sent back verbatim. */
  readonly extras?: JsonObject;
}

/** A call that must not run, because its text is malformed or was cut off. */
export interface UnreadableCall {
  readonly type: "unreadable-call";
  readonly kind: "malformed_call" | "truncated";
  /** The tool's name as far as it could be read; may be empty. */
  readonly name: string;
  /** The text that could not be parsed. */
  readonly source: string;
  /** The problem with the text, in words for the model. */
  readonly problem: string;
  readonly providerId?: string;
  readonly extras?: JsonObject;
}

/** A call as a model returns it, before it gets its effect key. */
export type WrittenCall = ReadableCall | UnreadableCall;

/** A call with its id, the effect key `<session>/<life>/<run>/call:<iteration>:<index>`, with a later life if its run went on before. */
export type Call = WrittenCall & { readonly id: string };

/** The arguments of a call as JSON text. For an unreadable call, its raw text. */
export function argumentsOf(call: WrittenCall): string {
  return call.type === "call" ? JSON.stringify(call.input) : call.source;
}

/** Token counts as the provider reported them. */
export interface Usage {
  /** Prompt tokens, cached tokens included. */
  readonly inputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache. */
  readonly cachedInputTokens: number;
  /** Completion tokens, reasoning tokens included. */
  readonly outputTokens: number;
  /** The part of `outputTokens` that the model used for reasoning. */
  readonly reasoningTokens: number;
}

/** A usage of zero tokens, the start of a sum. */
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

/** The usage of the whole without the usage of the part. */
export function subtractUsage(whole: Usage, part: Usage): Usage {
  return {
    inputTokens: whole.inputTokens - part.inputTokens,
    cachedInputTokens: whole.cachedInputTokens - part.cachedInputTokens,
    outputTokens: whole.outputTokens - part.outputTokens,
    reasoningTokens: whole.reasoningTokens - part.reasoningTokens,
  };
}

/** One complete reply of the model. */
export interface Reply<C extends WrittenCall = Call> {
  /** The text outside the calls; may be empty. */
  readonly text: string;
  readonly calls: readonly C[];
  /**
   * The end of the reply. `cut`: the length limit ended it, or nothing shows that it is whole. `refused`: the provider's filter or the
   * model's refusal ended it.
   */
  readonly finish: "complete" | "cut" | "refused";
  readonly usage: Usage;
  /** Other fields that the provider put on the message, such as reasoning. They are sent back verbatim, to the model that `from` names. */
  readonly extras?: JsonObject;
  /**
   * The way in which the model is made to call a tool from here on, if it is not the first that was tried, and the model and the provider
   * that it was learned of. The model goes on with it in another process too, so its prompt stays the same. Absent otherwise.
   */
  readonly learned?: { readonly forcing: string; readonly of: string };
  /**
   * The model and the address that wrote the extras of the reply and of its calls, and ids of calls that not every model takes. No other
   * model gets them. Absent without such parts, and in sessions of version 0.1.
   */
  readonly from?: string;
  /**
   * The model that wrote the response, often a dated version of the model that was asked for, and the id of the response: both as the
   * provider reported them. Absent if it reported neither.
   */
  readonly served?: { readonly model?: string; readonly id?: string };
  /** The name of the model that answered, if the agent's model is one of several (`fallback`). Absent otherwise. */
  readonly model?: string;
}
