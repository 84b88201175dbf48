// Words: numbers, times and sizes as the command says them, and how they look.

import type { Usage } from "../../core/index.js";
import { visible } from "./visible.js";

/** How a piece of a line looks; each takes and gives a text. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** No colours at all. */
export const plain: Style = { dim: (t) => t, bold: (t) => t, good: (t) => t, bad: (t) => t };

/** What stands before a line that belongs to the one above. */
export const indent = "      ";

/** A text of many lines, as what belongs to the line above: at most so many of them. */
export function detailLines(text: string, { dim }: Style, most?: number): readonly string[] {
  const lines = text.split("\n");
  const left = lines.length - (most ?? lines.length);
  const more = left > 0 ? [`[... ${count(left, "more line")}]`] : [];
  return [...lines.slice(0, most), ...more].map((line) => dim(`${indent}| ${visible(line)}`));
}

/** A line of a unified diff in the usual colours. */
export function diffLine(line: string, { good, bad, dim }: Style): string {
  if (line.startsWith("@@")) return dim(line);
  return line.startsWith("+") ? good(line) : line.startsWith("-") ? bad(line) : line;
}

/** So many of them. */
export function count(number: number, noun: string, nouns?: string): string {
  // Asking for a language loads the tables of all of them: 20 ms, for a comma that small numbers have none of.
  const digits = Math.abs(number) < 1000 ? String(number) : number.toLocaleString("en-US");
  return `${digits} ${number === 1 ? noun : (nouns ?? `${noun}s`)}`;
}

/** Milliseconds in words. */
export function seconds(ms: number): string {
  return ms < 100 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Tokens in words, and the cost where it is known. */
export function tokens({ inputTokens, outputTokens, cachedInputTokens }: Usage, cost?: number): string {
  const price = cost === undefined ? "" : ` · cost ${String(Number(cost.toPrecision(3)))}`;
  if (inputTokens + outputTokens === 0) return `tokens not reported${price}`;
  const cached = cachedInputTokens > 0 ? ` (${String(cachedInputTokens)} cached)` : "";
  return `${String(inputTokens)} tokens in${cached}, ${String(outputTokens)} out${price}`;
}

/** Files that a check is made of and that were changed, in one line. */
export function changedWords(changed: readonly string[]): string {
  const few = changed.slice(0, 5).map((path) => visible(path));
  const more = changed.length > few.length ? ` and ${String(changed.length - few.length)} more` : "";
  return `changed since the start, and part of what the check goes by: ${few.join(", ")}${more}`;
}
