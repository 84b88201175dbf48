// Replies as assembled from the wire, before their calls are read.

import type { Json, JsonObject, Reply, Usage } from "../../core/index.js";
import type { Finish } from "./finish-reason.js";

/** A reply assembled from the chunks or events that came over the wire. */
export interface RawReply {
  readonly text: string;
  /** The text by which the model refused to answer; empty if it did not. */
  readonly refusal: string;
  readonly calls: readonly (RawCall | BrokenCall)[];
  /**
   * The end of the reply. `malformed`: the provider discarded a call that the model wrote badly. `unknown`: the provider's finish reason
   * says nothing, so the calls of the reply decide.
   */
  readonly finish: Exclude<Finish, "broken">;
  /** The provider's finish reason. Present if the end is `unknown`. */
  readonly finishReason?: string;
  readonly usage: Usage;
  /** The provider's account of the response. Absent if there is none. */
  readonly served?: NonNullable<Reply["served"]>;
  readonly extras: JsonObject;
  /** The model and the address that the extras and the ids of calls come from. Absent if the extras have this in themselves. */
  readonly from?: string;
}

/** The longest name or id of a response that is kept, in characters. */
const longestName = 200;

/** The provider's account of a response, with a field for each text that is not empty and not too long. Empty without one. */
export function servedBy({ model, id }: { readonly model?: unknown; readonly id?: unknown }): Pick<RawReply, "served"> {
  const isName = (text: unknown): text is string =>
    typeof text === "string" && text.trim() !== "" && text.length <= longestName;
  const served = { ...(isName(model) && { model }), ...(isName(id) && { id }) };
  return Object.keys(served).length === 0 ? {} : { served };
}

/** True for an id of a call that every receiver takes, models of Mistral aside. */
export function isUsualId(id: string): boolean {
  return /^[\w-]{1,40}$/.test(id);
}

/** A call in a reply, not yet read. */
export interface RawCall {
  /** The provider's id; empty if none. */
  readonly id: string;
  /** The tool's name as the model wrote it; empty if none. */
  readonly name: string;
  /** JSON text. From a dialect without types, an object: each value is a string, or a list or object of strings. */
  readonly arguments: string | JsonObject;
  /** Other keys that the provider put on the call. */
  readonly extras: JsonObject;
}

/** A piece of text that was meant as a call and can't be read as one. */
export interface BrokenCall {
  readonly kind: "malformed_call" | "truncated";
  /** The tool's name; empty if none was found. */
  readonly name: string;
  /** The text that can't be read. */
  readonly source: string;
  /** The problem, worded for the model. */
  readonly problem: string;
  /** The provider's id, if any. */
  readonly id?: string;
}

/** The result of searching a text for calls. */
export interface FoundCalls {
  /** The text outside the calls. */
  readonly text: string;
  /** The calls in the order they were written. */
  readonly calls: readonly (RawCall | BrokenCall)[];
}

/** The result of reading a call: its name and input, or the problem. */
export type CallReading =
  | {
      readonly ok: true;
      readonly name: string;
      readonly input: Json;
      /** The repairs that were made, worded for people; empty if none was needed. */
      readonly repairs: readonly string[];
    }
  | {
      readonly ok: false;
      readonly kind: "malformed_call" | "truncated";
      readonly name: string;
      /** The problem, worded for the model. */
      readonly problem: string;
    };
