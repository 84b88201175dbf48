// Quantities: numbers, times and tokens in words, and the styles of a line.

import type { Usage } from "../../core/index.js";
import { visible } from "./visible.js";

/** Styles for a part of a line. Each function takes a text and returns it styled. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** The style without colours. */
export const plain: Style = { dim: (t) => t, bold: (t) => t, good: (t) => t, bad: (t) => t };

/** The indent of a line that belongs to the line above. */
export const indent = "      ";

/** A text as indented lines; of more than `maxLines`, the rest is counted in the last line. Default: all lines. */
export function detailLines(text: string, { dim }: Style, maxLines?: number): readonly string[] {
  const lines = text.split("\n");
  const hidden = lines.length - (maxLines ?? lines.length);
  const more = hidden > 0 ? [`[... ${count(hidden, "more line")}]`] : [];
  return [...lines.slice(0, maxLines), ...more].map((line) => dim(`${indent}| ${visible(line)}`));
}

/** The lines of a change as indented lines of a diff; of more than `maxLines`, the rest is counted in the last line. */
export function changeLines(lines: readonly string[], style: Style, maxLines: number): readonly string[] {
  const more = lines.length > maxLines ? [style.dim(`[... ${count(lines.length - maxLines, "more line")}]`)] : [];
  const shown = lines.slice(0, maxLines).map((line) => diffLine(visible(line, { multiline: true }), style));
  return [...shown, ...more].map((line) => `${indent}${line}`);
}

/** A line of a diff in the usual colours. */
export function diffLine(line: string, { good, bad, dim }: Style): string {
  if (/^(?:@@|⋮)/.test(line)) return dim(line);
  return line.startsWith("+") ? good(line) : line.startsWith("-") ? bad(line) : line;
}

/** A number with its noun. `nouns` is the plural if it does not end in "s". */
export function count(number: number, noun: string, nouns?: string): string {
  return `${digits(number)} ${number === 1 ? noun : (nouns ?? `${noun}s`)}`;
}

/** A whole number with commas between its thousands. */
function digits(number: number): string {
  // `toLocaleString` loads the tables of all languages, which takes 20 ms. Numbers below 1000 need no comma.
  return Math.abs(number) < 1000 ? String(number) : number.toLocaleString("en-US");
}

/** A duration in words, from milliseconds. */
export function seconds(ms: number): string {
  return ms < 100 ? `${String(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Tokens in words, with the cost if it is known. */
export function tokens({ inputTokens, outputTokens, cachedInputTokens }: Usage, cost?: number): string {
  const price = cost === undefined ? "" : ` · cost ${String(Number(cost.toPrecision(3)))}`;
  if (inputTokens + outputTokens === 0) return `tokens not reported${price}`;
  const cached = cachedInputTokens > 0 ? ` (${digits(cachedInputTokens)} cached)` : "";
  return `${digits(inputTokens)} tokens in${cached}, ${digits(outputTokens)} out${price}`;
}

/** The changed files that a check depends on, in one line. */
export function changedWords(changed: readonly string[]): string {
  const few = changed.slice(0, 5).map((path) => visible(path));
  const more = changed.length > few.length ? ` and ${String(changed.length - few.length)} more` : "";
  return `changed since the start, and part of what the check goes by: ${few.join(", ")}${more}`;
}
