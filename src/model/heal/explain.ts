// Explains defects of arguments to the model: briefly, with the position, and with little of the text.

import { tailOf, headOf } from "../../core/internal.js";

/** The reason why arguments can't be read. */
export interface Defect {
  readonly kind: "malformed_call" | "truncated";
  /** The problem, its position and the remedy, worded for the model. */
  readonly problem: string;
}

/** The defect of arguments that are complete but wrong. */
export function malformed(problem: string): Defect {
  return { kind: "malformed_call", problem };
}

/** The defect of arguments that end too early. `where` says where they end, for example "after a key". */
export function truncated(where: string): Defect {
  const problem = `The arguments were cut off: the JSON ends ${where}, so the call was not run.`;
  return {
    kind: "truncated",
    problem: `${problem} Write the whole call again, with shorter arguments if they are long.`,
  };
}

/** The defect of a key that is not allowed. */
export function forbiddenKey(key: string): Defect {
  return malformed(`The arguments have the key "${key}", which is not allowed. Leave it out.`);
}

/** The defect of a key that its object already has. `where` says where the second key is. */
export function repeatedKey(key: string, where: string): Defect {
  return malformed(`The key ${brief(key, 30)} stands twice in one object, ${where}. Write each key once.`);
}

/** The defect of arguments that nest deeper than `maxDepth` objects and lists. */
export function tooDeep(maxDepth: number): Defect {
  const limit = `more than ${String(maxDepth)} objects and lists in one another`;
  return malformed(`The arguments are nested too deep: ${limit}. Write them flatter.`);
}

/** The defect of a number that would get other digits in the field, which takes no texts. */
export function longNumber(field: string, digits: string): Defect {
  const [written, kept] = [brief(digits), brief(String(Number(digits)))].map((text) => text.slice(1, -1));
  const problem = `The number ${String(written)} in the field ${field} has more digits than a number keeps: it would become ${String(kept)}.`;
  return malformed(`${problem} Write it as a text, in double quotes, in a field that takes texts.`);
}

/** The problem of a text with a NUL character. It follows the text's position in a sentence. */
export const nulCharacter = "there is a NUL character, which no text may have. Leave it out.";

/** Quotes a text for a message: cut after `length` characters, on one line, without invisible characters. */
export function brief(text: string, length = 40): string {
  const shown = headOf(text, length).replace(/[\p{C}\s]+/gu, " ");
  return `"${shown}${text.length > length ? "..." : ""}"`;
}

/** Quotes the path of a field. A long path keeps its end, which holds the field's own name. */
export function briefPath(path: string): string {
  return brief(path.length > 30 ? `...${tailOf(path, 27)}` : path);
}

/** Describes the position `at` in a text: line and character from 1, and an excerpt. */
export function describePosition(text: string, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (
    let lineBreak = text.indexOf("\n");
    lineBreak !== -1 && lineBreak < at;
    lineBreak = text.indexOf("\n", lineStart)
  ) {
    line += 1;
    lineStart = lineBreak + 1;
  }
  const excerpt = brief(text.slice(Math.max(0, at - 15), at + 20));
  return `at line ${String(line)}, character ${String(at - lineStart + 1)}, near ${excerpt}`;
}
