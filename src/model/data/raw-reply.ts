// Replies between the wire and the loop: put together, not yet read.

import type { Json, JsonObject, Usage } from "../../core/index.js";

/** A reply as it was put together from what came over the wire. */
export interface RawReply {
  readonly text: string;
  /** What the model said instead of an answer; empty if nothing. */
  readonly refusal: string;
  readonly calls: readonly (RawCall | BrokenCall)[];
  /** How it ended; `malformed` where the provider threw a call away that the model had written badly. */
  readonly finish: "complete" | "cut" | "refused" | "malformed";
  readonly usage: Usage;
  readonly extras: JsonObject;
}

/** A call that a reply was found to hold. */
export interface RawCall {
  /** The provider's id; empty if none. */
  readonly id: string;
  /** The tool's name as it was written; empty if none. */
  readonly name: string;
  /** JSON text; or the fields by name where the dialect has no types: their texts, in lists and objects where they are nested. */
  readonly arguments: string | JsonObject;
  /** What else the provider put on the call. */
  readonly extras: JsonObject;
}

/** A piece of a text that was meant as a call and is none. */
export interface BrokenCall {
  readonly kind: "malformed_call" | "truncated";
  /** The tool's name, as far as there is one. */
  readonly name: string;
  /** The text that can't be read. */
  readonly source: string;
  /** What is wrong with it, in words for the model. */
  readonly problem: string;
  /** The provider's id, if any. */
  readonly id?: string;
}

/** What was found in a text. */
export interface FoundCalls {
  /** The words outside the calls. */
  readonly text: string;
  /** In the order they were written. */
  readonly calls: readonly (RawCall | BrokenCall)[];
}

/** A call's name and arguments as they are to be taken, or what is wrong with them. */
export type CallReading =
  | {
      readonly ok: true;
      readonly name: string;
      readonly input: Json;
      /** What was mended, in words for people; empty where it was written well. */
      readonly repairs: readonly string[];
    }
  | {
      readonly ok: false;
      readonly kind: "malformed_call" | "truncated";
      readonly name: string;
      /** What is wrong, in words for the model. */
      readonly problem: string;
    };
