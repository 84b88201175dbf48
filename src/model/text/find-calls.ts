// Finds the calls of a reply's text: the whole reply as one, or calls among words.

import type { ToolDescription } from "../../core/index.js";
import type { BrokenCall, FoundCalls, RawCall } from "../data/raw-reply.js";
import { pythonCall } from "./dialects/python.js";
import { isReadable, type Reading, type Tools, type XmlCall } from "./reading/reading.js";
import { scan, type Piece } from "./scan.js";
import { wholeReply } from "./dialects/whole-reply.js";
import { isProse } from "./prose.js";

type Call = Reading["calls"][number];

/** What was found before the structure of XML calls is read. */
interface Located {
  readonly text: string;
  readonly calls: readonly Call[];
}

/**
 * Finds the calls that stand in the text of a reply, in any dialect: `<tool>` as `describeTools` explains it, and where there is none,
 * the ways in which servers leak calls into the text. Nothing in thinking, code with words around it, quotes or results is a call.
 * Arguments are handed over as they were written: JSON as text, others as texts by name.
 */
export async function findCalls(text: string, tools: readonly ToolDescription[]): Promise<FoundCalls> {
  const located = locate(text, new Map(tools.map((tool) => [tool.name, tool])));
  return { text: located.text, calls: await readStructures(located.calls) };
}

function locate(text: string, tools: Tools): Located {
  const { before, whole, fenced, info } = wholeReply(text, tools);
  if (whole !== undefined) return whole.length === 0 ? { text, calls: [] } : { text: words(before), calls: whole };
  if (fenced !== undefined) {
    const inner = take(fenced, scan(fenced, tools));
    if (inner.calls.length > 0 && inner.text.trim() === "") return { text: words(before), calls: inner.calls };
    if (info === "tool_code") return { text: words(before), calls: pythonCall(fenced).calls };
  }
  return take(text, scan(text, tools));
}

/** Takes the calls out of a text. Where there is a call of the XML dialect, what looks like another dialect is words. */
function take(text: string, pieces: readonly Piece[]): Located {
  const meant = pieces.filter((piece, index) => !isProse(text, pieces, index));
  const isXml = meant.some(({ dialect }) => dialect.name === "xml");
  const taken = isXml ? meant.filter(({ dialect, calls }) => dialect.name === "xml" || calls.length === 0) : meant;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of taken) {
    parts.push(text.slice(at, start));
    at = end;
  }
  const calls = taken.flatMap((piece) => piece.calls);
  const rest = calls.length === 0 ? text.slice(at) : withoutEnd(text.slice(at));
  const left = parts.join("") + rest;
  return { text: calls.length === 0 ? left : words(left), calls };
}

/** Behind calls, a token that ends the reply is no word. */
function withoutEnd(text: string): string {
  return /^\s*(?:<\|(?:eom_id|eot_id|im_end|endoftext|end|return|call)\|>|<[｜|]end[▁_]of[▁_]sentence[｜|]>|<\/?tool_calls?>|\s)*$/.test(
    text.slice(0, 400),
  ) && text.length <= 400
    ? ""
    : text;
}

function words(text: string): string {
  return text.trim() === "" ? "" : text;
}

/** The parser is loaded with the first XML call. */
async function readStructures(calls: readonly Call[]): Promise<readonly (RawCall | BrokenCall)[]> {
  if (!calls.some(isXmlCall)) return calls.filter((call): call is RawCall | BrokenCall => !isXmlCall(call));
  const { readSkeleton } = await import("./xml/skeleton.js");
  return calls.map((call) =>
    isXmlCall(call) ? { id: "", name: call.name, arguments: readSkeleton(call), extras: {} } : call,
  );
}

function isXmlCall(call: Call): call is XmlCall {
  return isReadable(call) && "skeleton" in call;
}
