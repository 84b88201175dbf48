// Assembles the chunks of a streamed completion into one message.

import { addUsage, noUsage, type JsonObject, type ModelEvent, type Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { callPieces, merge, type AccumulatedCall } from "./accumulate-calls.js";
import type { ChatChoice, ChatChunk, ChatUsage, Unread } from "./chat-shapes.js";

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

  function addMessage(message: Unread<ChatChoice["delta"]>, isWhole: boolean): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    const { content: parts, refusal: refused, tool_calls: pieces, function_call: legacy } = message;
    const thinking = thinkingOf(parts);
    if (thinking !== "") events.push({ type: "reasoning-delta", text: thinking });
    const content = textOf(parts);
    if (content !== "") {
      text.push(content);
      events.push({ type: "text-delta", text: content });
    }
    if (typeof refused === "string") refusal.push(refused);
    for (const [key, value] of Object.entries(message)) {
      if (knownKeys.has(key) || value === null || value === undefined) continue;
      merge(extras, key, value);
      if (key.startsWith("reasoning") && typeof value === "string" && value !== "") {
        events.push({ type: "reasoning-delta", text: value });
      }
    }
    for (const piece of Array.isArray(pieces) ? pieces.filter(isPlainObject) : [])
      events.push(...calls.add(piece, isWhole));
    if (isPlainObject(legacy)) events.push(...calls.addLegacy(legacy));
    return events;
  }

  return {
    add(chunk) {
      if (!isPlainObject(chunk)) return [];
      const { usage: given, choices }: Unread<ChatChunk> = chunk;
      const reported = readUsage(given);
      usage = reported ?? usage;
      endsWithUsage = reported !== undefined;
      const choice = firstChoice(choices);
      // After the finish reason, only usage is read.
      if (choice === undefined || finishReason !== undefined) return [];
      const { finish_reason: reason, delta, message: whole } = choice;
      if (typeof reason === "string" && reason !== "") finishReason = reason;
      // A whole completion may have an empty delta beside its message; a chunk may have the whole message so far beside its delta.
      const isOnlyOne = !hasMessage && finishReason !== undefined && isPlainObject(whole);
      const isWhole = isOnlyOne || delta === undefined;
      const message = isWhole ? whole : delta;
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

/** A choice: its piece, or its whole message. */
type UnreadChoice = Unread<ChatChoice & { readonly message: unknown }>;

/** The first choice. Other choices are alternatives that the request did not ask for. */
function firstChoice(choices: unknown): UnreadChoice | undefined {
  const known: readonly UnreadChoice[] = Array.isArray(choices) ? choices.filter(isPlainObject) : [];
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

type Details<Key extends keyof ChatUsage> = NonNullable<ChatUsage[Key]>;

function readUsage(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const tokens: Unread<ChatUsage> = usage;
  const prompt = plain<Unread<Details<"prompt_tokens_details">>>(tokens.prompt_tokens_details);
  const completion = plain<Unread<Details<"completion_tokens_details">>>(tokens.completion_tokens_details);
  return addUsage(noUsage, {
    inputTokens: count(tokens.prompt_tokens),
    cachedInputTokens: count(prompt.cached_tokens),
    outputTokens: count(tokens.completion_tokens),
    reasoningTokens: count(completion.reasoning_tokens),
  });
}

/** The object with the keys that are read of it, or an empty one. */
export function plain<Shape extends object>(value: unknown): Partial<Shape> {
  return (isPlainObject(value) ? value : {}) as Partial<Shape>;
}

/** A number of tokens; 0 for a value that is not a positive number. */
export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
