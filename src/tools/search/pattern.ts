// Reads regular expressions as JavaScript does, and explains the invalid expressions.

import { explain, headOf } from "../../core/internal.js";

/** A regular expression in a form that a worker can receive. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** @throws Error for the model. It says what is wrong, and where. */
export function readPattern(
  text: string,
  { isLiteral, ignoresCase }: { readonly isLiteral: boolean; readonly ignoresCase: boolean },
): Pattern {
  const source = isLiteral ? text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : text;
  const [, inline = "", rest = source] = /^\(\?([is]+)\)([^]*)$/.exec(source) ?? [];
  const flags = ignoresCase || inline.includes("i") ? "i" : "";
  const expression = compile(rest, `${flags}u`) ?? compile(rest, flags);
  if (expression instanceof RegExp) return { source: rest, flags: expression.flags };
  const what = explain(failureOf(rest)).replace(/^Invalid regular expression: [^]*: /, "");
  const at = whereWrong(text);
  const where =
    at === undefined ? "" : `, at character ${String(at + 1)}: ${JSON.stringify(headOf(text.slice(at), 20))}`;
  throw new Error(
    `The pattern is no regular expression: ${what}${where}. Mend it, or set literal to true to search for the text as it is.`,
  );
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    // If no way of compiling is left, the caller looks up the reason.
    return undefined;
  }
}

function failureOf(source: string): unknown {
  try {
    return new RegExp(source);
  } catch (thrown) {
    return thrown;
  }
}

/**
 * The index of the first unmatched bracket, or of a quantifier with nothing to repeat; undefined if the cause is
 * another mistake.
 */
function whereWrong(text: string): number | undefined {
  const open: number[] = [];
  let isRepeatable = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (/[*+?]/.test(character)) {
      if (!isRepeatable) return at;
      if (text[at + 1] === "?") at += 1;
      isRepeatable = false;
      continue;
    }
    isRepeatable = !/[(|^]/.test(character);
    if (character === "\\" && ++at >= text.length) return at - 1;
    if (character === "[") {
      const end = endOfClass(text, at);
      if (end === undefined) return at;
      at = end;
    }
    if (character === "(") {
      open.push(at);
      if (text[at + 1] === "?") at += 1;
    }
    if (character === ")" && open.pop() === undefined) return at;
  }
  return open.at(-1);
}

function endOfClass(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "]") return at;
  }
  return undefined;
}
