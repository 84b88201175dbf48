// The chat completions API: requests with native function calling or XML, replies streamed or whole.

import { LastcallError, type ModelRequest } from "../../core/index.js";
import { accumulator, type AccumulatedMessage } from "./accumulate.js";
import type { AccumulatedCall } from "./accumulate-calls.js";
import { isPlainObject, headOf } from "../../core/internal.js";
import type { ChatBody } from "./chat-shapes.js";
import { extrasOf, type ExtrasOf } from "./extras.js";
import { listWriter, restWriter } from "./body-writer.js";
import { nativeWriter, type NativeBody } from "./native.js";
import { faultOfFrame } from "../http/provider-fault.js";
import type { BrokenCall, RawCall, RawReply } from "../data/raw-reply.js";
import { finishOf } from "../data/finish-reason.js";
import type { RequestBody } from "../data/request-body.js";
import { withoutTools, type Manner, type Wire, type WireReader } from "./wire.js";
import { idsOf, type TakesId } from "./wire-call.js";
import { xmlWriter } from "./xml-dialect.js";

/** Makes the wire for one model at `address`. It keeps the bytes of conversations for their next requests. */
export function chatWire(model: string, address: string): Wire {
  const from = `${model} ${address}`;
  const own = extrasOf(from);
  const takesId = idsOf(from, 40);
  const none: ExtrasOf = () => undefined;
  /** By the extras and the attachments that are sent. A session changes them at most once each. */
  const writers = new Map<ExtrasOf, Map<readonly string[], ReturnType<typeof writersOf>>>();
  const xmlBytes = listWriter("messages");
  const common = { model, stream: true, stream_options: { include_usage: true } } as const;
  const nativeRest = restWriter(
    (
      { messages: _ours, ...given }: Manner["settings"],
      tools: NativeBody["tools"],
      choice: NativeBody["tool_choice"],
    ) => ({ ...given, tools, tool_choice: choice, ...common }) satisfies Rest,
  );
  /** For a request that offers no tools: it has none, or the prompt describes them. */
  const plainRest = restWriter(
    ({ messages: _ours, ...given }: Manner["settings"]) => ({ ...withoutTools(given), ...common }) satisfies Rest,
  );

  function writersFor({ extras, takes }: Manner): ReturnType<typeof writersOf> {
    const sends = extras ? own : none;
    const byTypes = writers.get(sends) ?? new Map<readonly string[], ReturnType<typeof writersOf>>();
    const known = byTypes.get(takes) ?? writersOf(sends, takes, takesId);
    writers.set(sends, byTypes.set(takes, known));
    return known;
  }

  function write(request: ModelRequest, manner: Manner): RequestBody {
    const { forcing, settings } = manner;
    const { native, xml } = writersFor(manner);
    if (forcing === "xml") return xmlBytes(xml(request).messages).body(plainRest(settings));
    const { messages, tools, tool_choice: choice } = native(request, forcing);
    return messages.body(tools.length === 0 ? plainRest(settings) : nativeRest(settings, tools, choice));
  }

  return { path: "/chat/completions", write, reader: () => chatReader(address, from) };
}

/** The keys of a body after its messages. */
type Rest = Omit<ChatBody, "messages">;

function writersOf(
  extras: ExtrasOf,
  takes: readonly string[],
  takesId: TakesId,
): { native: ReturnType<typeof nativeWriter>; xml: ReturnType<typeof xmlWriter> } {
  return { native: nativeWriter(extras, takes, takesId), xml: xmlWriter(extras, takes) };
}

function chatReader(address: string, from: string): WireReader {
  const reply = accumulator();
  const unavailable = (what: string): LastcallError =>
    new LastcallError("provider_unavailable", `The provider at ${address} ${what}.`);
  return {
    add(frame) {
      const error = errorOf(frame);
      // A reply that was cut stays cut: some routers report the reached limit as an error too.
      if (Boolean(error) && finishOf(reply.message()?.finishReason) !== "cut") throw faultOfFrame(error, address);
      return reply.add(frame);
    },
    end(ending) {
      const message = reply.message();
      const hasEnd = ending === "body" || (ending === "marker" && message !== undefined && isWhole(message));
      if (!hasEnd && message?.finishReason === undefined) throw unavailable("closed the stream before the reply's end");
      if (message === undefined) throw unavailable("sent a completion without a message");
      const finish = finishOf(message.finishReason);
      if (finish === "broken") throw unavailable(`broke the reply off: ${JSON.stringify(message.finishReason)}`);
      return readMessage(message, finish, from);
    },
  };
}

/** The error in a frame: under its own key, in the choice, or the frame itself. Undefined for a piece of a reply. */
function errorOf(frame: unknown): unknown {
  if (!isPlainObject(frame)) return undefined;
  const { error, choices, object, type } = frame;
  if (Boolean(error)) return error;
  if (object === "error" || type === "error") return frame;
  return Array.isArray(choices) && isPlainObject(choices[0]) ? choices[0]["error"] : undefined;
}

/**
 * True if a message without a finish reason is whole at the end marker. Known servers give none: two report the usage in the last chunk,
 * and one ends complete calls with the marker alone.
 */
function isWhole({ endsWithUsage, calls }: AccumulatedMessage): boolean {
  return endsWithUsage || (calls.length > 0 && calls.every((call) => isObjectText(call.arguments)));
}

function isObjectText(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function readMessage(
  { finishReason, endsWithUsage: _ends, calls, ...message }: AccumulatedMessage,
  finish: RawReply["finish"],
  from: string,
): RawReply {
  return {
    ...message,
    finish,
    ...(finish === "unknown" && finishReason !== undefined && { finishReason }),
    calls: calls.map(readType),
    from,
  };
}

/** Reads a call. Tools are offered as functions, so a call of another type can't be such a call. */
function readType({ type, ...call }: AccumulatedCall): RawCall | BrokenCall {
  if (type === "function") return call;
  const { id } = call;
  const source = JSON.stringify(call.extras);
  const problem = `This was a call of the type ${JSON.stringify(headOf(type, 40))}; every tool here is called as a function, with its arguments as a JSON object.`;
  return { kind: "malformed_call", name: call.name, source, problem, ...(id !== "" && { id }) };
}
