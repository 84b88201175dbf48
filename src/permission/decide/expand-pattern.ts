// Expands the patterns of a word to names of files, as every shell does.

import { lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Work } from "../command/decision-work.js";
import { within } from "../rules/place.js";
import { literally, matchesWild, wildOf, type Wild } from "./wildcard.js";
import { entriesOf } from "./secret-look.js";

/** A character of a word: literal, or a pattern for one or more characters. */
export interface Piece {
  readonly is: "text" | "pattern";
  readonly text: string;
}

/** A word that can't be expanded with certainty. */
export class Unsure extends Error {}

/** The most names that a word may stand for. */
const maxNames = 1000;
/** The steps of a look at a file, and of a name that is held against a pattern. */
const stepsOfLook = 12;
const stepsOfName = 2;

/**
 * The names that a word with patterns stands for, sorted; empty if nothing matches.
 * @throws Unsure if shells differ, if it leads out of the root, or if there are too many names.
 */
export function expandPattern(
  { root, folder, work }: { readonly root: string; readonly folder: string; readonly work: Work },
  pieces: readonly Piece[],
): readonly string[] {
  const segments = split(pieces);
  // Some shells keep each of two slashes.
  if (segments.slice(1, -1).some((segment) => segment.length === 0))
    throw new Unsure("shells differ about its patterns");
  // Behind a link, `..` is another folder than the text suggests.
  const isUp = segments.map((segment) => segment.length === 1 && segment[0]?.text === "..");
  if (isUp.some((up, index) => up && index > 0 && isUp[index - 1] === false))
    throw new Unsure("nobody can tell what its patterns stand for");
  let found: readonly string[] = [""];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const next: string[] = [];
    for (const before of found) {
      if (!segment.some(({ is }) => is === "pattern")) {
        work.spend(stepsOfLook);
        const name = before + segment.map(({ text }) => text).join("");
        if (exists(resolve(folder, name), isLast)) next.push(isLast ? name : `${name}/`);
        continue;
      }
      const place = resolve(folder, before);
      if (within(root, place) === undefined) throw new Unsure("its patterns lead out of the workspace");
      work.spend(stepsOfLook);
      for (const name of namesIn(place, segment, work)) {
        if (!isLast) work.spend(stepsOfLook);
        if (isLast || isFolder(join(place, name))) next.push(isLast ? before + name : `${before}${name}/`);
      }
    }
    if (next.length > maxNames) throw new Unsure("its patterns stand for too many files");
    found = next;
  }
  return [...found].sort();
}

/** Splits the pieces at slashes. */
function split(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const segments: Piece[][] = [[]];
  for (const { is, text } of pieces) {
    if (is === "pattern") segments.at(-1)?.push({ is, text });
    else
      for (const [index, part] of text.split("/").entries()) {
        if (index > 0) segments.push([]);
        if (part !== "") segments.at(-1)?.push({ is, text: part });
      }
  }
  return segments;
}

function namesIn(place: string, segment: readonly Piece[], work: Work): readonly string[] {
  const wilds = segment.flatMap(wildsOf);
  // Some shells match the folder itself and its parent.
  if (matchesWild(wilds, ".", work) || matchesWild(wilds, "..", work)) {
    if (segment[0]?.is === "text") throw new Unsure("shells differ about its patterns");
  }
  const showsHidden = segment[0]?.is === "text" && segment[0].text.startsWith(".");
  const isByCharacter = segment.some(({ is, text }) => is === "pattern" && text !== "*");
  const names: string[] = [];
  for (const { name } of entriesOf(place)) {
    work.spend(stepsOfName);
    if (name.startsWith(".") && !showsHidden) continue;
    // Some shells match bytes, and other shells match characters.
    const isOdd = name.includes("\ufffd") || (isByCharacter && !/^[\x20-\x7e]*$/.test(name));
    if (isOdd) throw new Unsure("shells differ about its patterns");
    if (matchesWild(wilds, name, work)) names.push(name);
  }
  return names;
}

function wildsOf({ is, text }: Piece): readonly Wild[] {
  if (is === "pattern") return [wildOf(text)];
  if (text.includes("\\")) throw new Unsure("shells differ about its patterns");
  return literally(text);
}

function exists(path: string, isLast: boolean): boolean {
  try {
    return isLast ? lstatSync(path, { throwIfNoEntry: false }) !== undefined : isFolder(path);
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
