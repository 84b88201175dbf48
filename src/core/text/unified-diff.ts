// Makes the diff of two texts: a unified diff for programs, or the changed lines for people.

import { commonLines } from "./common-lines.js";

const context = 3;

interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly line: string;
  /** The number of lines of each text before this line. */
  readonly before: number;
  readonly after: number;
}

/** The diff of two texts; `undefined` stands for a missing file. Empty if nothing changes. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const diff = diffOf(linesOf(before ?? ""), linesOf(after ?? ""));
  const hunks = placesOf(diff).map(hunk);
  if (hunks.length === 0 && before === after) return "";
  const heads = [
    before === undefined ? "--- /dev/null" : `--- a/${path}`,
    after === undefined ? "+++ /dev/null" : `+++ b/${path}`,
  ];
  return [...heads, ...hunks].join("\n");
}

/**
 * The changed lines of two parts of a file, each after its sign, with the equal lines around them. A part may begin and end within a line.
 * Places that are apart are divided by a line `⋮`.
 */
export function changedLines(before: string, after: string): readonly string[] {
  const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const places = placesOf(diffOf(linesOf(ended(before)), linesOf(ended(after))));
  return places.flatMap((place, index) => [
    ...(index === 0 ? [] : ["⋮"]),
    ...place.map(({ sign, line }) => `${sign}${line.replace(/\r?\n$/, "")}`),
  ]);
}

/** The lines with their line endings. */
function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function diffOf(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const stays = commonLines(before, after);
  const diff: DiffLine[] = [];
  let y = 0;
  const addUpTo = (end: number, x: number): void => {
    for (; y < end; y += 1) diff.push({ sign: "+", line: after[y] ?? "", before: x, after: y });
  };
  before.forEach((line, x) => {
    const stay = stays[x] ?? -1;
    if (stay < 0) {
      diff.push({ sign: "-", line, before: x, after: y });
      return;
    }
    addUpTo(stay, x);
    diff.push({ sign: " ", line, before: x, after: y });
    y += 1;
  });
  addUpTo(after.length, before.length);
  return diff;
}

/** The changed lines with the equal lines around them, place by place. */
function placesOf(diff: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const places: (readonly DiffLine[])[] = [];
  for (let at = 0; at < diff.length; at += 1) {
    if (diff[at]?.sign === " ") continue;
    const start = Math.max(0, at - context);
    let last = at;
    for (let next = at; next < diff.length && next <= last + 2 * context + 1; next += 1) {
      if (diff[next]?.sign !== " ") last = next;
    }
    places.push(diff.slice(start, last + 1 + context));
    at = last;
  }
  return places;
}

function hunk(diff: readonly DiffLine[]): string {
  const first = diff[0];
  const range = (start: number, without: DiffLine["sign"]): string => {
    const count = diff.filter(({ sign }) => sign !== without).length;
    const from = count === 0 ? start : start + 1;
    return count === 1 ? String(from) : `${String(from)},${String(count)}`;
  };
  const head = `@@ -${range(first?.before ?? 0, "+")} +${range(first?.after ?? 0, "-")} @@`;
  const lines = diff.map(({ sign, line }) =>
    line.endsWith("\n") ? `${sign}${line.slice(0, -1)}` : `${sign}${line}\n\\ No newline at end of file`,
  );
  return [head, ...lines].join("\n");
}
