// The accumulator: chunks of a streamed completion in, one message out, nothing lost on the way.

import { addUsage, isPlainObject, noUsage, type JsonObject, type ModelEvent, type Usage } from "../core/index.js";

/** A call as it was put together from its pieces. */
export interface AccumulatedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly extras: JsonObject;
}

/** A message as it was put together from its chunks. */
export interface AccumulatedMessage {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly AccumulatedCall[];
  /** The provider's finish reason; undefined where it gave none. */
  readonly finishReason: string | undefined;
  readonly usage: Usage;
  readonly extras: JsonObject;
}

/** Puts one message together. */
export interface Accumulator {
  /** Takes one chunk (or one whole completion) and returns what of it watchers may see. */
  add(chunk: unknown): readonly ModelEvent[];
  message(): AccumulatedMessage;
}

interface OpenCall {
  id: string;
  /** The index the provider gave it, if any. */
  index: number | undefined;
  name: string;
  arguments: string[];
  extras: Record<string, unknown>;
}

/** Keys of a message that are read here, or that no provider takes back. */
const knownKeys = new Set(["role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"]);

/** Makes an accumulator for one reply. */
export function accumulator(): Accumulator {
  const text: string[] = [];
  const refusal: string[] = [];
  const calls: OpenCall[] = [];
  const extras: Record<string, unknown> = {};
  let finishReason: string | undefined;
  let usage = noUsage;

  function addMessage(message: Readonly<Record<string, unknown>>): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    const { tool_calls: pieces } = message;
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
    for (const piece of Array.isArray(pieces) ? pieces.filter(isPlainObject) : []) events.push(...addPiece(piece));
    return events;
  }

  function addPiece(piece: Readonly<Record<string, unknown>>): readonly ModelEvent[] {
    const { id, index, function: fn, type: _type, ...rest } = piece;
    const call = find(typeof id === "string" ? id : "", typeof index === "number" ? index : undefined);
    for (const [key, value] of Object.entries(rest)) merge(call.extras, key, value);
    if (!isPlainObject(fn)) return [];
    const { name, arguments: args } = fn;
    if (typeof name === "string" && name !== call.name) call.name += name;
    const written = typeof args === "string" ? args : isPlainObject(args) ? JSON.stringify(args) : "";
    if (written === "") return [];
    call.arguments.push(written);
    return [{ type: "call-delta", index: calls.indexOf(call), name: call.name, text: written }];
  }

  /** The call a piece belongs to: by id, then by index, then the latest; a new id at an old index is a new call. */
  function find(id: string, index: number | undefined): OpenCall {
    const known = id === "" ? undefined : calls.findLast((call) => call.id === id);
    if (known !== undefined && (index === undefined || known.index === index)) return known;
    const latest = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    if (latest !== undefined && (id === "" || latest.id === "")) {
      if (id !== "") latest.id = id;
      return latest;
    }
    const opened = { id, index, name: "", arguments: [], extras: {} };
    calls.push(opened);
    return opened;
  }

  return {
    add(chunk) {
      if (!isPlainObject(chunk)) return [];
      usage = readUsage(chunk["usage"]) ?? usage;
      const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
      if (!isPlainObject(choice)) return [];
      if (typeof choice["finish_reason"] === "string") finishReason = choice["finish_reason"];
      const message = choice["delta"] ?? choice["message"];
      return isPlainObject(message) ? addMessage(message) : [];
    },
    message: () => ({
      text: text.join(""),
      refusal: refusal.join(""),
      calls: calls.map((call) => ({ ...call, arguments: call.arguments.join(""), extras: call.extras as JsonObject })),
      finishReason,
      usage,
      extras: extras as JsonObject,
    }),
  };
}

/** The text of a content: as it is, or the texts of its parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isPlainObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Texts and lists grow; anything else is replaced. */
function merge(into: Record<string, unknown>, key: string, value: unknown): void {
  const before = into[key];
  if (typeof before === "string" && typeof value === "string") into[key] = before + value;
  else if (Array.isArray(before) && Array.isArray(value)) before.push(...(value as unknown[]));
  else into[key] = Array.isArray(value) ? [...(value as unknown[])] : value;
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

function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
