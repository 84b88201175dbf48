// Messages as input items of the Responses API: replies that came from it word for word, others from their text and calls.

import type { Call, Message, Reply } from "../../core/index.js";
import type { Encoded, Format, WireMessage } from "../wire/conversation.js";
import { outputItems, type Item } from "../wire/extras.js";
import { wireArguments, wireId, wireName } from "../wire/wire-call.js";

/** The format of requests to the model that signs its output items with `from`. */
export function itemFormat(from: string): Format {
  return {
    begin: () => [],
    encode: (message, ids, taken) => encode(message, ids, taken, from),
    // Strict is what the API takes for granted and what few schemas are.
    tool: (tool) => ({ type: "function", ...tool, strict: false }),
  };
}

/** True for an item that asks for something to be run here, also for a kind of call that was never offered. */
export function isCall({ type, call_id: id }: Item): boolean {
  return type === "function_call" || (typeof id === "string" && typeof type === "string" && !type.endsWith("_output"));
}

function encode(message: Message, ids: ReadonlyMap<string, string>, taken: Set<string>, from: string): Encoded {
  switch (message.role) {
    case "user":
      return { wire: [{ role: "user", content: message.text }], ids: [] };
    case "tool": {
      const { callId, text } = message;
      return { wire: [{ type: "function_call_output", call_id: ids.get(callId) ?? callId, output: text }], ids: [] };
    }
    case "assistant": {
      const { reply } = message;
      if (reply.text === "" && reply.calls.length === 0) return { wire: [], ids: [] };
      const named = reply.calls.map((call) => [call.id, wireId(call, taken)] as const);
      const callIds = named.map(([, wire]) => wire);
      return { wire: repeat(reply, callIds, from) ?? write(reply, callIds), ids: named };
    }
  }
}

/**
 * The items of the reply as they came. Undefined where there are none of this model, where their calls are not the
 * reply's: those were found in its text, or where they were hurt on their way, so that no server would take them back.
 */
function repeat({ calls, extras }: Reply, callIds: readonly string[], from: string): Encoded["wire"] | undefined {
  const items = outputItems(extras, from)?.filter(hasContent);
  if (items?.filter(isCall).length !== calls.length || !areSound(items)) return undefined;
  // Reasoning that nothing follows, because the reply was cut, is refused.
  const kept = items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
  let place = 0;
  return kept.map((item) => {
    const call = isCall(item) ? calls[place] : undefined;
    // What the model said was said by the model, whatever became of that on the way: servers refuse any other role.
    if (call === undefined) return item["type"] === "message" ? { ...item, role: "assistant" } : item;
    const callId = callIds[place] ?? call.id;
    place += 1;
    return writeCall(call, callId, item);
  });
}

/** True where each says what it is, and none has the id of another. */
function areSound(items: readonly Item[]): boolean {
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(ids).size === ids.length && items.every(({ type }) => typeof type === "string");
}

/** False for a message without content, and for reasoning that is only an id: with `store: false` nothing is behind it. */
function hasContent({ type, encrypted_content: encrypted, summary, content }: Item): boolean {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  if (type === "message") return !isEmpty(content);
  return type !== "reasoning" || typeof encrypted === "string" || !isEmpty(summary) || !isEmpty(content);
}

function write({ text, calls }: Reply, callIds: readonly string[]): readonly WireMessage[] {
  const items = calls.map((call, index) => writeCall(call, callIds[index] ?? call.id));
  return text === "" ? items : [{ role: "assistant", content: text }, ...items];
}

/** A call, in its item if it has one: what was well in that stays, key by key. */
function writeCall(call: Call, callId: string, item: Item = {}): WireMessage {
  const kept = item["type"] === "function_call" ? item : {};
  const name = wireName(call);
  return { ...kept, type: "function_call", call_id: callId, name, arguments: wireArguments(call) };
}
