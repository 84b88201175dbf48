// What an API of a provider must have: requests written for it, and a reader for what it answers.

import type { ModelEvent, ModelRequest } from "../../core/index.js";
import type { Forcing } from "../data/rung.js";
import type { RawReply } from "../data/raw-reply.js";

/** How a request is to be written. */
export interface Manner {
  /** How the model is made to call a tool. */
  readonly forcing: Forcing;
  /** More keys for the body, as the caller gave them; the wire's own come last. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One API. */
export interface Wire {
  /** Under the base URL, as `/chat/completions`. */
  readonly path: string;
  /** The JSON text of the body of a request. */
  write(request: ModelRequest, manner: Manner): string;
  /** A reader for one answer. */
  reader(): WireReader;
}

/** Puts one answer together. */
export interface WireReader {
  /**
   * Takes the data of one server-sent event, or a whole body, and returns what of it watchers may see.
   * @throws LastcallError where the provider says in it that it failed.
   */
  add(frame: unknown): readonly ModelEvent[];
  /**
   * The whole reply. `hasEnd` is true where the end of the stream was marked, or the body was not a stream.
   * @throws LastcallError `provider_unavailable` where nothing says that the reply is whole, or there is none.
   */
  end(hasEnd: boolean): RawReply;
}
