// Calls in `<tool_call>`: JSON as Hermes and Qwen write it, functions of Qwen3-Coder, keys and values of GLM.

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

/** One object or more; the closing tag may be missing where the JSON is whole. */
function readObjects(text: string, at: number, from: number, tools: Parameters<Reader>[2]): Reading {
  const calls: Reading["calls"][number][] = [];
  for (let here = from; ;) {
    const found = text[here] === "[" ? callList(text, here, tools, true) : callObject(text, here, tools, true);
    if (found.calls.length === 0) return unreadable(text, at, "It must hold one JSON object");
    calls.push(...found.calls);
    if (!found.isClosed) return unclosed(text, calls, found.end);
    here = matchAt(/[\s}\],]*(?:```)?\s*/y, text, found.end)?.[0].length ?? 0;
    here += found.end;
    if (text.startsWith(closer, here)) return { end: here + closer.length, calls };
    if (text[here] !== "{" && text[here] !== "[") return words(text, at, calls, found.end, here);
  }
}

/** Behind the JSON of a call without its closing tag nothing comes, or another call, or words on another line. */
function words(text: string, at: number, calls: Reading["calls"], end: number, here: number): Reading {
  if (here === text.length || text[here] === "<" || text.slice(end, here).includes("\n")) return { end: here, calls };
  const next = text.indexOf(closer, here);
  return next === -1 ? { end: here, calls } : unreadable(text, at, "Nothing may stand behind its JSON object");
}

function unreadable(text: string, at: number, what: string): Reading {
  const close = text.indexOf(closer, at);
  const end = close === -1 ? text.length : close + closer.length;
  const problem = `The <tool_call> can't be read. ${what}: {"name": ..., "arguments": {...}}.`;
  return { end, calls: [malformed("", text.slice(at, end), problem)] };
}

/** The text goes on behind the closing tag, if it has one. */
function unclosed(text: string, calls: Reading["calls"], end: number): Reading {
  const source = calls.at(-1);
  const from = source !== undefined && "source" in source ? Math.min(end, text.length) - source.source.length : end;
  const close = text.indexOf(closer, from);
  return { end: close === -1 ? text.length : close + closer.length, calls };
}
