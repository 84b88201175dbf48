// The sections of a page: each heading with the text below it, up to the next heading.

import type { ShippedPage } from "./shipped-pages.js";

/** A heading and its text. The first section of a page has the title of the page. */
export interface Section {
  readonly page: ShippedPage;
  /** The headings from the title down to this one, as plain words. */
  readonly headings: readonly string[];
  readonly level: number;
  /** The name of the heading in an address. */
  readonly anchor: string;
  /** The line of the heading in the file, from 1. */
  readonly line: number;
  /** The lines below the heading. */
  readonly lines: readonly string[];
  /** The same lines, each line of code left empty. */
  readonly prose: readonly string[];
}

/** Cuts a page at its headings. A `#` in code is no heading. */
export function sectionsOf(page: ShippedPage): readonly Section[] {
  const lines = page.text.split("\n");
  const prose = proseOf(lines);
  const starts = headingsIn(prose);
  const seen = new Map<string, number>();
  return starts.map(({ at, level, title }, index) => {
    const above = starts.slice(0, index).filter(({ level: other }, place) => {
      return other < level && starts.slice(place + 1, index).every((between) => between.level > other);
    });
    const next = starts[index + 1]?.at ?? lines.length;
    const anchor = anchorOf(title, seen);
    const headings = [...above, { title }].map((heading) => heading.title);
    const own = { lines: lines.slice(at + 1, next), prose: prose.slice(at + 1, next) };
    return { page, headings, level, anchor, line: at + 1, ...own };
  });
}

/** The lines of a section with the sections below it; undefined if the page has no such heading. */
export function textOfSection(page: ShippedPage, anchor: string): string | undefined {
  const sections = sectionsOf(page);
  const first = sections.findIndex((section) => section.anchor === anchor);
  const found = sections[first];
  if (found === undefined) return undefined;
  const next = sections.slice(first + 1).find(({ level }) => level <= found.level);
  const lines = page.text.split("\n").slice(found.line - 1, next === undefined ? undefined : next.line - 1);
  return `${lines.join("\n").trim()}\n`;
}

interface Heading {
  readonly at: number;
  readonly level: number;
  readonly title: string;
}

function headingsIn(prose: readonly string[]): readonly Heading[] {
  return prose.flatMap((line, at) => {
    const [, marks, title] = /^(#{1,6}) +(.+)$/.exec(line) ?? [];
    return marks === undefined || title === undefined ? [] : [{ at, level: marks.length, title: plainWords(title) }];
  });
}

/** The lines, with each line of code empty. */
function proseOf(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) === true) fence = undefined;
    return isCode ? "" : line;
  });
}

/** The words of a line of Markdown without its marks. */
export function plainWords(line: string): string {
  return line
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|<[^>]*>/g, "")
    .trim();
}

/** As GitHub names headings: a name that was used already gets a number. */
function anchorOf(title: string, seen: Map<string, number>): string {
  const bare = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
  const times = seen.get(bare) ?? 0;
  seen.set(bare, times + 1);
  return times === 0 ? bare : `${bare}-${String(times)}`;
}
