// Arguments as text: what stands around the object, and how many objects there are.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { JsonReader } from "./lenient-json.js";
import { malformed, truncated, type Defect } from "./explain.js";

/** Arguments that were read, or why they can't be. */
export type ArgumentsReading =
  | { readonly ok: true; readonly input: JsonObject; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly defect: Defect };

type ValueReading =
  | { readonly ok: true; readonly value: Json; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly defect: Defect };

const largest = 10 * 1024 * 1024;
const mostEncodings = 3;

/** Reads arguments. `required` are the fields that the tool needs, for the words where there is no object. Linear. */
export function readArguments(source: string, required: readonly string[]): ArgumentsReading {
  if (source.length > largest) {
    return { ok: false, defect: malformed("The arguments are too large, more than 10 MiB. Write less in one call.") };
  }
  const repairs = new Set<string>();
  let text = source.trim();
  for (let encodings = 0; ; encodings += 1) {
    if (text === "" || text === "null" || text === "None") {
      return { ok: true, input: {}, repairs: [...repairs, "no arguments taken as {}"] };
    }
    const reading = readFenced(text);
    if (!reading.ok) return reading;
    for (const repair of reading.repairs) repairs.add(repair);
    const { value } = reading;
    if (isObject(value)) return { ok: true, input: value, repairs: [...repairs] };
    if (typeof value !== "string" || encodings === mostEncodings || !holdsValue(value)) {
      return { ok: false, defect: noObject(value, required) };
    }
    repairs.add("JSON inside a JSON text read as JSON");
    text = value.trim();
  }
}

/** Reads a text that is to be one object or list, with nothing around it; undefined for any other. */
export function readContainer(text: string): { readonly value: Json; readonly repairs: readonly string[] } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const reading = readWhole(text.trim());
  return reading.ok ? reading : undefined;
}

/** True for a text that is worth a second reading: it may hold an object. */
function holdsValue(text: string): boolean {
  return /^\s*(?:[{["'`]|(?:null|None)?\s*$)/.test(text);
}

function isObject(value: Json): value is JsonObject {
  return isPlainObject(value);
}

function noObject(value: Json, required: readonly string[]): Defect {
  const found = Array.isArray(value) ? "a list" : typeof value === "string" ? "a text" : `a ${typeof value}`;
  const needed = required.slice(0, 20).map((name) => `"${name}"`);
  const fields = needed.length === 0 ? "" : ` with ${needed.join(", ")}`;
  return malformed(`The arguments are ${found}, not an object. Write a JSON object${fields}.`);
}

function readFenced(text: string): ValueReading {
  const fence = /^```[A-Za-z0-9]*\s/.exec(text)?.[0];
  if (fence === undefined) return readWhole(text);
  if (!text.endsWith("```") || text.length < fence.length + 3) {
    return { ok: false, defect: truncated("before the closing fence") };
  }
  const reading = readWhole(text.slice(fence.length, -3).trim());
  return reading.ok ? { ...reading, repairs: [...reading.repairs, "a markdown fence left out"] } : reading;
}

/** Reads the value that is the whole text: closers too many behind it are forgiven, and so is the same object again. */
function readWhole(text: string): ValueReading {
  const reader = new JsonReader(text);
  const first = reader.read();
  let value = first;
  if (first !== undefined && isObject(first) && reader.skip() === "{") value = readAgain(reader, first);
  if (value !== undefined) endText(reader, isObject(value));
  if (value === undefined || reader.defect !== undefined) {
    return { ok: false, defect: reader.defect ?? malformed("The arguments are not valid JSON.") };
  }
  return { ok: true, value, repairs: [...reader.repairs] };
}

/** The one object that several in a row stand for: the same one again, or one behind an empty placeholder. */
function readAgain(reader: JsonReader, first: JsonObject): JsonObject | undefined {
  let chosen = first;
  let chosenText = JSON.stringify(first);
  while (reader.skip() === "{") {
    const next = reader.read();
    if (next === undefined) return undefined;
    const nextText = JSON.stringify(next);
    if (nextText === chosenText) {
      reader.repairs.add("the same object written twice taken once");
    } else if (chosenText === "{}" && isObject(next)) {
      [chosen, chosenText] = [next, nextText];
      reader.repairs.add("an empty object before the arguments left out");
    } else {
      const what = "The arguments hold several different JSON objects in a row.";
      reader.defect = malformed(`${what} Write one object for one call; for more, make more calls.`);
      return undefined;
    }
  }
  return chosen;
}

/** Nothing but closers may follow. */
function endText(reader: JsonReader, isWhole: boolean): void {
  let next = reader.skip();
  while (isWhole && (next === "}" || next === "]")) {
    reader.repairs.add("closing brackets too many left out");
    reader.at += 1;
    next = reader.skip();
  }
  if (next !== "") reader.fail("nothing more", "Write only the JSON object.");
}
