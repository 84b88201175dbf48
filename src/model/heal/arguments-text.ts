// Reads arguments from text: removes what surrounds the object, and checks that there is one object.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { JsonReader } from "./lenient-json.js";
import { malformed, truncated, type Defect } from "./explain.js";

/** The arguments, or the defect that prevents reading them. */
export type ArgumentsReading =
  | { readonly ok: true; readonly input: JsonObject; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly defect: Defect };

type ValueReading =
  | { readonly ok: true; readonly value: Json; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly defect: Defect };

const maxLength = 10 * 1024 * 1024;
const maxEncodings = 3;

/**
 * Reads arguments, in linear time. `required` are the fields that the tool needs; the problem names them if the text holds no
 * object.
 */
export function readArguments(source: string, required: readonly string[]): ArgumentsReading {
  if (source.length > maxLength) {
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
    if (typeof value !== "string" || encodings === maxEncodings || !holdsValue(value)) {
      return { ok: false, defect: noObject(value, required) };
    }
    repairs.add("JSON inside a JSON text read as JSON");
    text = value.trim();
  }
}

/** Reads a text that is exactly one object or list; undefined for any other text. */
export function readContainer(text: string): { readonly value: Json; readonly repairs: readonly string[] } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const reading = readWhole(text.trim(), { mayEndInWords: false });
  return reading.ok ? reading : undefined;
}

/** True if the text may itself hold an encoded object, so that it is parsed again. */
function holdsValue(text: string): boolean {
  return /^\s*(?:[{["'`]|(?:null|None)?\s*$)/.test(text);
}

function isObject(value: Json): value is JsonObject {
  return isPlainObject(value);
}

function noObject(value: Json, required: readonly string[]): Defect {
  const kind = Array.isArray(value) ? "a list" : typeof value === "string" ? "a text" : `a ${typeof value}`;
  const needed = required.slice(0, 20).map((name) => `"${name}"`);
  const fields = needed.length === 0 ? "" : ` with ${needed.join(", ")}`;
  return malformed(`The arguments are ${kind}, not an object. Write a JSON object${fields}.`);
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

/** Reads a text that is one value. Extra closing brackets after it are ignored, and so is a repetition of the same object. */
function readWhole(text: string, { mayEndInWords = true } = {}): ValueReading {
  const reader = new JsonReader(text);
  const first = reader.read();
  let value = first;
  if (first !== undefined && isObject(first) && isObjectNext(reader, text)) value = readAgain(reader, first, text);
  if (value !== undefined) endText(reader, isObject(value), mayEndInWords && value === first);
  if (value === undefined || reader.defect !== undefined) {
    return { ok: false, defect: reader.defect ?? malformed("The arguments are not valid JSON.") };
  }
  return { ok: true, value, repairs: [...reader.repairs] };
}

/** True if an object follows, as it is or encoded as a text. */
function isObjectNext(reader: JsonReader, text: string): boolean {
  const next = reader.skip();
  return next === "{" || (next === '"' && text.startsWith('"{', reader.at));
}

/** Reduces several objects in a row to one: repetitions of the same object, or an object after empty placeholders. */
function readAgain(reader: JsonReader, first: JsonObject, text: string): JsonObject | undefined {
  let chosen = first;
  let chosenText = JSON.stringify(first);
  while (isObjectNext(reader, text)) {
    const written = reader.read();
    if (written === undefined) return undefined;
    const next = (typeof written === "string" ? readContainer(written)?.value : undefined) ?? written;
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

/** Checks that only closing brackets, or words, follow the value. */
function endText(reader: JsonReader, isWhole: boolean, mayEndInWords: boolean): void {
  let next = reader.skip();
  while (isWhole && (next === "}" || next === "]")) {
    reader.repairs.add("closing brackets too many left out");
    reader.at += 1;
    next = reader.skip();
  }
  if (next === "") return;
  if (isWhole && mayEndInWords && reader.restIsWords()) reader.repairs.add("words after the arguments left out");
  else reader.fail("nothing more", "Write only the JSON object.");
}
