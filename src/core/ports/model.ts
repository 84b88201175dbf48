// The port for models: it takes one request, yields events and returns one complete reply.

import { describeAttachment, takesType, type Attachment } from "../data/attachment.js";
import type { Reply, WrittenCall } from "../data/call.js";
import type { ModelEvent } from "./event.js";
import type { Message, ToolMessage, UserMessage } from "../data/message.js";
import type { ToolDescription } from "./toolbox.js";

/** One request to a model. */
export interface ModelRequest {
  /**
   * The effect key of this request, `<session>/<life>/<run>/model:<iteration>`, or `.../model:closing` in the closing iteration. In a run
   * that has gone on after its first process, a colon and a later life follow.
   */
  readonly key: string;
  readonly system: string;
  /** Valid until the reply is returned. A model that needs the messages later copies them. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** True if every reply must have a call. If false, a reply without a call is valid too, so the model must not be forced to call. */
  readonly needsCall: boolean;
  /** The bytes of an attachment of these messages; undefined if they are gone. Absent if no message has one. */
  readonly bytesOf?: (attachment: Attachment) => Uint8Array | undefined;
}

/** A reply as the model wrote it. Its calls have no effect keys yet. */
export type WrittenReply = Reply<WrittenCall>;

/**
 * Answers a request with one reply.
 *
 * Contract: `respond` yields events for watchers while the reply arrives, and returns the complete reply. It returns a reply only
 * on evidence that the reply is complete: a finish reason, a complete body, or usage before an end marker. Otherwise it throws a
 * LastcallError; if it has shown any part of the reply, it yields `reply-retracted` first. A call that can't be parsed becomes an
 * `UnreadableCall`; it is never dropped and never guessed. `respond` never runs a tool and never changes the request. It settles
 * soon after `signal` aborts. A request that is aborted or left is also returned (`return()`), so that a `finally` around its yields runs.
 */
export interface Model {
  /** The model's name. `limits.prices` goes by it. */
  readonly name: string;
  /**
   * The names of the models that may answer, if there are several (`fallback`). Each reply then names its own, and `limits.prices` goes by
   * that. Absent for a single model.
   */
  readonly models?: readonly string[] | undefined;
  /** The key of the provider, its address for example. Models with the same key share one circuit breaker. */
  readonly provider: string;
  /**
   * The media types of the attachments that the model takes, as `image/png`, `image/*` or `*`. Other attachments are told in words, and
   * the input of a run can't have them. Absent if that is not known: then all are sent, and the provider decides.
   */
  readonly attachments?: readonly string[] | undefined;
  respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void>;
}

/** A part of a message: its text, or an attachment with its bytes. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "attachment"; readonly attachment: Attachment; readonly bytes: Uint8Array };

/**
 * The parts of a message for a model that takes these media types; all parts if undefined. The text is first, unless it is empty. It ends
 * with a line for each attachment that can't be shown, because its bytes are gone or the model does not take it.
 */
export function partsOf(
  { text, attachments = [] }: UserMessage | ToolMessage,
  { bytesOf }: Pick<ModelRequest, "bytesOf">,
  takes: readonly string[] = ["*"],
): readonly Part[] {
  const shown: Part[] = [];
  const lines: string[] = [];
  for (const attachment of attachments) {
    const bytes = bytesOf?.(attachment);
    if (!takesType(takes, attachment.mediaType))
      lines.push(describeAttachment(attachment, "not shown, because this model takes no such files"));
    else if (bytes === undefined) lines.push(describeAttachment(attachment, "not shown, because its bytes are gone"));
    else shown.push({ type: "attachment", attachment, bytes });
  }
  const whole = [...(text === "" ? [] : [text]), ...lines].join("\n");
  return whole === "" ? shown : [{ type: "text", text: whole }, ...shown];
}

/**
 * Waits for the complete reply and ignores the events. If the signal aborts, a model that goes on all the same is returned after its next
 * event, so that its `finally` runs.
 * @throws the signal's reason, and whatever the model throws.
 */
export async function wholeReply(source: ReturnType<Model["respond"]>, signal?: AbortSignal): Promise<WrittenReply> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return next.value;
    if (signal?.aborted !== true) continue;
    await source.return(undefined as never);
    throw signal.reason;
  }
}
