// Ignoring: which paths the lines of .gitignore files mean, those in folders below included.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The part of the package that is used. */
interface Rules {
  add(patterns: string | Rules): Rules;
  ignores(path: string): boolean;
}

type MakeRules = (options: { readonly ignorecase: boolean; readonly allowRelativePaths: true }) => Rules;

/** What the files of rules say that were met on the way to a folder. */
export interface Ignoring {
  /** True where the path, relative to the top and with slashes, is meant, or a folder that it is in. A folder's ends with a slash. */
  ignores(path: string): boolean;
  /**
   * The same with what a file of rules in that folder says (`""` for the top): the last rule that matches wins, so that one
   * further down beats those above it.
   * @throws Error for a line that can't be read.
   */
  and(folder: string, text: string): Ignoring;
}

/** As file systems usually are there. */
const ignorecase = process.platform === "darwin" || process.platform === "win32";

/** Ignores nothing. */
export const ignoringNothing: Ignoring = {
  ignores: () => false,
  and: (folder, text) => ignoring(undefined, folder, text),
};

function ignoring(above: Rules | undefined, folder: string, text: string): Ignoring {
  const makeRules = require("ignore") as MakeRules;
  const rules = makeRules({ ignorecase, allowRelativePaths: true });
  if (above !== undefined) rules.add(above);
  for (const line of text
    .normalize("NFC")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/))
    rules.add(below(folder, line));
  return {
    // A name is the same whichever way its accents are written.
    ignores: (path) => path !== "" && rules.ignores(path.normalize("NFC")),
    and: (next, lines) => ignoring(rules, next, lines),
  };
}

/** A line of a file in a folder below, as it would be written in one at the top. */
function below(folder: string, line: string): string {
  const prefix = folder.replace(/\/$/, "");
  if (prefix === "" || line.trim() === "" || line.startsWith("#")) return line;
  const isNegative = line.startsWith("!");
  // At the beginning of a line alone, `#` and `!` are more than characters; behind a folder the backslash before them is not needed.
  const pattern = (isNegative ? line.slice(1) : line).replace(/^\\(?=[#!])/, "");
  const literal = prefix
    .normalize("NFC")
    .replace(/[\\*?[\]]/g, "\\$&")
    .replace(/ /g, "\\ ");
  const isAnchored = /\/(?!\s*$)/.test(pattern);
  const place = isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`;
  return `${isNegative ? "!" : ""}/${literal}/${place}`;
}
