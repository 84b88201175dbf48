// Reads calls that are JSON objects: a name and arguments, plain or in the format of an API.

import { isPlainObject } from "../../../core/internal.js";
import type { BrokenCall, RawCall } from "../../data/raw-reply.js";
import { objectAt, stringOf, valueEnd, type WrittenField } from "../reading/json-value.js";
import { cut, malformed, rawCall, skipSpace, type Tools } from "../reading/reading.js";

/** The calls in a JSON object or list. Without calls, the JSON is not a call. */
export interface CallObjects {
  readonly calls: readonly (RawCall | BrokenCall)[];
  readonly end: number;
  readonly isClosed: boolean;
}

const argumentNames = new Set(["arguments", "parameters"]);
const wrappers = new Set(["function", "function_call", "tool_call"]);
/** Keys that an API puts on a call beside name and arguments. */
const knownKeys = new Set([
  "name",
  "id",
  "type",
  "index",
  "call_id",
  "status",
  "reasoning",
  "thought",
  ...argumentNames,
]);

/** Reads the object at `at`. `isMeant`: markup says that the object is a call, so a name without arguments is enough. */
export function callObject(text: string, at: number, tools: Tools, isMeant: boolean): CallObjects {
  const { fields, end, isClosed } = objectAt(text, at);
  const source = text.slice(at, end);
  const valueOf = (name: string): string | undefined => fields.find((field) => field.name === name)?.value;
  const list = valueOf("tool_calls");
  if (list?.startsWith("[") === true) return { ...callList(list, 0, tools, true), end, isClosed };
  const wrapped = fields.find(({ name, value }) => wrappers.has(name) && value.startsWith("{"));
  if (wrapped !== undefined && isClosed)
    return { calls: callObject(wrapped.value, 0, tools, isMeant).calls, end, isClosed };
  const written = valueOf("name");
  const name = written === undefined ? undefined : stringOf(written);
  const hasArguments = fields.some((field) => argumentNames.has(field.name));
  if (!isClosed) {
    const isCall =
      isMeant || (fields.length > 0 && fields.every((field) => knownKeys.has(field.name) || wrappers.has(field.name)));
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
  // A field of the tool beside the arguments would be lost.
  const properties = tools.get(name)?.parameters["properties"];
  const fieldNames = new Set(isPlainObject(properties) ? Object.keys(properties) : []);
  const misplaced = fields.find((field) => !knownKeys.has(field.name) && fieldNames.has(field.name))?.name;
  if (misplaced !== undefined)
    return malformed(
      name,
      source,
      `"${misplaced}" stands beside "arguments" in the call of ${name}. Put it inside "arguments".`,
    );
  return rawCall(name, argumentsText(given[0]?.value ?? "{}"));
}

/** The JSON text of the arguments. APIs write it as a string, which is decoded. */
function argumentsText(value: string): string {
  const inner = stringOf(value);
  return inner?.trim().startsWith("{") === true ? inner : value;
}

/** Reads the list of calls at a `[`. The end of the list may be missing if every call in it is closed. */
export function callList(text: string, at: number, tools: Tools, isMeant: boolean): CallObjects {
  const calls: (RawCall | BrokenCall)[] = [];
  let position = at + 1;
  for (;;) {
    position = skipSpace(text, position);
    if (text[position] === ",") position += 1;
    else if (text[position] === "]") return { calls, end: position + 1, isClosed: true };
    else if (text[position] === "{") {
      const item = callObject(text, position, tools, isMeant);
      if (item.calls.length === 0) return { calls: [], end: position, isClosed: false };
      calls.push(...item.calls);
      position = item.end;
      if (!item.isClosed) return { calls, end: position, isClosed: false };
    } else {
      const isEnd = position === text.length || text[position] === "<";
      return { calls: isEnd ? calls : [], end: position, isClosed: false };
    }
  }
}

/** The end of arguments inside a dialect's own markup; undefined if they have no end. A fence around them belongs to the arguments. */
export function argumentsEnd(text: string, from: number): number | undefined {
  const fence = /^\s*```\w*\s*/.exec(text.slice(from, from + 60))?.[0].length ?? 0;
  const first = skipSpace(text, from + fence);
  const end = text[first] === "{" ? valueEnd(text, first) : undefined;
  if (end === undefined || fence === 0) return end;
  return end + (/^\s*```/.exec(text.slice(end, end + 60))?.[0].length ?? 0);
}
