// The dialect `xml`: the system prompt describes the tools, and the text of the messages holds calls and results.

import type { AssistantMessage, Message, ModelRequest, ToolDescription, ToolMessage } from "../../core/index.js";
import type { ChatMessage } from "./chat-shapes.js";
import type { ExtrasOf } from "./extras.js";
import { chatContent, showingFor, textIn, type Showing } from "./parts.js";
import { describeTools, writeCall, writeResult } from "../text/index.js";

/** Makes a writer of requests that sends back these extras and sends attachments of these media types. It caches encoded messages. */
export function xmlWriter(
  extrasOf: ExtrasOf,
  takes: readonly string[],
): (request: ModelRequest) => { readonly messages: readonly ChatMessage[] } {
  /** By message. The results of one reply form one wire message, stored under the first result. */
  const encoded = new WeakMap<Message, { readonly wire: ChatMessage; readonly count: number }>();
  const systems = new WeakMap<readonly ToolDescription[], { readonly system: string; readonly wire: ChatMessage }>();

  function systemMessage({ system, tools }: ModelRequest): ChatMessage {
    const known = systems.get(tools);
    // A hook may change the system prompt of one request.
    if (known?.system === system) return known.wire;
    const content = tools.length === 0 ? system : `${system}\n\n${describeTools(tools)}`;
    const wire: ChatMessage = { role: "system", content };
    systems.set(tools, { system, wire });
    return wire;
  }

  /** Encodes the message at `at` as one wire message; of a result, also the results after it. */
  function encode(
    { messages, showing }: Conversation,
    at: number,
    before: AssistantMessage | undefined,
  ): ChatMessage[] {
    const [first] = messages.slice(at, at + 1);
    if (first === undefined) return [];
    const results = first.role === "tool" ? resultsFrom(messages, at) : [];
    const count = Math.max(1, results.length);
    const known = encoded.get(first);
    if (known?.count === count) return [known.wire];
    const wire =
      first.role === "tool" ? writeResults(results, before, showing) : writeMessage(first, extrasOf, showing);
    if (wire === undefined) return [];
    encoded.set(first, { wire, count });
    return [wire];
  }

  return (request) => {
    const wire = [systemMessage(request)];
    const conversation = { messages: request.messages, showing: showingFor(request, takes) };
    let before: AssistantMessage | undefined;
    for (const [at, message] of request.messages.entries()) {
      if (message.role === "assistant") before = message;
      if (message.role === "tool" && request.messages[at - 1]?.role === "tool") continue;
      wire.push(...encode(conversation, at, before));
    }
    return { messages: wire };
  };
}

/** The messages of a request, and their parts that are shown. */
interface Conversation {
  readonly messages: readonly Message[];
  readonly showing: Showing;
}

function resultsFrom(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let message = messages[at]; message?.role === "tool"; message = messages[at + results.length]) {
    results.push(message);
  }
  return results;
}

function writeResults(
  results: readonly ToolMessage[],
  before: AssistantMessage | undefined,
  showing: Showing,
): ChatMessage {
  const names = new Map(before?.reply.calls.map(({ id, name }) => [id, name]));
  const shown = results.map((result) => ({ name: names.get(result.callId) ?? "", parts: showing(result) }));
  const text = shown.map(({ name, parts }) => writeResult({ name, text: textIn(parts) })).join("\n");
  const files = shown.flatMap(({ parts }) => parts.filter(({ type }) => type === "attachment"));
  return { role: "user", content: chatContent([{ type: "text", text }, ...files]) };
}

/** Encodes a message. An empty reply is left out, because servers refuse an empty message. */
function writeMessage(
  message: Exclude<Message, ToolMessage>,
  extrasOf: ExtrasOf,
  showing: Showing,
): ChatMessage | undefined {
  if (message.role === "user") return { role: "user", content: chatContent(showing(message)) };
  const { reply } = message;
  const { text, calls } = reply;
  const parts = calls.map((call) => (call.type === "call" ? writeCall(call) : call.source));
  const content = [text, ...parts].filter((part) => part !== "").join("\n\n");
  return content === "" ? undefined : { ...extrasOf(reply, reply), role: "assistant", content };
}
