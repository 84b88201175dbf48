// Chunks: a scripted reply as the chunks of a streamed chat completion, or as one body.

import { pieces, writeInput, type ScriptedReply } from "./script.js";

/** The chunks of one reply: first its content, then the finish reason and the usage. */
export interface Chunks {
  readonly content: readonly object[];
  readonly finish: readonly object[];
}

/** Writes a reply as chunks. `number` is the number of the request, used in ids. */
export function chunksOf(reply: ScriptedReply, number: number): Chunks {
  const { text = "", reasoning = "", calls = [], piece = Infinity } = reply;
  const envelope = { id: `chatcmpl-${String(number)}`, object: "chat.completion.chunk", created: 0, model: "scripted" };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...envelope,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return {
    content: [
      chunk({ role: "assistant", content: "" }),
      ...pieces(reasoning, piece).map((part) => chunk({ reasoning_content: part })),
      ...pieces(text, piece).map((part) => chunk({ content: part })),
      ...calls.flatMap(({ name, input, id }, index) => [
        chunk({
          tool_calls: [
            {
              index,
              id: id ?? callId(number, index),
              type: "function",
              function: { name, arguments: "" },
            },
          ],
        }),
        ...pieces(writeInput(input), piece).map((part) =>
          chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
    ],
    finish: [chunk({}, finishOf(reply)), { ...envelope, choices: [], usage: usageOf(reply) }],
  };
}

/** Writes a reply as the body of a chat completion that is not streamed. `number` is the number of the request, used in ids. */
export function completionOf(reply: ScriptedReply, number: number): object {
  const { text = "", reasoning = "", calls = [] } = reply;
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, input, id }, index) => ({
        id: id ?? callId(number, index),
        type: "function",
        function: { name, arguments: writeInput(input) },
      })),
    }),
  };
  return {
    id: `chatcmpl-${String(number)}`,
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(reply),
  };
}

function callId(number: number, index: number): string {
  return `call_${String(number)}_${String(index)}`;
}

function finishOf({ finishReason, calls = [] }: ScriptedReply): string {
  return finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");
}

function usageOf({ usage = {} }: ScriptedReply): object {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
