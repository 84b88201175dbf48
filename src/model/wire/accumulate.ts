// Assembles the chunks of a streamed completion into one message.

import { addUsage, noUsage, type JsonObject, type ModelEvent, type Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { callPieces, merge, type AccumulatedCall } from "./accumulate-calls.js";

/** A message assembled from its chunks. */
export interface AccumulatedMessage {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly AccumulatedCall[];
  /** The provider's finish reason; undefined if it gave none. */
  readonly finishReason: string | undefined;
  /** True if the last chunk reported the usage. */
  readonly endsWithUsage: boolean;
  readonly usage: Usage;
  readonly extras: JsonObject;
}

/** Assembles one message. */
export interface Accumulator {
  /** Takes one chunk, or one whole completion. Returns the events for watchers. */
  add(chunk: unknown): readonly ModelEvent[];
  /** The message so far; undefined if no chunk held a message. */
  message(): AccumulatedMessage | undefined;
}

/** Keys of a message that are no extras: they are read here, or no provider takes them back. */
const knownKeys = new Set(["role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"]);

/** Makes an accumulator for one reply. */
export function accumulator(): Accumulator {
  const text: string[] = [];
  const refusal: string[] = [];
  const calls = callPieces();
  const extras: Record<string, unknown> = {};
  let finishReason: string | undefined;
  let usage = noUsage;
  let hasMessage = false;
  let endsWithUsage = false;

  function addMessage(message: Readonly<Record<string, unknown>>, isWhole: boolean): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    const thinking = thinkingOf(message["content"]);
    if (thinking !== "") events.push({ type: "reasoning-delta", text: thinking });
    const content = textOf(message["content"]);
    if (content !== "") {
      text.push(content);
      events.push({ type: "text-delta", text: content });
    }
    if (typeof message["refusal"] === "string") refusal.push(message["refusal"]);
    for (const [key, value] of Object.entries(message)) {
      if (knownKeys.has(key) || value === null || value === undefined) continue;
      merge(extras, key, value);
      if (key.startsWith("reasoning") && typeof value === "string" && value !== "") {
        events.push({ type: "reasoning-delta", text: value });
      }
    }
    const { tool_calls: pieces, function_call: legacy } = message;
    for (const piece of Array.isArray(pieces) ? pieces.filter(isPlainObject) : [])
      events.push(...calls.add(piece, isWhole));
    if (isPlainObject(legacy)) events.push(...calls.addLegacy(legacy));
    return events;
  }

  return {
    add(chunk) {
      if (!isPlainObject(chunk)) return [];
      const reported = readUsage(chunk["usage"]);
      usage = reported ?? usage;
      endsWithUsage = reported !== undefined;
      const choice = firstChoice(chunk["choices"]);
      // After the finish reason, only usage is read.
      if (choice === undefined || finishReason !== undefined) return [];
      const reason = choice["finish_reason"];
      if (typeof reason === "string" && reason !== "") finishReason = reason;
      // A whole completion may have an empty delta beside its message; a chunk may have the whole message so far beside its delta.
      const isOnlyOne = !hasMessage && finishReason !== undefined && isPlainObject(choice["message"]);
      const isWhole = isOnlyOne || choice["delta"] === undefined;
      const message = isWhole ? choice["message"] : choice["delta"];
      // A completion that was filtered has no message.
      hasMessage ||= !isWhole || isPlainObject(message) || finishReason === "content_filter";
      return isPlainObject(message) ? addMessage(message, isWhole) : [];
    },
    message() {
      if (!hasMessage) return undefined;
      return {
        text: text.join(""),
        refusal: refusal.join(""),
        calls: calls.all(),
        finishReason,
        endsWithUsage,
        usage,
        extras: extras as JsonObject,
      };
    },
  };
}

/** The first choice. Other choices are alternatives that the request did not ask for. */
function firstChoice(choices: unknown): Readonly<Record<string, unknown>> | undefined {
  const known = Array.isArray(choices) ? choices.filter(isPlainObject) : [];
  return known.find(({ index }) => typeof index !== "number" || index === 0);
}

/** The text of a message's content, which is a string or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content.filter(isPlainObject).filter(({ type = "text" }) => type === "text" || type === "output_text");
  return parts.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/** The text of the parts of a message's content that are thinking. */
function thinkingOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const parts = content.filter(isPlainObject).filter(({ type }) => type === "thinking");
  return parts.map(({ thinking }) => textOf(thinking)).join("");
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const prompt = isPlainObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const completion = isPlainObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  return addUsage(noUsage, {
    inputTokens: count(usage["prompt_tokens"]),
    cachedInputTokens: count(prompt["cached_tokens"]),
    outputTokens: count(usage["completion_tokens"]),
    reasoningTokens: count(completion["reasoning_tokens"]),
  });
}

/** A number of tokens; 0 for a value that is not a positive number. */
export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
