// Reads which lines of which files a unified diff shows.

/** The lines of one file that a diff shows: the first and the last line of each part. None for a file without text. */
export type ShownLines = readonly (readonly [first: number, last: number])[];

/**
 * The files of all unified diffs in a text, with the lines that they show: of the new file, or of the old file if it is gone. Text around
 * the diffs is left out.
 */
export function shownLines(text: string): ReadonlyMap<string, ShownLines> {
  const shown = new Map<string, ShownLines>();
  const lines = text.split("\n");
  let old = "";
  let file: string | undefined;
  let isGone = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    const [, added] = /^Binary files .* and (.+) differ$/.exec(line) ?? [];
    if (added !== undefined) shown.set(added === "/dev/null" ? old : pathOf(added), []);
    else if (line.startsWith("diff --git ")) old = pathOf(/ (?:b\/\S.*|"b\/.*")$/.exec(line)?.[0].slice(1) ?? "");
    else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      const [from, to] = [line.slice(4), next.slice(4)];
      isGone = to.trim() === "/dev/null";
      file = pathOf(isGone ? from : to);
      if (!shown.has(file)) shown.set(file, []);
      at += 1;
    }
    const hunk = file === undefined ? undefined : hunkIn(line);
    if (file === undefined || hunk === undefined) continue;
    const { start, count } = isGone ? hunk.old : hunk.new;
    shown.set(file, [...(shown.get(file) ?? []), [Math.max(start, 1), Math.max(start + count - 1, start, 1)]]);
    at = endOf(lines, at, hunk);
  }
  return shown;
}

/** A part of one of the two files. */
interface Part {
  readonly start: number;
  readonly count: number;
}

interface Hunk {
  readonly old: Part;
  readonly new: Part;
}

function hunkIn(line: string): Hunk | undefined {
  const [, oldStart, oldCount = "1", newStart, newCount = "1"] =
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
  if (oldStart === undefined) return undefined;
  return {
    old: { start: Number(oldStart), count: Number(oldCount) },
    new: { start: Number(newStart), count: Number(newCount) },
  };
}

/** The index of the last line of the hunk that begins at this index. Its lines may look like heads of files. */
function endOf(lines: readonly string[], at: number, { old, new: now }: Hunk): number {
  let [before, after] = [old.count, now.count];
  let end = at;
  while ((before > 0 || after > 0) && end + 1 < lines.length) {
    const sign = lines[end + 1]?.charAt(0);
    if (sign !== "+" && sign !== "\\") before -= 1;
    if (sign !== "-" && sign !== "\\") after -= 1;
    end += 1;
  }
  return end;
}

/** The path in the head of a file, without its prefix, its quotes and what follows a tab. */
function pathOf(word: string): string {
  const [path = ""] = word.split("\t");
  const plain = path.startsWith('"') ? unquoted(path) : path;
  return plain.replace(/^[ab]\//, "");
}

function unquoted(path: string): string {
  return path.slice(1, -1).replace(/\\(["\\nt])/g, (_all, sign: string) => ({ n: "\n", t: "\t" })[sign] ?? sign);
}
