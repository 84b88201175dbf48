// Elicitation: a question that a server asks of the user while one of its tools works.

import type { JsonObject } from "../../core/index.js";
import { isPlainObject, toJson } from "../../core/internal.js";
import { foreignText } from "../words/foreign-text.js";

/** A question of a server. */
export interface Elicitation {
  /** The name of the server. */
  readonly server: string;
  /** The question, in the server's words: untrusted text, made safe to show. */
  readonly message: string;
  /** The JSON Schema of the answer, as the server wrote it: an object with simple fields. */
  readonly schema: JsonObject;
  /** Aborts when nobody needs the answer any more. */
  readonly signal: AbortSignal;
}

/** An answer: the fields that the schema asks for, a clear no, or no answer at all. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Answers the question of a server, for example by asking a person. An error that it throws counts as no answer. */
export type Elicit = (question: Elicitation) => ElicitationAnswer | Promise<ElicitationAnswer>;

/** Characters of a question that are kept. */
const longestQuestion = 2000;

/** Reads the question of a server from the parameters of its request. */
export function readQuestion(server: string, params: unknown, signal: AbortSignal): Elicitation {
  const { message, requestedSchema } = isPlainObject(params) ? params : {};
  return {
    server,
    message: foreignText(typeof message === "string" ? message : "", longestQuestion).text,
    schema: (isPlainObject(requestedSchema) ? requestedSchema : {}) as JsonObject,
    signal,
  };
}

/** What the model is told about a question that nobody answered. */
export function unansweredText({ message, schema }: Elicitation): string {
  const fields = foreignText(toJson(schema["properties"] ?? {}) ?? "", longestQuestion).text;
  return `The server asked the user a question, and nobody was there to answer it: ${JSON.stringify(message)} (the fields of the answer: ${fields}). Ask the user yourself, if you have a tool for that, and call this one again with the answer in its arguments, if it takes it there.`;
}
