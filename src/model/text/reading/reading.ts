// The data that the readers of the dialects share: located calls, broken calls, and small steps over the text.

import type { ToolDescription } from "../../../core/index.js";
import type { BrokenCall, RawCall } from "../../data/raw-reply.js";

/** A located call of the XML dialect. Its texts are cut out; its structure is a skeleton that is still to be parsed. */
export interface XmlCall {
  readonly name: string;
  /** XML whose elements are named by kind and index in `names`, as in `leaf-0`. A leaf holds its index in `bodies`. */
  readonly skeleton: string;
  readonly names: readonly string[];
  readonly bodies: readonly string[];
}

/** The result of a dialect's reader at its opener. */
export interface Reading {
  /** The index after the calls. */
  readonly end: number;
  /** The calls; empty for markup without a call, which is removed from the words. */
  readonly calls: readonly (RawCall | BrokenCall | XmlCall)[];
  /** The text from `end` up to this index is words without a call. */
  readonly quietUntil?: number;
}

/** The tools by name. A map, because the names come from a model and must not reach an object's prototype. */
export type Tools = ReadonlyMap<string, ToolDescription>;

/** Reads the call whose opener is at `at`; undefined if the opener is prose. */
export type Reader = (text: string, at: number, tools: Tools) => Reading | undefined;

/** Makes a call from its written name and arguments. */
export function rawCall(name: string, args: RawCall["arguments"]): RawCall {
  return { id: "", name, arguments: args, extras: {} };
}

/** Makes a call that can't be read. */
export function malformed(name: string, source: string, problem: string): BrokenCall {
  return { kind: "malformed_call", name, source, problem };
}

/** Makes a call whose end is missing. `where` completes the sentence "The call was cut off ...". */
export function cut(name: string, source: string, where: string): BrokenCall {
  const whose = name === "" ? "The tool call" : `The call of ${name}`;
  return { kind: "truncated", name, source, problem: `${whose} was cut off ${where}, so it was not run.` };
}

/** True for a call that can be read. */
export function isReadable(call: Reading["calls"][number]): call is RawCall | XmlCall {
  return !("problem" in call);
}

/** The index after the white space at `from`. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Matches a regular expression with the flag `y` at an index. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** True if the rest of the text is an incomplete beginning of one of these, so that it may have been cut. */
export function isBegun(text: string, at: number, wholes: readonly string[]): boolean {
  const rest = text.length - at;
  return wholes.some((whole) => rest < whole.length && whole.startsWith(text.slice(at)));
}
