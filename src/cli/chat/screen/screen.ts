// The screen: what was said stays above, and below it stands what changes, drawn anew each time.

import { widthOf } from "../style/width.js";

/** What stands at the bottom. */
export interface Bottom {
  /** Lines that are no wider than the screen. */
  readonly lines: readonly string[];
  /** Where the cursor is to stand; undefined for behind the last line. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** The part of a terminal that is written to. */
export interface Display {
  readonly columns?: number;
  write(text: string): unknown;
}

/** A terminal with a part at the bottom that changes. */
export class Screen {
  readonly #display: Display;
  #bottom: Bottom = { lines: [] };

  constructor(display: Display) {
    this.#display = display;
  }

  /** Says lines that stay, above the bottom, and draws that anew. */
  say(lines: readonly string[], bottom: Bottom): void {
    const said = lines.map((line) => `${line}\r\n`).join("");
    this.#display.write(this.#erase() + said + this.#draw(bottom));
  }

  /** Draws the bottom anew, where it is another. */
  show(bottom: Bottom): void {
    if (!isSame(bottom, this.#bottom)) this.say([], bottom);
  }

  /** Takes the bottom away. */
  clear(): void {
    this.#display.write(this.#erase());
    this.#bottom = { lines: [] };
  }

  /** Goes to where the bottom begins and clears everything from there. */
  #erase(): string {
    const { lines, cursor } = this.#bottom;
    if (lines.length === 0) return "";
    const row = cursor?.row ?? lines.length - 1;
    const above = lines.slice(0, row).reduce((rows, line) => rows + this.#rows(line), 0);
    const within = Math.floor((cursor?.column ?? 0) / this.#columns);
    const up = above + within;
    return `\r${up > 0 ? `\u001b[${String(up)}A` : ""}\u001b[J`;
  }

  /** Rows that a line takes: more than one where the screen has become narrower since. */
  #rows(line: string): number {
    return Math.max(1, Math.ceil(widthOf(line) / this.#columns));
  }

  get #columns(): number {
    return Math.max(1, this.#display.columns ?? 80);
  }

  #draw(bottom: Bottom): string {
    this.#bottom = bottom;
    const { lines, cursor } = bottom;
    if (lines.length === 0) return "";
    const drawn = lines.join("\r\n");
    if (cursor === undefined) return drawn;
    const up = lines.length - 1 - cursor.row;
    const right = cursor.column > 0 ? `\u001b[${String(cursor.column)}C` : "";
    return `${drawn}\r${up > 0 ? `\u001b[${String(up)}A` : ""}${right}`;
  }
}

function isSame(one: Bottom, other: Bottom): boolean {
  return (
    one.cursor?.row === other.cursor?.row &&
    one.cursor?.column === other.cursor?.column &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, index) => line === other.lines[index])
  );
}
