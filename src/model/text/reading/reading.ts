// What the readers of the dialects hand to each other: calls at a place of the text, and the words for what can't be read.

import type { ToolDescription } from "../../../core/index.js";
import type { BrokenCall, RawCall } from "../../data/raw-reply.js";

/** A call of the XML dialect, located: its leaves cut out, its structure written as a skeleton and still to be read. */
export interface XmlCall {
  readonly name: string;
  /** Elements named by kind and place in `names`; a leaf holds its place in `bodies`. */
  readonly skeleton: string;
  readonly names: readonly string[];
  readonly bodies: readonly string[];
}

/** What a dialect's reader found at its opener. */
export interface Reading {
  /** Where the text goes on. */
  readonly end: number;
  /** Empty where it was markup and no call: it is then left out of the words. */
  readonly calls: readonly (RawCall | BrokenCall | XmlCall)[];
  /** Up to here the text behind `end` is words, and holds no call. */
  readonly quietUntil?: number;
}

/** The tools by name: names come from a model, so they are never looked up in an object. */
export type Tools = ReadonlyMap<string, ToolDescription>;

/** Reads what stands at `at`, where the dialect's opener is; undefined where it is prose. */
export type Reader = (text: string, at: number, tools: Tools) => Reading | undefined;

/** A call as it was written. */
export function rawCall(name: string, args: RawCall["arguments"]): RawCall {
  return { id: "", name, arguments: args, extras: {} };
}

/** A call that can't be read. */
export function malformed(name: string, source: string, problem: string): BrokenCall {
  return { kind: "malformed_call", name, source, problem };
}

/** A call whose end is missing. `where` says how far it got, after "The call was cut off". */
export function cut(name: string, source: string, where: string): BrokenCall {
  const whose = name === "" ? "The tool call" : `The call of ${name}`;
  return { kind: "truncated", name, source, problem: `${whose} was cut off ${where}, so it was not run.` };
}

/** True for a call that can be read. */
export function isReadable(call: Reading["calls"][number]): call is RawCall | XmlCall {
  return !("problem" in call);
}

/** Where white space ends. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** What a regular expression with the flag `y` matches at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** True where the rest of a text is the beginning of one of these, and so may have been cut. */
export function isBegun(text: string, at: number, wholes: readonly string[]): boolean {
  const rest = text.length - at;
  return wholes.some((whole) => rest < whole.length && whole.startsWith(text.slice(at)));
}
