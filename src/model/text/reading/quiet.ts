// Finds the parts of a text that hold no calls: thinking and code.

import { matchAt } from "./reading.js";

const thinking = /<(\/?)(think|thinking|reasoning|thought)>/gi;

/** The thinking blocks: end indices by start index. A tag that is never closed opens no block. */
export function thinkingBlocks(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open = new Map<string, number[]>();
  const last = new Map<string, number>();
  for (const mark of text.matchAll(thinking)) {
    const [whole, slash, written = ""] = mark;
    const name = written.toLowerCase();
    const starts = open.get(name) ?? [];
    if (slash === "") starts.push(mark.index);
    else {
      const start = starts.pop();
      if (start !== undefined) ends.set(start, mark.index + whole.length);
      last.set(name, mark.index + whole.length);
    }
    open.set(name, starts);
  }
  // With more opening than closing tags, the last closing tag closes the outer blocks too.
  for (const [name, starts] of open) {
    for (const start of starts) if ((last.get(name) ?? 0) > start) ends.set(start, last.get(name) ?? 0);
  }
  return ends;
}

/** Code in backticks: end indices by start index. */
export interface CodeSpans {
  /** Spans within one line. */
  readonly inLine: ReadonlyMap<number, number>;
  /** Spans that may extend over lines. */
  readonly overLines: ReadonlyMap<number, number>;
}

/** Finds the code spans: each run of backticks ends at the next run of the same length. */
export function codeSpans(text: string): CodeSpans {
  const inLine = new Map<number, number>();
  const overLines = new Map<number, number>();
  let ofLine = new Map<number, number>();
  const ofText = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+|\n/g)) {
    if (run === "\n") {
      if (ofLine.size > 0) ofLine = new Map();
      continue;
    }
    const end = index + run.length;
    const before = ofLine.get(run.length);
    if (before !== undefined) inLine.set(before, end);
    const earlier = ofText.get(run.length);
    if (earlier !== undefined) overLines.set(earlier, end);
    ofLine.set(run.length, index);
    ofText.set(run.length, index);
  }
  return { inLine, overLines };
}

/** The end of the fenced block whose fence is at `at`. Undefined without a fence: a fence begins a line, and no backticks follow on it. */
export function fenceEnd(text: string, at: number): number | undefined {
  if (!beginsLine(text, at)) return undefined;
  const opener = matchAt(/(`{3,}|~{3,})([^\n]*)(?:\n|$)/y, text, at);
  if (opener === null) return undefined;
  const [whole, fence = "", info = ""] = opener;
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  const line = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/gm;
  line.lastIndex = at + whole.length;
  for (let match = line.exec(text); match !== null; match = line.exec(text)) {
    if (match[1]?.startsWith(fence) === true) return line.lastIndex;
  }
  return text.length;
}

/** True if at most three spaces precede `at` on its line. */
export function beginsLine(text: string, at: number): boolean {
  return /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at));
}
