// The search: the sections of the pages, ranked by BM25 over their words, their headings and the line about their page.

import type { ShippedPage } from "./shipped-pages.js";
import { excerptOf } from "./excerpt.js";
import { sectionsOf, type Section } from "./sections.js";
import { stemsOf } from "./stems.js";

/** A page that was found, by its best section. */
export interface Hit {
  readonly section: Section;
  /** The sentences of the section that say most about the words, as one line. */
  readonly excerpt: string;
}

/** The times that a word of each part counts: the text of a section, its heading, and the page's title with the line about it. */
const weights = { text: 1, heading: 3, title: 2, about: 1 };

/** The share of its score that a page keeps which llms.txt calls optional: it tells how lastcall is made, and not how it is used. */
const optionalShare = 0.8;

/** The saturation of repeated words, and the weight of the length: the usual values of BM25. */
const [saturation, lengthWeight] = [1.2, 0.75];

/** A section with its words counted. */
interface Counted {
  readonly section: Section;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** The function that searches: at most `most` pages, the best first. None if no page has any of the words. */
export type Search = (query: string, most: number) => readonly Hit[];

/** Counts the words of the pages once, for any number of searches. */
export function searchIn(pages: readonly ShippedPage[]): Search {
  const all = pages.flatMap(sectionsOf).map(counted);
  const average = all.reduce((sum, { length }) => sum + length, 0) / all.length;
  return (query, most) => {
    const wanted = [...new Set(stemsOf(query))];
    const rarity = rarityOf(wanted, all);
    const scores = all.map((one) => ({ section: one.section, score: scoreOf(one, rarity, average) }));
    const found = scores.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
    const best = found.filter(
      ({ section }, at) => found.findIndex((other) => other.section.page === section.page) === at,
    );
    const worth = (text: string): number =>
      [...new Set(stemsOf(text))].reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0);
    return best.slice(0, most).map(({ section }) => ({ section, excerpt: excerptOf(section, worth) }));
  };
}

/** A rare word says more than a common word. */
function rarityOf(wanted: readonly string[], all: readonly Counted[]): ReadonlyMap<string, number> {
  return new Map(
    wanted.map((word) => {
      const having = all.filter(({ counts }) => counts.has(word)).length;
      return [word, Math.log(1 + (all.length - having + 0.5) / (having + 0.5))];
    }),
  );
}

/** The score of BM25, times the share of the words that the section has: a question is about all of its words. */
function scoreOf({ section, counts, length }: Counted, rarity: ReadonlyMap<string, number>, average: number): number {
  const floor = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
  let [sum, having] = [0, 0];
  for (const [word, rare] of rarity) {
    const count = counts.get(word) ?? 0;
    sum += (rare * count * (saturation + 1)) / (count + floor);
    if (count > 0) having += 1;
  }
  if (having === 0) return 0;
  return (sum * having * (section.page.isOptional ? optionalShare : 1)) / rarity.size;
}

function counted(section: Section): Counted {
  const counts = new Map<string, number>();
  const add = (words: readonly string[], weight: number): void => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  const text = stemsOf(section.lines.join("\n"));
  add(text, weights.text);
  add(stemsOf(section.headings.slice(1).join(" ")), weights.heading);
  add(stemsOf(section.page.title), weights.title);
  add(stemsOf(section.page.about), weights.about);
  return { section, counts, length: text.length };
}
