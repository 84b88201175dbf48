// The screen: lines that stay, and below them a changing part that is redrawn.

import { widthOf } from "../../display/width.js";

/** The changing part at the bottom. */
export interface Bottom {
  /** Lines, none wider than the screen. */
  readonly lines: readonly string[];
  /** The position of the cursor, in rows and columns from 0. Default: after the last line. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** The output of a terminal. */
export interface Display {
  readonly columns?: number;
  write(text: string): unknown;
}

/** A terminal with a changing part at the bottom. */
export class Screen {
  readonly #display: Display;
  #bottom: Bottom = { lines: [] };

  constructor(display: Display) {
    this.#display = display;
  }

  /** Prints lines that stay above the bottom, and redraws the bottom. */
  say(lines: readonly string[], bottom: Bottom): void {
    const printed = lines.map((line) => `${line}\r\n`).join("");
    this.#display.write(this.#erase() + printed + this.#draw(bottom));
  }

  /** Redraws the bottom if it has changed. */
  show(bottom: Bottom): void {
    if (!isSame(bottom, this.#bottom)) this.say([], bottom);
  }

  /** Erases the bottom. */
  clear(): void {
    this.#display.write(this.#erase());
    this.#bottom = { lines: [] };
  }

  /** Clears the whole screen, and draws the bottom at its top. The lines that the terminal keeps above the screen stay. */
  wipe(bottom: Bottom): void {
    this.#display.write(`\u001b[H\u001b[2J${this.#draw(bottom)}`);
  }

  /** The sequences that move to the start of the bottom and clear the screen from there. */
  #erase(): string {
    const { lines, cursor } = this.#bottom;
    if (lines.length === 0) return "";
    const row = cursor?.row ?? lines.length - 1;
    const above = lines.slice(0, row).reduce((rows, line) => rows + this.#rows(line), 0);
    const within = Math.floor((cursor?.column ?? 0) / this.#columns);
    const up = above + within;
    return `\r${up > 0 ? `\u001b[${String(up)}A` : ""}\u001b[J`;
  }

  /** The rows of a line: more than one if the screen has become narrower since it was drawn. */
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
