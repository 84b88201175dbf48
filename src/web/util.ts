// The part of node:util that the sources use.

export { dequal as isDeepStrictEqual } from "dequal";

/** A value as one line, for people. */
export function inspect(value: unknown): string {
  try {
    return value === undefined ? "undefined" : JSON.stringify(value);
  } catch {
    return String(value);
  }
}
