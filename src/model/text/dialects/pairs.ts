// Reads calls as GLM writes them: a name, then `<arg_key>` and `<arg_value>`. Values are plain text: no entities, no CDATA.

import { isPlainObject, headOf } from "../../../core/internal.js";
import {
  cut,
  isBegun,
  malformed,
  matchAt,
  rawCall,
  skipSpace,
  type Reader,
  type Reading,
  type Tools,
} from "../reading/reading.js";

const marks = /<arg_key>|<\/arg_value>|<\/tool_call>|<tool_call>/g;

/** A call that is being read. */
interface Draft {
  readonly start: number;
  readonly name: string;
  readonly fields: Map<string, string>;
}

/** A value and its end index. */
interface Value {
  readonly text: string;
  readonly end: number;
}

/** Reads the `<tool_call>` at `at`. A name without a key or a closing tag after it is prose. */
export const readPairs: Reader = (text, at, tools) => {
  const head = matchAt(/<tool_call>\s*([^\s<>{}](?:[^<>\n{}]{0,199}[^\s<>{}])?)?\s*/y, text, at);
  if (head === null) return undefined;
  const [whole, name = ""] = head;
  const from = at + whole.length;
  const isPairs = /^<(?:arg_key>|\/tool_call>)/.test(text.slice(from, from + 12));
  if (isPairs && name !== "") return pairs(text, from, { start: at, name, fields: new Map() }, tools);
  const isCut = from === text.length ? !/\s/.test(name) : isBegun(text, from, ["<arg_key>", "</tool_call>"]);
  if (isCut && (name !== "" || at === 0 || text[at - 1] === "\n"))
    return { end: text.length, calls: [cut(name, text.slice(at), "at its beginning")] };
  return undefined;
};

function pairs(text: string, from: number, draft: Draft, tools: Tools): Reading {
  const { start, name, fields } = draft;
  let repeatedKey: string | undefined;
  for (let at = from; ;) {
    const next = skipSpace(text, at);
    if (
      next === text.length ||
      text.startsWith("</tool_call>", next) ||
      text.startsWith("<tool_call>", next) ||
      isPartial(text, next)
    ) {
      const end = closed(text, next);
      if (repeatedKey === undefined) return { end, calls: [rawCall(name, Object.fromEntries(fields))] };
      return { end, calls: [malformed(name, text.slice(start, end), `The key ${repeatedKey} is given twice.`)] };
    }
    const key = matchAt(/<arg_key>([^<>]{1,300})<\/arg_key>\s*/y, text, next);
    if (key === null) return broken(text, draft, next);
    const keyName = (key[1] ?? "").trim();
    const value = valueAt(text, next + key[0].length, draft, tools);
    if (value === undefined) return unclosed(text, draft, keyName, next);
    if (fields.has(keyName)) repeatedKey ??= keyName;
    fields.set(keyName, value.text);
    at = value.end;
  }
}

/** True if the text ends in the middle of the closing tag. */
function isPartial(text: string, at: number): boolean {
  return isBegun(text, at, ["</tool_call>"]) && text.length - at > 1;
}

function closed(text: string, at: number): number {
  if (text.startsWith("</tool_call>", at)) return at + 12;
  return text.startsWith("<tool_call>", at) ? at : text.length;
}

/** Reads a value. If one of its tags is missing, it is read only if just one end is possible. */
function valueAt(text: string, from: number, draft: Draft, tools: Tools): Value | undefined {
  const isOpened = text.startsWith("<arg_value>", from);
  const start = isOpened ? from + 11 : from;
  /** The first closing tag of the call. It is part of the value if the value's own closing tag comes before another key or call. */
  let callEnd: number | undefined;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [token] = mark;
    if (token === "</arg_value>") {
      const end = marks.lastIndex;
      if (isEnd(text, skipSpace(text, end))) return { text: text.slice(start, mark.index), end };
    } else if (token === "</tool_call>") callEnd ??= mark.index;
    else {
      if (callEnd !== undefined || !isOpened || token === "<tool_call>") break;
      return isNextKey(text, mark.index, draft, tools)
        ? { text: text.slice(start, mark.index), end: mark.index }
        : undefined;
    }
  }
  return isOpened && callEnd !== undefined ? { text: text.slice(start, callEnd), end: callEnd } : undefined;
}

function isEnd(text: string, at: number): boolean {
  return at === text.length || /^<(?:arg_key|\/?tool_call)>/.test(text.slice(at, at + 12)) || isPartial(text, at);
}

/** True if a key with a value is at `at`, the tool has that key, and the call has not given it yet. */
function isNextKey(text: string, at: number, { name, fields }: Draft, tools: Tools): boolean {
  const key = matchAt(/<arg_key>([^<>]{1,300})<\/arg_key>\s*<arg_value>/y, text, at)?.[1]?.trim();
  const properties = tools.get(name)?.parameters["properties"];
  return key !== undefined && !fields.has(key) && isPlainObject(properties) && Object.hasOwn(properties, key);
}

function unclosed(text: string, { start, name }: Draft, key: string, from: number): Reading {
  const close = text.indexOf("</tool_call>", from);
  if (close === -1) return { end: text.length, calls: [cut(name, text.slice(start), `inside the value of ${key}`)] };
  const problem = `In the call of ${name}, the value of ${key} has no end: close it with </arg_value>, and keep such tags out of it.`;
  return { end: close + 12, calls: [malformed(name, text.slice(start, close + 12), problem)] };
}

function broken(text: string, { start, name }: Draft, at: number): Reading {
  if (text[at] === "<" && !text.includes(">", at))
    return { end: text.length, calls: [cut(name, text.slice(start), "inside a tag")] };
  if (text.startsWith("<arg_key>", at) && !text.includes("</arg_key>", at))
    return { end: text.length, calls: [cut(name, text.slice(start), "inside a key")] };
  const excerpt = JSON.stringify(headOf(text.slice(at), 40));
  const problem = `In the call of ${name}, <arg_key> or </tool_call> must come where ${excerpt} stands.`;
  const close = text.indexOf("</tool_call>", at);
  const end = close === -1 ? text.length : close + 12;
  return { end, calls: [malformed(name, text.slice(start, end), problem)] };
}
