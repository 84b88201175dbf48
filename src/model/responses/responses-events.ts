// Reads the answers of the Responses API: the events of a stream, or one whole response.

import { addUsage, LastcallError, noUsage, type ModelEvent, type Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { plain } from "../wire/accumulate.js";
import { isItem, outputExtras, type Item } from "../wire/extras.js";
import { faultOfFrame } from "../http/provider-fault.js";
import { finishOf } from "../data/finish-reason.js";
import { servedBy, type BrokenCall, type RawCall, type RawReply } from "../data/raw-reply.js";
import { count, wholeUsage } from "../data/token-counts.js";
import { isCall } from "./responses-items.js";
import { argumentsOf, outputOf, textOf } from "./responses-output.js";
import type {
  EndedResponse,
  ResponsesEvents,
  ResponsesUsage,
  UnreadEvent,
  UnreadResponse,
} from "./responses-shapes.js";
import type { Unread } from "../wire/chat-shapes.js";
import type { WireReader } from "../wire/wire.js";

/** An event, or a whole response. */
type Frame = UnreadEvent & UnreadResponse & { readonly object?: unknown };

/** Makes a reader for one answer from `address`. `from` names the model and address in the stored output items. */
export function responseReader(address: string, from: string): WireReader {
  const output = outputOf();
  /** The response that ended the stream. It alone shows that the reply is complete, because this API has no end marker. */
  let ended: UnreadResponse | undefined;

  function end(response: unknown): readonly ModelEvent[] {
    if (!isPlainObject(response)) return [];
    const { status, error, output: items }: UnreadResponse = response;
    if (status === "failed") throw fault(error, address);
    ended = response;
    return output.end(Array.isArray(items) ? items.filter(isItem) : []);
  }

  function add(frame: Frame): readonly ModelEvent[] {
    switch (frame.type as Exclude<keyof ResponsesEvents, "error">) {
      case "response.output_item.added":
        return output.item(frame, false);
      case "response.output_item.done":
        return output.item(frame, true);
      case "response.output_text.delta":
      case "response.function_call_arguments.delta":
        return output.delta(frame);
      case "response.function_call_arguments.done":
        return output.whole(frame);
      case "response.refusal.delta":
        output.refusal(frame);
        return [];
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return reasoning(frame.delta);
      case "response.completed":
      case "response.incomplete":
        return end(frame.response);
      case "response.failed":
        throw fault(plain<UnreadResponse>(frame.response).error, address);
      default:
        return [];
    }
  }

  return {
    add(given) {
      if (!isPlainObject(given) || ended !== undefined) return [];
      const frame: Frame = given;
      // An error event has its code and message beside the type, or under `error`.
      if (frame.type === "error" || (frame.type === undefined && Boolean(frame.error)))
        throw fault(frame.error ?? frame, address);
      if (frame.object !== "response") return add(frame);
      return hasEnded(frame.status) ? end(frame) : [];
    },
    end() {
      const where = `The provider at ${address}`;
      if (ended === undefined)
        throw new LastcallError("provider_unavailable", `${where} closed the stream before the reply's end.`);
      return readResponse(ended, { items: output.all(), address, from });
    },
  };
}

/** True for a whole response that is over. An event that ends a stream says so itself. */
function hasEnded(status: unknown): boolean {
  return status !== "in_progress" && status !== "queued";
}

function reasoning(text: unknown): readonly ModelEvent[] {
  return typeof text === "string" && text !== "" ? [{ type: "reasoning-delta", text }] : [];
}

function fault(error: unknown, address: string): LastcallError {
  return faultOfFrame(error ?? "the response failed", address);
}

function readResponse(
  response: UnreadResponse,
  { items, address, from }: { readonly items: readonly Item[]; readonly address: string; readonly from: string },
): RawReply {
  return {
    text: items.map((item) => textOf(item)).join(""),
    refusal: items.map((item) => textOf(item, "refusal")).join(""),
    calls: items.filter(isCall).map(readCall),
    ...endOf(response, address),
    usage: readUsage(response.usage),
    ...servedBy(response),
    extras: outputExtras(from, items),
  };
}

/**
 * The end of the reply. The event does not decide, because some servers end a cut reply with `response.completed`. A response that says
 * that it is incomplete is never whole, whatever its reason is.
 * @throws LastcallError `provider_unavailable` if the server gave the reply up.
 */
function endOf(
  { status, incomplete_details: details }: UnreadResponse,
  address: string,
): Pick<RawReply, "finish" | "finishReason"> {
  const { reason } = plain<Unread<NonNullable<EndedResponse["incomplete_details"]>>>(details);
  const word =
    typeof reason === "string" ? reason : typeof status === "string" && hasEnded(status) ? status : undefined;
  const finish = finishOf(word);
  if (finish === "broken")
    throw new LastcallError(
      "provider_unavailable",
      `The provider at ${address} broke the reply off: ${JSON.stringify(word)}.`,
    );
  if ((status === "incomplete" || typeof reason === "string") && (finish === "complete" || finish === "unknown"))
    return { finish: "cut" };
  return { finish, ...(finish === "unknown" && word !== undefined && { finishReason: word }) };
}

/** Reads a call. Tools are offered as functions, so a call of another type can't be such a call. */
function readCall(item: Item): RawCall | BrokenCall {
  const id = typeof item["call_id"] === "string" ? item["call_id"] : "";
  const name = typeof item["name"] === "string" ? item["name"] : "";
  if (item["type"] === "function_call") return { id, name, arguments: argumentsOf(item), extras: {} };
  const problem = `This was a ${JSON.stringify(item["type"])}; every tool here is called as a function, with its arguments as a JSON object.`;
  return { kind: "malformed_call", name, source: JSON.stringify(item), problem, ...(id !== "" && { id }) };
}

function readUsage(usage: unknown): Usage {
  if (!isPlainObject(usage)) return noUsage;
  const tokens: Unread<ResponsesUsage> = usage;
  const input = plain<Unread<ResponsesUsage["input_tokens_details"]>>(tokens.input_tokens_details);
  const output = plain<Unread<ResponsesUsage["output_tokens_details"]>>(tokens.output_tokens_details);
  const parts = addUsage(noUsage, {
    inputTokens: count(tokens.input_tokens),
    cachedInputTokens: count(input.cached_tokens),
    outputTokens: count(tokens.output_tokens),
    reasoningTokens: count(output.reasoning_tokens),
  });
  return wholeUsage(parts, usage);
}
