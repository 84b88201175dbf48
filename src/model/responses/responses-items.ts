// Encodes messages as input items of the Responses API. Replies that came from it are repeated unchanged; other replies are
// rebuilt.

import type { Call, Message, Part, Reply } from "../../core/index.js";
import type { Encoded, Format, Place } from "../wire/conversation.js";
import { thinkingKey } from "../read/thinking.js";
import { outputItems, type Item } from "../wire/extras.js";
import { dataUrl, fileName, textIn } from "../wire/parts.js";
import type { InputItem, InputPart, ResponsesTool } from "./responses-shapes.js";
import { idsOf, wireArguments, wireId, wireName } from "../wire/wire-call.js";
import { wireTool } from "../wire/wire-schema.js";

/** The format of requests to the model that signs its output items with `from`. */
export function itemFormat(from: string): Format<InputItem | Item, ResponsesTool> {
  const takesId = idsOf(from, 64);
  return {
    begin: () => [],
    encode: (message, place) => encode(message, place, { from, takesId }),
    // The API's default is strict, which few schemas satisfy.
    tool: (tool) => ({ type: "function", ...wireTool(tool), strict: false }),
  };
}

/** True for an item that is a call to be run by the client, also for a type of call that was never offered. */
export function isCall({ type, call_id: id }: Item): boolean {
  return type === "function_call" || (typeof id === "string" && typeof type === "string" && !type.endsWith("_output"));
}

/** The model that gets the items. */
interface Receiver {
  readonly from: string;
  /** True if the model takes the id of a call in a reply of which it has no items. */
  readonly takesId: (id: string, reply: Reply) => boolean;
}

function encode(
  message: Message,
  { ids, taken, showing }: Place,
  { from, takesId }: Receiver,
): Encoded<InputItem | Item> {
  switch (message.role) {
    case "user":
      return { wire: [{ role: "user", content: contentOf(showing(message)) }], ids: [] };
    case "tool": {
      const { callId } = message;
      const output = contentOf(showing(message));
      return { wire: [{ type: "function_call_output", call_id: ids.get(callId) ?? callId, output }], ids: [] };
    }
    case "assistant": {
      const { reply } = message;
      if (reply.text === "" && reply.calls.length === 0) return { wire: [], ids: [] };
      const isOwn = outputItems(reply.extras, from) !== undefined;
      const named = reply.calls.map(
        (call) => [call.id, wireId(call, reply, taken, (id) => isOwn || takesId(id, reply))] as const,
      );
      const callIds = named.map(([, wire]) => wire);
      return { wire: originalItems(reply, callIds, from) ?? rebuild(reply, callIds), ids: named };
    }
  }
}

/** The content of a message or of a result: a text, or a list of parts if files go with it. */
function contentOf(parts: readonly Part[]): string | readonly InputPart[] {
  return parts.some(({ type }) => type === "attachment") ? parts.map(inputPart) : textIn(parts);
}

function inputPart(part: Part): InputPart {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.attachment.mediaType.startsWith("image/")) {
    // The default, which the types of the API and servers that check them require.
    return { type: "input_image", image_url: dataUrl(part), detail: "auto" };
  }
  return { type: "input_file", filename: fileName(part), file_data: dataUrl(part) };
}

/**
 * The original items of the reply. Undefined if this model wrote none, or if the calls of the reply were found in its text and
 * not in the items. Also undefined if the items were damaged on the way, so that no server would accept them.
 */
function originalItems(
  { calls, extras }: Reply,
  callIds: readonly string[],
  from: string,
): readonly Item[] | undefined {
  // The items have the thinking that was found in the text.
  if (extras?.[thinkingKey] !== undefined) return undefined;
  const items = outputItems(extras, from)?.filter(hasContent);
  if (items?.filter(isCall).length !== calls.length || !areValid(items)) return undefined;
  // Servers refuse reasoning at the end, which a cut reply may have.
  const kept = items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
  let callIndex = 0;
  return kept.map((item) => {
    const call = isCall(item) ? calls[callIndex] : undefined;
    // Servers refuse any other role on a message of the model, even if it arrived with one.
    if (call === undefined) return item["type"] === "message" ? { ...item, role: "assistant" } : item;
    const callId = callIds[callIndex] ?? call.id;
    callIndex += 1;
    return writeCall(call, callId, item);
  });
}

/** True if each item has a type, and no two have the same id. */
function areValid(items: readonly Item[]): boolean {
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(ids).size === ids.length && items.every(({ type }) => typeof type === "string");
}

/** False for a message without content, and for reasoning that is only an id: with `store: false` the server has stored nothing for it. */
function hasContent({ type, encrypted_content: encrypted, summary, content }: Item): boolean {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  if (type === "message") return !isEmpty(content);
  return type !== "reasoning" || typeof encrypted === "string" || !isEmpty(summary) || !isEmpty(content);
}

function rebuild({ text, calls }: Reply, callIds: readonly string[]): readonly InputItem[] {
  const items = calls.map((call, index) => writeCall(call, callIds[index] ?? call.id));
  return text === "" ? items : [{ role: "assistant", content: text }, ...items];
}

/** A call as an item. The other keys of its original item are kept if that was a function call. */
function writeCall(call: Call, callId: string, item: Item = {}): InputItem & Item {
  const kept = item["type"] === "function_call" ? item : {};
  const name = wireName(call);
  return { ...kept, type: "function_call", call_id: callId, name, arguments: wireArguments(call) };
}
