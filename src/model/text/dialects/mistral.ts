// Reads calls in Mistral's format: `[TOOL_CALLS]`, then a list of calls, one call object, or a name and its JSON arguments.

import { argumentsEnd, callList, callObject } from "./call-object.js";
import { cut, isBegun, malformed, matchAt, rawCall, skipSpace, type Reader } from "../reading/reading.js";

const marker = "[TOOL_CALLS]";

/** Reads the calls after the marker. If there is no call, the marker is prose, and the result is undefined. */
export const readMistral: Reader = (text, at, tools) => {
  const first = skipSpace(text, at + marker.length);
  if (text[first] === "[" || text[first] === "{") {
    const reading = text[first] === "[" ? callList(text, first, tools, true) : callObject(text, first, tools, true);
    const extra = matchAt(/[\s}\]]*/y, text, reading.end)?.[0].length ?? 0;
    return reading.calls.length === 0 ? undefined : { end: reading.end + extra, calls: reading.calls };
  }
  // The name, then an optional call id, then an optional `[ARGS]`.
  const head = matchAt(
    /([^\s[\]{}<>`](?:[^\n[\]{}<>`]{0,200}[^\s[\]{}<>`])?)\s*(?:\[CALL_ID\][^\n[{]{0,100})?(?:\[ARGS\])?\s*/y,
    text,
    first,
  );
  const name = head?.[1] ?? "";
  // Several words are a name only if a tool has that name. Otherwise, the text only mentions the marker.
  if (/\s/.test(name) && !tools.has(name)) return undefined;
  const from = first + (head?.[0].length ?? 0);
  if (from === text.length) return { end: from, calls: [cut(name, text.slice(at), "before its arguments")] };
  if (text[from] !== "{" && !text.startsWith("```", from)) {
    const isCut = isBegun(text, from, ["[CALL_ID]", "[ARGS]"]);
    return isCut ? { end: text.length, calls: [cut(name, text.slice(at), "before its arguments")] } : undefined;
  }
  const end = argumentsEnd(text, from);
  if (end !== undefined) return { end, calls: [rawCall(name, text.slice(from, end))] };
  // If another marker follows, or the end of a fence without an object, the reply was not cut here, so the arguments are malformed.
  const fence = matchAt(/```\w{0,20}(?!\w)\s*(?![{\s])[^]*?```/y, text, from)?.[0];
  if (fence !== undefined) {
    const problem = `The arguments of ${name} are not a JSON object.`;
    return { end: from + fence.length, calls: [malformed(name, text.slice(at, from + fence.length), problem)] };
  }
  const next = text.indexOf(marker, from);
  if (next === -1) return { end: text.length, calls: [cut(name, text.slice(at), "inside its arguments")] };
  const problem = `The arguments of ${name} are not a complete JSON object: a quote, a bracket or a brace is missing.`;
  return { end: next, calls: [malformed(name, text.slice(at, next), problem)] };
};
