// Compares the expansion of commands with real shells: a program gets exactly the words that are judged.

import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { expandCommand } from "../../../src/permission/decide/expand-command.js";
import { shareOf } from "../../turn.js";

/** Defines `rec`, which prints its arguments. A function is much faster than a program, and gets the same words. */
const definition = `rec() { printf '<'; printf '%s\\0' "$@"; }\n`;

/** A folder with files of many names. */
async function makeFolder(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-expand-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "d/e"), { recursive: true });
  for (const name of ["a", "b", "ab", "a b", "a*", ".h", "d/a", "d/.x", "d/e/ab", "[a]", "{a}", "!", "="])
    await writeFile(join(root, name), "");
  await symlink("d", join(root, "l"));
  return root;
}

const others = [
  ["/bin/dash", []],
  ["/bin/bash", ["--posix"]],
  ["/usr/bin/zsh", ["--emulate", "sh"]],
] as const;
const isOther = others.some(([shell, { length }]) => length === 0 && isSameFile(shell, "/bin/sh"));
const shells = [...(isOther ? [] : [["/bin/sh", []] as const]), ...others].filter(([shell]) => existsSync(shell));

/** True if both paths are there and lead to one file. */
function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

const pieces = fc.constantFrom(
  ...[
    "*",
    "?",
    "[ab]",
    "[!a]",
    "[a-b]",
    "a",
    "b",
    "d",
    "l",
    ".",
    "..",
    "/",
    "-",
    "=",
    "!",
    "^",
    "#",
    "~",
    "{",
    "}",
    ",",
    "]",
    "[",
  ],
  ...[
    '"',
    "'",
    "\\",
    "\\*",
    "\\(",
    "\\ ",
    "\\a",
    '"*"',
    "'?'",
    '"a b"',
    "$v",
    '"$v"',
    "${v}",
    "$w",
    '"$w"',
    "$?",
    "$",
    '"$"',
  ],
  ...["$HOME", '"$PWD"', "${w", ":", "@", "+", "%"],
  ...[" ", " ", " ", "\n", ";", "&&", "|", " >/dev/null", " <a ", "2>&1"],
);
const lines = fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => `rec ${parts.join("")}`);
const texts = fc.oneof(
  lines,
  fc
    .tuple(lines, fc.array(pieces, { maxLength: 3 }))
    .map(([line, words]) => `for v in ${words.join("")}; do ${line}; done`),
  fc.tuple(lines, lines).map(([line, more]) => `for v in a b; do for w in '*' d; do ${line}; done; done; ${more}`),
  lines.map((line) => `rec x <<'E'\n${line}\nE\n${line}`),
  lines.map((line) => `CI=1 ${line}`),
);

/** The words that the shell is believed to pass on; undefined if nobody can tell. */
function believed(text: string, root: string): readonly string[] | undefined {
  const { commands, isUnderstood } = readCommand(text);
  if (!isUnderstood) return undefined;
  const calls: string[] = [];
  for (const command of commands) {
    if (command.words[0] !== "rec") return undefined;
    const expansion = expandCommand(command, { root, folder: root });
    if (expansion.is === "unknown") return undefined;
    // Only the shell knows the digits; a pipe mixes the output.
    for (const { words } of expansion.commands) {
      if (words.some((word) => /\0|^~/.test(word))) return undefined;
      calls.push(
        words.length === 1
          ? "<\0"
          : `<${words
              .slice(1)
              .map((word) => `${word}\0`)
              .join("")}`,
      );
    }
  }
  return calls;
}

test.each(shells)(
  "%s %j gives programs the very words that are judged",
  { timeout: 300_000 },
  async (shell, options) => {
    const root = await makeFolder();
    const home = process.env["HOME"];
    let known = 0;
    let expanded = 0;
    const environment = { PATH: "/nowhere", ...(home !== undefined && { HOME: home }) };
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 40, size: "max" }), async (all) => {
        const told = all.flatMap((text) => {
          const calls = believed(text, root);
          // Output that is thrown away or piped can't be compared.
          return calls === undefined || /null|\||&1/.test(text) ? [] : [{ text, calls }];
        });
        known += told.length;
        expanded += told.filter(({ text }) => /[*?[]|\$/.test(text)).length;
        // One process runs many texts, each in a subshell of its own: a start takes longer than the rest.
        const each = told.map(({ text }) => `(eval '${text.replaceAll("'", String.raw`'\''`)}')\nprintf '\\1'\n`);
        const command = [...options, "-c", definition + each.join("")];
        const { stdout } = await promisify(execFile)(shell, command, { cwd: root, env: environment });
        expect(
          stdout
            .split("\u0001")
            .slice(0, -1)
            .map((said, index) => [told[index]?.text, said]),
        ).toEqual(told.map(({ text, calls }) => [text, calls.join("")]));
      }),
      { numRuns: shareOf(200, 4) },
    );
    expect(known).toBeGreaterThan(shareOf(200, 4));
    expect(expanded).toBeGreaterThan(shareOf(100, 4));
  },
);
