// Assembles the chunks of a streamed completion into one message.

import { addUsage as sumUsage, noUsage, type JsonObject, type ModelEvent, type Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { finishOf, worseReason } from "../data/finish-reason.js";
import { servedBy, type RawReply } from "../data/raw-reply.js";
import { count, wholeUsage } from "../data/token-counts.js";
import { callPieces, merge, type AccumulatedCall } from "./accumulate-calls.js";
import type { ChatChoice, ChatChunk, ChatUsage, Unread } from "./chat-shapes.js";

/** A message assembled from its chunks. */
export interface AccumulatedMessage {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly AccumulatedCall[];
  /** The provider's finish reason; undefined if it gave none. Of several, the reason that weighs most. */
  readonly finishReason: string | undefined;
  /** True if the last chunk reported the usage. */
  readonly endsWithUsage: boolean;
  readonly usage: Usage;
  readonly served?: NonNullable<RawReply["served"]>;
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
const knownKeys = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "function_call",
  "annotations",
  "audio",
  "usage",
]);

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
  let served: NonNullable<RawReply["served"]> = {};

  function addText(events: ModelEvent[], content: string): void {
    if (content === "") return;
    text.push(content);
    events.push({ type: "text-delta", text: content });
  }

  function addExtra(events: ModelEvent[], key: string, value: unknown): void {
    if (value === null || value === undefined) return;
    merge(extras, key, value);
    if (key.startsWith("reasoning") && typeof value === "string" && value !== "")
      events.push({ type: "reasoning-delta", text: value });
  }

  function addMessage(message: UnreadMessage, isWhole: boolean): readonly ModelEvent[] {
    const { content: parts, refusal: refused, tool_calls: pieces, function_call: legacy } = message;
    const events: ModelEvent[] = [];
    const thinking = thinkingOf(parts);
    if (thinking !== "") events.push({ type: "reasoning-delta", text: thinking });
    addText(events, textOf(parts));
    if (typeof refused === "string") refusal.push(refused);
    for (const key of Object.keys(message)) if (!knownKeys.has(key)) addExtra(events, key, message[key]);
    if (Array.isArray(pieces) && pieces.length > 0) {
      const given = pieces.filter(isPlainObject);
      events.push(...(isWhole ? calls.addWhole(given) : calls.add(given)));
    }
    if (isPlainObject(legacy)) events.push(...calls.addLegacy(legacy));
    return events;
  }

  /** Takes what a whole message at the end of a stream has more than its pieces. */
  function addRest(message: UnreadMessage): readonly ModelEvent[] {
    const { content, tool_calls: whole, refusal: refused } = message;
    const events: ModelEvent[] = [];
    const shown = text.join("");
    const written = textOf(content);
    if (refusal.length === 0 && typeof refused === "string") refusal.push(refused);
    addText(events, written.startsWith(shown) ? written.slice(shown.length) : "");
    const isNew = (key: string): boolean => !knownKeys.has(key) && !Object.hasOwn(extras, key);
    for (const key of Object.keys(message).filter(isNew)) addExtra(events, key, message[key]);
    events.push(...calls.addWhole(Array.isArray(whole) ? whole.filter(isPlainObject) : []));
    return events;
  }

  return {
    add(chunk) {
      if (!isPlainObject(chunk)) return [];
      const { usage: given, choices }: Unread<ChatChunk> = chunk;
      const choice = firstChoice(choices);
      // Some servers name the model or the id in one chunk alone.
      if (served.model === undefined || served.id === undefined) served = { ...servedBy(chunk).served, ...served };
      const reported = readUsage(given);
      endsWithUsage = reported !== undefined;
      const counted = reported ?? usageElsewhere(chunk, choice);
      if (counted !== undefined && counted.inputTokens + counted.outputTokens > 0) usage = counted;
      if (choice === undefined) return [];
      const { finish_reason: reason, delta, message: whole } = choice;
      finishReason = worseReason(finishReason, reasonOf(reason));
      // A whole completion may have an empty delta beside its message; a chunk may have the whole message so far beside its delta.
      const isOnlyOne = !hasMessage && finishReason !== undefined && isPlainObject(whole);
      const isWhole = isOnlyOne || delta === undefined;
      const message = isWhole ? whole : delta;
      const isRest = isWhole && hasMessage;
      // A completion that was filtered has no message.
      hasMessage ||= !isWhole || isPlainObject(message) || finishOf(finishReason) === "refused";
      if (!isPlainObject(message)) return [];
      return isRest ? addRest(message) : addMessage(message, isWhole);
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
        ...servedBy(served),
        extras: extras as JsonObject,
      };
    },
  };
}

/** A message, or a piece of one. */
type UnreadMessage = Unread<ChatChoice["delta"]> & Readonly<Record<string, unknown>>;

/** A choice: its piece, or its whole message. */
type UnreadChoice = Unread<ChatChoice & { readonly message: unknown; readonly usage: unknown }>;

/** The usage from the places where servers put it beside the chunk's own key: Moonshot in the choice, Groq under a key of its own. */
function usageElsewhere(
  { x_groq: groq }: Readonly<Record<string, unknown>>,
  choice: UnreadChoice | undefined,
): Usage | undefined {
  const usageIn = (place: unknown): Usage | undefined =>
    readUsage((place as { readonly usage?: unknown } | null | undefined)?.usage);
  return usageIn(groq) ?? usageIn(choice) ?? usageIn(choice?.delta) ?? usageIn(choice?.message);
}

/** The finish reason as a word; undefined for none. */
function reasonOf(reason: unknown): string | undefined {
  const word: unknown = isPlainObject(reason) ? reason["type"] : reason;
  if (typeof word === "string") return word.trim() === "" ? undefined : word;
  return typeof word === "number" && word !== 0 ? String(word) : undefined;
}

/** The first choice. Other choices are alternatives that the request did not ask for. */
function firstChoice(choices: unknown): UnreadChoice | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.find(
    (choice: unknown) => isPlainObject(choice) && (typeof choice["index"] !== "number" || choice["index"] === 0),
  ) as UnreadChoice | undefined;
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

/** The usage in the words of this API; servers also use the words of the Responses API, or count what is cached beside them. */
function readUsage(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const tokens: Unread<ChatUsage> & Readonly<Record<string, unknown>> = usage;
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = tokens;
  const prompt = plain<Unread<Details<"prompt_tokens_details">>>(tokens.prompt_tokens_details ?? input_tokens_details);
  const completion = plain<Unread<Details<"completion_tokens_details">>>(
    tokens.completion_tokens_details ?? output_tokens_details,
  );
  const parts = sumUsage(noUsage, {
    inputTokens: count(tokens.prompt_tokens ?? input_tokens),
    cachedInputTokens: count(prompt.cached_tokens ?? tokens["cached_tokens"] ?? tokens["prompt_cache_hit_tokens"]),
    outputTokens: count(tokens.completion_tokens ?? output_tokens),
    reasoningTokens: count(completion.reasoning_tokens ?? tokens["reasoning_tokens"]),
  });
  return wholeUsage(parts, tokens);
}

/** The object with the keys that are read of it, or an empty one. */
export function plain<Shape extends object>(value: unknown): Partial<Shape> {
  return (isPlainObject(value) ? value : {}) as Partial<Shape>;
}
