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

/** Marks the digits of a long number among texts. No text of a model has a NUL. */
const mark = "\0";

/** The repair of a number whose digits became a text. */
export const longNumberRepair = "a number with more digits than a number keeps read as a text";

/**
 * The value of an unquoted word in JSON: a number, boolean or null. Undefined for any other word; infinite if the number is too big. A
 * number of 2^53 or more that JSON would write with other digits is a marked text with its digits: see `digitsOf`.
 */
export function readWord(word: string): Json | undefined {
  const literal = literals.get(word);
  if (literal !== undefined) return literal;
  // Longer words are not read as numbers.
  const isNumber = word.length < 1000 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
  if (!isNumber) return undefined;
  const number = Number(word);
  return (number > -bound && number < bound) || keepsDigits(word, number) ? number : mark + word;
}

/** The digits of a number that no number keeps; undefined for any other value. */
export function digitsOf(value: Json): string | undefined {
  return typeof value === "string" && value.startsWith(mark) ? value.slice(mark.length) : undefined;
}

/** The value with long numbers as texts of their digits. */
export function withDigits<Value extends Json>(value: Value): Value {
  return digitsIn(value) as Value;
}

function digitsIn(value: Json): Json {
  if (typeof value !== "object" || value === null) return digitsOf(value) ?? value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(digitsIn);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, digitsIn(item)]));
}

/** The least whole number whose neighbour no number keeps. Below it, only the last digits of a fraction are rounded, as everywhere. */
const bound = 2 ** 53;

/** True if JSON writes the number with the digits that were read. */
function keepsDigits(word: string, number: number): boolean {
  return Number.isFinite(number) ? decimalOf(word) === decimalOf(String(number)) : /e/i.test(word);
}

/** A number in one spelling: its digits without zeros at the ends, and its magnitude. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const magnitude = digits.length - fraction.length + Number(exponent);
  return `${sign}${digits.replace(/0+$/, "")}e${String(magnitude)}`;
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
