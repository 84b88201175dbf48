// The parts of a text in which nothing is a call: thinking, code, quotes, results.

import { matchAt } from "./reading.js";

const thinking = /<(\/?)(think|thinking|reasoning|thought)>/gi;

/** Where each thinking block ends, by where it begins. One that is never closed is none. */
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
  // Opened more often than closed: the last closing tag is the outer one's as well.
  for (const [name, starts] of open) {
    for (const start of starts) if ((last.get(name) ?? 0) > start) ends.set(start, last.get(name) ?? 0);
  }
  return ends;
}

/** Where code in backticks ends, by where it begins. */
export interface CodeSpans {
  /** Within one line. */
  readonly inLine: ReadonlyMap<number, number>;
  /** Over lines. */
  readonly anywhere: ReadonlyMap<number, number>;
}

/** Finds runs of backticks and the next run of the same length. */
export function codeSpans(text: string): CodeSpans {
  const inLine = new Map<number, number>();
  const anywhere = new Map<number, number>();
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
    if (earlier !== undefined) anywhere.set(earlier, end);
    ofLine.set(run.length, index);
    ofText.set(run.length, index);
  }
  return { inLine, anywhere };
}

/** Where the fenced block whose fence is at `at` ends; undefined where no fence is: it begins a line and has no backticks behind it. */
export function fenceEnd(text: string, at: number): number | undefined {
  if (!beginsLine(text, at)) return undefined;
  const opener = matchAt(/(`{3,}|~{3,})([^\n]*)(?:\n|$)/y, text, at);
  if (opener === null) return undefined;
  const [whole, fence = "", info = ""] = opener;
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  const line = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/gm;
  line.lastIndex = at + whole.length;
  for (let found = line.exec(text); found !== null; found = line.exec(text)) {
    if (found[1]?.startsWith(fence) === true) return line.lastIndex;
  }
  return text.length;
}

/** True where nothing but three spaces at most stand before a place in its line. */
export function beginsLine(text: string, at: number): boolean {
  return /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at));
}
