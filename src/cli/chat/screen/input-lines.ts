// The input as lines: broken at the edge of the screen, with the cursor. Of a long text, the part around the cursor is shown.

import type { Bottom } from "./screen.js";
import { characterWidth, charactersOf, widthOf } from "../../display/width.js";

/** The layout of the input. */
export interface InputLayout {
  /** The text before the first line. The other lines are indented by its width. */
  readonly prompt: string;
  readonly columns: number;
  /** Rows for the input. */
  readonly rows: number;
}

/** UTF-16 units in a column: more are rare. */
const unitsPerColumn = 2;

/** Lays out a text with the cursor at an index. */
export function inputLines(text: string, at: number, { prompt, columns, rows }: InputLayout): Required<Bottom> {
  const margin = widthOf(prompt);
  // The last column stays free: terminals differ in when they wrap it.
  const room = Math.max(1, columns - margin - 1);
  const lines: string[] = [""];
  let width = 0;
  let cursor = { row: 0, column: margin };
  const here = (): { readonly row: number; readonly column: number } => ({
    row: lines.length - 1,
    column: margin + width,
  });
  const feed = (): void => {
    lines.push("");
    width = 0;
  };
  const [near, cursorIndex] = around(text, at, { columns, rows });
  let index = 0;
  for (const character of charactersOf(near)) {
    const shown = character === "\t" ? " ".repeat(Math.min(4, room)) : character;
    const isEnd = /^\r?\n$/.test(character);
    const wide = isEnd ? 0 : characterWidth(shown);
    if (width > 0 && width + wide > room) feed();
    if (index <= cursorIndex) cursor = here();
    index += character.length;
    if (isEnd) feed();
    else {
      lines.push((lines.pop() ?? "") + shown);
      width += wide;
    }
  }
  if (cursorIndex >= near.length) {
    if (width >= room) feed();
    cursor = here();
  }
  const first = Math.max(0, Math.min(cursor.row - Math.floor(rows / 2), lines.length - rows));
  const shown = lines.slice(first, first + rows);
  return {
    lines: shown.map((line, row) => `${first + row === 0 ? prompt : " ".repeat(margin)}${line}`),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}

/**
 * The text around the cursor, as much as the rows can show, and the index of the cursor in it. The rest is left out, because every key
 * lays the text out again. A long line is cut at a multiple of a fixed length, so that it does not shift as the cursor moves.
 */
function around(text: string, at: number, { columns, rows }: Omit<InputLayout, "prompt">): readonly [string, number] {
  const maxUnits = rows * columns * unitsPerColumn;
  const lines = text.slice(0, at).split("\n");
  const above = lines.slice(-rows - 1).join("\n");
  const before = above.slice(Math.max(0, above.length - maxUnits - (above.length % maxUnits)));
  const below = text.slice(at, at + maxUnits).split("\n", rows + 1);
  return [before + below.join("\n"), before.length];
}
