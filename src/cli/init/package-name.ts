// The name of a project: the name of its folder, as far as npm takes it.

import { builtinModules } from "node:module";
import { wrong } from "../args/options.js";
import { visible } from "../display/visible.js";

/** Characters that npm allows in the name of a package. */
const longest = 214;

/**
 * Checks that npm takes the name of a folder as the name of a package.
 * @param packages The packages that the project needs: a project with the name of a package would hide it.
 * @throws LastcallError `configuration` that says what npm takes, and a name like it.
 */
export function expectPackageName(name: string, packages: readonly string[]): void {
  const shown = JSON.stringify(visible(name));
  if (packages.includes(name) || builtinModules.includes(name))
    throw wrong(`A project can't be named ${shown}, which is a package that it uses. Take another name`, "init");
  if (likePackage(name) === name) return;
  const like = likePackage(name);
  const advice = like === "" ? "Take a name such as my-agent" : `Take ${like}`;
  const rule = `npm takes at most ${String(longest)} lower-case letters, digits, "-", "_" and ".", and a letter or a digit first`;
  throw wrong(`A project can't be named ${shown}: ${rule}. ${advice}`, "init");
}

/** The name of a package that is most like these words; empty if none of these words can stand in a name. */
export function likePackage(words: string): string {
  const name = words
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mark}+/gu, "")
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, longest);
  return name === "node_modules" || name === "favicon.ico" ? "" : name;
}
