// The port for carriers: the ways in which a request travels to a model, and its reply comes back.

import type { LastcallError, ModelEvent, ModelRequest } from "../../core/index.js";
import type { RawReply } from "./raw-reply.js";
import type { Forcing } from "./rung.js";

/**
 * Carries requests to one model.
 *
 * Contract: a carrier reads no calls in texts and repairs nothing. It changes no request, and runs no tool.
 */
export interface Carrier {
  /** The model's name. */
  readonly name: string;
  /** The key of the provider, for the circuit breaker and for faults. */
  readonly provider: string;
  /** The media types of the attachments that the model takes, as the model states them. Undefined if that is not known. */
  readonly attachments?: readonly string[] | undefined;
  /**
   * Sends a request on a rung of the forcing ladder. Returns the answer once it begins. If the provider refused the form of the request and
   * the carrier knows another form, it returns the events of that change; then `send` is called again.
   * @throws whatever refuses the request; `faultOf` and `mistakeIn` read it.
   */
  send(request: ModelRequest, rung: Forcing, signal: AbortSignal): Promise<Answer | readonly ModelEvent[]>;
  /** The fault for an error that `send` or an answer threw. */
  faultOf(thrown: unknown): LastcallError;
  /** The reply that the provider discarded, if the error is a mistake of the model. Undefined for any other error. */
  mistakeIn(thrown: unknown): RawReply | undefined;
}

/**
 * One answer on its way: `take` gets what `read` waited for, until `hasEnded`. Waiting and taking are two methods so that a piece costs one
 * promise: a reply has many.
 */
export interface Answer {
  /** The part of forcing that the carrier left out, by its own account. Absent if it left out nothing. */
  readonly ignored?: Ignored | undefined;
  /** True once the last piece was taken. */
  readonly hasEnded: boolean;
  /** Waits for the next piece. Rejects if the answer broke off. */
  read(): Promise<unknown>;
  /** Takes the piece that `read` waited for. Returns its events for watchers. */
  take(piece: unknown): readonly ModelEvent[];
  /** Ends the request if it still goes on. It is called once, before `end`, also if another method threw. */
  leave(): void;
  /**
   * The whole reply.
   * @throws LastcallError `provider_unavailable` unless something shows that the reply is complete.
   */
  end(): RawReply;
}

/** A part of forcing that was left out of a request. */
export interface Ignored {
  /** `choice`: the model was not told that it must call a tool. `tools`: the model was not told of the tools. */
  readonly part: "choice" | "tools";
  /** The reason, for people. */
  readonly reason: string;
}
