// The dialect `native`: function calling of the chat completions API.

import type { Call, Message, ModelRequest } from "../../core/index.js";
import type { ListBytes } from "./body-writer.js";
import { requestWriter, type Encoded, type WireMessage } from "./conversation.js";
import type { ExtrasOf } from "./extras.js";
import { wireArguments, wireId, wireName } from "./wire-call.js";

/** The parts of a request body that the dialect sets. */
export interface NativeBody {
  readonly messages: ListBytes;
  readonly tools: readonly unknown[];
  readonly tool_choice: "required" | "auto";
}

/**
 * Makes a writer of requests that sends back these extras. It appends to the bytes of the conversation that it sent last.
 */
export function nativeWriter(
  extrasOf: ExtrasOf,
): (request: ModelRequest, choice?: NativeBody["tool_choice"]) => NativeBody {
  const write = requestWriter("messages", {
    begin: (system) => [{ role: "system", content: system }],
    encode: (message, ids, taken) => encode(message, { ids, taken, extrasOf }),
    tool: (tool) => ({ type: "function", function: tool }),
  });
  return (request, asked = "required") => {
    const { list, tools, choice } = write(request, asked);
    return { messages: list, tools, tool_choice: choice };
  };
}

interface Encoding {
  readonly ids: ReadonlyMap<string, string>;
  readonly taken: Set<string>;
  readonly extrasOf: ExtrasOf;
}

function encode(message: Message, { ids, taken, extrasOf }: Encoding): Encoded {
  switch (message.role) {
    case "user":
      return { wire: [{ role: "user", content: message.text }], ids: [] };
    case "tool": {
      const { callId, text } = message;
      return { wire: [{ role: "tool", tool_call_id: ids.get(callId) ?? callId, content: text }], ids: [] };
    }
    case "assistant": {
      const { reply } = message;
      const { text, calls } = reply;
      if (text === "" && calls.length === 0) return { wire: [], ids: [] };
      const named = calls.map((call) => [call.id, wireId(call, taken)] as const);
      const toolCalls = calls.map((call, index) => ({
        ...extrasOf(reply, call),
        ...writeCall(call, named[index]?.[1] ?? call.id),
      }));
      const wire = {
        ...extrasOf(reply, reply),
        role: "assistant",
        content: text === "" ? null : text,
        ...(calls.length > 0 && { tool_calls: toolCalls }),
      };
      return { wire: [wire], ids: named };
    }
  }
}

function writeCall(call: Call, id: string): WireMessage {
  return { id, type: "function", function: { name: wireName(call), arguments: wireArguments(call) } };
}
