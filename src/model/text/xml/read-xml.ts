// Reads the XML dialect: locates a call, cuts out its texts byte for byte, and writes the rest as a skeleton.

import { XmlFields } from "./xml-fields.js";
import { decode, leafEnd, leafText, skipFiller } from "./leaf.js";
import {
  cut,
  isBegun,
  malformed,
  matchAt,
  rawCall,
  type Reader,
  type Reading,
  type Tools,
  type XmlCall,
} from "../reading/reading.js";
import { argumentsShape } from "../reading/shape.js";
import { beginsLine } from "../reading/quiet.js";
import { noDoctype } from "../reading/complaints.js";
import type { RawCall } from "../../data/raw-reply.js";
import { headOf } from "../../../core/internal.js";

/** The opening tag of a call. */
export const xmlOpener = "<tool>";

const children = ["<server_name", "<tool_name", "<arguments"];

/** A call that is being read. The first problem is kept, and reading continues to find the call's end. */
interface Draft {
  readonly start: number;
  name: string | undefined;
  server: string | undefined;
  call: RawCall | XmlCall | undefined;
  problem: string | undefined;
}

/** Reads one call. A `<tool>` that no child element follows is prose. */
export const readXml: Reader = (text, at, tools) => {
  const first = skipFiller(text, at + xmlOpener.length);
  if (!children.some((child) => text.startsWith(child, first))) {
    const isLine = first === text.length && (at === 0 || text[at - 1] === "\n");
    const isCut = isLine || (first < text.length && isBegun(text, first, [...children, "<!--"]));
    return isCut ? { end: text.length, calls: [cut("", text.slice(at), "at its beginning")] } : undefined;
  }
  const draft: Draft = { start: at, name: undefined, server: undefined, call: undefined, problem: undefined };
  return readChildren(text, draft, tools);
};

