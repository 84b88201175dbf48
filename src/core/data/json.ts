// JSON values, a canonical text for them, and a short digest of that text.

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

/** JSON text; undefined for what JSON has no word for. */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value);
}

/** The kind of what JSON says no more of than `{}` in a value with this text: a `Map`, a `Promise`, an `Error`. Undefined where there is none. */
export function lostIn(value: unknown, text: string): string | undefined {
  let lost: string | undefined;
  // Seldom there, so most values are not looked at again.
  if (text.includes("{}"))
    JSON.stringify(value, (_key, item: unknown) => {
      const kind = Object.prototype.toString.call(item).slice("[object ".length, -1);
      const isPlain = typeof item !== "object" || kind === "Object" || kind === "Array" || ArrayBuffer.isView(item);
      if (!isPlain && JSON.stringify(item) === "{}") lost ??= kind;
      return item;
    });
  return lost;
}

/** JSON text with sorted keys, so that equal values have equal texts. What JSON has no way to write is "unwritable". */
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

/** A 53-bit digest in base 36 (cyrb53). Good for telling texts apart, not for security. */
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

/** Freezes plain objects and arrays all the way down, in place; class instances stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(deepFreeze);
  else if (isPlainObject(value)) Object.values(value).forEach(deepFreeze);
  else return value;
  return Object.freeze(value);
}
