// Reads calls in `<tool_call>`: JSON of Hermes and Qwen, functions of Qwen3-Coder, keys and values of GLM.

import { callList, callObject } from "./call-object.js";
import { readFunctions } from "./function-tag.js";
import { readPairs } from "./pairs.js";
import { cut, isBegun, malformed, matchAt, skipSpace, type Reader, type Reading } from "../reading/reading.js";

const opener = "<tool_call>";
const closer = "</tool_call>";

/** Reads the `<tool_call>` at `at`. */
export const readToolCall: Reader = (text, at, tools) => {
  const first = skipSpace(text, at + opener.length);
  if (text.startsWith("<function=", first)) return readFunctions(text, first, tools);
  if (first < text.length && isBegun(text, first, ["<function=", "```json"]))
    return { end: text.length, calls: [cut("", text.slice(at), "at its beginning")] };
  const fence = matchAt(/```\w{0,20}\s*(?=[{[])/y, text, first)?.[0].length ?? 0;
  if (!"{[".includes(text[first + fence] ?? " ")) return readPairs(text, at, tools);
  return readObjects(text, at, first + fence, tools);
};

/** Reads one or more objects. The closing tag may be missing if the JSON is complete. */
function readObjects(text: string, at: number, from: number, tools: Parameters<Reader>[2]): Reading {
  const calls: Reading["calls"][number][] = [];
  for (let position = from; ;) {
    const reading =
      text[position] === "[" ? callList(text, position, tools, true) : callObject(text, position, tools, true);
    if (reading.calls.length === 0) return unreadable(text, at, "It must hold one JSON object");
    calls.push(...reading.calls);
    if (!reading.isClosed) return unclosed(text, calls, reading.end);
    position = matchAt(/[\s}\],]*(?:```)?\s*/y, text, reading.end)?.[0].length ?? 0;
    position += reading.end;
    if (text.startsWith(closer, position)) return { end: position + closer.length, calls };
    if (text[position] !== "{" && text[position] !== "[") return withoutCloser(text, at, calls, reading.end, position);
  }
}

/**
 * Ends a call without a closing tag directly after its JSON. The end of the text, a tag or words on another line may follow. Words
 * on the same line make it unreadable if a closing tag comes later.
 */
function withoutCloser(text: string, at: number, calls: Reading["calls"], end: number, position: number): Reading {
  if (position === text.length || text[position] === "<" || text.slice(end, position).includes("\n"))
    return { end: position, calls };
  const next = text.indexOf(closer, position);
  return next === -1 ? { end: position, calls } : unreadable(text, at, "Nothing may stand behind its JSON object");
}

function unreadable(text: string, at: number, what: string): Reading {
  const close = text.indexOf(closer, at);
  const end = close === -1 ? text.length : close + closer.length;
  const problem = `The <tool_call> can't be read. ${what}: {"name": ..., "arguments": {...}}.`;
  return { end, calls: [malformed("", text.slice(at, end), problem)] };
}

/** Ends a call whose JSON is not closed: after its closing tag, or at the end of the text. */
function unclosed(text: string, calls: Reading["calls"], end: number): Reading {
  const source = calls.at(-1);
  const from = source !== undefined && "source" in source ? Math.min(end, text.length) - source.source.length : end;
  const close = text.indexOf(closer, from);
  return { end: close === -1 ? text.length : close + closer.length, calls };
}
