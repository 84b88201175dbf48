// Prose: the sentences in the comments of a source file, with the rules that they must keep.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** A sentence of a comment. */
export interface Sentence {
  /** The file and the line at which the sentence begins, such as `src/core/loop/loop.ts:12`. */
  readonly at: string;
  readonly text: string;
  /** The text with every character of inline code replaced by an x, so that code is neither split nor searched. */
  readonly masked: string;
}

/** A line of a file that holds a comment. */
export interface CommentLine {
  /** The file and the line, such as `src/core/loop/loop.ts:12`. */
  readonly at: string;
  readonly text: string;
}

/** The comments of a file. */
export interface Comments {
  readonly sentences: readonly Sentence[];
  readonly lines: readonly CommentLine[];
}

/** A turn that readers have to read twice, with a plain replacement. */
interface Riddle {
  readonly turn: RegExp;
  readonly plain: string;
}

/** A comment as it stands in the file, or several line comments below each other. */
interface Block {
  /** The text of each line without comment marks. The first one is on line `first`, counted from 0. */
  readonly lines: readonly string[];
  readonly first: number;
  /** True for line comments that stand alone on their lines, which the next one may continue. */
  readonly isOpen: boolean;
}

const relativeWord = /^(?:What|Whatever|Where|Wherever|Who|Whoever|Whose|Whom|How|However(?!,)|Which|Whichever)\b/;

const riddles: readonly Riddle[] = [
  { turn: /\bso many of (?:them|these|those)\b/i, plain: "this many, or the number" },
  { turn: /\b(?:is|are|was|were) gone on with\b/i, plain: "is resumed, or is continued" },
  { turn: /\bwhat there is\b/i, plain: "the noun, such as: the records" },
  { turn: /\bwhere there (?:is|are) (?:one|none|any)\b/i, plain: "if it has one, or undefined without one" },
  { turn: /\bfor as long as it takes\b/i, plain: "until it ends" },
  { turn: /\bin (?:the midst of|its midst|their midst)\b/i, plain: "during, or within" },
  { turn: /\bhalf of a pair\b/i, plain: "a lone surrogate" },
  { turn: /\bthere is no saying\b/i, plain: "it is not known" },
  { turn: /\bis (?:one|none) of ours\b/i, plain: "lastcall made it, or lastcall did not make it" },
  { turn: /\bwhoever (?:has|wants|asks|gave|reads)\b/i, plain: "the noun, such as: the caller" },
];

/** Pronouns for a noun that the reader has to look for in the words before. */
const nounPronouns: readonly RegExp[] = [
  /\b(?:that|those) of\b/i,
  /\b(?:or|and|but|than|as|like|is|are|was|were|from|with|for) that (?:in|at|on|before|after|which|whose)\b/i,
  /\bthose(?! \w+s\b)|\bthose (?:is|was|has|does|whose)\b/i,
  /\bthat one(?=[.,;:)]|$| (?:is|was|has))/i,
  /\bone (?:that|who|whose|which|with|without)\b/i,
  /\b(?:an?|the|any|each|every|no|another|other|this|such|which|same|first|second|third|last|next|later|earlier|new|old)(?: [\w-]+)? one\b(?! (?:after|by|another)\b)/i,
  /\b(?:the|the other|another) one\b/i,
  /\bones\b/i,
  /\bothers\b/i,
  /\b(?:ours|theirs)\b/i,
  /\bof (?:it|them|its own|their own)\b/i,
  /\bnone of\b/i,
  /\bwhoever\b/i,
];

