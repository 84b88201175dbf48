// Reads the words of programs that run another program on files: xargs, and find with -exec.

/** The separators of the names that xargs reads. */
export type Separator = "blanks" | "lines" | "nuls";

/** A program that gets the names of files from the program that runs it. */
export interface FedProgram {
  /** Its words for one file, and for several if it may get several. The names in them are `standIns`. */
  readonly calls: readonly (readonly string[])[];
}

/** Names that stand for names that nobody knows yet. No file of a workspace is called so. */
export const standIns: readonly string[] = ["./\u0001", "./\u0002"];
const [one = "", two = ""] = standIns;

/** The program that xargs runs, and how it splits its input; undefined if its options are not known. */
export function fedByXargs(words: readonly string[]): (FedProgram & { readonly splits: Separator }) | undefined {
  const rest = [...words];
  let splits: Separator = "blanks";
  let most = Infinity;
  let mark: string | undefined;
  while (rest[0]?.startsWith("-") === true) {
    const option = rest.shift() ?? "";
    const [, letter = "", attached = ""] = /^-([nLPId])(.*)$/s.exec(option) ?? [];
    if (/^-[0rt]+$/.test(option)) {
      if (option.includes("0")) splits = "nuls";
      continue;
    }
    const value = attached === "" ? rest.shift() : attached;
    if (letter === "d" && value === "\\n") splits = "lines";
    else if (letter === "I" && value !== undefined && /^[{}%@_]+$/.test(value)) mark = value;
    else if (/[nLP]/.test(letter) && /^\d{1,4}$/.test(value ?? "")) most = letter === "n" ? Number(value) : most;
    else return undefined;
  }
  if (rest.length === 0) return undefined;
  if (mark === undefined) return { calls: callsOf(rest, most), splits };
  const calls = withMark(rest, mark);
  return calls && { calls, splits };
}

function callsOf(words: readonly string[], most: number): readonly (readonly string[])[] {
  const single = [...words, one];
  return most > 1 ? [single, [...single, two]] : [single];
}

/** The words with a name for each mark; undefined if the mark is a part of a word, or there is none. */
function withMark(words: readonly string[], mark: string): readonly (readonly string[])[] | undefined {
  const isPart = words.some((word) => word.includes(mark) && word !== mark);
  return isPart || !words.includes(mark) ? undefined : [words.map((word) => (word === mark ? one : word))];
}

/** A `find` that runs a program on what it finds. */
export interface FindingCall extends FedProgram {
  /** The words of `find` without the program: the words before it, and the words behind it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The program that `find -exec` runs; undefined if there is none, or more than one. */
export function fedByFind(words: readonly string[]): FindingCall | undefined {
  const start = words.indexOf("-exec");
  const end = words.findIndex(
    (word, index) => index > start && (word === ";" || (word === "+" && words[index - 1] === "{}")),
  );
  if (start < 0 || end < 0) return undefined;
  const [before, after] = [words.slice(0, start), words.slice(end + 1)];
  if ([...before, ...after].some((word) => /^-(?:exec|ok)/.test(word))) return undefined;
  const told = words.slice(start + 1, end);
  const isMany = words[end] === "+";
  const calls = isMany && told.at(-1) === "{}" ? callsOf(told.slice(0, -1), Infinity) : undefined;
  const known = isMany
    ? told.slice(0, -1).some((word) => word.includes("{}"))
      ? undefined
      : calls
    : withMark(told, "{}");
  return known && { calls: known, before, after };
}
