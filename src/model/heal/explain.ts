// What is wrong with arguments, in words for the model: short, with the place, and never with much of the text.

/** Why arguments can't be read. */
export interface Defect {
  readonly kind: "malformed_call" | "truncated";
  /** What is wrong, where, and what to do. */
  readonly problem: string;
}

/** A defect of arguments that arrived whole. */
export function malformed(problem: string): Defect {
  return { kind: "malformed_call", problem };
}

/** A defect of arguments that end too early. `where` says what they end in. */
export function truncated(where: string): Defect {
  const what = `The arguments were cut off: the JSON ends ${where}, so the call was not run.`;
  return { kind: "truncated", problem: `${what} Write the whole call again, with shorter arguments if they are long.` };
}

/** A key that is not allowed. */
export function forbiddenKey(key: string): Defect {
  return malformed(`The arguments have the key "${key}", which is not allowed. Leave it out.`);
}

/** A key that an object has already. */
export function repeatedKey(key: string, where: string): Defect {
  return malformed(`The key ${brief(key, 30)} stands twice in one object, ${where}. Write each key once.`);
}

/** More objects and lists in one another than are read. */
export function tooDeep(deepest: number): Defect {
  const limit = `more than ${String(deepest)} objects and lists in one another`;
  return malformed(`The arguments are nested too deep: ${limit}. Write them flatter.`);
}

/** Said of a text, after where it stands. */
export const nulCharacter = "there is a NUL character, which no text may have. Leave it out.";

/** A text in quotes, cut after `length` characters, in one line and without characters that can't be seen. */
export function brief(text: string, length = 40): string {
  const shown = text.slice(0, length).replace(/[\p{C}\s]+/gu, " ");
  return `"${shown}${text.length > length ? "..." : ""}"`;
}

/** The path of a field, as `brief`; of a long one the end, where the field's own name is. */
export function briefPath(path: string): string {
  return brief(path.length > 30 ? `...${path.slice(-27)}` : path);
}

/** Where in a text: line and character from 1, with a piece of what stands there. */
export function place(text: string, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (let found = text.indexOf("\n"); found !== -1 && found < at; found = text.indexOf("\n", lineStart)) {
    line += 1;
    lineStart = found + 1;
  }
  const excerpt = brief(text.slice(Math.max(0, at - 15), at + 20));
  return `at line ${String(line)}, character ${String(at - lineStart + 1)}, near ${excerpt}`;
}
