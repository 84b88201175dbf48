// Compares the parser with real shells: a program gets exactly the parsed words.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";

/** Defines `rec`, which prints its arguments, each followed by a NUL. A function is faster than a program, and gets the same words. */
const definition = `rec() { printf '%s\\0' "$@"; }\n`;

const shells = ["/bin/sh", "/bin/bash"].filter((shell) => existsSync(shell));

test.each(shells)("%s gives a program the very words that are read", { timeout: 120_000 }, async (shell) => {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-words-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pieces = fc.constantFrom(
    ..."a b ' \" \\ $ ` ; & | < > ( ) { } * ? ~ # ! = \t".split(" "),
    " ",
    "''",
    "-x",
    "a'b c'd",
    '"e f"',
    "é",
    "/dev/null",
    "2>",
  );
  let plain = 0;
  const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => `rec ${parts.join("")}`);
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 40, size: "max" }), async (all) => {
      const read = all.flatMap((text) => {
        const { commands, isPlain } = readCommand(text);
        const [only, ...more] = commands;
        if (!isPlain || only?.words[0] !== "rec" || more.length > 0 || /~|null/.test(text)) return [];
        const said = only.words.slice(1);
        return [{ text, said: said.length === 0 ? "\0" : said.map((word) => `${word}\0`).join("") }];
      });
      plain += read.length;
      // One process runs many texts, each in a subshell of its own: a start takes longer than the rest.
      const each = read.map(({ text }) => `(eval '${text.replaceAll("'", String.raw`'\''`)}')\nprintf '\\1'\n`);
      const options = { cwd: folder, env: { PATH: folder } };
      const { stdout } = await promisify(execFile)(shell, ["-c", definition + each.join("")], options);
      const words = stdout.split("\u0001").slice(0, -1);
      expect(words.map((said, index) => [read[index]?.text, said])).toEqual(read.map(({ text, said }) => [text, said]));
    }),
    { numRuns: 75 },
  );
  expect(plain).toBeGreaterThan(100);
});
