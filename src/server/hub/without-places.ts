// Messages for clients: without the folders and files of the server that the same words name for its owner.

import { withoutPaths } from "../../guard/index.js";

/** A store, as far as its place is known. */
interface Placed {
  readonly name: string;
  place?(id: string): string;
}

/** The message without the place of the store, and without other paths of the server. */
export function withoutPlaces(message: string, store: Placed): string {
  const folder = folderOf(store);
  const places = [store.name, folder, folder.slice(0, -1)];
  return withoutPaths(places.reduce((text, place) => without(text, place), message));
}

/** The beginning that the places of all sessions share; empty without one. A folder may have blanks in its name. */
function folderOf({ place }: Placed): string {
  const [one = "", other = ""] = place === undefined ? [] : [place("a"), place("b")];
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return /^.*[\\/]/s.exec(one.slice(0, length))?.[0] ?? "";
}

/** The text without a place, and without the parenthesis that it opens. */
function without(text: string, place: string): string {
  if (place === "") return text;
  const [first = "", ...rest] = text.split(` (${place}`);
  const shorter = rest.reduce((before, after) => before + after.replace(/^[^()]*\)/, ""), first);
  return shorter.replaceAll(place, "…");
}
