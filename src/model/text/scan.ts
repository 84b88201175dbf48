// Scans a text once from left to right: finds possible calls, and skips code, thinking, quotes and results.

import { codeSpans, fenceEnd, beginsLine, thinkingBlocks, type CodeSpans } from "./reading/quiet.js";
import { dialectOf, type Dialect } from "./openers.js";
import { literally } from "./reading/literal-pattern.js";
import { cut, isReadable, malformed, type Reading, type Tools } from "./reading/reading.js";
import { writtenOtherwise } from "./xml/read-xml.js";
import { manyEnds, noDoctype, tooLarge } from "./reading/complaints.js";

/** A piece of the text that is not words: calls, or markup without a call. */
export interface Piece extends Reading {
  readonly start: number;
  readonly dialect: Dialect;
}

const openers = [...dialectOf.keys()].map(literally).join("|");
const landmarks = [
  "`+|~{3,}|^ {0,3}>",
  String.raw`<\/?(?:[Tt]hink|[Tt]hinking|[Rr]easoning|[Tt]hought)>`,
  "<!(?:DOCTYPE|doctype|ENTITY)",
  String.raw`<(?:tool_results?|tool_response|function_results?)(?=[\s>])[^<>]*>`,
  String.raw`<\/[^<>\/]{1,200}>\s*<\/(?:arguments|function|invoke|tool_call)\s*>`,
  String.raw`<\|(?:call|end|return)\|>`,
];

/**
 * The tags of the tools' own names. No dialect has them, so the model is told. A tag that is not closed, or stands within a line, is
 * a word.
 */
function ownTagsOf(tools: Tools): ReadonlyMap<string, Dialect> {
  const endless = new Set<string>();
  const read: Dialect["read"] = (text, at) => {
    const name = text.slice(at + 1, text.indexOf(">", at));
    const closer = `</${name}>`;
    if (endless.has(name) || !beginsLine(text, at)) return undefined;
    const close = text.indexOf(closer, at);
    if (close === -1) endless.add(name);
    return close === -1 ? undefined : writtenOtherwise(text, name, at, close + closer.length);
  };
  const dialect: Dialect = { openers: [], name: "leaked", isToken: false, read };
  return new Map([...tools.keys()].map((name) => [`<${name}>`, dialect]));
}

const maxBytes = 10 * 1024 * 1024;

/** The pieces of a text, in order. */
export function scan(text: string, tools: Tools): readonly Piece[] {
  return new Scan(text, tools).run();
}

class Scan {
  readonly #text: string;
  readonly #tools: Tools;
  readonly #thinking: ReadonlyMap<number, number>;
  readonly #code: CodeSpans;
  /** The tags of the tools' own names. */
  readonly #ownTags: ReadonlyMap<string, Dialect>;
  /** Names of result tags whose closing tag is missing in the rest of the text. */
  readonly #endless = new Set<string>();
  #pieces: Piece[] = [];
  #isHarmony = false;
  #hasDoctype = false;

  constructor(text: string, tools: Tools) {
    this.#text = text;
    this.#tools = tools;
    this.#thinking = thinkingBlocks(text);
    this.#code = codeSpans(text);
    this.#ownTags = ownTagsOf(tools);
  }

