// The excerpt of a section: the sentences that say most about the words that were looked for.

import { plainWords, type Section } from "./sections.js";

/** Characters of an excerpt: two lines of a terminal. */
const longest = 180;

/** Words that are shown before the first good one of a sentence that is too long. */
const wordsBefore = 4;

/** The best sentence, with as much behind it as there is room for. A section without prose has the line about its page. */
export function excerptOf({ prose, page }: Section, worth: (text: string) => number): string {
  const paragraphs = paragraphsOf(prose).map(sentencesOf);
  const sentences = paragraphs.flatMap((paragraph) =>
    paragraph.map((text, at) => ({ text, after: paragraph.slice(at + 1) })),
  );
  const [best] = sentences
    .map((sentence) => ({ ...sentence, worth: worth(sentence.text) }))
    .sort((one, other) => other.worth - one.worth);
  if (best === undefined) return page.about;
  if (best.text.length > longest) return windowOf(best.text.split(" "), worth);
  return best.after.reduce((text, next) => (text.length + next.length < longest ? `${text} ${next}` : text), best.text);
}

/** The paragraphs, rows and points of a text, each as one line without marks. */
function paragraphsOf(prose: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let isOpen = false;
  for (const line of prose) {
    const begins = /^\s*(?:[-*>|]|\d+\.\s)/.test(line);
    if (isOpen && !begins && line.trim() !== "") blocks.push(`${blocks.pop() ?? ""} ${line.trim()}`);
    else if (line.trim() !== "") blocks.push(line.trim());
    isOpen = line.trim() !== "" && !line.startsWith("|");
  }
  return blocks.map(withoutMarks).filter((block) => /\p{L}/u.test(block));
}

/** A block of Markdown as words: without the mark of a list, and the cells of a table behind each other. */
function withoutMarks(block: string): string {
  const cells = plainWords(block)
    .split("|")
    .map((cell) => cell.trim());
  return cells
    .filter((cell) => cell !== "")
    .join(" · ")
    .replace(/^(?:[->]|\d+\.)\s+/, "")
    .replace(/\s+/g, " ");
}

/** The sentences of a line. A full stop within a name or a number ends none. */
function sentencesOf(block: string): readonly string[] {
  return block.split(/(?<=[.!?])\s+(?=["([]?\p{Lu})/u);
}

/** The part of a long sentence that begins shortly before its first good word. */
function windowOf(words: readonly string[], worth: (text: string) => number): string {
  const first = Math.max(0, words.findIndex((word) => worth(word) > 0) - wordsBefore);
  let text = first > 0 ? "... " : "";
  for (const word of words.slice(first)) {
    if (text.length + word.length > longest) return `${text}...`;
    text += `${word} `;
  }
  return text.trimEnd();
}
