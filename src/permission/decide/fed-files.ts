// Looks through the files whose names one program hands on to another, for files that the other must not open.

import { realpathSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { Separator } from "../command/fed-programs.js";
import type { Listing } from "../command/listings.js";
import type { CommandLaw } from "../rules/law.js";
import { entriesOf } from "./secret-look.js";
import { astrayIn } from "./touched-files.js";
import { literally, matchesWild, wildOf, type Wild } from "./wildcard.js";

/** The steps of a name that a folder lists, and of a name whose path is followed. */
const stepsOfName = 1;
const stepsOfPath = 12;

/** The names that xargs takes as they are, by its separator. No name of any kind begins like an option. */
const whole: Readonly<Record<Separator, RegExp>> = {
  blanks: /^[^\s'"\\\p{C}]+$/u,
  lines: /^[^\n]+$/,
  nuls: /^/,
};
/** Without its folder in front, a name may look like an option, an assignment of awk, or a file of options. */
const bare = /^[\w.][\w./@+,()[\]{}~%#:&!-]*$/;

interface Place {
  /** A real path. */
  readonly path: string;
  /** The path as the program prints it, without a slash at its end. */
  readonly printed: string;
  readonly depth: number;
}

/** Words for a file that must not be opened, or whose name the next program does not take as one; undefined if there is none. */
export async function strangeAmong(
  law: CommandLaw,
  listing: Listing,
  splits: Separator,
  { folder, tracked }: { readonly folder: string; readonly tracked: readonly string[] },
): Promise<string | undefined> {
  const wilds = listing.named === undefined ? undefined : wildsOf(listing.named);
  const isNamed = (name: string): boolean => wilds === undefined || matchesWild(wilds, name, law.work);
  const isWord = (printed: string): boolean =>
    whole[splits].test(printed) &&
    (!listing.isAscii || /^[\x20-\x7e]*$/.test(printed)) &&
    (listing.isBare ? bare.test(printed) : /^[\w./~]/.test(printed));
  const found = listing.from === "index" ? trackedIn(law, folder, tracked) : foldersOf(listing, folder);
  for (const { path, printed, isLink } of found) {
    law.work.spend(listing.from === "index" ? stepsOfPath : stepsOfName);
    await law.work.pause();
    // A name that is no UTF-8 can't be looked up.
    if (printed.includes("\ufffd")) return `it hands on ${JSON.stringify(printed)}, which is not taken as one name`;
    if (!isNamed(printed.slice(printed.lastIndexOf("/") + 1)) || (isLink && listing.hasNoLinks)) continue;
    if (!isWord(printed)) return `it hands on ${JSON.stringify(printed)}, which is not taken as one name`;
    if (law.protector.isSecret(law.root, { absolute: [path] }))
      return `it hands on ${relative(law.root, path)}, which is likely to hold secrets`;
    if (!isLink) continue;
    const astray = await astrayIn(law, [`./${relative(folder, path)}`], { folder, mayWrite: false });
    if (astray !== undefined) return `it hands on ${relative(law.root, path)}, and reads ${astray}`;
  }
  return undefined;
}

interface Found {
  readonly path: string;
  readonly printed: string;
  readonly isLink: boolean;
}

/** The places, and all that is below them. A link that is found is not followed, a link that is a place is. */
function* foldersOf(listing: Listing, folder: string): Generator<Found> {
  const places = listing.places.map(expand);
  const open: Place[] = places.map((place) => ({ path: resolve(folder, place), printed: place, depth: 0 }));
  for (const { path, printed } of open) yield { path, printed, isLink: false };
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { path, printed, depth } = place;
    if (depth >= listing.depth || listing.withoutPaths.includes(printed)) continue;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const entry of entriesOf(path)) {
      const { name } = entry;
      const one = {
        path: resolve(path, name),
        printed: listing.isBare && depth === 0 ? name : `${printed.replace(/\/$/, "")}/${name}`,
      };
      yield { ...one, isLink: entry.isSymbolicLink() };
      const isLeftOut = listing.withoutNames.includes(name);
      if (entry.isDirectory() && !isLeftOut) open.push({ ...one, depth: depth + 1 });
    }
  }
}

/** The tracked files below the folder, as git prints them. */
function* trackedIn({ root }: CommandLaw, folder: string, names: readonly string[]): Generator<Found> {
  const prefix = folder === root ? "" : `${relative(root, folder)}/`;
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const path = resolve(root, name);
    // A folder on the way to a tracked file may have become a link.
    yield { path, printed: name.slice(prefix.length), isLink: realOf(path) !== path };
  }
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Nothing is there that a program could open.
    return path;
  }
}

function wildsOf(pattern: string): readonly Wild[] {
  return Array.from(pattern).flatMap((char) => (char === "*" ? [wildOf(char)] : literally(char)));
}
