// Matches paths against patterns like .gitignore's patterns.

import { createRequire } from "node:module";
import { LastcallError } from "../core/index.js";

const require = createRequire(import.meta.url);

/** The part of picomatch that is used; it has no types itself. */
type Picomatch = (globs: readonly string[], options: PicomatchOptions) => (path: string) => boolean;

interface PicomatchOptions {
  /** `*` also matches names that begin with a dot. */
  readonly dot: true;
  /** A flag of the regular expressions: with `s`, `**` also matches names with a line break. */
  readonly flags: "s";
  /** A `!` at the beginning of a glob is a plain character. */
  readonly nonegate: true;
}

/**
 * Makes a function that says whether a path, relative and with slashes, matches one of the patterns. `*` and `?` match
 * anything within a name, `**` matches any folders, and `[a-c]`, `[!a]` and `{a,b}` are choices. A backslash escapes a
 * character. A pattern without a slash matches files of that name in any folder; `./name` matches at the top only. A
 * pattern that names a folder matches everything in it; with a slash at its end it matches nothing else. Without
 * patterns, no path matches.
 * @throws LastcallError `configuration` for a pattern that is empty, absolute, begins with `!` or leads out of the
 * folder.
 */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.flatMap(globsOf);
  if (globs.length === 0) return () => false;
  const picomatch = require("picomatch") as Picomatch;
  return picomatch(globs, { dot: true, flags: "s", nonegate: true });
}

/**
 * Makes a quick test of names: false only if no pattern names a file or folder with this name, whatever folder it is in. In patterns, `*`
 * is the only special character.
 */
export function nameFilter(patterns: readonly string[]): (name: string) => boolean {
  const names = patterns.map((pattern) => (plain(pattern).split("/").at(-1) ?? "").toLowerCase());
  const whole = new Set(names.filter((name) => !name.includes("*")));
  const forms = names
    .filter((name) => name.includes("*"))
    .map((name) => name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*"));
  const form = new RegExp(forms.length === 0 ? "$^" : `^(?:${forms.join("|")})$`, "s");
  return (name) => {
    const folded = name.toLowerCase();
    return whole.has(folded) || form.test(folded);
  };
}

/** The pattern without redundant parts: `./a//b/` becomes `a/b`. */
export function plain(pattern: string): string {
  return pattern
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** One glob for a file of that name, and one for the content of a folder of that name. */
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

/** Picomatch writes `[!a]` as `[^a]`. */
function withCarets(pattern: string): string {
  return pattern.replace(/\\[^]|\[(!?)(\]?(?:\\[^]|[^\]\\])*\])/g, (whole, not?: string, rest = "") =>
    not === "!" ? `[^${String(rest)}` : whole,
  );
}
