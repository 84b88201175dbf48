// JSON with long texts cut, for lists that show only their beginning.

import { headOf } from "../../core/internal.js";

/** The JSON of a value. Texts in it that are longer than `clip` characters are cut, and say how much is missing. */
export function clippedJson(value: unknown, clip: number): string {
  const whole = JSON.stringify(value);
  // Most values are short, and a text in a short JSON is short.
  if (whole.length <= clip) return whole;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "string" && part.length > clip
      ? `${headOf(part, clip)}… (${String(part.length - clip)} more characters)`
      : part,
  );
}
