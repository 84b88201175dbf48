// The result of a search as text for the model: lines grouped by file, within limits.

import { wholeAt } from "../../core/internal.js";
import type { FoundLine } from "./search-engine.js";

/** Matching lines of one report. */
export const maxMatches = 200;
const maxCharacters = 48 * 1024;
const maxLineCharacters = 300;

/** Collects lines up to a limit. */
export interface SearchReport {
  /** False if the report is full: the line is then not in it. */
  add(found: FoundLine): boolean;
  /** The whole report, with notes at its end. */
  text(notes: readonly string[]): string;
}

/**
 * For each file, its path on its own line, then its lines: `12: text` if they match, `12- text` if they are context. An
 * empty line separates files. With `marksGaps`, `--` marks left-out lines.
 */
export function searchReport({ marksGaps }: { readonly marksGaps: boolean }): SearchReport {
  const lines: string[] = [];
  let size = 0;
  let matches = 0;
  let last: FoundLine | undefined;
  let isFull = false;

  return {
    add(found) {
      const fresh = linesFor(found, last, marksGaps);
      const length = fresh.reduce((sum, line) => sum + line.length + 1, 0);
      isFull = (found.at !== undefined && matches === maxMatches) || size + length > maxCharacters;
      if (isFull) return false;
      lines.push(...fresh);
      size += length;
      last = found;
      if (found.at !== undefined) matches += 1;
      return true;
    },
    text(notes) {
      const all = [...notes];
      if (isFull)
        all.unshift(
          `[There are more matches than these ${String(matches)}. Narrow the search with path, glob or a longer pattern.]`,
        );
      if (matches === 0 && all.length === 0) all.push("[No line matches.]");
      return [...lines, ...all].join("\n");
    },
  };
}

function linesFor(found: FoundLine, last: FoundLine | undefined, marksGaps: boolean): readonly string[] {
  const line = `${String(found.line)}${found.at === undefined ? "-" : ":"} ${cut(found)}`;
  if (last?.path !== found.path) {
    const path = /\p{Cc}/u.test(found.path) ? JSON.stringify(found.path) : found.path;
    return [...(last === undefined ? [] : [""]), path, line];
  }
  return marksGaps && last.line + 1 < found.line ? ["--", line] : [line];
}

/** The part of a long line that contains the match. */
function cut({ text, at = 0 }: FoundLine): string {
  if (text.length <= maxLineCharacters) return text;
  const start = wholeAt(text, Math.max(0, Math.min(at - 60, text.length - maxLineCharacters)));
  const end = wholeAt(text, start + maxLineCharacters);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
