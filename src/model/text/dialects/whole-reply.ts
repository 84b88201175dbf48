// Reads replies that consist of calls only: JSON without markup, or one fence around everything.

import { callList, callObject } from "./call-object.js";
import { matchAt, skipSpace, type Reading, type Tools } from "../reading/reading.js";
import { valueEnd } from "../reading/json-value.js";
import { thinkingBlocks } from "../reading/quiet.js";

/** A reply that was read as a whole. */
export interface WholeReply {
  /** The thinking at the start. */
  readonly before: string;
  /** The calls of a reply that is JSON; empty if the JSON is data. Undefined if the reply is not JSON. */
  readonly whole: Reading["calls"] | undefined;
  /** The content of the fence around everything; undefined without a fence. */
  readonly fenced: string | undefined;
  /** The info string of the fence, for example `json`; empty without one. */
  readonly info: string;
}

const endings = /(?:\s|<\|(?:eom_id|eot_id|im_end|endoftext|end_of_text)\|>|<[｜|]end[▁_]of[▁_]sentence[｜|]>)+$/;

/** Reads a reply as a whole. */
export function wholeReply(text: string, tools: Tools): WholeReply {
  const from = thinkingEnd(text);
  const before = text.slice(0, from);
  if (!/[{[`~]/.test(text.slice(from, from + 1))) return { before, whole: undefined, fenced: undefined, info: "" };
  const body = withoutEnding(text.slice(from));
  const opener = matchAt(/(`{3,}|~{3,})(?:([\w-]*)[ \t]*\r?\n)?/y, body, 0);
  const fence = opener?.[1];
  if (opener === null || fence === undefined)
    return { before, whole: jsonCalls(body, tools), fenced: undefined, info: "" };
  const rest = body.slice(opener[0].length).trimEnd();
  const fenced = rest.endsWith(fence) ? rest.slice(0, -fence.length) : rest;
  return { before, whole: jsonCalls(fenced.trim(), tools), fenced, info: opener[2] ?? "" };
}

/** The end of the thinking at the start. Its opening tag may be missing, because it may be part of the prompt. */
function thinkingEnd(text: string): number {
  const blocks = thinkingBlocks(text);
  let at = skipSpace(text, 0);
  for (let end = blocks.get(at); end !== undefined; end = blocks.get(at)) at = skipSpace(text, end);
  if (at > 0 || /[{[`~]/.test(text.slice(0, 1))) return at;
  const [first] = text.matchAll(/<(\/?)(?:think|thinking|reasoning|thought)>/gi);
  return first?.[1] === "/" ? skipSpace(text, first.index + first[0].length) : at;
}

function withoutEnding(text: string): string {
  const tail = text.slice(-400);
  return text.slice(0, text.length - (endings.exec(tail)?.[0].length ?? 0));
}

/** Reads one or more objects, or a list. Either all objects are calls, or no object is. */
function jsonCalls(body: string, tools: Tools): Reading["calls"] | undefined {
  if (body.startsWith("{")) return objectCalls(body, tools);
  if (!/^\[\s*(?:[{\]"]|$)/.test(body)) return undefined;
  const { calls, end } = callList(body, 0, tools, false);
  const last = calls.at(-1);
  if (last !== undefined) {
    const isCut = "problem" in last && last.kind === "truncated";
    return isCut || /^[\s\]]*$/.test(body.slice(end, end + 100)) ? calls : undefined;
  }
  return valueEnd(body, 0) === body.length ? [] : undefined;
}

function objectCalls(body: string, tools: Tools): Reading["calls"] | undefined {
  const allCalls: Reading["calls"][number][] = [];
  for (let at = 0; at < body.length;) {
    if (body[at] !== "{") return undefined;
    const { calls, end, isClosed } = callObject(body, at, tools, false);
    if (calls.length === 0) return isClosed || allCalls.length > 0 ? [] : undefined;
    allCalls.push(...calls);
    at = isClosed ? end + (matchAt(/[\s}\],;]*/y, body, end)?.[0].length ?? 0) : body.length;
  }
  return allCalls;
}