  run(): readonly Piece[] {
    const ownTags = [...this.#ownTags.keys()].map(literally);
    const landmark = new RegExp([openers, ...landmarks, ...ownTags].join("|"), "gm");
    for (let mark = landmark.exec(this.#text); mark !== null; mark = landmark.exec(this.#text)) {
      const dialect = dialectOf.get(mark[0]) ?? this.#ownTags.get(mark[0]);
      landmark.lastIndex = Math.max(
        dialect === undefined ? this.#step(mark[0], mark.index) : this.#read(dialect, mark[0], mark.index),
        mark.index + 1,
      );
    }
    return this.#pieces;
  }

  /** Handles a landmark that opens no call. Returns the index at which the scan continues. */
  #step(token: string, at: number): number {
    const after = at + token.length;
    if (/^[`~]/.test(token)) return this.#codeEnd(token, at);
    if (/^ {0,3}>$/.test(token)) return lineEnd(this.#text, at);
    if (token.startsWith("<!")) this.#hasDoctype ||= token !== "<!doctype";
    else if (token.startsWith("<|")) this.#strip(at, after);
    else if (/^<(?:tool|function)_/.test(token)) return this.#resultEnd(token, at);
    else if (/^<\/[^<]*>\s*</.test(token)) this.#refuseAmbiguous(token, after);
    // A closing tag without an opening tag: the reply began inside the block, so all text before it is thinking.
    else if (token.startsWith("</")) this.#pieces = [];
    else return this.#thinking.get(at) ?? after;
    return after;
  }

  #codeEnd(run: string, at: number): number {
    const after = at + run.length;
    const fence = fenceEnd(this.#text, at);
    if (fence !== undefined) return fence;
    if (run.startsWith("~")) return after;
    const inLine = this.#code.inLine.get(at);
    if (inLine !== undefined) return inLine;
    // A code span over several lines counts only if it quotes markup: a lone backtick must not hide later calls.
    return /^[<[]/.test(this.#text.slice(after, after + 1)) ? (this.#code.overLines.get(at) ?? after) : after;
  }

  /** The end of a result. Without a closing tag, a tag within a line is a word; one at the start of a line covers the rest. */
  #resultEnd(token: string, at: number): number {
    const name = /\w+/.exec(token)?.[0] ?? "";
    const end = this.#endless.has(name) ? -1 : this.#text.indexOf(`</${name}>`, at);
    if (end !== -1) return end + name.length + 3;
    this.#endless.add(name);
    return beginsLine(this.#text, at) ? this.#text.length : at + token.length;
  }

  #strip(start: number, end: number): void {
    const dialect = dialectOf.get("<|start|>");
    if (this.#isHarmony && dialect !== undefined) this.#pieces.push({ start, end, calls: [], dialect });
  }

  /** Handles closing tags without a call: markup in an argument may have ended an earlier call too early, so those calls are refused. */
  #refuseAmbiguous(token: string, end: number): void {
    const isXml = token.includes("</arguments");
    this.#pieces = this.#pieces.map((piece) => {
      if ((piece.dialect.name === "xml") !== isXml) return piece;
      const calls = piece.calls.map((call) => {
        const isText = isReadable(call) && (!("arguments" in call) || typeof call.arguments !== "string");
        return isText ? malformed(call.name, this.#text.slice(piece.start, end), manyEnds) : call;
      });
      return { ...piece, calls };
    });
  }

  #read(dialect: Dialect, opener: string, at: number): number {
    const after = at + opener.length;
    const reading = dialect.read(this.#text, at, this.#tools);
    if (reading === undefined) return after;
    if (dialect.name === "harmony") this.#isHarmony = true;
    if (isQuoted(this.#text, at)) return reading.end;
    const problem = this.#isLarge(at, reading.end)
      ? tooLarge
      : dialect.name === "xml" && this.#hasDoctype
        ? noDoctype
        : undefined;
    const calls =
      problem === undefined ? reading.calls : reading.calls.map((call) => this.#refuse(call, at, reading.end, problem));
    this.#pieces.push({ ...reading, calls, start: at, dialect });
    return reading.quietUntil ?? reading.end;
  }

  #isLarge(start: number, end: number): boolean {
    if ((end - start) * 3 <= maxBytes) return false;
    return end - start > maxBytes || Buffer.byteLength(this.#text.slice(start, end)) > maxBytes;
  }

  /** Replaces a call by a broken call with this problem. Of a call that is too large, only the beginning is kept. */
  #refuse(call: Reading["calls"][number], start: number, end: number, problem: string): Reading["calls"][number] {
    const source = this.#text.slice(start, problem === tooLarge ? start + 2000 : end);
    return "problem" in call && call.kind === "truncated" && problem !== tooLarge
      ? cut(call.name, source, "before its end")
      : malformed(call.name, source, problem);
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** True if an opening quote stands directly before `at`. */
function isQuoted(text: string, at: number): boolean {
  return /(?:^|[\s([{:=,>])["'`]$|[“‘«„]$/.test(text.slice(Math.max(0, at - 2), at));
}
