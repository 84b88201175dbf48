// The words of the model in the value of a tool that ends a run.

import { toJson } from "../../core/internal.js";
import { withoutThinking } from "./visible.js";

/** The words in the value; the value as JSON if it has none. */
export function saidIn(value: unknown): string {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const text = ["message", "result", "question", "reason"]
    .map((name) => fields[name])
    .find((field) => typeof field === "string");
  return text === undefined ? (toJson(value) ?? "") : withoutThinking(text);
}
