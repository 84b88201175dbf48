// Pages of the repository as pages of the site: their titles, their summaries and their links.

import { posix } from "node:path";

/** Code, which has no links, or the end of a link or of a picture with its address. */
const codeOrLink = /^(`{3,}|~{3,})[^]*?\n\1(?=\n|$)|(?<!`)(`+)(?!`)[^]*?[^`]\2(?!`)|\]\(([^()\s]+)\)/gm;

/**
 * The text with other addresses: `addressOf` gets the path from the root of the repository, with the anchor, and the line.
 * Addresses with a scheme and anchors of the same page stay.
 */
export function withLinks(text, file, addressOf) {
  return text.replace(codeOrLink, (found, _fence, _ticks, link) => {
    if (link === undefined || /^(?:[a-z]+:|#)/.test(link)) return found;
    const [path, anchor] = link.split("#");
    const target = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
    return `](${addressOf(target, file)}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

/** The first heading, without the number of a page of the guide or of a decision, and the text behind it. */
export function titled(page) {
  // Programs read what stands before the text.
  const text = page.replace(/^---\n[^]*?\n---\n/, "");
  const [line, title] = /^# (.+)\n/m.exec(text) ?? [];
  if (line === undefined) throw new Error("The page has no heading of the first level.");
  const number = /^(\d+)\.? /.exec(title)?.[1];
  return {
    title: plain(title.replace(/^\d+\.? /, "")),
    number: number === undefined ? undefined : Number(number),
    body: text.replace(line, "").trimStart(),
  };
}

/** The first paragraph as plain text of at most 160 characters: whole sentences, if one fits. */
export function summaryOf(body) {
  const paragraphs = body.replace(/<!--[^]*?-->/g, "").split(/\n{2,}/);
  const first =
    paragraphs.find((part) => !part.startsWith("Accepted ") && /^[^#|`<\s>-]|^`[^`]/.test(part.trimStart())) ?? "";
  const text = plain(first);
  if (text.length <= 160) return text;
  const whole = text.slice(0, 161).replace(/(?<=[.:?!]) [^.:?!]*$/, "");
  return whole.length <= 160 && /[.?!]$/.test(whole) ? whole : `${text.slice(0, 157).replace(/\s\S*$/, "")} …`;
}

/** Markdown of one paragraph without its marks. */
export function plain(markdown) {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`([^`]*)`|\*\*([^*]+)\*\*|(?<!\w)\*([^*]+)\*/g, "$1$2$3")
    .replace(/\s+/g, " ")
    .trim();
}
