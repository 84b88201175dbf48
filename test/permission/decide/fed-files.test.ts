// Names that one program hands on to another: what a workspace can hide in them.

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { without } from "../../programs.js";
import { makeScene, type Files } from "../scene.js";

/** Its absolute path: a scene has a PATH of its own. */
const mkfifo = "/usr/bin/mkfifo";

const programs = "find xargs cat grep wc head sort rg awk sed sh touch uniq echo strings ls tail";
const plain: Files = { "src/a.ts": "x\n", "src/deep/b.ts": "x\n", "a.txt": "1\n", ".env": "KEY=1\n" };

describe("names of a folder are handed on", () => {
  test.each([
    "find src -type f | xargs cat",
    "find src -name '*.ts' | xargs wc -l",
    "find . -name '*.ts' -not -path './node_modules/*' | xargs grep -n x",
    "find . -path ./src/deep -prune -o -name '*.ts' -print | sort | head -5 | xargs cat",
    "find src -print0 | xargs -0 cat",
    "find src | xargs -I{} cat {}",
    "find src -type f -exec cat {} +",
    "find . -maxdepth 1 -name '*.txt' -exec head -1 {} \\;",
    "rg -l x src | xargs sed -n 1p",
    "grep -rl x src | xargs awk '{print}'",
    "find src -type f | xargs -n1 uniq",
  ])("%s", async (command) => {
    expect(await makeScene(plain, programs).question(command)).toBeUndefined();
  });
});

test.each<[command: string, why: string, files: Files]>([
  ["find . -name '*.ts' | xargs cat", "taken as one name", { "x ../outside.ts": "" }],
  ["find . -name '*.ts' | xargs cat", "taken as one name", { "src/tab\t../outside.ts": "" }],
  ["find src -type f | xargs cat", "taken as one name", { "src/it's": "" }],
  ["find src -type f | xargs cat", "taken as one name", { "src/back\\slash": "" }],
  ["find src -type f | xargs -d '\\n' cat", "taken as one name", { "src/two\n../outside.txt": "" }],
  ["find src | xargs cat", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find src -exec cat {} +", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find src -type f -o -name link -exec cat {} +", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find src -print -type f | xargs cat", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find . -print0 -name '*.ts' | xargs -0 cat", "secrets", {}],
  ["find . -print -not -path './src/*' | xargs cat", "secrets", {}],
  // A word that looks like a test is the value of another one.
  ["find src ! -iname -type -name link | xargs cat", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find src ! ! -path 'src/deep/*' | xargs cat", "paths outside", { "src/deep/l": { to: "../../../outside.txt" } }],
  // Without -print, what is pruned is printed as well.
  [
    "find src -name deep -prune -o -type f | xargs cat",
    "paths outside",
    { "src/x/deep": { to: "../../../outside.txt" } },
  ],
  ["find src -name 'l?' | xargs cat", "paths outside", { "src/l\u00e9": { to: "../../outside.txt" } }],
  ["find src | grep x | xargs cat", "taken as one name", { "src/\u00e9x": "" }],
  ["find src ! -type f -exec cat {} +", "paths outside", { "src/link": { to: "../../outside.txt" } }],
  ["find src | xargs cat", "secrets", { "src/link": { to: "../.env" } }],
  ["find . -type f | xargs cat", "secrets", {}],
  ["find . -type f -exec grep KEY {} +", "secrets", {}],
  ["find . -name src -prune -o -depth -name '*.x' | xargs cat", "not known", {}],
  ["find . -name src -prune -o -mindepth 2 | xargs cat", "not known", {}],
  ["find . -depth -name src -prune -o -print | xargs cat", "secrets", {}],
])("a workspace can't make %s open another file: %s", async (command, why, files) => {
  const scene = makeScene({ ...plain, ...files }, programs);
  expect(await scene.question(command)).toContain(why);
});

test.skipIf(without("mkfifo") !== "")(
  `a named pipe as .gitignore holds up no decision${without("mkfifo")}`,
  async () => {
    const scene = makeScene({ "src/a.ts": "x\n", ".git/HEAD": "ref: refs/heads/main\n" }, programs);
    spawnSync(mkfifo, [`${scene.root}/.gitignore`]);
    expect(await scene.question("rg x")).toBeUndefined();
  },
);

test("a workspace can't make rg -l x | xargs cat take a name for an option", async () => {
  const scene = makeScene({ "src/a.ts": "x\n", "-e": "" }, programs);
  expect(await scene.question("rg -l x | xargs cat")).toContain("taken as one name");
});

test.each([
  // Messages of errors are words, too.
  "find src -type f 2>&1 | xargs cat",
  "find src -type f | xargs cat < a.txt",
  "for f in src; do find $f; done | xargs cat",
  "find src -printf '%f\\n' | xargs cat",
  "find src -print0 | xargs cat",
  "find src | xargs -0 cat",
  "find src | cut -c2- | xargs cat",
  "find src | grep -o t | xargs cat",
  "cat a.txt | xargs cat",
  "ls | xargs cat",
])("nobody knows what %s opens", async (command) => {
  expect(await makeScene(plain, programs).runs(command)).toBe(false);
});

test.each([
  "find src -type f | xargs sh",
  "find src -type f | xargs sh -c",
  "find src -type f | xargs touch",
  "find src -type f | xargs grep",
  "find src -type f | xargs grep -e",
  "find src -type f | xargs grep -f",
  "find src -type f | xargs grep -r x",
  "find src -type f | xargs rg x",
  "find src -type f | xargs uniq",
  "find src -type f | xargs -n2 uniq",
  "find src -type f | xargs -I{} cat x{}",
  "find src -type f | xargs cat .env",
  "find src -exec touch {} +",
  "find src -exec cat {} + -exec touch made \\;",
  "find src -execdir cat {} +",
  "find src -exec {} \\;",
])("%s is asked about, because its program does more than open what it gets", async (command) => {
  expect(await makeScene(plain, programs).runs(command)).toBe(false);
});

test("a program of the workspace gets no names", async () => {
  const scene = makeScene({ ...plain, "bin/wc": "" }, programs);
  process.env["PATH"] = `${scene.root}/bin:${scene.bin}`;
  expect(await scene.runs("find src -type f | xargs wc -l")).toBe(false);
});

test("a name that is no UTF-8 can't be looked up, and neither can what is in a folder of that name", async () => {
  const scene = makeScene(plain, programs);
  const name = Buffer.from([0x78, 0xff]);
  const inRoot = (...parts: readonly (string | Buffer)[]): Buffer =>
    Buffer.concat([Buffer.from(scene.root), ...parts.flatMap((part) => [Buffer.from("/"), Buffer.from(part)])]);
  mkdirSync(inRoot("src", name));
  symlinkSync("../../../outside.txt", inRoot("src", name, "link.ts"));
  expect(await scene.question("find src -name '*.ts' | xargs cat")).toContain("taken as one name");
  expect(await scene.question("find src -name '*.ts' -exec cat {} +")).toContain("taken as one name");
});

test("a text that hands on names again and again is asked about, and takes no long look at each", async () => {
  const scene = makeScene(plain, programs);
  const one = "find src -type f | xargs cat; ";
  expect(await scene.runs(one.repeat(8))).toBe(true);
  expect(await scene.question(one.repeat(9))).toContain("too often");
});
