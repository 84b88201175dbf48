// The words in a value for people: in the value of a tool that ends a run, with the fields besides them, and in a
// question.

import type { Tool } from "../../core/index.js";
import { isPlainObject, toJson } from "../../core/internal.js";
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
    const below = fromBelow(value);
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

/** The question of a running call in one text: its field `question` or `message`, or its JSON. Of its tool only the name may be known. */
export function questionText(value: unknown): string {
  if (typeof value === "string") return value;
  const below = fromBelow(value);
  if (below !== undefined) return below;
  const { question, message } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof question === "string") return question;
  return typeof message === "string" ? message : JSON.stringify(value);
}

/** The question of an agent that a tool runs, with the tools that lead to it; undefined for any other value. */
function fromBelow(value: unknown): string | undefined {
  if (!isPlainObject(value) || !isTexts(value["path"]) || typeof value["by"] !== "string") return undefined;
  const { path, by, approval, value: asked } = value as Readonly<Record<string, unknown>> & { path: readonly string[] };
  const why = isPlainObject(approval) ? String(approval["why"]) : undefined;
  const words = why === undefined ? questionText(asked) : `${String(by)} waits for an approval: ${why}`;
  return `${path.join(" > ")}: ${words}`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** The value as Markdown: the words, then each other field. Without words, the name of the tool stands above the fields. */
export function markdownOf({ by, words, rest }: Said): string {
  const fields = Object.entries(rest).map(([name, field]) => `- ${name}: ${fieldText(field)}`);
  const head = words === "" ? `**${by}**` : words;
  return [head, ...(fields.length === 0 ? [] : ["", ...fields])].join("\n");
}

/** The fields besides the words as lines of plain text. */
export function restLines({ rest }: Said): readonly string[] {
  return Object.entries(rest).map(([name, field]) => `${name}: ${fieldText(field)}`);
}

function fieldText(field: unknown): string {
  return typeof field === "string" ? field.replaceAll("\n", "\n  ") : (toJson(field) ?? "");
}

/** The name of the agent that speaks. */
export function speakerName(speakers: readonly string[]): string {
  return visible(speakers.at(-1) ?? "the first agent");
}
