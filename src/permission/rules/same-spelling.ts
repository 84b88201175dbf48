// Gives one form to all spellings with which some file system opens the same file.

import { sep } from "node:path";

/** Characters that file systems leave out of names: Apple's leave out some of these characters, Linux's without case all. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu;

/** The text without differences of case and of Unicode composition. */
export function spellingOf(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  const folded = text.replace(ignored, "").normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
  // Sigma is the only letter whose lower case depends on its position.
  return folded.replaceAll("ς", "σ");
}

/**
 * A path, with slashes, in the form that the most forgiving file system reads. Case and composition are folded. The
 * dots, spaces and stream names that Windows drops from the end of a name are removed. `git~1` becomes the long name
 * that it is short for.
 */
export function pathSpellingOf(path: string): string {
  return spellingOf(sep === "\\" ? path.replaceAll(sep, "/") : path)
    .split("/")
    .map((part) => (/^\.{1,2}$/.test(part) ? part : part.replace(/:.*$/s, "").replace(/[. ]+$/, "")))
    .map((part) => (/^git~\d+$/.test(part) ? ".git" : part))
    .join("/");
}
