// Patterns: which files are meant, in words like those of .gitignore.

import { createRequire } from "node:module";
import { LastcallError } from "../core/index.js";

const require = createRequire(import.meta.url);

/** The part of picomatch that is used; it brings no types of its own. */
type Picomatch = (globs: readonly string[], options: PicomatchOptions) => (path: string) => boolean;

interface PicomatchOptions {
  /** `*` also stands for names that begin with a dot. */
  readonly dot: true;
  /** Of the regular expressions: with `s`, `**` also stands for names with a line break. */
  readonly flags: "s";
  /** A `!` that is left at the beginning is a character. */
  readonly nonegate: true;
}

/**
 * Says of relative paths with slashes whether one of the patterns means them. `*` and `?` stand for anything within a name,
 * `**` for any folders, `[a-c]`, `[!a]` and `{a,b}` for choices; a backslash takes a character as it is. A pattern without a
 * slash means files of that name in any folder, `./name` at the top alone. One that names a folder means all that is in it;
 * with a slash at its end it means nothing else. Without patterns, no path is meant.
 * @throws LastcallError `configuration` for a pattern that is empty, absolute, begins with `!` or leads out of the folder.
 */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.flatMap(globsOf);
  if (globs.length === 0) return () => false;
  const picomatch = require("picomatch") as Picomatch;
  return picomatch(globs, { dot: true, flags: "s", nonegate: true });
}

/** A pattern without the parts of it that say nothing: `./a//b/` is `a/b`. */
export function plain(pattern: string): string {
  return pattern
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** For the file of that name, and for what is in the folder of that name. */
function globsOf(pattern: string): readonly string[] {
  expectUsable(pattern);
  const name = withCarets(plain(pattern));
  const isAnywhere = !name.includes("/") && !pattern.startsWith("./");
  const glob = isAnywhere ? `**/${name}` : name;
  const inside = `${glob}/**/*`;
  if (pattern.endsWith("/")) return [inside];
  return glob.endsWith("**") ? [glob] : [glob, inside];
}

function expectUsable(pattern: string): void {
  const wrong = (what: string, mend: string): LastcallError =>
    new LastcallError("configuration", `The file pattern ${JSON.stringify(pattern)} ${what}: ${mend}.`);
  if (pattern.startsWith("!") && !pattern.startsWith("!("))
    throw wrong("begins with !", "give patterns of what is meant and leave this one out; a name with ! is written \\!");
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(pattern))
    throw wrong("is absolute", "give it relative to the folder, without a slash at its beginning");
  if (/(?:^|[/{,(|])\.\.(?:$|[/},)|])/.test(pattern))
    throw wrong("leads out of the folder", "leave .. out, and give a folder further up where one is meant");
  if (plain(pattern).trim() === "")
    throw wrong("names nothing", 'give a file, a folder or a pattern such as "test/**"; "**" is everything');
}

/** `[!a]` is `[^a]` to picomatch. */
function withCarets(pattern: string): string {
  return pattern.replace(/\\[^]|\[(!?)(\]?(?:\\[^]|[^\]\\])*\])/g, (whole, not?: string, rest = "") =>
    not === "!" ? `[^${String(rest)}` : whole,
  );
}
