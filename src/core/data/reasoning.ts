// The reasoning of a reply, out of the fields that its provider put on it.

import { isPlainObject } from "./json.js";

/** The reasoning in the extras of a reply, as far as it is plain text: one text for each part. */
export function reasoningIn(extras: unknown): readonly string[] {
  if (Array.isArray(extras)) return extras.flatMap(reasoningIn);
  if (!isPlainObject(extras)) return [];
  if (extras["type"] === "reasoning") {
    const { text, summary, content } = extras;
    return [text, ...textsIn(summary), ...textsIn(content)].filter(isText);
  }
  return Object.entries(extras).flatMap(([key, value]) =>
    key.startsWith("reasoning") && isText(value) ? [value] : reasoningIn(value),
  );
}

function textsIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.map((item) => (isPlainObject(item) ? item["text"] : undefined)) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
