// The first difference between two bodies, in words for people.

import { canonical, isPlainObject } from "../../core/internal.js";

/** The difference: the place in the body, and both values, shortened around the place where they part. */
export function firstDifference(recorded: unknown, asked: unknown, path = ""): string | undefined {
  if (canonical(recorded) === canonical(asked)) return undefined;
  if (Array.isArray(recorded) && Array.isArray(asked)) return inLists(recorded, asked, path);
  if (isPlainObject(recorded) && isPlainObject(asked)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(asked)])];
    for (const key of keys) {
      const found = firstDifference(recorded[key], asked[key], `${path}/${key}`);
      if (found !== undefined) return found;
    }
  }
  return `${path === "" ? "the body" : path} was ${shownBeside(recorded, asked)} and is ${shownBeside(asked, recorded)}`;
}

/** The number of characters that two bodies share from their beginning. */
export function sharedLength(one: unknown, other: unknown): number {
  return partingOf(textOf(one), textOf(other));
}

function inLists(recorded: readonly unknown[], asked: readonly unknown[], path: string): string | undefined {
  const before = recorded.map(nameOf);
  const now = asked.map(nameOf);
  // A tool that is gone moves all tools after it, so its name says more than a place.
  if (![...before, ...now].includes(undefined)) {
    const gone = before.filter((name) => !now.includes(name));
    const come = now.filter((name) => !before.includes(name));
    const words = [...gone.map((name) => `${String(name)} is gone`), ...come.map((name) => `${String(name)} is new`)];
    if (words.length > 0) return `${path}: ${words.join(", ")}`;
  }
  for (let index = 0; index < Math.max(recorded.length, asked.length); index += 1) {
    const found = firstDifference(recorded[index], asked[index], `${path}/${String(index)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name of a tool, in the forms of the usual APIs; undefined for anything else. */
function nameOf(item: unknown): string | undefined {
  if (!isPlainObject(item)) return undefined;
  const inner = item["function"];
  const name = isPlainObject(inner) ? inner["name"] : item["name"];
  return typeof name === "string" ? name : undefined;
}

/** The number of characters that are shown before and after the place where two values part. */
const shownBefore = 30;
const shownAfter = 50;

/** A value as JSON, shortened around the place where it parts from the other value. */
export function shownBeside(value: unknown, other: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  const at = partingOf(text, textOf(other));
  const from = Math.max(0, at - shownBefore);
  const shown = text.slice(from, at + shownAfter);
  return `${from > 0 ? "…" : ""}${shown}${at + shownAfter < text.length ? "…" : ""}`;
}

/** The value as JSON; empty if it is absent. */
function textOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value);
}

function partingOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}
