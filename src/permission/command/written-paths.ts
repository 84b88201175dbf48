// The files that the arguments of common programs name in order to change them.

import { basename, join } from "node:path";

/** Programs that change or remove every file that they are given. */
const changing = new Set(["rm", "unlink", "shred", "truncate", "touch", "tee", "chmod", "chown", "chgrp", "setfacl"]);

/** Programs whose last argument is the place to write, unless `-t` names a folder. */
const copying = new Set(["cp", "install", "ln"]);

/** Programs whose last argument is the place to write. Their `-t` means something else. */
const sending = new Set(["rsync", "scp"]);

/** The options of copying programs whose value is the folder to write into. */
const intoFolder = /^(?:-[a-zA-Z]*t|--target-directory=?)/;

/**
 * The paths that such a program writes, renames or removes, as its words have them. Empty for any other program: nobody can tell from
 * its words alone. `isFolder` says of a path whether a folder is there.
 */
export function writtenBy(
  [program = "", ...rest]: readonly string[],
  isFolder: (path: string) => boolean,
): readonly string[] {
  const name = basename(program);
  const paths = rest.filter((word) => !word.startsWith("-"));
  if (changing.has(name)) return paths;
  // A file that is moved away is gone, too.
  if (name === "mv") return [...new Set([...paths, ...copiesOf(rest, paths, isFolder)])];
  if (copying.has(name)) return copiesOf(rest, paths, isFolder);
  if (sending.has(name)) return copiesOf([], paths, isFolder);
  if (name === "dd") return rest.filter((word) => word.startsWith("of=")).map((word) => word.slice(3));
  const changesInPlace =
    (name === "sed" || name === "perl") && rest.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word));
  return changesInPlace ? paths : [];
}

/** The files that a copy makes: the last path, or one of the name of each source in the folder that it is or that an option names. */
function copiesOf(
  words: readonly string[],
  paths: readonly string[],
  isFolder: (path: string) => boolean,
): readonly string[] {
  const option = words.find((word) => intoFolder.test(word));
  const folder = option === undefined ? undefined : option.replace(intoFolder, "") || words[words.indexOf(option) + 1];
  const target = folder ?? paths.at(-1) ?? ".";
  const sources = folder === undefined ? paths.slice(0, -1) : paths.filter((path) => path !== folder);
  if (folder === undefined && sources.length <= 1 && !target.endsWith("/") && !isFolder(target)) return [target];
  const within = sources.map((source) => join(target, basename(source)));
  // A folder that files are copied into is not written itself.
  return /^\.{1,2}$|\/$/.test(target) ? within : [target, ...within];
}
