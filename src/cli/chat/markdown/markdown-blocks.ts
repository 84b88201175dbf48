// Markdown blocks as lines: paragraphs, headings, lists, quotes, code and tables.

import type { Look } from "../style/look.js";
import { codeLines, shownLine } from "./markdown-code.js";
import { inlineText, wordsText } from "./markdown-inline.js";
import { tableLines } from "./markdown-table.js";
import type { MarkedToken, Token } from "./bounded-lexer.js";
import { widthOf, wrapped } from "../../display/width.js";

type List = Extract<MarkedToken, { type: "list" }>;

/** The blocks as lines of at most `columns`. Empty lines between blocks become one. */
export function blockLines(tokens: readonly Token[], columns: number, look: Look): readonly string[] {
  return spaced(
    (tokens as readonly MarkedToken[]).map((token) => ({ raw: token.raw, lines: linesOf(token, columns, look) })),
  );
}

/** The source text, wrapped. For HTML, and for text that is not Markdown. */
export function writtenLines(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapped(shownLine(line), columns));
}

function linesOf(token: MarkedToken, columns: number, look: Look): readonly string[] {
  switch (token.type) {
    case "space":
    case "checkbox":
      return [];
    case "heading":
      return headingLines(token, columns, look);
    case "hr":
      return [look.dim("-".repeat(Math.min(columns, 40)))];
    case "code":
      return codeLines(token.text, token.lang ?? "", columns, look);
    case "blockquote": {
      const room = columns - 2;
      const lines = blockLines(token.tokens, room < minRoom ? columns : room, look);
      return room < minRoom ? lines : prefixed(lines, look.dim("| "), look.dim("| "));
    }
    case "list":
      return listLines(token, columns, look);
    case "table":
      return tableLines(token, columns, look);
    case "paragraph":
      return textLines(inlineText(token.tokens, look), columns);
    case "text":
      return textLines(token.tokens ? inlineText(token.tokens, look) : wordsText(token.text), columns);
    case "html":
    case "def":
      return writtenLines(token.raw.trimEnd(), columns);
    case "list_item":
      return blockLines(token.tokens, columns, look);
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "strong":
      return textLines(inlineText([token], look), columns);
  }
}

function textLines(text: string, columns: number): readonly string[] {
  return text
    .replace(/^\n+/, "")
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapped(line, columns));
}

/** A heading with its marks: the `#` show its level, and the line under it is kept. */
function headingLines(
  token: Extract<MarkedToken, { type: "heading" }>,
  columns: number,
  look: Look,
): readonly string[] {
  const isMarked = token.raw.trimStart().startsWith("#");
  const mark = isMarked ? look.heading("#".repeat(token.depth)) : "";
  const words = inlineText(token.tokens, look, look.heading);
  const lines = textLines(words === "" || mark === "" ? `${mark}${words}` : `${mark} ${words}`, columns);
  if (isMarked) return lines;
  const under = token.raw.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return [...lines, look.dim(under.slice(0, Math.min(columns, 40)))];
}

function listLines(list: List, columns: number, look: Look): readonly string[] {
  const bullets = bulletsOf(list);
  return spaced(
    list.items.map((item, index) => {
      const bullet = bullets[index] ?? "-";
      const mark = item.task ? `${bullet} [${item.checked === true ? "x" : " "}]` : bullet;
      const room = columns - widthOf(mark) - 1;
      if (room < minRoom) {
        return { raw: item.raw, lines: [...wrapped(mark, columns), ...blockLines(item.tokens, columns, look)] };
      }
      const lines = blockLines(item.tokens, room, look);
      const rest = " ".repeat(widthOf(mark) + 1);
      return { raw: item.raw, lines: prefixed(lines.length === 0 ? [""] : lines, `${mark} `, rest) };
    }),
  );
}

/** The bullets of the items. Numbers are the text's numbers; a number that does not increase becomes the next number. */
function bulletsOf({ ordered, items }: List): readonly string[] {
  if (!ordered) return items.map(() => "-");
  let last = -1;
  return items.map(({ raw }) => {
    const [, number, end] = /^\s*(\d{1,9})([.)])/.exec(raw) ?? [];
    last = Math.max(last + 1, Number(number ?? 0));
    return `${String(last)}${end ?? "."}`;
  });
}

function prefixed(lines: readonly string[], first: string, rest: string): readonly string[] {
  return lines.map((line, index) => {
    const prefix = index === 0 ? first : rest;
    return line === "" ? prefix.trimEnd() : `${prefix}${line}`;
  });
}

/** Joins the lines of parts, with one empty line between two parts if the text has one or more. */
function spaced(parts: readonly { readonly raw: string; readonly lines: readonly string[] }[]): readonly string[] {
  const all: string[] = [];
  let gap = false;
  for (const { raw, lines } of parts) {
    if (lines.length > 0) {
      if (gap && all.length > 0) all.push("");
      for (const line of lines) all.push(line);
      gap = false;
    }
    const end = raw.slice(raw.trimEnd().length);
    gap ||= end.indexOf("\n") !== end.lastIndexOf("\n");
  }
  return all;
}

/** Columns for the text after a mark. With less room, the text is not indented. */
const minRoom = 4;
