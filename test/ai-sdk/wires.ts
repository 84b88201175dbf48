// The wires of other makers: a scripted reply in the events of Anthropic, Google and Mistral, for a server on loopback.

import { pieces, writeInput, type ScriptedError, type ScriptedReply } from "../../src/testing/scripted/script.js";

/** The lines of one reply, one text per event. */
export interface WireLines {
  readonly content: readonly string[];
  /** The finish reason and all after it. */
  readonly finish: readonly string[];
}

/** One wire. */
export interface Wire {
  lines(reply: ScriptedReply, number: number): WireLines;
  /** The body of an error. */
  error(error: ScriptedError): object;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function countsOf({
  usage = {},
}: ScriptedReply): Readonly<Record<"input" | "cached" | "output" | "reasoning", number>> {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return { input: inputTokens, cached: cachedInputTokens, output: outputTokens, reasoning: reasoningTokens };
}

/** The signature that the wire of Anthropic puts on the reasoning of a reply. */
function signatureOf(number: number): string {
  return `signature of ${String(number)}`;
}

const anthropicStops: Readonly<Record<string, string>> = {
  length: "max_tokens",
  content_filter: "refusal",
  stop: "end_turn",
  tool_calls: "tool_use",
};

/** The Messages API. */
export const anthropicWire: Wire = {
  lines(reply, number) {
    const { text = "", reasoning = "", calls = [], piece = Infinity, finishReason } = reply;
    const { input, cached, output, reasoning: thought } = countsOf(reply);
    const event = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
    const blocks: { readonly block: object; readonly deltas: readonly object[] }[] = [
      ...(reasoning === ""
        ? []
        : [
            {
              block: { type: "thinking", thinking: "", signature: "" },
              deltas: [
                ...pieces(reasoning, piece).map((thinking) => ({ type: "thinking_delta", thinking })),
                { type: "signature_delta", signature: signatureOf(number) },
              ],
            },
          ]),
      ...(text === ""
        ? []
        : [
            {
              block: { type: "text", text: "" },
              deltas: pieces(text, piece).map((part) => ({ type: "text_delta", text: part })),
            },
          ]),
      ...calls.map(({ name, input: args, id }, index) => ({
        block: { type: "tool_use", id: id ?? `toolu_${String(number)}_${String(index)}`, name, input: {} },
        deltas: pieces(writeInput(args), piece).map((part) => ({ type: "input_json_delta", partial_json: part })),
      })),
    ];
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output };
    const message = { id: `msg_${String(number)}`, type: "message", role: "assistant", model: "claude", content: [] };
    const stop = anthropicStops[finishReason ?? (calls.length > 0 ? "tool_calls" : "stop")] ?? finishReason;
    return {
      content: [
        event("message_start", { message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } } }),
        event("ping", {}),
        ...blocks.flatMap(({ block, deltas }, index) => [
          event("content_block_start", { index, content_block: block }),
          ...deltas.map((delta) => event("content_block_delta", { index, delta })),
          event("content_block_stop", { index }),
        ]),
      ],
      finish: [
        event("message_delta", {
          delta: { stop_reason: stop, stop_sequence: null },
          usage: { ...usage, output_tokens_details: { thinking_tokens: thought } },
        }),
        event("message_stop", {}),
      ],
    };
  },
  error: ({ status, message }) => {
    const types: Readonly<Record<number, string>> = {
      400: "invalid_request_error",
      401: "authentication_error",
      429: "rate_limit_error",
      529: "overloaded_error",
    };
    return {
      type: "error",
      error: { type: types[status] ?? "api_error", message: message ?? `scripted ${String(status)}` },
    };
  },
};

const googleStops: Readonly<Record<string, string>> = {
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  stop: "STOP",
  tool_calls: "STOP",
};

/** `streamGenerateContent`. A call comes in one piece, and its arguments are parsed. A text in their place is passed on by the package. */
export const googleWire: Wire = {
  lines(reply, number) {
    const { text = "", reasoning = "", calls = [], piece = Infinity, finishReason = "stop" } = reply;
    const { input, cached, output, reasoning: thought } = countsOf(reply);
    const line = (parts: readonly object[], more: object = {}): string =>
      data({ candidates: [{ index: 0, content: { role: "model", parts }, ...more }] });
    const usageMetadata = {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output - thought,
      thoughtsTokenCount: thought,
      totalTokenCount: input + output,
    };
    const ended = {
      candidates: [{ index: 0, finishReason: googleStops[finishReason] ?? finishReason }],
      usageMetadata,
    };
    return {
      content: [
        ...pieces(reasoning, piece).map((part) => line([{ text: part, thought: true }])),
        ...pieces(text, piece).map((part) => line([{ text: part }])),
        ...calls.map(({ name, input: args }, index) =>
          line([
            {
              functionCall: { name, args },
              ...(index === 0 && { thoughtSignature: signatureOf(number) }),
            },
          ]),
        ),
      ],
      finish: [data(ended)],
    };
  },
  error: ({ status, message }) => ({
    error: { code: status, message: message ?? `scripted ${String(status)}`, status: "SCRIPTED" },
  }),
};

/** Chat completions as Mistral writes them: thinking in parts of the content, ids of nine characters. */
export const mistralWire: Wire = {
  lines(reply, number) {
    const { text = "", reasoning = "", calls = [], piece = Infinity } = reply;
    const { input, cached, output, reasoning: thought } = countsOf(reply);
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
      data({ id: "cmpl", created: 0, model: "mistral", choices: [{ index: 0, delta, finish_reason }], ...more });
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought },
    };
    return {
      content: [
        chunk({ role: "assistant", content: "" }),
        ...pieces(reasoning, piece).map((part) =>
          chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: part }] }] }),
        ),
        ...pieces(text, piece).map((part) => chunk({ content: part })),
        ...calls.flatMap(({ name, input: args, id = callId(number, 0) }, index) => {
          const whole = pieces(writeInput(args), piece);
          return whole.map((part, at) => {
            const named = at === 0 ? { id: index === 0 ? id : callId(number, index) } : {};
            return chunk({
              tool_calls: [{ ...named, index, function: { ...(at === 0 && { name }), arguments: part } }],
            });
          });
        }),
      ],
      finish: [
        chunk({ content: "" }, reply.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop"), { usage }),
        "data: [DONE]\n\n",
      ],
    };
  },
  error: ({ status, message }) => ({
    ...{ object: "error", message: message ?? `scripted ${String(status)}`, type: "scripted", param: null, code: null },
  }),
};

function callId(number: number, index: number): string {
  return `call${String(number).padStart(3, "0")}${String(index).padStart(2, "0")}`;
}
