// Code and diffs as coloured lines. Tabs become spaces, and control and invisible characters are escaped.

import { visible } from "../../display/visible.js";
import { diffLine } from "../../display/quantities.js";
import type { Look } from "../style/look.js";
import { chopped, widthOf } from "../../display/width.js";

/**
 * The lines of a code block, indented by two columns. If fewer than four columns would remain, there is no indent. A line that is too
 * wide is broken without a mark and without dropping a space. Its parts, joined without their indents, are the same line again.
 */
export function codeLines(text: string, language: string, columns: number, look: Look): readonly string[] {
  if (text === "") return [];
  const isDiff = /^(?:diff|patch)\b/i.test(language);
  const safeLines = text.split("\n").map(shownLine);
  const lines = safeLines.map((line) => (isDiff ? diffLine(line, look) : look.code(line)));
  const width = columns - codeIndent.length;
  if (width < minWidth) return lines.flatMap((line) => chopped(line, columns));
  return lines.flatMap((line) => chopped(line, width)).map((line) => (line === "" ? "" : `${codeIndent}${line}`));
}

/** One line of source text with control and invisible characters escaped. A tab becomes spaces up to the next multiple of four columns. */
export function shownLine(line: string): string {
  if (!line.includes("\t")) return visible(line);
  let shown = "";
  let column = 0;
  for (const [index, part] of line.split("\t").entries()) {
    const gap = index === 0 ? 0 : 4 - (column % 4);
    const safe = visible(part);
    shown += `${" ".repeat(gap)}${safe}`;
    column += gap + widthOf(safe);
  }
  return shown;
}

const codeIndent = "  ";
const minWidth = 4;
