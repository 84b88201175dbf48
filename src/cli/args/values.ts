// Values: what the words behind options mean, or what is wrong with them.

import { LastcallError } from "../../core/index.js";

const ages: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };

/** Milliseconds. */
export function readAge(word: string): number {
  const [, number = "", unit = ""] = /^([1-9]\d{0,4})([hdw])$/.exec(word) ?? [];
  const age = Number(number) * (ages[unit] ?? 0);
  if (age > 0) return age;
  throw wrong(`${JSON.stringify(word)} is no age of sessions to delete, such as 12h, 30d or 4w`);
}

/** A number, `none`, or undefined where nothing was given. */
export function readLimit(
  option: string,
  word: string | undefined,
  read: (option: string, word: string) => number | undefined,
): number | "none" | undefined {
  return word === undefined || word === "none" ? word : read(option, word);
}

const units: Readonly<Record<string, number>> = { "": 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds; a plain number is seconds. */
export function readTime(option: string, word: string): number {
  const [, number = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(word) ?? [];
  const time = number === "" ? 0 : Number(number) * (units[unit] ?? 0);
  if (time >= 1 && time < 2 ** 31) return time;
  throw wrong(`${option} ${JSON.stringify(word)} is no time such as 90s, 10m or 2h, up to 24 days`);
}

/** More than nothing. */
export function readAmount(option: string, word: string): number {
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(word) && Number(word) > 0) return Number(word);
  throw wrong(`${option} ${JSON.stringify(word)} is no amount such as 0.50`);
}

/** A whole number from 1 on; undefined where nothing was given. */
export function readCount(option: string, word: string | undefined): number | undefined {
  if (word === undefined || /^[1-9]\d{0,8}$/.test(word)) return word === undefined ? undefined : Number(word);
  throw wrong(`${option} ${JSON.stringify(word)} is no whole number of at least 1`);
}

/** What is wrong with the command line. */
export function wrong(what: string): LastcallError {
  return new LastcallError("configuration", `${what}. See lastcall --help.`);
}
