// Response events: a scripted reply as the events of a streamed response of the Responses API.

import { pieces, writeInput, type ScriptedCall, type ScriptedReply } from "./script.js";

/** An event of the stream. */
export interface ResponseEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The events of one reply: first its items, then the event that ends it. */
export interface ResponseEvents {
  readonly content: readonly ResponseEvent[];
  readonly finish: readonly ResponseEvent[];
}

/** An item in its first and in its final form, with the events in between. */
interface Written {
  readonly added: object;
  readonly between: readonly ResponseEvent[];
  readonly done: object;
}

/** Writes a reply as events. `number` is the number of the request, used in ids. Reasoning has a summary and encrypted content. */
export function eventsOf(reply: ScriptedReply, number: number): ResponseEvents {
  const { text = "", reasoning = "", calls = [], piece = Infinity } = reply;
  const items = [
    ...(reasoning === "" ? [] : [writeReasoning(reasoning, `rs_${String(number)}`, piece)]),
    ...(text === "" ? [] : [writeMessage(text, `msg_${String(number)}`, piece)]),
    ...calls.map((call, index) => writeCall(call, `${String(number)}_${String(index)}`, piece)),
  ];
  const response = { id: `resp_${String(number)}`, object: "response", created_at: 0, model: "scripted", error: null };
  const started = { ...response, status: "in_progress", incomplete_details: null, output: [], usage: null };
  const content = items.flatMap(({ added, between, done }, index) =>
    [
      { type: "response.output_item.added", item: added },
      ...between,
      { type: "response.output_item.done", item: done },
    ].map((event) => ({ ...event, output_index: index })),
  );
  const ended = { ...response, output: items.map(({ done }) => done), usage: usageOf(reply) };
  const events: readonly ResponseEvent[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...content,
    ending(reply, ended),
  ].map((event, index) => ({ ...event, sequence_number: index }));
  return { content: events.slice(0, -1), finish: events.slice(-1) };
}

/** The last event of the stream for a finish reason of chat completions. */
function ending({ finishReason }: ScriptedReply, response: object): ResponseEvent {
  const incomplete = (reason: string): ResponseEvent => ({
    type: "response.incomplete",
    response: { ...response, status: "incomplete", incomplete_details: { reason } },
  });
  switch (finishReason) {
    case "length":
      return incomplete("max_output_tokens");
    case "content_filter":
      return incomplete("content_filter");
    case "error": {
      const error = { code: "server_error", message: "The scripted response failed." };
      return { type: "response.failed", response: { ...response, status: "failed", error } };
    }
    case undefined:
    default:
      return { type: "response.completed", response: { ...response, status: "completed", incomplete_details: null } };
  }
}

function writeReasoning(text: string, id: string, piece: number): Written {
  const item = { id, type: "reasoning", encrypted_content: `encrypted ${id}` };
  const at = { item_id: id, summary_index: 0 };
  const part = { type: "summary_text", text };
  return {
    added: { ...item, encrypted_content: "", summary: [] },
    between: [
      { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      ...pieces(text, piece).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
      { type: "response.reasoning_summary_text.done", ...at, text },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ],
    done: { ...item, summary: [part] },
  };
}

function writeMessage(text: string, id: string, piece: number): Written {
  const item = { id, type: "message", role: "assistant" };
  const at = { item_id: id, content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  return {
    added: { ...item, status: "in_progress", content: [] },
    between: [
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      ...pieces(text, piece).map((delta) => ({ type: "response.output_text.delta", ...at, logprobs: [], delta })),
      { type: "response.output_text.done", ...at, logprobs: [], text },
      { type: "response.content_part.done", ...at, part },
    ],
    done: { ...item, status: "completed", content: [part] },
  };
}

function writeCall({ name, input, id }: ScriptedCall, number: string, piece: number): Written {
  const source = writeInput(input);
  const itemId = `fc_${number}`;
  const item = { id: itemId, type: "function_call", call_id: id ?? `call_${number}`, name };
  return {
    added: { ...item, status: "in_progress", arguments: "" },
    between: [
      ...pieces(source, piece).map((delta) => ({
        type: "response.function_call_arguments.delta",
        item_id: itemId,
        delta,
      })),
      { type: "response.function_call_arguments.done", item_id: itemId, name, arguments: source },
    ],
    done: { ...item, status: "completed", arguments: source },
  };
}

function usageOf({ usage = {} }: ScriptedReply): object {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
