// The chat completions API: requests with native function calling or XML, replies streamed or whole.

import { LastcallError, type ModelRequest } from "../../core/index.js";
import { accumulator, type AccumulatedMessage } from "./accumulate.js";
import type { AccumulatedCall } from "./accumulate-calls.js";
import { listWriter } from "./list-text.js";
import { nativeWriter } from "./native.js";
import { faultOfFrame } from "../http/provider-fault.js";
import type { BrokenCall, RawCall, RawReply } from "../data/raw-reply.js";
import type { Manner, Wire, WireReader } from "./wire.js";
import { xmlWriter } from "./xml-dialect.js";

/** Makes the wire for one model at `address`. It caches the messages that it has encoded. */
export function chatWire(model: string, address: string): Wire {
  const native = nativeWriter();
  const xml = xmlWriter();
  const listText = listWriter();

  function write(request: ModelRequest, { forcing, settings }: Manner): string {
    const { messages, ...body } = forcing === "xml" ? xml(request) : native(request, forcing);
    const { messages: _ours, ...given } = settings;
    const rest = { ...given, model, ...body, stream: true, stream_options: { include_usage: true } };
    // The text of the history is cached and not serialized again with each request.
    return `{"messages":${listText(messages)},${JSON.stringify(rest).slice(1)}`;
  }

  return { path: "/chat/completions", write, reader: () => chatReader(address) };
}

function chatReader(address: string): WireReader {
  const reply = accumulator();
  const unavailable = (what: string): LastcallError =>
    new LastcallError("provider_unavailable", `The provider at ${address} ${what}.`);
  return {
    add(frame) {
      if (typeof frame === "object" && frame !== null && "error" in frame && frame.error)
        throw faultOfFrame(frame.error, address);
      return reply.add(frame);
    },
    end(hasEnd) {
      const message = reply.message();
      if (!hasEnd && message?.finishReason === undefined) throw unavailable("closed the stream before the reply's end");
      if (message === undefined) throw unavailable("sent a completion without a message");
      if (message.finishReason === "error") throw unavailable("broke the reply off with an error");
      return readMessage(message);
    },
  };
}

/** The end of a reply by the finish reasons of several providers. Any other reason is `complete`. */
const finishes: ReadonlyMap<string, RawReply["finish"]> = new Map([
  ["length", "cut"],
  ["max_tokens", "cut"],
  ["content_filter", "refused"],
  ["safety", "refused"],
  ["malformed_function_call", "malformed"],
]);

function readMessage({ finishReason = "", calls, ...message }: AccumulatedMessage): RawReply {
  const finish = finishes.get(finishReason.toLowerCase()) ?? "complete";
  return { ...message, finish, calls: calls.map(readType) };
}

/** Reads a call. Tools are offered as functions, so a call of another type can't be one of them. */
function readType({ type, ...call }: AccumulatedCall): RawCall | BrokenCall {
  if (type === "function") return call;
  const { id } = call;
  const source = JSON.stringify(call.extras);
  const problem = `This was a call of the type ${JSON.stringify(type.slice(0, 40))}; every tool here is called as a function, with its arguments as a JSON object.`;
  return { kind: "malformed_call", name: call.name, source, problem, ...(id !== "" && { id }) };
}
