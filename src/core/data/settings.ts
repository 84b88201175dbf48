// Settings: checks of the names and the numbers of options that a caller gives, before anything depends on them.

import { LastcallError } from "./fault.js";

/** The longest delay of a timer, in milliseconds: almost 25 days. */
export const maxTimerDelay: number = 2 ** 31 - 1;

/**
 * Checks a count and returns it.
 * @throws LastcallError `configuration` unless `value` is a whole number of at least `least`, by default 1.
 */
export function wholeNumber(name: string, value: number, least = 1): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give a whole number of at least ${String(least)}.`,
  );
}

/**
 * Checks a time in milliseconds and returns it.
 * @throws LastcallError `configuration` unless `value` is a valid delay of a timer: from 0 to 2^31 - 1.
 */
export function milliseconds(name: string, value: number): number {
  if (value >= 0 && value <= maxTimerDelay) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give milliseconds from 0 to ${String(maxTimerDelay)}, or leave it out.`,
  );
}

/**
 * Checks a value of a closed list and returns it. Undefined counts as left out.
 * @throws LastcallError `configuration` that names the values, and the nearest one.
 */
export function checkChoice<Value>(name: string, value: Value, known: readonly (string | boolean)[]): Value {
  if (value === undefined || known.some((one) => one === value)) return value;
  const values = known.map((one) => JSON.stringify(one)).join(", ");
  const texts = known.filter((one) => typeof one === "string");
  const near = typeof value === "string" ? nearest(value, texts) : undefined;
  const remedy = near === undefined ? "" : ` Did you mean "${near}"?`;
  const given =
    typeof value === "string"
      ? JSON.stringify(value)
      : typeof value === "object" && value !== null
        ? "an object"
        : String(value);
  throw new LastcallError("configuration", `${name} is ${given}: give one of ${values}, or leave it out.${remedy}`);
}

/**
 * Checks that the options are an object that has only known options. Options that are undefined do not count.
 * @param where The function or the option that takes the object, for the message.
 * @throws LastcallError `configuration` that names the unknown option and the nearest known one, or the options if there are none.
 */
export function checkOptions(where: string, given: object, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known);
  // A caller without types may leave them out.
  if (typeof (given as unknown) !== "object" || (given as unknown) === null)
    throw new LastcallError("configuration", `${where} needs an object of options. It has: ${names.join(", ")}.`);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const near = nearest(name, names);
    const remedy = near === undefined ? `It has: ${names.join(", ")}.` : `Did you mean "${near}"?`;
    throw new LastcallError("configuration", `${where} has no option "${name}". ${remedy}`);
  }
}

/** The known name that is most like the given name; undefined if no name is like it. Case does not count. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(Math.min(one.length, name.length) / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.one;
}

/** The number of characters to insert, delete or replace to turn one text into the other. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_none, index) => index);
  for (const [index, character] of Array.from(a).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(b).entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
