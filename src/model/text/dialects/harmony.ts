// Reads calls as gpt-oss writes them: messages with a channel and a recipient. Of other messages, only the markup is removed.

import { argumentsEnd } from "./call-object.js";
import { cut, malformed, matchAt, rawCall, type Reader, type Reading } from "../reading/reading.js";

const header =
  /(?:<\|start\|>([^<]{0,300}))?(?:<\|channel\|>([^<]{0,300}))?(?:<\|constrain\|>([^<]{0,100}))?<\|message\|>/y;
const stops = /<\|(?:call|end|return)\|>|<\|(?:start|channel)\|>/g;

/** The end of the body that begins at `from`: the markup of the next message. */
function bodyEnd(text: string, from: number): number {
  stops.lastIndex = from;
  return stops.exec(text)?.index ?? text.length;
}

/** Reads the message at `at`. If it is no call, its header is markup. Thinking and messages of other roles are not searched for calls. */
export const readHarmony: Reader = (text, at) => {
  const head = matchAt(header, text, at);
  if (head === null) return unfinished(text, at);
  const [whole, role = "", channel = ""] = head;
  const from = at + whole.length;
  const name = /\bto\s*=\s*(?:functions\.)?([^\s<]+)/.exec(`${role} ${channel}`)?.[1];
  const isOwn = /^\s*(?:assistant\b|$)/.test(role);
  const isCommentary = /^\s*(?:commentary\b|$)/.test(channel);
  if (name === undefined || !isOwn || !isCommentary) {
    const isSearched = isOwn && /^\s*(?:final\b|commentary\b|$)/.test(channel);
    return { end: from, calls: [], ...(!isSearched && { quietUntil: bodyEnd(text, from) }) };
  }
  return readBody(text, at, name, from);
};

function readBody(text: string, at: number, name: string, from: number): Reading {
  const closed = argumentsEnd(text, from);
  const stop = bodyEnd(text, closed ?? from);
  const end = text.startsWith("<|start|>", stop) || text.startsWith("<|channel|>", stop) ? stop : tokenEnd(text, stop);
  const source = text.slice(at, end);
  if (closed !== undefined) {
    const last = stop === text.length ? closed : stop;
    return { end: stop === text.length ? closed : end, calls: [rawCall(name, text.slice(from, last).trim())] };
  }
  if (stop === text.length) return { end, calls: [cut(name, source, "inside its arguments")] };
  const problem = `The arguments of ${name} are not a complete JSON object: a quote, a bracket or a brace is missing.`;
  return { end, calls: [malformed(name, source, problem)] };
}

function tokenEnd(text: string, at: number): number {
  return at === text.length ? at : text.indexOf(">", at) + 1;
}

const flattened = /(?:assistant)?commentary to=functions\.([\w-]{1,100})\s*(?:code|json)?\s*/y;

/** Reads a call whose tokens were left out: `commentary to=functions.name json{...}`. Words after the header make it prose. */
export const readFlattened: Reader = (text, at) => {
  const [head = "", name = ""] = matchAt(flattened, text, at) ?? [];
  const from = at + head.length;
  if (head === "" || (from < text.length && text[from] !== "{")) return undefined;
  if (from === text.length) return { end: from, calls: [cut(name, text.slice(at), "before its arguments")] };
  const end = argumentsEnd(text, from);
  if (end === undefined) return { end: text.length, calls: [cut(name, text.slice(at), "inside its arguments")] };
  return { end, calls: [rawCall(name, text.slice(from, end))] };
};

/** Reads a token without a whole header. It is a cut call if the text ends in a header that names a recipient, else markup. */
function unfinished(text: string, at: number): ReturnType<Reader> {
  const token = matchAt(/<\|(?:call|end|return|start|channel|message|constrain)\|>/y, text, at)?.[0] ?? "<|";
  const rest = text.slice(at, at + 500);
  const name = /^(?:<\|(?:start|channel|constrain)\|>[^<]*)*\bto\s*=\s*(?:functions\.)?([^\s<]+)/.exec(rest)?.[1];
  if (name !== undefined && at + rest.length === text.length && !rest.includes("<|message|>"))
    return { end: text.length, calls: [cut(name, rest, "before its arguments")] };
  return token === "<|" ? undefined : { end: at + token.length, calls: [] };
}
