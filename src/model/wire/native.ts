// The dialect `native`: function calling of the chat completions API.

import type { Call, Message, ModelRequest } from "../../core/index.js";
import type { ListBytes } from "./body-writer.js";
import type { ChatCall, ChatMessage, ChatTool } from "./chat-shapes.js";
import { requestWriter, type Choice, type Encoded, type Place } from "./conversation.js";
import type { ExtrasOf } from "./extras.js";
import { chatContent, filesAfter, textIn } from "./parts.js";
import { wireArguments, wireId, wireName, type TakesId } from "./wire-call.js";
import { wireTool } from "./wire-schema.js";

/** The parts of a request body that the dialect sets. */
export interface NativeBody {
  readonly messages: ListBytes;
  readonly tools: readonly ChatTool[];
  readonly tool_choice: Choice;
}

/**
 * Makes a writer of requests that sends back these extras and ids, and sends attachments of these media types. It appends to the bytes of
 * the conversation that it sent last.
 */
export function nativeWriter(
  extrasOf: ExtrasOf,
  takes: readonly string[],
  takesId: TakesId,
): (request: ModelRequest, choice?: Choice) => NativeBody {
  const write = requestWriter<ChatMessage, ChatTool>(
    "messages",
    {
      begin: (system) => [{ role: "system", content: system }],
      encode: (message, place) => encode(message, place, { extrasOf, takesId }),
      tool: (tool) => ({ type: "function", function: wireTool(tool) }),
    },
    takes,
  );
  return (request, asked = "required") => {
    const { list, tools, choice } = write(request, asked);
    return { messages: list, tools, tool_choice: choice };
  };
}

/** The parts of earlier replies that the receiver takes. */
interface Taken {
  readonly extrasOf: ExtrasOf;
  readonly takesId: TakesId;
}

function encode(message: Message, place: Place, { extrasOf, takesId }: Taken): Encoded<ChatMessage> {
  const { ids, taken, showing } = place;
  switch (message.role) {
    case "user":
      return { wire: [{ role: "user", content: chatContent(showing(message)) }], ids: [] };
    case "tool": {
      const { callId } = message;
      const content = textIn(showing(message));
      const result: ChatMessage = { role: "tool", tool_call_id: ids.get(callId) ?? callId, content };
      const files = filesAfter(message, place);
      return { wire: files.length === 0 ? [result] : [result, { role: "user", content: chatContent(files) }], ids: [] };
    }
    case "assistant": {
      const { reply } = message;
      const { text, calls } = reply;
      if (text === "" && calls.length === 0) return { wire: [], ids: [] };
      const named = calls.map((call) => [call.id, wireId(call, reply, taken, takesId)] as const);
      const toolCalls = calls.map((call, index) => ({
        ...extrasOf(reply, call),
        ...writeCall(call, named[index]?.[1] ?? call.id),
      }));
      const wire: ChatMessage = {
        ...extrasOf(reply, reply),
        role: "assistant",
        content: text === "" ? null : text,
        ...(calls.length > 0 && { tool_calls: toolCalls }),
      };
      return { wire: [wire], ids: named };
    }
  }
}

function writeCall(call: Call, id: string): ChatCall {
  return { id, type: "function", function: { name: wireName(call), arguments: wireArguments(call) } };
}
