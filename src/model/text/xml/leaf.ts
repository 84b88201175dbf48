// Reads the texts in an XML call: finds the end of a text, and decodes it.

import { cut, malformed, skipSpace } from "../reading/reading.js";
import type { BrokenCall } from "../../data/raw-reply.js";

/** The end of a body: the indices at which its closing tag begins and ends. */
export interface LeafEnd {
  readonly body: number;
  readonly end: number;
}

/** A body without an end. `resume` is the index from which the rest is read; undefined if the rest may belong to the body. */
export interface NoEnd {
  readonly problem: BrokenCall;
  readonly resume: number | undefined;
}

/** The surroundings of a body. */
export interface LeafContext {
  /** The tool that is called. */
  readonly tool: string;
  /** The element's name. */
  readonly name: string;
  /** The index at which the call begins. */
  readonly call: number;
  /** True if the text at this index may follow the body's closing tag: a sibling, or the parent's closing tag. */
  follows(at: number): boolean;
}

/** Finds the end of the body that begins at `from`. */
export function leafEnd(text: string, from: number, context: LeafContext): LeafEnd | NoEnd {
  const { tool, name, call } = context;
  const broken = (problem: string, resume?: number): NoEnd => ({
    problem: malformed(tool, text.slice(call, resume), problem),
    resume,
  });
  const landmark = landmarks(name);
  landmark.lastIndex = from;
  let depth = 1;
  let isQuoting = false;
  for (let mark = landmark.exec(text); mark !== null; mark = landmark.exec(text)) {
    const [token] = mark;
    if (token === "<![CDATA[") {
      const end = text.indexOf("]]>", landmark.lastIndex);
      if (end === -1) return { problem: openSection(text, landmark.lastIndex, context), resume: undefined };
      landmark.lastIndex = end + 3;
    } else if (token === "<tool>") isQuoting = true;
    else if (mark[1] !== undefined)
      return broken(notClosed(name), isQuoting || depth > 1 ? undefined : landmark.lastIndex);
    else if (!token.startsWith("</")) depth += token.endsWith("/>") ? 0 : 1;
    else {
      depth -= 1;
      if (!context.follows(skipFiller(text, landmark.lastIndex))) continue;
      // A tag of the same name is open inside the text, as in a quoted call, so this closing tag may belong to that tag.
      if (depth > 0) return broken(manyClosers(name));
      return { body: mark.index, end: landmark.lastIndex };
    }
  }
  return { problem: cut(tool, text.slice(call), `inside <${name}>, before </${name}>`), resume: undefined };
}

/** Matches CDATA sections, tags of this name, a quoted `<tool>`, and the end of a call. */
function landmarks(name: string): RegExp {
  const tag = String.raw`<\/?${name.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)}(?=[\s\/>])[^<>]*>`;
  const callEnd = name === "arguments" ? "" : String.raw`(<\/arguments\s*>\s*<\/tool\s*>)|`;
  return new RegExp(String.raw`<!\[CDATA\[|${callEnd}<tool>(?=\s*<)|${tag}`, "g");
}

/** An open section is a cut call, unless the end of the arguments comes after it. */
function openSection(text: string, from: number, { tool, name, call }: LeafContext): BrokenCall {
  const source = text.slice(call);
  if (!text.includes("</arguments>", from)) return cut(tool, source, `inside <${name}>, in a CDATA section`);
  return malformed(tool, source, `The CDATA section in <${name}> is not closed: it needs ]]> before </${name}>.`);
}

function notClosed(name: string): string {
  return `The element ${name} is not closed with </${name}> before the call ends. If its text holds markup, wrap it in <![CDATA[ and ]]>.`;
}

function manyClosers(name: string): string {
  return `More than one closing tag could end the element ${name}. Wrap its text in <![CDATA[ and ]]>.`;
}

/** The index after white space and comments. */
export function skipFiller(text: string, from: number): number {
  let at = skipSpace(text, from);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end === -1) return at;
    at = skipSpace(text, end + 3);
  }
  return at;
}

/** The text of a body: sections unchanged, entities outside them decoded once. Undefined if a section ends too early. */
export function leafText(body: string): string | undefined {
  if (!body.includes("<![CDATA[")) return decode(body);
  const parts: string[] = [];
  const between: string[] = [];
  let at = 0;
  for (let open = body.indexOf("<![CDATA["); open !== -1; open = body.indexOf("<![CDATA[", at)) {
    const close = body.indexOf("]]>", open);
    between.push(body.slice(at, open));
    parts.push(outside(body.slice(at, open)), body.slice(open + 9, close));
    at = close + 3;
  }
  const last = body.slice(at);
  // ]]> outside a section is the intended end: the section closed at a ]]> that belongs to its text.
  return [...between, last].some((part) => part.includes("]]>")) ? undefined : parts.join("") + outside(last);
}

/** Decodes the text around a section. White space there is layout. */
function outside(part: string): string {
  return part.trim() === "" ? "" : decode(part);
}

const named = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Decodes the five entities and numeric references once. Other entities, and a bare &, stay unchanged. */
export function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (whole, hex, decimal, name) => {
    if (typeof name === "string") return named.get(name) ?? whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}
