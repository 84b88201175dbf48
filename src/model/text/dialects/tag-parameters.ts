// Reads parameters written as elements with plain text: `<parameter=key>`, `<parameter name="key">`.

import type { BrokenCall, RawCall } from "../../data/raw-reply.js";
import { argumentsEnd } from "./call-object.js";
import { cut, malformed, matchAt, rawCall, skipSpace, type Tools } from "../reading/reading.js";
import { headOf } from "../../../core/internal.js";

/** The tags of a dialect, as sources of regular expressions. */
export interface ParameterTags {
  /** A parameter's opening tag, with one group: its name. */
  readonly open: string;
  readonly close: string;
  /** The closing tags of the call. */
  readonly end: string;
  /** True if one newline at each end of a value is markup. */
  readonly isPadded: boolean;
}

/** The beginning of a call. */
export interface BlockStart {
  readonly name: string;
  /** The index at which the call begins. */
  readonly start: number;
  /** The index after its opening tag. */
  readonly from: number;
}

/** A call and its end index. */
export interface Block {
  readonly end: number;
  readonly call: RawCall | BrokenCall;
}

/** Reads a call's parameters, or a JSON object in their place. Undefined if neither follows, so that the tag is prose. */
export function readBlock(text: string, block: BlockStart, tags: ParameterTags, tools: Tools): Block | undefined {
  const { name, start, from } = block;
  const first = skipSpace(text, from);
  if (first === text.length) return { end: first, call: cut(name, text.slice(start), "before its first parameter") };
  if (text[first] === "{" || text.startsWith("```", first)) return jsonBody(text, block, tags);
  const open = new RegExp(tags.open, "y");
  if (matchAt(open, text, first) === null && matchAt(new RegExp(tags.end, "y"), text, first) === null) {
    if (!text.startsWith("<", first) || text.includes(">", first)) return undefined;
    return { end: text.length, call: cut(name, text.slice(start), "inside a parameter's tag") };
  }
  return readParameters(text, block, tags, tools);
}

function jsonBody(text: string, { name, start, from }: BlockStart, { end: endTag }: ParameterTags): Block | undefined {
  const closed = argumentsEnd(text, from);
  const tag = new RegExp(endTag, "g");
  tag.lastIndex = closed ?? from;
  const end = tag.exec(text);
  if (closed !== undefined && end === null)
    return { end: closed, call: rawCall(name, text.slice(from, closed).trim()) };
  if (end === null) return { end: text.length, call: cut(name, text.slice(start), "inside its JSON arguments") };
  return { end: tag.lastIndex, call: rawCall(name, text.slice(from, end.index).trim()) };
}

function readParameters(text: string, block: BlockStart, tags: ParameterTags, tools: Tools): Block {
  const { name, start, from } = block;
  const fields = new Map<string, string>();
  const end = new RegExp(tags.end, "y");
  const open = new RegExp(tags.open, "y");
  let problem: string | undefined;
  for (let at = from; ;) {
    const next = skipSpace(text, at);
    const closer = matchAt(end, text, next);
    if (closer !== null) {
      const after = next + closer[0].length;
      if (problem !== undefined) return { end: after, call: malformed(name, text.slice(start, after), problem) };
      return { end: after, call: callOf(name, fields, tools) };
    }
    const tag = matchAt(open, text, next);
    if (tag === null) return strayWords(text, block, next);
    const key = unquote(tag[1] ?? "");
    const value = valueAt(text, { ...block, from: next + tag[0].length }, key, tags);
    if ("call" in value) return value;
    if (fields.has(key)) problem ??= `The parameter ${key} is given twice.`;
    fields.set(key, tags.isPadded ? unpad(value.text) : value.text);
    at = value.end;
  }
}

function strayWords(text: string, { name, start }: BlockStart, at: number): Block {
  const source = text.slice(start);
  if (at === text.length || (text[at] === "<" && !text.includes(">", at)))
    return { end: text.length, call: cut(name, source, "behind a parameter, before its own end") };
  const excerpt = JSON.stringify(headOf(text.slice(at), 40));
  const problem = `In the call of ${name}, another parameter or the call's closing tag must come where ${excerpt} stands.`;
  return { end: text.length, call: malformed(name, source, problem) };
}

/** Reads a value. It ends at the closing tag that a parameter or the call's end follows, if no other parameter begins before. */
function valueAt(
  text: string,
  block: BlockStart,
  key: string,
  tags: ParameterTags,
): Block | { readonly text: string; readonly end: number } {
  const { name, start, from } = block;
  const follows = new RegExp(`${tags.open}|${tags.end}`, "y");
  const mark = new RegExp(`(${tags.close})|(${tags.end})|${tags.open}`, "g");
  mark.lastIndex = from;
  let callEnd: number | undefined;
  let isClosed = false;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[1] !== undefined) {
      isClosed = true;
      const after = skipSpace(text, mark.lastIndex);
      if (matchAt(follows, text, after) !== null) return { text: text.slice(from, match.index), end: mark.lastIndex };
    } else if (match[2] !== undefined) callEnd ??= mark.lastIndex;
    else return unclosed(text, block, key, callEnd ?? text.length);
  }
  if (callEnd !== undefined) return unclosed(text, block, key, callEnd);
  const where = isClosed ? `behind the parameter ${key}, before its own end` : `inside the parameter ${key}`;
  return { end: text.length, call: cut(name, text.slice(start), where) };
}

function unclosed(text: string, { name, start }: BlockStart, key: string, end: number): Block {
  const problem = `In the call of ${name}, the parameter ${key} is not closed with its closing tag, or its value holds such tags.`;
  return { end, call: malformed(name, text.slice(start, end), problem) };
}

/** Makes the call. Some servers wrap all arguments in one parameter named "arguments". */
function callOf(name: string, fields: ReadonlyMap<string, string>, tools: Tools): RawCall {
  const whole = fields.size === 1 ? fields.get("arguments") : undefined;
  const properties = tools.get(name)?.parameters["properties"];
  const isField = typeof properties === "object" && properties !== null && Object.hasOwn(properties, "arguments");
  if (whole?.trim().startsWith("{") === true && !isField) return rawCall(name, whole.trim());
  return rawCall(name, Object.fromEntries(fields));
}

/** Removes the quotes around a name. */
export function unquote(name: string): string {
  return (/^\s*(["'])(.*)\1\s*$/.exec(name)?.[2] ?? name).trim();
}

function unpad(value: string): string {
  return value.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}
