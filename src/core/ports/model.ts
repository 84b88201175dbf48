// The port for models: one request in, events on the way, one whole reply out.

import type { Reply, WrittenCall } from "../data/call.js";
import type { ModelEvent } from "./event.js";
import type { Message } from "../data/message.js";
import type { ToolDescription } from "./toolbox.js";

/** What a model is asked. */
export interface ModelRequest {
  /** The effect key of this request, `<session>/<run>/model:<iteration>`; `model:closing` for the last of a run that is closed. */
  readonly key: string;
  readonly system: string;
  /** Valid until the reply is returned; a model that keeps it copies it. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** True where every reply must have a call. False: a reply without one is a fine answer, so none is to be forced. */
  readonly needsCall: boolean;
}

/** A reply as the model wrote it, its calls without ids of ours. */
export type WrittenReply = Reply<WrittenCall>;

/**
 * Something that answers a request with one reply.
 *
 * Contract: `respond` yields what watchers may see while it arrives and returns the whole reply. It returns a reply only
 * on terminal evidence (a finish reason, an end marker, or a complete body); otherwise it throws a LastcallError
 * and, if it had shown anything, yields `reply-retracted` first. A call that can't be read is an `UnreadableCall`,
 * never dropped and never guessed. It never runs a tool, never changes the request, and settles soon after `signal`
 * aborts.
 */
export interface Model {
  /** For people: the model's name. */
  readonly name: string;
  /** What the circuit around providers is shared by: the provider's address, say. */
  readonly provider: string;
  respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void>;
}

/** The reply, once it is whole; what the model yields on the way is not looked at. */
export async function wholeReply(source: ReturnType<Model["respond"]>): Promise<WrittenReply> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return next.value;
  }
}
