// Numbers, booleans and null: literals of JSON or Python, and texts if the schema asks for one of these types.

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

/** The value of an unquoted word in JSON: a number, boolean or null. Undefined for any other word; infinite if the number is too big. */
export function readWord(word: string): Json | undefined {
  const literal = literals.get(word);
  if (literal !== undefined) return literal;
  // Longer words are not read as numbers.
  const isNumber = word.length < 1000 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
  return isNumber ? Number(word) : undefined;
}

/** The value that a quoted text stands for; undefined if the schema does not accept that type, or the number would lose digits. */
export function readScalar(text: string, { types }: Kinds): Json | undefined {
  const literal = literals.get(text);
  if (literal !== undefined) return types.has(literal === null ? "null" : "boolean") ? literal : undefined;
  if (!types.has("integer") && !types.has("number")) return undefined;
  // A longer text has more digits than a number can keep.
  if (text.length > 40 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  const isWhole = !text.includes(".");
  if (!types.has(isWhole ? "integer" : "number") || Object.is(number, -0)) return undefined;
  if (isWhole) return Number.isSafeInteger(number) ? number : undefined;
  const digits = text.replace(/^-?0*\.?0*|\./g, "");
  return String(number) === text || digits.length <= 15 ? number : undefined;
}
