// What was said: the words in the value of one of the tools that end a run.

import { toJson } from "../../core/internal.js";
import { withoutThinking } from "./visible.js";

/** The words; the value as JSON where there are none. */
export function saidIn(value: unknown): string {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const text = ["message", "result", "question", "reason"]
    .map((name) => fields[name])
    .find((field) => typeof field === "string");
  return text === undefined ? (toJson(value) ?? "") : withoutThinking(text);
}
