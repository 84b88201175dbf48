// The words in the value of a tool that ends a run, and the fields besides them.

import type { Tool } from "../../core/index.js";
import { isPlainObject, toJson, wordsFromBelow } from "../../core/internal.js";
import { visible, withoutThinking } from "./visible.js";

/** The value of a loop-breaking tool, for people. */
export interface Said {
  /** The name of the tool. */
  readonly by: string;
  /** The words of the model in it; empty if it has none. */
  readonly words: string;
  /** The other fields, without the fields that are shown elsewhere: suggestions, and what is not verified. */
  readonly rest: Readonly<Record<string, unknown>>;
  /** The words alone if there is nothing else, otherwise the whole value as JSON. */
  readonly text: string;
}

/** Reads the value of the tool with this name. */
export type Speech = (by: string, value: unknown) => Said;

/** The fields of the command's own tools that hold words. Agents of earlier sessions may have had them. */
const wordsOf: ReadonlyMap<string, string> = new Map([
  ["task_completion", "result"],
  ["ask_question", "question"],
  ["converse", "message"],
  ["give_up", "reason"],
]);

/** Makes a reader for the values of these tools: the words are in the field that the tool streams. */
export function speech(tools: readonly Pick<Tool, "name" | "streams" | "unverified">[]): Speech {
  return (by, value) => {
    const { streams = wordsOf.get(by), unverified = by === "task_completion" ? "unverified" : undefined } =
      tools.find(({ name }) => name === by) ?? {};
    if (typeof value === "string") return { by, words: withoutThinking(value), rest: {}, text: withoutThinking(value) };
    const json = toJson(value) ?? "";
    if (!isPlainObject(value)) return { by, words: json, rest: {}, text: json };
    const below = wordsFromBelow(value);
    if (below !== undefined) return { by, words: below, rest: {}, text: below };
    const spoken = streams === undefined ? undefined : value[streams];
    const words = typeof spoken === "string" ? withoutThinking(spoken) : "";
    const isElsewhere = (name: string, field: unknown): boolean =>
      field === undefined || name === unverified || (name === "suggestions" && isTexts(field));
    const others = Object.entries(value).filter(
      ([name, field]) => !(name === streams && typeof field === "string") && !isElsewhere(name, field),
    );
    return { by, words, rest: Object.fromEntries(others), text: words !== "" && others.length === 0 ? words : json };
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** The value as Markdown: the words, then each other field. Without words, the name of the tool stands above the fields. */
export function markdownOf({ by, words, rest }: Said): string {
  const fields = Object.entries(rest).map(([name, field]) => `- ${name}:${fieldText(field)}`);
  const head = words === "" ? `**${by}**` : words;
  return [head, ...(fields.length === 0 ? [] : ["", ...fields])].join("\n");
}

/** The fields besides the words as lines of plain text. */
export function restLines({ rest }: Said): readonly string[] {
  return Object.entries(rest).map(([name, field]) => `${name}:${fieldText(field)}`);
}

/** The text behind the colon of a field. */
function fieldText(field: unknown): string {
  if (Array.isArray(field) && field.length > 0 && field.every(isPlainObject))
    return field.map((one, index) => numbered(one, index + 1)).join("");
  return ` ${typeof field === "string" ? field.replaceAll("\n", "\n  ") : (toJson(field) ?? "")}`;
}

/** One of several objects: its first text after its number, and a line for each other field. */
function numbered(one: Readonly<Record<string, unknown>>, number: number): string {
  const fields = Object.entries(one).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  const head = fields.findIndex(([, value]) => typeof value === "string");
  const lines = fields.flatMap(([name, value], index) =>
    index === head ? [] : [`\n     - ${name}: ${listText(value)}`],
  );
  return `\n  ${String(number)}. ${listText(fields[head]?.[1] ?? "")}${lines.join("")}`;
}

function listText(value: unknown): string {
  if (isTexts(value)) return value.join(", ");
  return typeof value === "string" ? value.replaceAll("\n", "\n       ") : (toJson(value) ?? "");
}

/** The name of the agent that speaks. */
export function speakerName(speakers: readonly string[]): string {
  return visible(speakers.at(-1) ?? "the first agent");
}
