// Reads `.gitignore` files, including the files in folders below, and says which paths they match.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The part of the package `ignore` that is used. */
interface IgnoreRules {
  add(patterns: string | IgnoreRules): IgnoreRules;
  ignores(path: string): boolean;
}

type MakeRules = (options: { readonly ignorecase: boolean; readonly allowRelativePaths: true }) => IgnoreRules;

/** The rules of all ignore files on the way down to a folder. */
export interface Ignoring {
  /**
   * True if the path matches, or a folder that contains it. Paths are relative to the top, with slashes; a folder's
   * path ends with one.
   */
  ignores(path: string): boolean;
  /**
   * Adds the rules of an ignore file in that folder (`""` for the top). The last matching rule wins, so a rule further
   * down beats the rules above it.
   * @throws Error for an unreadable line.
   */
  and(folder: string, text: string): Ignoring;
}

/** The usual file systems of these systems ignore case. */
const ignorecase = process.platform === "darwin" || process.platform === "win32";

/** Ignores nothing. */
export const ignoringNothing: Ignoring = {
  ignores: () => false,
  and: (folder, text) => ignoring(undefined, folder, text),
};

function ignoring(above: IgnoreRules | undefined, folder: string, text: string): Ignoring {
  const makeRules = require("ignore") as MakeRules;
  const rules = makeRules({ ignorecase, allowRelativePaths: true });
  if (above !== undefined) rules.add(above);
  for (const line of text
    .normalize("NFC")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/))
    rules.add(below(folder, line));
  return {
    // Unicode has several ways to write an accent; a name matches in each way.
    ignores: (path) => path !== "" && rules.ignores(path.normalize("NFC")),
    and: (next, lines) => ignoring(rules, next, lines),
  };
}

/** Rewrites a line of an ignore file in a folder below, as if it were in the file at the top. */
function below(folder: string, line: string): string {
  const prefix = folder.replace(/\/$/, "");
  if (prefix === "" || line.trim() === "" || line.startsWith("#")) return line;
  const isNegative = line.startsWith("!");
  // `#` and `!` are special only at the beginning of a line. After the folder prefix, they need no backslash.
  const pattern = (isNegative ? line.slice(1) : line).replace(/^\\(?=[#!])/, "");
  const literal = prefix
    .normalize("NFC")
    .replace(/[\\*?[\]]/g, "\\$&")
    .replace(/ /g, "\\ ");
  const isAnchored = /\/(?!\s*$)/.test(pattern);
  const rest = isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`;
  return `${isNegative ? "!" : ""}/${literal}/${rest}`;
}
