// Code and diffs as lines: the verbatim text, with colours for the lines of a diff.

import { visible } from "../../words/visible.js";
import { diffLine } from "../../words/quantities.js";
import type { Look } from "../style/look.js";
import { chopped, widthOf } from "../../words/width.js";

/**
 * A block of code, indented by two columns. Longer lines are broken without a mark, and no space is dropped, so that the joined lines
 * are the same text.
 */
export function codeLines(text: string, language: string, columns: number, look: Look): readonly string[] {
  if (text === "") return [];
  const isDiff = /^(?:diff|patch)\b/i.test(language);
  const written = text.split("\n").map(shownLine);
  const lines = written.map((line) => (isDiff ? diffLine(line, look) : look.code(line)));
  const room = columns - codeIndent.length;
  if (room < 4) return lines.flatMap((line) => chopped(line, columns));
  return lines.flatMap((line) => chopped(line, room)).map((line) => (line === "" ? "" : `${codeIndent}${line}`));
}

/** One line of source text, with nothing hidden. A tab becomes spaces up to the next multiple of four columns. */
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
