// Reads calls between special tokens: DeepSeek's `<｜tool▁call▁begin｜>` and Kimi's `<|tool_call_begin|>`.

import type { BrokenCall, RawCall } from "../../data/raw-reply.js";
import { argumentsEnd } from "./call-object.js";
import { cut, malformed, matchAt, rawCall, skipSpace, type Reader } from "../reading/reading.js";

function token(...names: readonly string[]): string {
  return `<[｜|](?:${names.map((name) => name.replaceAll("_", "[▁_]")).join("|")})[｜|]>`;
}

const opening = new RegExp(`${token("tool_calls_begin", "tool_calls_section_begin")}\\s*`, "y");
const begin = new RegExp(token("tool_call_begin"), "y");
const separator = token("tool_sep", "tool_call_argument_begin");
const end = token("tool_call_end");
const closing = token("tool_calls_end", "tool_calls_section_end");
const landmark = new RegExp(`(${separator})|(${end})|${token("tool_call_begin")}|${closing}`, "g");
const sectionEnd = new RegExp(`\\s*${closing}`, "y");
const callEnd = new RegExp(`\\s*${end}`, "y");

/** Reads the calls of one section, or one call without a section. */
export const readTokens: Reader = (text, at) => {
  const section = matchAt(opening, text, at);
  const calls: (RawCall | BrokenCall)[] = [];
  let position = at + (section?.[0].length ?? 0);
  for (;;) {
    const next = skipSpace(text, position);
    const start = matchAt(begin, text, next);
    if (start === null) break;
    const reading = readCall(text, next, next + start[0].length);
    calls.push(reading.call);
    position = reading.end;
  }
  const closer = matchAt(sectionEnd, text, position);
  if (closer !== null) return { end: position + closer[0].length, calls };
  if (calls.length > 0) return { end: position, calls };
  if (skipSpace(text, position) < text.length) return undefined;
  return { end: text.length, calls: [cut("", text.slice(at), "at its beginning")] };
};

interface ReadCall {
  readonly call: RawCall | BrokenCall;
  readonly end: number;
}

function readCall(text: string, start: number, from: number): ReadCall {
  landmark.lastIndex = from;
  const mark = landmark.exec(text);
  if (mark?.[1] === undefined) return withoutSeparator(text, start, from, mark);
  const after = landmark.lastIndex;
  const head = text.slice(from, mark.index).trim();
  if (mark[1].includes("argument")) {
    const id = /^(?:functions\.)?(.+):\d+$/s.exec(head);
    const name = id?.[1]?.trim() ?? head;
    const reading = readArguments(text, start, name, after);
    if (id !== null) return reading;
    const problem = `The id ${JSON.stringify(head)} is malformed: it must be functions., the tool's name, a colon and a number.`;
    return { call: malformed(head, text.slice(start, reading.end), problem), end: reading.end };
  }
  if (head !== "function") return readArguments(text, start, head, after);
  const name = matchAt(/\s*([^\n{`<]{1,300})/y, text, after);
  const reading = readArguments(text, start, name?.[1]?.trim() ?? "", after + (name?.[0].length ?? 0));
  if ("problem" in reading.call || typeof reading.call.arguments !== "string") return reading;
  // In this form, the fence belongs to the dialect.
  const inner = /^```(?:json)?\s*([^]*?)\s*```$/.exec(reading.call.arguments)?.[1];
  return inner === undefined ? reading : { ...reading, call: { ...reading.call, arguments: inner } };
}

/** Reads the arguments up to the call's end. Tokens inside a JSON string are data. */
function readArguments(text: string, start: number, name: string, from: number): ReadCall {
  const closed = argumentsEnd(text, from);
  const marker = matchAt(callEnd, text, closed ?? text.length);
  if (closed !== undefined && marker !== null)
    return { call: rawCall(name, text.slice(from, closed).trim()), end: closed + marker[0].length };
  landmark.lastIndex = closed ?? from;
  const mark = landmark.exec(text);
  const isEnd = mark?.[2] !== undefined;
  const end = mark === null ? text.length : isEnd ? landmark.lastIndex : mark.index;
  const source = text.slice(start, end);
  if (closed === undefined && mark === null) return { call: cut(name, source, "inside its arguments"), end };
  if (closed === undefined) {
    const problem = `The arguments of ${name} are not a complete JSON object: a quote, a bracket or a brace is missing.`;
    return { call: malformed(name, source, problem), end };
  }
  // Without an end token, words after the JSON are not part of the call.
  const last = mark === null ? closed : mark.index;
  return { call: rawCall(name, text.slice(from, last).trim()), end: mark === null ? closed : end };
}

function withoutSeparator(text: string, start: number, from: number, mark: RegExpExecArray | null): ReadCall {
  const end = mark === null ? text.length : mark[2] === undefined ? mark.index : landmark.lastIndex;
  const source = text.slice(start, end);
  const name = /^[^{<[`]*/.exec(text.slice(from, Math.min(end, from + 300)))?.[0].trim() ?? "";
  if (mark === null) return { call: cut(name, source, "before its arguments"), end };
  const problem = `In the call of ${name || "a tool"}, the separator between the tool's name and its arguments is missing.`;
  return { call: malformed(name, source, problem), end };
}