const namedTool = /<tool name=(["']?)([^"'<>\s=]{1,300})\1\s*>/y;

/** Reads a call that has the tool's name as an attribute. Without an element for the arguments the model is told, by that name. */
export const readNamedTool: Reader = (text, at, tools) => {
  const [opener = "", , name = ""] = matchAt(namedTool, text, at) ?? [];
  if (opener === "") return undefined;
  const from = at + opener.length;
  const first = skipFiller(text, from);
  if (text.startsWith("<arguments", first))
    return readChildren(text, { start: at, name, server: undefined, call: undefined, problem: undefined }, tools, from);
  if (!beginsLine(text, at)) return undefined;
  const close = text.indexOf("</tool>", from);
  return writtenOtherwise(text, name, at, close === -1 ? text.length : close + "</tool>".length);
};

/** The reading of a call whose tool is clear and whose arguments do not stand in the place for them. */
export function writtenOtherwise(text: string, name: string, start: number, end: number): Reading {
  const form = `<tool><tool_name>${name}</tool_name><arguments>...</arguments></tool>`;
  const problem = `The call of ${name} is not in the form of a call. Call the tool by the API, or write ${form}, each argument as an element.`;
  return { end, calls: [malformed(name, text.slice(start, end), problem)] };
}

const childTag = /<(server_name|tool_name|arguments)\s*(\/?)>/y;

function readChildren(
  text: string,
  draft: Draft,
  tools: Tools,
  from = draft.start + xmlOpener.length,
): Reading | undefined {
  let at = from;
  for (;;) {
    const next = skipFiller(text, at);
    const closer = matchAt(/<\/tool\s*>/y, text, next);
    if (closer !== null) return finish(text, draft, next + closer[0].length);
    const tag = matchAt(childTag, text, next);
    if (tag === null) return unexpected(text, draft, next, at);
    const end = readChild(text, draft, tag, tools);
    if (typeof end !== "number") return end;
    at = end;
  }
}

/** Handles text that is neither a child nor the closing tag. After the arguments it ends the call, whose closing tag is optional. */
function unexpected(text: string, draft: Draft, at: number, before: number): Reading | undefined {
  const source = text.slice(draft.start, at);
  const name = draft.name ?? "";
  if (text.startsWith("<!DOCTYPE", at) || text.startsWith("<!ENTITY", at))
    return { end: text.length, calls: [malformed(name, text.slice(draft.start), noDoctype)] };
  if (draft.call !== undefined) return finish(text, draft, before);
  if (at === text.length || (text[at] === "<" && !text.includes(">", at)))
    return { end: text.length, calls: [cut(name, text.slice(draft.start), "before <arguments>")] };
  if (!hasNoWordsBefore(text, draft.start)) return undefined;
  const excerpt = JSON.stringify(headOf(text.slice(at), 40));
  const problem = `In <tool>, <server_name>, <tool_name>, <arguments> or </tool> must come where ${excerpt} stands.`;
  return { end: before, calls: [malformed(name, source, problem)] };
}

function readChild(text: string, draft: Draft, tag: RegExpExecArray, tools: Tools): number | Reading | undefined {
  const [whole, child = "", empty] = tag;
  const from = tag.index + whole.length;
  const isEmpty = empty === "/";
  if (child === "arguments") return readArguments(text, draft, { from, isEmpty }, tools);
  const body = isEmpty ? null : matchAt(/([^<]{0,500})<\/(?:server_name|tool_name)\s*>/y, text, from);
  const isOwn = body?.[0].slice((body[1] ?? "").length).startsWith(`</${child}`) === true;
  if (!isEmpty && !isOwn) return unclosedChild(text, draft, child, from);
  const value = decode(body?.[1] ?? "").trim();
  if (child === "tool_name") {
    if (draft.name !== undefined) draft.problem ??= "The element tool_name is given twice.";
    draft.name ??= value;
  } else {
    if (draft.server !== undefined) draft.problem ??= "The element server_name is given twice.";
    draft.server ??= value;
  }
  return from + (body?.[0].length ?? 0);
}

function unclosedChild(text: string, { start, name }: Draft, child: string, from: number): Reading | undefined {
  const open = text.indexOf("<", from);
  const isCut = open === -1 || isBegun(text, open, [`</${child}>`]);
  const problem = `The element ${child} is not closed with </${child}>; it holds a plain name.`;
  if (isCut) return { end: text.length, calls: [cut(name ?? "", text.slice(start), `inside <${child}>`)] };
  if (!hasNoWordsBefore(text, start)) return undefined;
  return { end: open, calls: [malformed(name ?? "", text.slice(start, open), problem)] };
}

/** True if no words precede the call on its line. Else, a call that breaks off before its arguments is only mentioned. */
function hasNoWordsBefore(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at);
  return before.slice(before.lastIndexOf("\n") + 1).trim() === "";
}

function readArguments(
  text: string,
  draft: Draft,
  { from, isEmpty }: { readonly from: number; readonly isEmpty: boolean },
  tools: Tools,
): number | Reading {
  const tool = draft.name ?? "";
  if (draft.name === undefined)
    draft.problem ??= "The element tool_name is missing; it is required, before <arguments>.";
  if (draft.call !== undefined) draft.problem ??= "The element arguments is given twice.";
  if (isEmpty) {
    draft.call ??= rawCall(tool, {});
    return from;
  }
  const first = skipFiller(text, from);
  if (text.startsWith("<", first) && !text.startsWith("<![CDATA[", first)) {
    const fields = new XmlFields(text, { tool, call: draft.start });
    const end = fields.read(from, argumentsShape(tools.get(tool)?.parameters));
    if (typeof end !== "number") return { end: end.resume ?? text.length, calls: [end.problem] };
    draft.problem ??= fields.problem;
    draft.call ??= fields.call(tool);
    return end;
  }
  const follows = (at: number): boolean => at === text.length || text.startsWith("<", at);
  const bodyEnd = leafEnd(text, from, { tool, name: "arguments", call: draft.start, follows });
  if ("problem" in bodyEnd) return { end: bodyEnd.resume ?? text.length, calls: [bodyEnd.problem] };
  const body = leafText(text.slice(from, bodyEnd.body));
  if (body === undefined) draft.problem ??= "A CDATA section in arguments ends too early.";
  draft.call ??= rawCall(tool, body?.trim() === "" ? {} : (body ?? ""));
  return bodyEnd.end;
}

function finish(text: string, draft: Draft, end: number): Reading {
  const name = draft.name ?? "";
  const problem = draft.problem ?? problemOf(draft);
  const source = text.slice(draft.start, end);
  if (problem !== undefined) return { end, calls: [malformed(name, source, problem)] };
  return { end, calls: [draft.call ?? rawCall(name, {})] };
}

function problemOf({ name, server, call }: Draft): string | undefined {
  if (server !== undefined && server !== "local")
    return `The server ${JSON.stringify(server)} is not connected. Leave <server_name> out, or say local.`;
  if (name === undefined) return "The element tool_name is missing; it is required.";
  if (name === "") return "The element tool_name is empty; it must hold the tool's name.";
  if (call === undefined) return "The element arguments is missing: the arguments stand as elements in <arguments>.";
  return undefined;
}
