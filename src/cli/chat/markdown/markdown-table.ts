// Tables: in columns if they fit, else as lines of `key: value`.

import type { Look } from "../style/look.js";
import { inlineText } from "./markdown-inline.js";
import type { MarkedToken } from "./bounded-lexer.js";
import { widthOf, wrapped } from "../../display/width.js";

type Table = Extract<MarkedToken, { type: "table" }>;

/** A table as lines of at most `columns`. */
export function tableLines(table: Table, columns: number, look: Look): readonly string[] {
  const head = table.header.map(({ tokens }) => inlineText(tokens, look, look.bold));
  const rows = table.rows.map((row) => row.map(({ tokens }) => inlineText(tokens, look)));
  const widths = head.map(widthOf);
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  const whole = widths.reduce((sum, width) => sum + width, 3 * (widths.length - 1));
  if (whole > columns) return records(head, rows, columns);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => aligned(cell, widths[at] ?? 0, table.align[at]))
      .join(look.dim(" | "))
      .trimEnd();
  const rule = look.dim(widths.map((width) => "-".repeat(width)).join("-+-"));
  return [line(head), rule, ...rows.map(line)];
}

function aligned(cell: string, width: number, align: Table["align"][number] | undefined): string {
  const gap = width - widthOf(cell);
  const before = align === "right" ? gap : align === "center" ? Math.floor(gap / 2) : 0;
  return `${" ".repeat(before)}${cell}${" ".repeat(gap - before)}`;
}

/** Each row as lines with the names of the columns. Empty cells are left out. */
function records(head: readonly string[], rows: readonly (readonly string[])[], columns: number): readonly string[] {
  if (rows.length === 0) return wrapped(head.join(" | "), columns);
  return rows.flatMap((row, index) => {
    const cells = row.flatMap((cell, at) => (cell === "" ? [] : [head[at] ? `${head[at]}: ${cell}` : cell]));
    return [...(index === 0 ? [] : [""]), ...cells.flatMap((cell) => wrapped(cell, columns))];
  });
}
