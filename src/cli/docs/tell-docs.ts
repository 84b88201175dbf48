// lastcall docs: the pages of the package listed, searched and shown.

import type { Settings } from "../args/args.js";
import { styleFor } from "../display/colours.js";
import { columnsOf, paragraph, twoColumns } from "../display/paragraph.js";
import type { Style } from "../display/quantities.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { openSection } from "./open-section.js";
import { searchIn, type Hit } from "./page-search.js";
import { likelyPage, shippedPages, type ShippedPage } from "./shipped-pages.js";

/** Pages that a search shows. */
export const mostHits = 5;

/** The widest line: longer lines are hard to read. */
const widest = 100;

/** The exit code of a search that found nothing. */
const foundNothing = 2;

/**
 * Prints a page or a section if the words are its name, else the pages that have the words. Without words, all pages. Returns the exit
 * code.
 * @throws LastcallError `configuration` for a page or a section that is not there.
 */
export async function tellDocs(
  { json }: Pick<Settings, "json">,
  around: Surroundings,
  words: string | undefined,
): Promise<number> {
  const { stdout, env } = around;
  const pages = shippedPages();
  const print = (lines: readonly string[], data: unknown): void => {
    stdout.write(`${json ? JSON.stringify(data, null, 2) : lines.join("\n")}\n`);
  };
  const columns = Math.min(columnsOf(stdout, env), widest);
  if (words === undefined) {
    print(listOf(pages, columns), pages.map(factsOf));
    return 0;
  }
  const opened = openSection(pages, words);
  if (opened !== undefined) {
    const { page, text } = opened;
    print(json ? [] : await shown(text, around, columns), { ...factsOf(page), text });
    return 0;
  }
  const hits = searchIn(pages)(words, mostHits);
  if (hits.length > 0 || json) print(hitLines(hits, columns, styleFor(stdout, env)), hits.map(factsOfHit));
  if (hits.length > 0) return 0;
  const meant = likelyPage(pages, words);
  const hint =
    meant === undefined ? "They are in English, and lastcall docs lists them" : `Did you mean lastcall docs ${meant}`;
  (await sayer(around))(`No page has any of these words. ${hint}${meant === undefined ? "." : "?"}`);
  return foundNothing;
}

function listOf(pages: readonly ShippedPage[], columns: number): readonly string[] {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const lists = groups.flatMap((group) => {
    const rows = pages.filter((page) => page.group === group).map(({ name, about }) => [name, about] as const);
    return [group, ...twoColumns(rows, columns), ""];
  });
  return [...lists, ...paragraph("lastcall docs WORDS searches them, lastcall docs PAGE prints one of them.", columns)];
}

/** The Markdown, drawn if a person reads it at a terminal. */
async function shown(text: string, { stdout, env }: Surroundings, columns: number): Promise<readonly string[]> {
  if (!stdout.isTTY) return [text.trimEnd()];
  const [{ markdownLines }, { colouredLook, plainLook }] = await Promise.all([
    import("../chat/markdown/markdown.js"),
    import("../chat/style/look.js"),
  ]);
  return markdownLines(text, { columns, look: (env["NO_COLOR"] ?? "") === "" ? colouredLook : plainLook });
}

function hitLines(hits: readonly Hit[], columns: number, { bold, dim }: Style): readonly string[] {
  return hits.flatMap(({ section, excerpt }, index) => [
    ...(index === 0 ? [] : [""]),
    ...paragraph(section.headings.join(" > "), columns).map(bold),
    ...paragraph(excerpt, columns - 2).map((line) => `  ${line}`),
    `  lastcall docs ${addressOf({ section })}   ${dim(placeOf({ section }))}`,
  ]);
}

/** The name that opens the section. */
export function addressOf({ section: { page, anchor, level } }: Pick<Hit, "section">): string {
  return level === 1 ? page.name : `${page.name}#${anchor}`;
}

function placeOf({ section: { page, line } }: Pick<Hit, "section">): string {
  return `${page.path}:${String(line)}`;
}

function factsOf({ name, path, title, about, group }: ShippedPage): object {
  return { page: name, path, title, about, group };
}

function factsOfHit({ section, excerpt }: Hit): object {
  const { page, headings, line } = section;
  return { page: page.name, open: addressOf({ section }), path: page.path, line, headings, excerpt };
}
