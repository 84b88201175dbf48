// The dialect `native`: requests and replies as function calling of the chat completions API.

import {
  isPlainObject,
  type Call,
  type Json,
  type Message,
  type ModelRequest,
  type ToolDescription,
  type WrittenCall,
  type WrittenReply,
} from "../core/index.js";
import type { AccumulatedCall, AccumulatedMessage } from "./accumulate.js";

/** A message as the wire has it. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** The part of a request body that the dialect decides. */
export interface NativeBody {
  readonly messages: readonly WireMessage[];
  readonly tools: readonly unknown[];
  readonly tool_choice: "required";
}

/** Encoded messages by identity: each is encoded once, whatever the number of requests it is sent in. */
interface Encoded {
  readonly wire: WireMessage | undefined;
  /** The ids of its calls: ours to the wire's. */
  readonly ids: readonly (readonly [string, string])[];
}

/** A conversation as far as it was sent. */
interface Sent {
  readonly system: string;
  readonly messages: Message[];
  readonly wire: WireMessage[];
  readonly ids: Map<string, string>;
  readonly taken: Set<string>;
}

/** Makes a writer of requests. It keeps the encoding of messages it has seen, and goes on from what it sent last. */
export function nativeWriter(): (request: ModelRequest) => NativeBody {
  const encoded = new WeakMap<Message, Encoded>();
  /** By the first message. Two that shared one would be written right, only anew each time. */
  const conversations = new WeakMap<Message, Sent>();
  const tools = new WeakMap<readonly ToolDescription[], readonly unknown[]>();

  function add(sent: Sent, message: Message): void {
    let known = encoded.get(message);
    if (known === undefined) {
      known = encode(message, sent.ids, sent.taken);
      encoded.set(message, known);
    }
    for (const [ours, wire] of known.ids) {
      sent.ids.set(ours, wire);
      sent.taken.add(wire);
    }
    if (known.wire !== undefined) sent.wire.push(known.wire);
    sent.messages.push(message);
  }

  return (request) => {
    const [first] = request.messages;
    const before = first && conversations.get(first);
    const sent = before !== undefined && goesOn(request, before) ? before : begin(request.system);
    if (first !== undefined) conversations.set(first, sent);
    for (const message of request.messages.slice(sent.messages.length)) add(sent, message);
    let described = tools.get(request.tools);
    if (described === undefined) {
      described = request.tools.map((tool) => ({ type: "function", function: tool }));
      tools.set(request.tools, described);
    }
    return { messages: [...sent.wire], tools: described, tool_choice: "required" };
  };
}

function begin(system: string): Sent {
  return { system, messages: [], wire: [{ role: "system", content: system }], ids: new Map(), taken: new Set() };
}

/** True where the request has everything that was sent before, as it was and in front. */
function goesOn({ system, messages }: ModelRequest, sent: Sent): boolean {
  return system === sent.system && sent.messages.every((message, index) => message === messages[index]);
}

/** Encodes one message, given the ids of the calls before it; its own are then taken. */
function encode(message: Message, ids: ReadonlyMap<string, string>, taken: Set<string>): Encoded {
  switch (message.role) {
    case "user":
      return { wire: { role: "user", content: message.text }, ids: [] };
    case "tool": {
      const { callId, text } = message;
      return { wire: { role: "tool", tool_call_id: ids.get(callId) ?? callId, content: text }, ids: [] };
    }
    case "assistant": {
      const { text, calls, extras } = message.reply;
      if (text === "" && calls.length === 0) return { wire: undefined, ids: [] };
      const named = calls.map((call) => [call.id, wireId(call, taken)] as const);
      const toolCalls = calls.map((call, index) => writeCall(call, named[index]?.[1] ?? call.id));
      const wire = {
        ...extras,
        role: "assistant",
        content: text === "" ? null : text,
        ...(calls.length > 0 && { tool_calls: toolCalls }),
      };
      return { wire, ids: named };
    }
  }
}

/** The provider's own id where it can stand, else one made from ours; it is then taken. */
function wireId({ id, providerId = "" }: Call, taken: Set<string>): string {
  let wire = providerId;
  for (let salt = 0; wire === "" || taken.has(wire); salt += 1) wire = shortId(`${id}#${String(salt)}`);
  taken.add(wire);
  return wire;
}

/** Nine characters [A-Za-z0-9], the same for the same text: what the strictest known servers take. */
function shortId(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  }
  let id = "";
  for (let place = 0; place < 9; place += 1) {
    id += alphabet.charAt(Number(hash % 62n));
    hash /= 62n;
  }
  return id;
}

/** Arguments that are no JSON object go back as an empty one: anything else in the history is refused by servers. */
function writeCall(call: Call, id: string): WireMessage {
  const args = call.type === "call" && isPlainObject(call.input) ? (call.source ?? JSON.stringify(call.input)) : "{}";
  const name = call.name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unreadable";
  return { ...call.extras, id, type: "function", function: { name, arguments: args } };
}

/** Reads a whole message. Calls decide, not the finish reason; but a reply that was cut is cut. */
export function readNative(message: AccumulatedMessage): WrittenReply {
  const { text, refusal, calls, finishReason, usage, extras } = message;
  const isCut = finishReason === "length";
  const isRefused = finishReason === "content_filter" || (refusal !== "" && calls.length === 0);
  return {
    text: text === "" ? refusal : text,
    calls: calls.map((call) => readCall(call, isCut)),
    finish: isRefused ? "refused" : isCut ? "cut" : "complete",
    usage,
    ...(Object.keys(extras).length > 0 && { extras }),
  };
}

function readCall({ id, name, arguments: source, extras }: AccumulatedCall, isCut: boolean): WrittenCall {
  const kept = { ...(id !== "" && { providerId: id }), ...(Object.keys(extras).length > 0 && { extras }) };
  const unreadable = (kind: "truncated" | "malformed_call", problem: string): WrittenCall => ({
    ...kept,
    type: "unreadable-call",
    kind,
    name,
    source,
    problem,
  });
  if (isCut) return unreadable("truncated", "The call was cut off at the length limit, so it was not run.");
  try {
    if (source.trim() === "") return { ...kept, type: "call", name, input: {} };
    const input = JSON.parse(source) as Json;
    return { ...kept, type: "call", name, input, ...(JSON.stringify(input) !== source && { source }) };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    return unreadable("malformed_call", `The arguments are not valid JSON (${reason}).`);
  }
}