/** Comments for tools, which are no prose. */
const directive = /^(?:\/|!|eslint|prettier-|@ts-|v8 |c8 |istanbul |knip|Stryker|#)/;

/** The comments of every TypeScript file in a folder. The files are named relative to `root`. */
export function commentsIn(folder: string, root: string): Comments {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const each = files.map((file) => commentsOf(relative(root, file).replaceAll("\\", "/"), readFileSync(file, "utf8")));
  return { sentences: each.flatMap(({ sentences }) => sentences), lines: each.flatMap(({ lines }) => lines) };
}

/** The comments of one source text: leading, trailing and JSDoc comments, as the parser finds them. */
export function commentsOf(file: string, text: string): Comments {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const ranges = rangesIn(source);
  const textLines = text.split(/\r?\n/);
  const touched = new Set<number>();
  for (const { pos, end } of ranges) {
    for (let line = lineAt(source, pos); line <= lineAt(source, end); line += 1) touched.add(line);
  }
  return {
    sentences: blocksIn(source, ranges).flatMap((block) => sentencesOf(file, block)),
    lines: [...touched].map((line) => ({ at: `${file}:${String(line + 1)}`, text: textLines[line] ?? "" })),
  };
}

/** The sentences that open with a relative clause instead of their subject. Questions may open so. */
export function relativeOpenings(sentences: readonly Sentence[]): readonly Sentence[] {
  return sentences.filter(({ masked }) => relativeWord.test(masked.replace(/^\W+/, "")) && !masked.endsWith("?"));
}

/** A message for each riddle: the place, the turn, its plain replacement and the sentence. */
export function riddlesIn(sentences: readonly Sentence[]): readonly string[] {
  return sentences.flatMap(({ at, text, masked }) =>
    riddles.flatMap(({ turn, plain }) => {
      const [found] = turn.exec(masked) ?? [];
      return found === undefined ? [] : [`${at}: instead of "${found}" write ${plain}: ${text}`];
    }),
  );
}

/** The sentences with a pronoun that stands for a noun, such as "that of", "the one" or "of them". */
export function pronounsForNouns(sentences: readonly Sentence[]): readonly Sentence[] {
  return sentences.filter(({ masked }) => nounPronouns.some((pronoun) => pronoun.test(masked)));
}

/** The number of words. Inline code counts as one word. */
export function wordsIn({ masked }: Sentence): number {
  return masked.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;
}

/** All comments of a file, each once, in their order. Every comment is before a token on a line of its own, or after one. */
function rangesIn(source: ts.SourceFile): readonly ts.CommentRange[] {
  const ranges = new Map<number, ts.CommentRange>();
  const add = (found: readonly ts.CommentRange[] | undefined): void => {
    for (const range of found ?? []) ranges.set(range.pos, range);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0) {
      add(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
      add(ts.getTrailingCommentRanges(source.text, node.end));
    }
    children.forEach(visit);
  };
  visit(source);
  return [...ranges.values()].sort((a, b) => a.pos - b.pos);
}

function blocksIn(source: ts.SourceFile, ranges: readonly ts.CommentRange[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const { kind, pos, end } of ranges) {
    const text = source.text.slice(pos, end);
    const first = lineAt(source, pos);
    if (kind === ts.SyntaxKind.MultiLineCommentTrivia) {
      const lines = text.slice(2, -2).split(/\r?\n/);
      blocks.push({ lines: lines.map((line) => line.replace(/^\s*\*+ ?/, "")), first, isOpen: false });
      continue;
    }
    const line = text.slice(2);
    const start = source.getPositionOfLineAndCharacter(first, 0);
    const isAlone = source.text.slice(start, pos).trim() === "";
    const last = blocks.at(-1);
    if (isAlone && last?.isOpen === true && last.first + last.lines.length === first) {
      blocks[blocks.length - 1] = { ...last, lines: [...last.lines, line] };
    } else blocks.push({ lines: [line], first, isOpen: isAlone });
  }
  return blocks.filter(({ lines }) => !directive.test((lines[0] ?? "").trimStart()));
}

/**
 * Splits a block into sentences. A sentence ends at `.`, `!` or `?`, at a colon or semicolon before a capital letter, before a list
 * item, before a JSDoc tag, and at an empty line.
 */
function sentencesOf(file: string, { lines, first }: Block): readonly Sentence[] {
  const text = lines.join("\n");
  const masked = text.replace(/```[^]*?```|`[^`]*`/g, (code) => code.replace(/[^\n`]/g, "x"));
  const ends = /[.!?]["')\]]*\s+|[:;]\s+(?=[A-Z])|\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |@))/g;
  const borders = [0, ...[...masked.matchAll(ends)].map(({ index, 0: end }) => index + end.length), text.length];
  return borders.slice(1).flatMap((border, index) => {
    const start = borders[index] ?? 0;
    const part = masked.slice(start, border);
    if (!/[A-Za-z]{2}/.test(part)) return [];
    const blank = part.length - part.trimStart().length;
    const line = first + 1 + text.slice(0, start + blank).split("\n").length - 1;
    return {
      at: `${file}:${String(line)}`,
      text: onOneLine(text.slice(start, border)),
      masked: onOneLine(part).replace(/^@\w+\s*/, ""),
    };
  });
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function lineAt(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line;
}
