// Opens a page, or one section of it, by its name.

import { LastcallError } from "../../core/index.js";
import { likelyPage, pageNamed, type ShippedPage } from "./shipped-pages.js";
import { sectionsOf, textOfSection } from "./sections.js";

/** A page, and its text or the text of one section. */
export interface Opened {
  readonly page: ShippedPage;
  readonly text: string;
}

/**
 * Opens `limits`, `docs/limits.md` or `limits#a-section`. Undefined if the words are no name of a page.
 * @throws LastcallError `configuration` for a file or a section that is not there.
 */
export function openSection(pages: readonly ShippedPage[], words: string): Opened | undefined {
  const [, name = "", anchor] = /^([^\s#]+)(?:#(\S*))?$/.exec(words.trim()) ?? [];
  const page = name === "" ? undefined : pageNamed(pages, name);
  if (page === undefined) {
    if (name.endsWith(".md")) throw noPage(pages, name);
    return undefined;
  }
  if (anchor === undefined || anchor === "") return { page, text: page.text };
  const text = textOfSection(page, anchor.toLowerCase());
  if (text !== undefined) return { page, text };
  const anchors = sectionsOf(page).map((section) => section.anchor);
  const why = `The page ${page.name} has no section ${JSON.stringify(anchor)}. It has ${anchors.join(", ")}.`;
  throw new LastcallError("configuration", why);
}

/** The error for a name that no page has, with the name that was most likely meant. */
export function noPage(pages: readonly ShippedPage[], name: string): LastcallError {
  const meant = likelyPage(pages, name);
  const hint = meant === undefined ? "lastcall docs lists the pages" : `Did you mean ${meant}`;
  const mark = meant === undefined ? "." : "?";
  return new LastcallError("configuration", `There is no page ${JSON.stringify(name)}. ${hint}${mark}`);
}
