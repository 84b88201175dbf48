// The wire: one API of a provider, with its requests and its answers.

import type { ModelEvent, ModelRequest } from "../../core/index.js";
import type { Forcing } from "../data/rung.js";
import type { RequestBody } from "../data/request-body.js";
import type { RawReply } from "../data/raw-reply.js";

/** Options for writing a request. */
export interface Manner {
  /** The rung of the forcing ladder. */
  readonly forcing: Forcing;
  /** More keys for the body from the caller; the same object for the same keys. The wire's own keys override them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** True if the keys that this model put on earlier replies are sent back to it. */
  readonly extras: boolean;
  /** The media types of the attachments that the model takes; the same list for the same types. */
  readonly takes: readonly string[];
}

/** One API. */
export interface Wire {
  /** The path under the base URL, for example `/chat/completions`. */
  readonly path: string;
  /** Writes the body of a request as the bytes of its JSON. */
  write(request: ModelRequest, manner: Manner): RequestBody;
  /** Makes a reader for one answer. */
  reader(): WireReader;
}

/** Assembles one answer. */
export interface WireReader {
  /**
   * Takes the data of one server-sent event, or a whole body. Returns the events for watchers.
   * @throws LastcallError if the frame is an error of the provider.
   */
  add(frame: unknown): readonly ModelEvent[];
  /**
   * The whole reply. `ending`: the body was not a stream, or the stream had an end marker, or neither.
   * @throws LastcallError `provider_unavailable` if the reply is missing, or nothing shows that it is complete.
   */
  end(ending: "body" | "marker" | undefined): RawReply;
}

/** The settings about tools, of either API. Servers refuse them in a request that has no tools. */
const aboutTools: ReadonlySet<string> = new Set([
  ...["function_call", "functions", "max_tool_calls", "parallel_tool_calls", "tool_choice", "tools"],
]);

/** The caller's settings for a request that offers no tools. */
export function withoutTools(settings: Manner["settings"]): Manner["settings"] {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !aboutTools.has(name)));
}
