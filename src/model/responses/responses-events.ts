// Reads the answers of the Responses API: the events of a stream, or one whole response.

import { addUsage, LastcallError, noUsage, type ModelEvent, type Usage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { count, plain } from "../wire/accumulate.js";
import { isItem, outputExtras, type Item } from "../wire/extras.js";
import { faultOfFrame } from "../http/provider-fault.js";
import type { BrokenCall, RawCall, RawReply } from "../data/raw-reply.js";
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
      return readResponse(ended, output.all(), from);
    },
  };
}

/** False for a response that is still in progress or was cancelled. */
function hasEnded(status: unknown): boolean {
  return status !== "in_progress" && status !== "queued" && status !== "cancelled";
}

function reasoning(text: unknown): readonly ModelEvent[] {
  return typeof text === "string" && text !== "" ? [{ type: "reasoning-delta", text }] : [];
}

/** Codes of errors that the same request will cause again. In a stream they come without an HTTP status. */
const rejections: ReadonlySet<unknown> = new Set(["invalid_prompt", "bio_policy"]);

function fault(error: unknown, address: string): LastcallError {
  const isRejection = isPlainObject(error) && rejections.has(error["code"]);
  return faultOfFrame(isRejection ? { ...error, status: 400 } : (error ?? "the response failed"), address);
}

function readResponse(response: UnreadResponse, items: readonly Item[], from: string): RawReply {
  return {
    text: items.map((item) => textOf(item)).join(""),
    refusal: items.map((item) => textOf(item, "refusal")).join(""),
    calls: items.filter(isCall).map(readCall),
    finish: finishOf(response),
    usage: readUsage(response.usage),
    extras: outputExtras(from, items),
  };
}

/** The end of the reply. The event does not decide, because some servers end a cut reply with `response.completed`. */
function finishOf({ status, incomplete_details: details }: UnreadResponse): RawReply["finish"] {
  const { reason } = plain<Unread<NonNullable<EndedResponse["incomplete_details"]>>>(details);
  if (status !== "incomplete" && typeof reason !== "string") return "complete";
  return reason === "content_filter" ? "refused" : "cut";
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
  return addUsage(noUsage, {
    inputTokens: count(tokens.input_tokens),
    cachedInputTokens: count(input.cached_tokens),
    outputTokens: count(tokens.output_tokens),
    reasoningTokens: count(output.reasoning_tokens),
  });
}
