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
export function replySchemaFor(question: Elicitation): JsonObject {
  const fields = fieldsOf(question);
  const { required } = question.schema;
  const content = {
    type: "object",
    properties: Object.fromEntries(fields),
    // The server's default answers for a field that is left out.
    required: (Array.isArray(required) ? (required as Json[]) : []).filter((name) =>
      fields.some(([known, { default: fallback }]) => known === name && fallback === undefined),
    ),
  };
  return {
    type: "object",
    properties: { action: { type: "string", enum: ["accept", "decline"] }, content },
    required: ["action"],
  };
}

function fieldsOf({ schema: { properties } }: Elicitation): readonly (readonly [string, JsonObject])[] {
  const fields = isPlainObject(properties) ? Object.entries(properties).slice(0, mostFields) : [];
  return fields.map(([name, field]) => [name, readField(isPlainObject(field) ? field : {})]);
}

type Given = Readonly<Record<string, unknown>>;

/** A field of an answer: a text, a number, a yes or no, one or many choices. Nothing else of a stranger's schema is kept. */
function readField(field: Given): JsonObject {
  const isMany = field["type"] === "array";
  const source = isMany && isPlainObject(field["items"]) ? field["items"] : field;
  const { choices, titles } = choicesIn(source);
  const { type, title, description, format } = field;
  const isKnown = type === "number" || type === "integer" || type === "boolean";
  const kind = choices !== undefined ? "string" : isKnown ? type : "string";
  const said = [title, description].filter((text) => typeof text === "string").join(": ");
  const words = [said, titles, typeof format === "string" ? `(as ${format})` : ""]
    .filter((part) => part !== "")
    .join(" ");
  const one = { type: kind, ...(choices !== undefined && { enum: choices }) };
  const read: JsonObject = {
    ...(isMany ? { type: "array", items: one } : one),
    ...(words !== "" && { description: foreignText(words, longestQuestion).text }),
    ...boundsIn(field, isMany ? "array" : kind),
  };
  const { default: fallback } = field;
  return fits(fallback, read) ? { ...read, default: fallback } : read;
}

/** The values that may be chosen, and their titles in words. */
function choicesIn({ enum: values, enumNames, oneOf, anyOf }: Given): {
  readonly choices: readonly string[] | undefined;
  readonly titles: string;
} {
  const titled = [oneOf, anyOf].find(Array.isArray) as readonly unknown[] | undefined;
  const names = Array.isArray(enumNames) ? (enumNames as readonly unknown[]) : [];
  const given: readonly (readonly [value: unknown, title: unknown])[] | undefined = Array.isArray(values)
    ? (values as readonly unknown[]).map((value, at) => [value, names[at]])
    : titled?.map((one) => (isPlainObject(one) ? [one["const"], one["title"]] : [undefined, undefined]));
  const usable = given
    ?.filter((pair): pair is readonly [string, unknown] => typeof pair[0] === "string")
    .slice(0, mostFields);
  const titles = (usable ?? []).flatMap(([value, title]) =>
    typeof title === "string" && title !== value ? [`${value} = ${title}`] : [],
  );
  return { choices: usable?.map(([value]) => value), titles: titles.length === 0 ? "" : `(${titles.join(", ")})` };
}

const bounds = {
  string: ["minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"],
} as const;

/** The ranges that the protocol has for a kind of field. Lengths are whole numbers. */
function boundsIn(field: Given, kind: keyof typeof bounds): Readonly<Record<string, number>> {
  const isRange = kind === "number" || kind === "integer";
  const kept = bounds[kind].flatMap((name): [string, number][] => {
    const value = field[name];
    const isUsable = isRange ? Number.isFinite(value) : Number.isSafeInteger(value) && Number(value) >= 0;
    return isUsable ? [[name, value as number]] : [];
  });
  return Object.fromEntries(kept);
}

/** True for a default of the kind of its field, among its choices. */
function fits(given: unknown, { type, items, enum: choices }: JsonObject): given is Json {
  if (type === "array")
    return Array.isArray(given) && isPlainObject(items) && given.every((one) => fits(one, items as JsonObject));
  if (Array.isArray(choices)) return choices.includes(given);
  return type === "integer" ? Number.isSafeInteger(given) : typeof given === type;
}

/** The answer to the server, from the reply to the question of the run: with the server's defaults for the fields that it leaves out. */
export function answerFrom(reply: Json, question: Elicitation): ElicitationAnswer {
  const { action, content } = isPlainObject(reply) ? reply : {};
  if (action !== "accept") return { action: "decline" };
  const defaults = fieldsOf(question).flatMap(([name, { default: fallback }]) =>
    fallback === undefined ? [] : [[name, fallback]],
  );
  return {
    action,
    content: { ...(Object.fromEntries(defaults) as JsonObject), ...(isPlainObject(content) && content) },
  };
}

/** The text for the model about a question that nobody answered. */
export function unansweredText({ message, schema }: Elicitation): string {
  const fields = foreignText(toJson(schema["properties"] ?? {}) ?? "", longestQuestion).text;
  return `The server asked the user a question, and nobody was there to answer it: ${JSON.stringify(message)} (the fields of the answer: ${fields}). Ask the user yourself, if you have a tool for that, and call this one again with the answer in its arguments, if it takes it there.`;
}
