// The dialect `xml`: the system prompt describes the tools, and the text of the messages holds calls and results.

import type { AssistantMessage, Message, ModelRequest, ToolDescription, ToolMessage } from "../../core/index.js";
import type { WireMessage } from "./conversation.js";
import type { ExtrasOf } from "./extras.js";
import { describeTools, writeCall, writeResult } from "../text/index.js";

/** Makes a writer of requests that sends back these extras. It caches encoded messages. */
export function xmlWriter(
  extrasOf: ExtrasOf,
): (request: ModelRequest) => { readonly messages: readonly WireMessage[] } {
  /** By message. The results of one reply form one wire message, stored under the first of them. */
  const encoded = new WeakMap<Message, { readonly wire: WireMessage; readonly count: number }>();
  const systems = new WeakMap<readonly ToolDescription[], WireMessage>();

  function systemMessage({ system, tools }: ModelRequest): WireMessage {
    let known = systems.get(tools);
    if (known === undefined) {
      known = { role: "system", content: `${system}\n\n${describeTools(tools)}` };
      systems.set(tools, known);
    }
    return known;
  }

  /** Encodes the message at `at` as one wire message; of a result, also the results after it. */
  function encode(messages: readonly Message[], at: number, before: AssistantMessage | undefined): WireMessage[] {
    const [first] = messages.slice(at, at + 1);
    if (first === undefined) return [];
    const results = first.role === "tool" ? resultsFrom(messages, at) : [];
    const count = Math.max(1, results.length);
    const known = encoded.get(first);
    if (known?.count === count) return [known.wire];
    const wire = first.role === "tool" ? writeResults(results, before) : writeMessage(first, extrasOf);
    if (wire === undefined) return [];
    encoded.set(first, { wire, count });
    return [wire];
  }

  return (request) => {
    const wire = [systemMessage(request)];
    let before: AssistantMessage | undefined;
    for (const [at, message] of request.messages.entries()) {
      if (message.role === "assistant") before = message;
      if (message.role === "tool" && request.messages[at - 1]?.role === "tool") continue;
      wire.push(...encode(request.messages, at, before));
    }
    return { messages: wire };
  };
}

function resultsFrom(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let message = messages[at]; message?.role === "tool"; message = messages[at + results.length]) {
    results.push(message);
  }
  return results;
}

function writeResults(results: readonly ToolMessage[], before: AssistantMessage | undefined): WireMessage {
  const names = new Map(before?.reply.calls.map(({ id, name }) => [id, name]));
  const parts = results.map(({ callId, text }) => writeResult({ name: names.get(callId) ?? "", text }));
  return { role: "user", content: parts.join("\n") };
}

/** Encodes a message. An empty reply is left out, because servers refuse an empty message. */
function writeMessage(message: Exclude<Message, ToolMessage>, extrasOf: ExtrasOf): WireMessage | undefined {
  if (message.role === "user") return { role: "user", content: message.text };
  const { reply } = message;
  const { text, calls } = reply;
  const parts = calls.map((call) => (call.type === "call" ? writeCall(call) : call.source));
  const content = [text, ...parts].filter((part) => part !== "").join("\n\n");
  return content === "" ? undefined : { ...extrasOf(reply, reply), role: "assistant", content };
}
