// The lines of what is typed: broken at the screen's edge, with the cursor's place, around which a long text is shown.

import type { Bottom } from "./screen.js";
import { charactersOf, widthOf } from "./width.js";

/** How the input is laid out. */
export interface InputLayout {
  /** What stands before the first line; the others are indented as far. */
  readonly prompt: string;
  readonly columns: number;
  /** Rows that it may take. */
  readonly rows: number;
}

/** Lays a text out whose cursor is at a place. */
export function inputLines(text: string, at: number, { prompt, columns, rows }: InputLayout): Required<Bottom> {
  const margin = widthOf(prompt);
  // The last column stays free: where it is written, terminals differ.
  const room = Math.max(1, columns - margin - 1);
  const lines: string[] = [""];
  let width = 0;
  let cursor = { row: 0, column: margin };
  const place = (): { readonly row: number; readonly column: number } => ({
    row: lines.length - 1,
    column: margin + width,
  });
  const feed = (): void => {
    lines.push("");
    width = 0;
  };
  // What is further away than the rows is not seen, and would be laid out anew at every key.
  const before = text
    .slice(0, at)
    .split("\n")
    .slice(-rows - 1)
    .join("\n");
  const near =
    before +
    text
      .slice(at)
      .split("\n", rows + 1)
      .join("\n");
  let index = 0;
  for (const character of charactersOf(near)) {
    const shown = character === "\t" ? " ".repeat(Math.min(4, room)) : character;
    const isEnd = /^\r?\n$/.test(character);
    const wide = isEnd ? 0 : widthOf(shown);
    if (width > 0 && width + wide > room) feed();
    if (index <= before.length) cursor = place();
    index += character.length;
    if (isEnd) feed();
    else {
      lines.push((lines.pop() ?? "") + shown);
      width += wide;
    }
  }
  if (before.length >= near.length) {
    if (width >= room) feed();
    cursor = place();
  }
  const first = Math.max(0, Math.min(cursor.row - Math.floor(rows / 2), lines.length - rows));
  const shown = lines.slice(first, first + rows);
  return {
    lines: shown.map((line, row) => `${first + row === 0 ? prompt : " ".repeat(margin)}${line}`),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}
