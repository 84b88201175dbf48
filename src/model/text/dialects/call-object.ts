// Calls that are JSON objects: a name and its arguments, bare or as an API has them.

import { isPlainObject } from "../../../core/internal.js";
import type { BrokenCall, RawCall } from "../../data/raw-reply.js";
import { objectAt, stringOf, valueEnd, type WrittenField } from "../reading/json-value.js";
import { cut, malformed, rawCall, skipSpace, type Tools } from "../reading/reading.js";

/** What stands at a `{`. Without calls the object is none. */
export interface CallObjects {
  readonly calls: readonly (RawCall | BrokenCall)[];
  readonly end: number;
  readonly isClosed: boolean;
}

const argumentNames = new Set(["arguments", "parameters"]);
const wrappers = new Set(["function", "function_call", "tool_call"]);
/** What an API puts beside a name and arguments. */
const known = new Set(["name", "id", "type", "index", "call_id", "status", "reasoning", "thought", ...argumentNames]);

/** Reads the object at `at`. `isMeant`: the place says that it is a call, so that a name alone is one. */
export function callObject(text: string, at: number, tools: Tools, isMeant: boolean): CallObjects {
  const { fields, end, isClosed } = objectAt(text, at);
  const source = text.slice(at, end);
  const of = (name: string): string | undefined => fields.find((field) => field.name === name)?.value;
  const list = of("tool_calls");
  if (list?.startsWith("[") === true) return { ...callList(list, 0, tools, true), end, isClosed };
  const wrapped = fields.find(({ name, value }) => wrappers.has(name) && value.startsWith("{"));
  if (wrapped !== undefined && isClosed)
    return { calls: callObject(wrapped.value, 0, tools, isMeant).calls, end, isClosed };
  const written = of("name");
  const name = written === undefined ? undefined : stringOf(written);
  const hasArguments = fields.some((field) => argumentNames.has(field.name));
  if (!isClosed) {
    const isCall =
      isMeant || (fields.length > 0 && fields.every((field) => known.has(field.name) || wrappers.has(field.name)));
    const where = "before its JSON was closed: a quote, a bracket or a brace is missing";
    return { calls: isCall ? [cut(name ?? "", source, where)] : [], end, isClosed };
  }
  if (name === undefined || name.trim() === "") {
    const problem = 'A tool call must be an object with "name" (the tool\'s name, a text) and "arguments" (an object).';
    return { calls: isMeant ? [malformed("", source, problem)] : [], end, isClosed };
  }
  if (!hasArguments && !isMeant) return { calls: [], end, isClosed };
  return { calls: [readFields(name.trim(), fields, source, tools)], end, isClosed };
}

function readFields(name: string, fields: readonly WrittenField[], source: string, tools: Tools): RawCall | BrokenCall {
  const names = new Set<string>();
  for (const field of fields) {
    if (names.has(field.name)) return malformed(name, source, `"${field.name}" is given twice in the call of ${name}.`);
    names.add(field.name);
  }
  const given = fields.filter((field) => argumentNames.has(field.name));
  if (given.length > 1)
    return malformed(name, source, `The call of ${name} has both "arguments" and "parameters"; give "arguments" only.`);
  // Beside the arguments, a field of the tool would be lost.
  const properties = tools.get(name)?.parameters["properties"];
  const fieldNames = new Set(isPlainObject(properties) ? Object.keys(properties) : []);
  const beside = fields.find((field) => !known.has(field.name) && fieldNames.has(field.name))?.name;
  if (beside !== undefined)
    return malformed(
      name,
      source,
      `"${beside}" stands beside "arguments" in the call of ${name}. Put it inside "arguments".`,
    );
  return rawCall(name, argumentsText(given[0]?.value ?? "{}"));
}

/** APIs write the arguments as a JSON text in a string. */
function argumentsText(value: string): string {
  const inner = stringOf(value);
  return inner?.trim().startsWith("{") === true ? inner : value;
}

/** Reads the list of calls at a `[`. Its end may be missing where every call in it has one. */
export function callList(text: string, at: number, tools: Tools, isMeant: boolean): CallObjects {
  const calls: (RawCall | BrokenCall)[] = [];
  let here = at + 1;
  for (;;) {
    here = skipSpace(text, here);
    if (text[here] === ",") here += 1;
    else if (text[here] === "]") return { calls, end: here + 1, isClosed: true };
    else if (text[here] === "{") {
      const found = callObject(text, here, tools, isMeant);
      if (found.calls.length === 0) return { calls: [], end: here, isClosed: false };
      calls.push(...found.calls);
      here = found.end;
      if (!found.isClosed) return { calls, end: here, isClosed: false };
    } else {
      const isEnd = here === text.length || text[here] === "<";
      return { calls: isEnd ? calls : [], end: here, isClosed: false };
    }
  }
}

/** Where the arguments that a dialect's own markup surrounds end: a fence around them is left for the reader of JSON. */
export function argumentsEnd(text: string, from: number): number | undefined {
  const fence = /^\s*```\w*\s*/.exec(text.slice(from, from + 60))?.[0].length ?? 0;
  const first = skipSpace(text, from + fence);
  const end = text[first] === "{" ? valueEnd(text, first) : undefined;
  if (end === undefined || fence === 0) return end;
  return end + (/^\s*```/.exec(text.slice(end, end + 60))?.[0].length ?? 0);
}
