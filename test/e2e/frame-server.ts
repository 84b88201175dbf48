// A server that sends one call of `converse`, each frame only once what the frame before it says has been seen: nothing goes by time.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How the call is written, and over which API. */
export type Manner = "function calls" | "XML" | "function calls, over Responses";

/** A piece of a reply, and what the reader must show once it has come; undefined where it shows nothing new. */
interface Frame {
  readonly data: object | string;
  readonly shows?: string;
}

/** Settles once the reader shows exactly this text. */
export type Seen = (text: string) => Promise<void>;

/** Starts a server that says the message to one request, sign by sign; each is written before the next one only if it was `seen`. */
export async function frameServer(
  manner: Manner,
  message: string,
  seen: Seen,
): Promise<AsyncDisposable & { readonly url: string; readonly failed: Promise<never> }> {
  let fail: (thrown: unknown) => void;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    const say = async (): Promise<void> => {
      for (const { data, shows } of framesOf(manner, message)) {
        outgoing.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
        if (shows !== undefined) await seen(shows);
      }
      outgoing.end();
    };
    say().catch(fail);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    failed,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** What stands before the message, in front of and behind it, and each of its signs. */
interface Written {
  readonly before: string;
  readonly sign: (sign: string) => string;
  readonly after: string;
}

const asJson: Written = {
  before: '{"message":"',
  sign: (sign) => JSON.stringify(sign).slice(1, -1),
  after: '"}',
};
const asXml: Written = {
  before: "<tool>\n<tool_name>converse</tool_name>\n<arguments>\n  <message>",
  sign: (sign) => (sign === "<" ? "&lt;" : sign === "&" ? "&amp;" : sign),
  after: "</message>\n</arguments>\n</tool>",
};

function framesOf(manner: Manner, message: string): readonly Frame[] {
  const { before, sign, after } = manner === "XML" ? asXml : asJson;
  const signs = Array.from(message);
  const pieces = signs.map((one, index) => ({
    text: (index === 0 ? before : "") + sign(one),
    shows: signs.slice(0, index + 1).join(""),
  }));
  const whole = before + signs.map(sign).join("") + after;
  if (manner === "function calls, over Responses") return responseFrames(pieces, after, whole);
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const piece = (text: string): object =>
    chunk(manner === "XML" ? { content: text } : { tool_calls: [{ index: 0, function: { arguments: text } }] });
  const opening = { index: 0, id: "call_1", type: "function", function: { name: "converse", arguments: "" } };
  return [
    { data: chunk({ role: "assistant", content: null, ...(manner !== "XML" && { tool_calls: [opening] }) }) },
    ...pieces.map(({ text, shows }) => ({ data: piece(text), shows })),
    { data: piece(after) },
    { data: chunk({}, manner === "XML" ? "stop" : "tool_calls") },
    { data: "[DONE]" },
  ];
}

function responseFrames(
  pieces: readonly { text: string; shows: string }[],
  after: string,
  whole: string,
): readonly Frame[] {
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "converse" };
  const done = { ...item, status: "completed", arguments: whole };
  const response = { id: "resp_1", object: "response", created_at: 0, model: "m", error: null };
  const begun = { ...response, status: "in_progress", output: [] };
  const at = { output_index: 0, item_id: "fc_1" };
  const delta = (text: string): object => ({ type: "response.function_call_arguments.delta", ...at, delta: text });
  return [
    { data: { type: "response.created", response: begun } },
    {
      data: {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", arguments: "" },
      },
    },
    ...pieces.map(({ text, shows }) => ({ data: delta(text), shows })),
    { data: delta(after) },
    { data: { type: "response.function_call_arguments.done", ...at, arguments: whole } },
    { data: { type: "response.output_item.done", output_index: 0, item: done } },
    { data: { type: "response.completed", response: { ...response, status: "completed", output: [done] } } },
  ];
}
