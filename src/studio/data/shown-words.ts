// Words and numbers as people read them.

import { headOf, raiseLimit } from "../../core/internal.js";
import type { SessionSummary, TurnedBack } from "../../server/index.js";

/** Characters that change how the text around them looks, or that nobody sees: controls, directions, invisible letters. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;

/** The text with each hidden character shown as its number, such as `‹202e›`. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `‹${(character.codePointAt(0) ?? 0).toString(16)}›`);
}

/** The first line of a text, shortened, with hidden characters shown. */
export function firstLine(text: string, longest = 300): string {
  const start = headOf(text.trimStart(), longest);
  const end = start.search(/[\r\n]/);
  return visible(end === -1 ? start : `${start.slice(0, end)} …`);
}

/** The thing that a session waits for, in a few words. */
export function waitWords({ by, approval }: NonNullable<SessionSummary["waiting"]>): string {
  if (by === raiseLimit) return "asks to go on at a limit";
  return `${approval === undefined ? "asks" : "needs approval"}: ${visible(by)}`;
}

/** A number of tokens in at most three digits: 950, 12.3k, 130M. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  const [part, unit] = count < 999_500 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${part.toFixed(part < 99.95 ? 1 : 0)}${unit}`;
}

/** A time span in milliseconds: 80 ms, 4.2 s, 3 min, 2 h. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${String(Math.max(0, Math.round(milliseconds)))} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = milliseconds / 60_000;
  return minutes < 120 ? `${String(Math.round(minutes))} min` : `${String(Math.round(minutes / 60))} h`;
}

/** The time since then: now, 5 min, 3 h, 2 d. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}

/** A cost in the currency of the prices. */
export function cost(amount: number): string {
  return amount === 0 ? "" : amount < 0.01 ? amount.toFixed(4) : amount.toFixed(2);
}

/** A JSON text with indents. Any other text stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The arguments of a call in words: its short values, one after the other. Lists and objects are left out beside them. */
export function argumentWords(text: string): string {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof read !== "object" || read === null) return text;
  const values = Object.values(read).filter((value) => typeof value !== "object");
  return values.length === 0 ? text : values.join(" ");
}

/** A number with its noun: 1 part, 2 parts. */
export function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** The time of day, such as 14:03:59. */
export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** The folder that a session works in, if its host says so. */
export function folderOf(about: SessionSummary["about"]): string | undefined {
  const folder = about?.["workdir"];
  return typeof folder === "string" && folder !== "" ? visible(folder) : undefined;
}

/** The last name of a folder's path. */
export function folderName(folder: string): string {
  return folder.split(/[\\/]/).findLast((name) => name !== "") ?? folder;
}

/** The text without the outputs that stand in it, which are shown elsewhere. An output that was cut counts up to the cut. */
export function withoutOutputs(text: string, outputs: readonly string[]): string {
  return outputs
    .map((output) => output.replace(/… \(\d+ more characters\)$/, "").trim())
    .filter((output) => output !== "")
    .reduce((rest, output) => rest.replace(output, () => "[the output below]"), text);
}

/** The part of the diff of a path that a person reads: its changed lines, or a sentence about a path that is no text. */
export function diffBody(diff: string, path: string): { readonly isText: boolean; readonly text: string } {
  const start = diff.startsWith("--- ") ? diff.indexOf("\n@@ ") : -1;
  if (start >= 0) return { isText: true, text: diff.slice(start + 1) };
  const said = diff.startsWith(`${path}: `) ? diff.slice(path.length + 2) : diff;
  return { isText: false, text: said.replace(" -> ", " became ") };
}

/** The paths that stay, and the calls whose changes are not known, with the reason. */
export function leftWords({
  conflicts,
  unseen,
}: Pick<TurnedBack, "conflicts" | "unseen">): readonly { readonly name: string; readonly why: string }[] {
  return [
    ...conflicts.map(({ path, why }) => ({ name: visible(path), why })),
    ...unseen.map(({ tool, iteration }) => ({
      name: visible(tool),
      why: `iteration ${String(iteration)}: what it changed is not known, for the folder has too many files`,
    })),
  ];
}
