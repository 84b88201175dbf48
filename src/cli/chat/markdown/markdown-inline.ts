// Inline Markdown: words, code, links and images as one styled text.

import { visible, visibleWords } from "../../display/visible.js";
import { decoded } from "./entities.js";
import type { Look } from "../style/look.js";
import type { MarkedToken, Token } from "./bounded-lexer.js";

type Paint = (text: string) => string;

/** The tokens as one text with its line breaks. No style spans a line break. */
export function inlineText(tokens: readonly Token[], look: Look, paint: Paint = (text) => text): string {
  return (tokens as readonly MarkedToken[]).map((token) => tokenText(token, look, paint)).join("");
}

/** Plain words: entities are decoded, nothing is hidden, and space around inner line breaks is dropped. */
export function wordsText(text: string, paint: Paint = (part) => part): string {
  return painted(text, (part) => paint(visibleWords(decoded(part))));
}

function tokenText(token: MarkedToken, look: Look, paint: Paint): string {
  switch (token.type) {
    case "strong": {
      const mark = look.marks || token.raw.startsWith("__") ? token.raw.slice(0, 2) : "";
      return marked(token.tokens, look, (text) => look.bold(paint(text)), mark);
    }
    case "em":
      return marked(token.tokens, look, (text) => look.italic(paint(text)), look.marks ? token.raw.slice(0, 1) : "");
    case "del":
      return marked(token.tokens, look, (text) => look.struck(paint(text)), look.marks ? "~~" : "");
    case "codespan":
      return codeText(token.text, look, paint);
    case "link":
      return linkText(token, look, paint);
    case "image": {
      const [alt, href] = [decoded(token.text), decoded(token.href)].map((text) => visible(text.replaceAll("\n", " ")));
      return paint(look.dim(alt === "" ? `[image: ${href ?? ""}]` : `[image: ${alt ?? ""} (${href ?? ""})]`));
    }
    case "br":
      return "\n";
    case "checkbox":
      return "";
    case "text":
      return token.tokens === undefined ? wordsText(token.text, paint) : inlineText(token.tokens, look, paint);
    case "escape":
      return paint(visible(token.text));
    case "html":
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "list":
    case "list_item":
    case "paragraph":
    case "space":
    case "table":
      return painted(token.raw, (part) => paint(visible(part)));
  }
}

function marked(tokens: readonly Token[], look: Look, paint: Paint, mark: string): string {
  const ends = mark === "" ? "" : paint(visible(mark));
  return `${ends}${inlineText(tokens, look, paint)}${ends}`;
}

function codeText(text: string, look: Look, paint: Paint): string {
  const mark = look.marks ? "`" : "";
  return paint(look.code(`${mark}${visible(text.replace(/[\n\t]/g, " "))}${mark}`));
}

/** The words of a link, and its address unless the words are the address. */
function linkText(token: Extract<MarkedToken, { type: "link" }>, look: Look, paint: Paint): string {
  const words = inlineText(token.tokens, look, (text) => look.underline(paint(text)));
  const isLiteral = token.autolink === true;
  const href = isLiteral ? token.href : decoded(token.href);
  const label = isLiteral ? token.text : decoded(token.text);
  if ([label, `mailto:${label}`, `http://${label}`].includes(href)) return words;
  return `${words}${paint(look.dim(` (${visible(href.replaceAll("\n", " "))})`))}`;
}

/** Styles each line of a text separately. Space around line breaks is dropped: it has no meaning in Markdown. */
function painted(text: string, paint: Paint): string {
  const parts = text.replaceAll("\t", " ").split("\n");
  return parts
    .map((part, index) => {
      const start = index > 0 ? part.trimStart() : part;
      const whole = index < parts.length - 1 ? start.trimEnd() : start;
      return whole === "" ? "" : paint(whole);
    })
    .join("\n");
}
