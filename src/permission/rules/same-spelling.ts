// Folding: one form for all the spellings under which some file system opens the same file.

import { sep } from "node:path";

/** Characters that some file systems leave out of names: Apple's some of them, Linux's without case all. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu;

/** Without the difference of case and of composition. */
export function spellingOf(text: string): string {
  const folded = text.replace(ignored, "").normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
  // The one letter whose small form depends on where it stands.
  return folded.replaceAll("ς", "σ");
}

/**
 * A path, with slashes, as the most forgiving file system would read it: folded, without the dots, spaces and stream names that
 * Windows drops from the end of a name, and with `git~1` as what it is short for.
 */
export function pathSpellingOf(path: string): string {
  return spellingOf(sep === "\\" ? path.replaceAll(sep, "/") : path)
    .split("/")
    .map((part) => (/^\.{1,2}$/.test(part) ? part : part.replace(/:.*$/s, "").replace(/[. ]+$/, "")))
    .map((part) => (/^git~\d+$/.test(part) ? ".git" : part))
    .join("/");
}
