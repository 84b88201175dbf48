// Numbers, booleans and null: as words of JSON or Python, and as texts where the schema wants one of them.

import type { Json } from "../../core/index.js";
import type { Kinds } from "./kinds.js";

const literals: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

/** The number or literal that a word between the signs of JSON is; undefined for any other. Infinite where it is too big. */
export function readWord(word: string): Json | undefined {
  const literal = literals.get(word);
  if (literal !== undefined) return literal;
  // Longer words are no numbers that anything could hold.
  const isNumber = word.length < 1000 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
  return isNumber ? Number(word) : undefined;
}

/** The value that a text is written for; undefined where the schema does not take it, or it could be another. */
export function readScalar(text: string, { types }: Kinds): Json | undefined {
  const literal = literals.get(text);
  if (literal !== undefined) return types.has(literal === null ? "null" : "boolean") ? literal : undefined;
  if (!types.has("integer") && !types.has("number")) return undefined;
  // Longer ones have digits that a number can't keep.
  if (text.length > 40 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  const isWhole = !text.includes(".");
  if (!types.has(isWhole ? "integer" : "number") || Object.is(number, -0)) return undefined;
  if (isWhole) return Number.isSafeInteger(number) ? number : undefined;
  const digits = text.replace(/^-?0*\.?0*|\./g, "");
  return String(number) === text || digits.length <= 15 ? number : undefined;
}
