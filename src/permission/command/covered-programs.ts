// The programs that a rule with a * covers: they do only what their words say, and write only the paths that these name.

const list = (names: string): readonly string[] => names.split(" ");

/** Programs whose words are paths and texts. Options of programs that only read are in the table of programs. */
const covered: ReadonlySet<string> = new Set([
  ...list(
    "pwd echo printf true false ls cat tac nl head tail wc cut tr uniq rev fold paste comm cmp diff stat du basename dirname",
  ),
  ...list(
    "realpath readlink which whoami id uname nproc arch uptime df type expr numfmt seq sleep cksum md5sum sha1sum",
  ),
  ...list("sha256sum sha512sum od hexdump sed file base64 grep rg find sort tree column"),
  ...list("mkdir rmdir touch"),
]);

/** Programs of several commands: a rule must name one of these as well. */
const coveredCommands: ReadonlySet<string> = new Set(["gh pr", "gh issue"]);

/** True if a rule with the words and a * covers what they begin. A path is no name of a program. */
export function isCovered([name = "", command = ""]: readonly string[]): boolean {
  return covered.has(name) || coveredCommands.has(`${name} ${command}`);
}

/** True if one rule may be offered for all uses of the program: none reaches a server. */
export function isOneKind(name: string): boolean {
  return covered.has(name);
}
