// The lines of what is typed: broken at the screen's edge, with the cursor's place, around which a long text is shown.

import type { Bottom } from "./screen.js";
import { characterWidth, charactersOf, widthOf } from "../style/width.js";

/** How the input is laid out. */
export interface InputLayout {
  /** What stands before the first line; the others are indented as far. */
  readonly prompt: string;
  readonly columns: number;
  /** Rows that it may take. */
  readonly rows: number;
}

/** Units of UTF-16 in a column: more are seldom. */
const dense = 2;

/** Lays a text out whose cursor is at a place. */
export function inputLines(text: string, at: number, { prompt, columns, rows }: InputLayout): Required<Bottom> {
  const margin = widthOf(prompt);
  // The last column stays free: where it is written, terminals differ.
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
  const [near, place] = around(text, at, { columns, rows });
  let index = 0;
  for (const character of charactersOf(near)) {
    const shown = character === "\t" ? " ".repeat(Math.min(4, room)) : character;
    const isEnd = /^\r?\n$/.test(character);
    const wide = isEnd ? 0 : characterWidth(shown);
    if (width > 0 && width + wide > room) feed();
    if (index <= place) cursor = here();
    index += character.length;
    if (isEnd) feed();
    else {
      lines.push((lines.pop() ?? "") + shown);
      width += wide;
    }
  }
  if (place >= near.length) {
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
 * The text around a place, as much of it as the rows could show, and the place in that: what is further away would be laid out anew
 * at every key. A long line is cut at the same place for many places of the cursor, so that it does not flow as that moves.
 */
function around(text: string, at: number, { columns, rows }: Omit<InputLayout, "prompt">): readonly [string, number] {
  const most = rows * columns * dense;
  const lines = text.slice(0, at).split("\n");
  const above = lines.slice(-rows - 1).join("\n");
  const before = above.slice(Math.max(0, above.length - most - (above.length % most)));
  const below = text.slice(at, at + most).split("\n", rows + 1);
  return [before + below.join("\n"), before.length];
}
