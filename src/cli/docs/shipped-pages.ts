// The pages that ship with the package, in the order and the groups of its llms.txt.

import { readFileSync } from "node:fs";
import { LastcallError } from "../../core/index.js";
import { nearest } from "../display/misspelling.js";
import { ownFolder } from "../../packages/index.js";

/** A page of the package. */
export interface ShippedPage {
  /** The name for people: its path without `docs/` and `.md`. */
  readonly name: string;
  /** The path below the folder of the package. */
  readonly path: string;
  readonly title: string;
  /** One line about the page. */
  readonly about: string;
  /** The heading in llms.txt above it. */
  readonly group: string;
  /** True under the heading Optional, which readers with little room leave out. */
  readonly isOptional: boolean;
  readonly text: string;
}

/**
 * Reads all pages.
 * @throws LastcallError `configuration` if they are not where the package has them.
 */
export function shippedPages(folder: URL = ownFolder()): readonly ShippedPage[] {
  let group = "";
  return textAt(folder, "llms.txt")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) group = line.slice(3);
      const [, title, path, about] = /^- \[([^\]]+)\]\(([^)]+)\): (.*)$/.exec(line) ?? [];
      if (title === undefined || path === undefined || about === undefined) return [];
      const name = path.replace(/^docs\//, "").replace(/\.md$/, "");
      return [{ name, path, title, about, group, isOptional: group === "Optional", text: textAt(folder, path) }];
    });
}

function textAt(folder: URL, path: string): string {
  try {
    return readFileSync(new URL(path, folder), "utf8").replaceAll("\r\n", "\n");
  } catch (thrown) {
    const why = `The pages of lastcall are not beside it: there is no ${path} in its package. Install lastcall again.`;
    throw new LastcallError("configuration", why, { cause: thrown });
  }
}

/**
 * The page of this name, or of a path as a link of another page has it. The folder may be left out, and a number before the name.
 * Undefined if there is none.
 */
export function pageNamed(pages: readonly ShippedPage[], word: string): ShippedPage | undefined {
  const bare = bareName(word);
  const names = [(name: string) => name, (name: string) => name.replace(/^guide\//, ""), shortName];
  for (const of of names) {
    const page = pages.find(({ name }) => of(name.toLowerCase()) === bare);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** The page that a word most likely means, which no page has as its name. */
export function likelyPage(pages: readonly ShippedPage[], word: string): string | undefined {
  const named = pages.flatMap(({ name }) => [name.toLowerCase(), shortName(name.toLowerCase())]);
  const meant = nearest(bareName(word), named);
  return meant === undefined ? undefined : pageNamed(pages, meant)?.name;
}

/** The name in a path, or in a link of another page. */
function bareName(word: string): string {
  return word
    .toLowerCase()
    .replace(/^(?:\.{0,2}\/)+/, "")
    .replace(/^docs\//, "")
    .replace(/\.md$/, "");
}

/** The last part of a name without its number: `checks` for `guide/5-checks`. */
function shortName(name: string): string {
  return name.replace(/^guide\/(?:\d+-)?/, "");
}
