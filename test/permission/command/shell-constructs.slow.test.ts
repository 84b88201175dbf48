// The table of what shells may read differently, test/cases/shells/shell-constructs.jsonl, against the parser and against real shells.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { expandCommand } from "../../../src/permission/decide/expand-command.js";
import { share } from "../../turn.js";

/** `same`: every shell runs what the parser read. `doubted`: it is asked about. `differs`: the shells below do not all do the same. */
interface Row {
  readonly kind: string;
  readonly text: string;
  readonly read: "same" | "doubted";
  readonly differs: boolean;
}

const rows = (await readFile(resolve(import.meta.dirname, "../../cases/shells/shell-constructs.jsonl"), "utf8"))
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

/** The shells that a system has as `sh`, and bash by its own name. A shell looks at its name to know the rules that it follows. */
const shells = [
  ["dash", "sh"],
  ["bash", "bash"],
  ["bash", "sh"],
  ["zsh", "sh"],
].flatMap(([program = "", name = ""]) => {
  const file = [`/usr/bin/${program}`, `/bin/${program}`].find((one) => existsSync(one));
  return file === undefined
    ? []
    : [{ file, name, title: program === name || name === "sh" ? `${program} as ${name}` : program }];
});

/** Writes its words to a file; with the first word `in` also what it reads. */
const show = `#!/bin/sh\n{ printf '[%s]' "$@"; case $1 in in) printf '<'; cat; printf '>';; esac; echo; } >> "$LOG"\n`;
const files = ["a", "b", "1", "5", "12", "x y", "d/a"];

async function makeFolder(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-constructs-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const name of files) {
    await mkdir(dirname(join(root, "w", name)), { recursive: true });
    await writeFile(join(root, "w", name), `${name}\n`);
  }
  await mkdir(join(root, "bin"));
  await writeFile(join(root, "bin/show"), show);
  await chmod(join(root, "bin/show"), 0o755);
  return root;
}

/** What `show` wrote, and whether a file was made; the places of pipes are left out. */
async function done(root: string, { file, name }: (typeof shells)[number], text: string): Promise<readonly string[]> {
  const log = join(root, "log");
  await writeFile(log, "");
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, HOME: "/home/of", LOG: log };
  spawnSync(file, ["-c", "--", text], { cwd: join(root, "w"), env, timeout: 5000, argv0: name, input: "" });
  const said = (await readFile(log, "utf8")).replace(/\/(?:dev|proc\/self)\/fd\/\d+|\/tmp\/zsh\w+/g, "pipe");
  const made = existsSync(join(root, "w/made")) ? ["made"] : [];
  await rm(join(root, "w/made"), { force: true });
  return [...said.split(/\n(?=\[)/).map((line) => line.trim()), ...made];
}

test("every construct is read in all shells alike, or doubted", () => {
  for (const { text, read } of rows) expect([text, readCommand(text).isUnderstood]).toEqual([text, read === "same"]);
});

test("no construct that shells read differently counts as understood", () => {
  expect(rows.filter(({ read, differs }) => read === "same" && differs)).toEqual([]);
  expect(new Set(rows.map(({ kind }) => kind)).size).toBeGreaterThan(35);
});

describe.skipIf(shells.length < 4)(
  `in four shells${shells.length < 4 ? " (left out: one of dash, bash, zsh is not here)" : ""}`,
  () => {
    test(
      "what is understood runs with the words that were read, and what is said to differ does",
      { timeout: 60_000 },
      async () => {
        const root = await makeFolder();
        for (const { text, read, differs } of share(rows, 4)) {
          const known = read === "same" ? ["", ...believed(join(root, "w"), text)] : undefined;
          const all = new Set<string>();
          for (const shell of shells) {
            const lines = await done(root, shell, text);
            all.add(lines.join("\n"));
            if (known === undefined) continue;
            for (const line of lines) expect(known, `${text} in ${shell.title}`).toContain(wordsIn(line));
          }
          expect([text, all.size > 1]).toEqual([text, differs]);
        }
      },
    );
  },
);

/** The words of every run of `show` that the gate believes in, as `show` writes them. */
function believed(folder: string, text: string): readonly string[] {
  const home = process.env["HOME"] ?? "";
  const shown = (word: string): string => `[${word.replace(/^~(?=$|\/)/, "/home/of").replace(home, "/home/of")}]`;
  return readCommand(text).commands.flatMap((command) => {
    const expansion = expandCommand(command, { root: folder, folder });
    const runs = expansion.is === "known" ? expansion.commands : [];
    return runs.filter(({ words }) => words[0] === "show").map(({ words }) => words.slice(1).map(shown).join(""));
  });
}

/** What `show` wrote without its input. An exit code stands as a NUL. */
function wordsIn(line: string): string {
  return line.replace(/<[^]*>$/, "").replace(/^\[0\]$/, "[\0]");
}
