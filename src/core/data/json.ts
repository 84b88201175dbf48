// JSON values: their types, a canonical text, and a short digest of that text.

import { sound } from "../text/sound.js";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;

/** True for a plain object: not null, not an array, not a class instance. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The JSON text of a value; undefined if JSON can't represent it, such as a function. A bigint becomes a text of its digits. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint, which few values have, or a circle, which throws again.
    return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item));
  }
}

/**
 * The class of the first object in `value` that JSON reduces to `{}`, such as a `Map`, a `Promise` or an `Error`. `text` is the JSON
 * text of `value`. Undefined if no such object is in it.
 */
export function lostIn(value: unknown, text: string): string | undefined {
  let lost: string | undefined;
  // Few texts contain `{}`, so most values need no second pass.
  if (text.includes("{}"))
    JSON.stringify(value, (_key, item: unknown) => {
      const kind = Object.prototype.toString.call(item).slice("[object ".length, -1);
      const isPlain = typeof item !== "object" || kind === "Object" || kind === "Array" || ArrayBuffer.isView(item);
      if (!isPlain && JSON.stringify(item) === "{}") lost ??= kind;
      return item;
    });
  return lost;
}

/** JSON text with sorted keys, so that equal values have equal texts. The text is "unwritable" if JSON can't write the value. */
export function canonical(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_key, item: unknown) => {
      if (typeof item === "bigint") return `${String(item)}n`;
      return isPlainObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item;
    }) as string | undefined;
    return text ?? "null";
  } catch {
    return "unwritable";
  }
}

/** The depth down to which `sameJson` compares part by part, and `isWhole` looks. */
const maxCompared = 100;

/**
 * True if no different value has the same canonical text: it has no `Map`, no instance of a class but `Date`, no number such as `NaN` or
 * `-0`, no undefined item of a list. A field that is undefined counts as left out. A value that is nested more than 100 deep is not looked
 * through, and counts as not whole.
 */
export function isWhole(value: unknown, depth = 0): boolean {
  const areWhole = (items: readonly unknown[]): boolean =>
    depth < maxCompared && items.every((item) => isWhole(item, depth + 1));
  if (Array.isArray(value)) return areWhole(Array.from(value));
  if (isPlainObject(value)) return areWhole(Object.values(value).filter((item) => item !== undefined));
  if (value instanceof Date) return Number.isFinite(value.getTime());
  return value === null || (isScalar(value) && !Object.is(value, -0));
}

/** True if both values have the same `canonical` text. Different values are mostly told apart by their first fields. */
export function sameJson(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (isScalar(one) && isScalar(other)) return false;
  const isParted = (isPlainObject(one) && isPlainObject(other)) || (Array.isArray(one) && Array.isArray(other));
  if (!isParted || depth === maxCompared) return canonical(one) === canonical(other);
  const keys = Object.keys(one);
  const fields = one as Readonly<Record<string, unknown>>;
  const others = other as Readonly<Record<string, unknown>>;
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(fields[key], others[key], depth + 1))
  );
}

/** True for a text, a boolean or a number that JSON can write. */
function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** A 53-bit digest in base 36 (cyrb53). It tells texts apart but gives no security. */
export function digest(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}

/**
 * True if JSON keeps the value: text, finite numbers, booleans, null, lists and plain objects of these. A field that is undefined
 * counts as left out.
 */
export function isKeptByJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isKeptByJson);
  return isPlainObject(value) && Object.values(value).every((item) => item === undefined || isKeptByJson(item));
}

/** A copy that nobody else holds: of plain objects, lists, dates, maps and sets, at every depth. Instances of other classes are shared. */
export function deepCopy<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [copyOf(key), copyOf(item)]));
  if (value instanceof Set) return new Set([...value].map(copyOf));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item)]));
}

/** Freezes plain objects and arrays in place, at every depth. Class instances stay unchanged. */
export function deepFreeze<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(deepFreeze);
  else if (isPlainObject(value)) Object.values(value).forEach(deepFreeze);
  else return value;
  return Object.freeze(value);
}

/**
 * The same data with every text `sound`, the names of fields too. Data whose texts are sound is returned as the same object. Instances of
 * classes stay as they are, and so does an object within itself. `mend` makes a text sound, and returns a sound one as it is.
 */
export function soundData<T>(value: T, mend: (text: string) => string = sound): T {
  return isSound(value, mend, []) ? value : (mended(value, mend, []) as T);
}

/** True if every text is sound. `around` has the lists and objects that the value is in. */
function isSound(value: unknown, mend: (text: string) => string, around: unknown[]): boolean {
  if (typeof value === "string") return mend(value) === value;
  const isList = Array.isArray(value);
  if ((!isList && !isPlainObject(value)) || around.includes(value)) return true;
  around.push(value);
  const areSound = isList
    ? value.every((item) => isSound(item, mend, around))
    : Object.keys(value).every((key) => mend(key) === key && isSound(value[key], mend, around));
  around.pop();
  return areSound;
}

function mended(value: unknown, mend: (text: string) => string, around: readonly unknown[]): unknown {
  if (typeof value === "string") return mend(value);
  if (around.includes(value)) return value;
  if (Array.isArray(value)) return value.map((item) => mended(item, mend, [...around, value]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mend(key), mended(item, mend, [...around, value])]),
  );
}
