// Finds the calls in the text of a reply: the whole reply may be a call, or calls stand among words.

import type { ToolDescription } from "../../core/index.js";
import type { BrokenCall, FoundCalls, RawCall } from "../data/raw-reply.js";
import { pythonCall } from "./dialects/python.js";
import { isReadable, type Reading, type Tools, type XmlCall } from "./reading/reading.js";
import { scan, type Piece } from "./scan.js";
import { wholeReply } from "./dialects/whole-reply.js";
import { isProse } from "./prose.js";

type Call = Reading["calls"][number];

/** The text and the located calls, before the structure of XML calls is parsed. */
interface Located {
  readonly text: string;
  readonly calls: readonly Call[];
}

/**
 * Finds the calls in the text of a reply: `<tool>` as `describeTools` explains it, or else the formats in which servers leak calls
 * into the text. Thinking, code with words around it, quotes and results hold no calls. Arguments are returned as written: JSON as
 * text, the arguments of other dialects as texts by name.
 */
export async function findCalls(text: string, tools: readonly ToolDescription[]): Promise<FoundCalls> {
  const located = locate(text, new Map(tools.map((tool) => [tool.name, tool])));
  return { text: located.text, calls: await readStructures(located.calls) };
}

function locate(text: string, tools: Tools): Located {
  const { before, whole, fenced, info } = wholeReply(text, tools);
  if (whole !== undefined) return whole.length === 0 ? { text, calls: [] } : { text: orEmpty(before), calls: whole };
  if (lacksOpener(text.slice(before.length))) {
    const opened = `${before}<tool_call>${text.slice(before.length)}`;
    return take(opened, scan(opened, tools));
  }
  if (fenced !== undefined) {
    const inner = take(fenced, scan(fenced, tools));
    if (inner.calls.length > 0 && inner.text.trim() === "") return { text: orEmpty(before), calls: inner.calls };
    if (info === "tool_code") return { text: orEmpty(before), calls: pythonCall(fenced).calls };
  }
  return take(text, scan(text, tools));
}

/** True if a reply begins in a `<tool_call>`: the opening tag may be part of the prompt, as the tag of thinking may be. */
function lacksOpener(reply: string): boolean {
  if (!reply.startsWith("{")) return false;
  const [tag] = reply.matchAll(/<(\/?)tool_call>/g);
  return tag?.[1] === "/" && reply.slice(0, tag.index).trimEnd().endsWith("}");
}

/** Separates the calls from the words. If a call of the XML dialect is present, calls of other dialects count as words. */
function take(text: string, pieces: readonly Piece[]): Located {
  const withoutProse = pieces.filter((piece, index) => !isProse(text, pieces, index));
  const isXml = withoutProse.some(({ dialect }) => dialect.name === "xml");
  const taken = isXml
    ? withoutProse.filter(({ dialect, calls }) => dialect.name === "xml" || calls.length === 0)
    : withoutProse;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of taken) {
    parts.push(text.slice(at, start));
    at = end;
  }
  const calls = taken.flatMap((piece) => piece.calls);
  const rest = calls.length === 0 ? text.slice(at) : withoutEnd(text.slice(at));
  const left = parts.join("") + rest;
  return { text: calls.length === 0 ? left : orEmpty(left), calls };
}

/** Removes the token that ends a reply, which is no word after calls. */
function withoutEnd(text: string): string {
  return /^\s*(?:<\|(?:eom_id|eot_id|im_end|endoftext|end|return|call)\|>|<[｜|]end[▁_]of[▁_]sentence[｜|]>|<\/?tool_calls?>|\s)*$/.test(
    text.slice(0, 400),
  ) && text.length <= 400
    ? ""
    : text;
}

function orEmpty(text: string): string {
  return text.trim() === "" ? "" : text;
}

/** Parses the structure of XML calls. The parser is loaded with the first such call. */
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
