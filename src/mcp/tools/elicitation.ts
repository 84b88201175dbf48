// Elicitation: a question that a server asks of the user while one of its tools works.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject, toJson, type StandardSchema } from "../../core/internal.js";
import { foreignText } from "../foreign/foreign-text.js";

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

/** A question of a server as the question of a run: `outcome.value`, if the run waits for the answer. */
export interface ElicitedQuestion {
  /** The name of the server. */
  readonly server: string;
  /** The question, in the server's words: untrusted text, made safe to show. */
  readonly message: string;
}

/** The schema of the questions that calls of a server's tools ask. Only this layer makes such questions. */
export const elicitedQuestions: StandardSchema<unknown, ElicitedQuestion> = {
  "~standard": { version: 1, vendor: "lastcall", validate: (value) => ({ value: value as ElicitedQuestion }) },
};

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

/** The most fields of an answer that a server may ask for. */
const mostFields = 50;

/** The schema of the answer to a question of a run: a yes with the fields that the server asks for, or a no. */
export function replySchemaFor({ schema }: Elicitation): JsonObject {
  const { properties, required } = schema;
  const fields = isPlainObject(properties) ? Object.entries(properties).slice(0, mostFields) : [];
  const content = {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, readField(field)])),
    required: (Array.isArray(required) ? (required as Json[]) : []).filter((name) =>
      fields.some(([known]) => known === name),
    ),
  };
  return {
    type: "object",
    properties: { action: { type: "string", enum: ["accept", "decline"] }, content },
    required: ["action"],
  };
}

/** A field of an answer. The protocol has texts, numbers, yes and no, and choices; nothing else of a stranger's schema is kept. */
function readField(field: unknown): JsonObject {
  const { type, title, description, enum: choices } = isPlainObject(field) ? field : {};
  const isKnown = type === "number" || type === "integer" || type === "boolean";
  const words = [title, description].filter((text) => typeof text === "string").join(": ");
  return {
    type: isKnown ? type : "string",
    ...(words !== "" && { description: foreignText(words, longestQuestion).text }),
    ...(Array.isArray(choices) && {
      enum: choices.filter((choice): choice is string => typeof choice === "string").slice(0, mostFields),
    }),
  };
}

/** The answer to the server, from the reply to the question of the run. A yes without fields has none. */
export function answerFrom(reply: Json): ElicitationAnswer {
  const { action, content } = isPlainObject(reply) ? reply : {};
  if (action !== "accept") return { action: "decline" };
  return { action, content: isPlainObject(content) ? content : {} };
}

/** The text for the model about a question that nobody answered. */
export function unansweredText({ message, schema }: Elicitation): string {
  const fields = foreignText(toJson(schema["properties"] ?? {}) ?? "", longestQuestion).text;
  return `The server asked the user a question, and nobody was there to answer it: ${JSON.stringify(message)} (the fields of the answer: ${fields}). Ask the user yourself, if you have a tool for that, and call this one again with the answer in its arguments, if it takes it there.`;
}
