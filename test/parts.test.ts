// The parts of `npm run check` that take turns: none is left out for long, and no test file is.

import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  commitOf,
  filesAlike,
  longestFirst,
  partsFor,
  slowInThirds,
  slowInTurn,
  slowOnBare,
} from "../scripts/check/parts.mjs";
import { has } from "./programs.js";
import { share, shareOf } from "./turn.js";

const root = resolve(import.meta.dirname, "..");
const files = filesAlike(root);
const commits = Array.from({ length: 1000 }, (_none, index) => createHash("sha1").update(String(index)).digest("hex"));

test("each part comes up in about every eighth commit, and every pair of them in one of a few dozen", () => {
  const chaos = new Map<string, number>();
  const others = new Map<string, number>();
  const pairs = new Set<string>();
  for (const commit of commits) {
    const { chaos: part, other } = partsFor(commit, files);
    chaos.set(part, (chaos.get(part) ?? 0) + 1);
    for (const { name } of other) others.set(name, (others.get(name) ?? 0) + 1);
    pairs.add(`${part} ${other[0]!.name}`);
  }
  expect([...chaos.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((part) => `${String(part)}/8`));
  expect([...others.keys()].toSorted()).toEqual([
    ...[
      "a real model",
      "commands under strace",
      "evaluations and benches",
      "examples",
      "fast tests that need no program",
      "planted commands",
      "planted faults",
      "processes that are killed",
    ],
    ...["programs beside the package", "recordings", "simulation", "stores with planted faults", "tests over fetch"],
  ]);
  for (const times of [...chaos.values(), ...others.values()]) expect(times).toBeGreaterThan(commits.length / 12);
  expect(pairs.size).toBe(64);
});

test("each shell and each part of the planted faults has its turn, and a commit always has the same parts", () => {
  const all = commits.map((commit) => partsFor(commit, files));
  expect(commits.map((commit) => partsFor(commit, files))).toEqual(all);
  const lastWords = (name: string): Set<string | undefined> =>
    new Set(
      all.flatMap(({ other }) => other.filter((part) => part.name === name).map(({ command }) => command?.at(-1))),
    );
  expect(lastWords("commands under strace")).toEqual(new Set(["dash", "bash", "bash-as-sh", "zsh"]));
  expect(lastWords("planted faults").size).toBe(24);
  expect(new Set(all.map(({ runtimes }) => runtimes)).size).toBe(12);
});

test("each share of many trials has its turn, and without a turn there are all trials", () => {
  const turns = new Set(commits.map((commit) => partsFor(commit, files).turn));
  const trials = Array.from({ length: 25 }, (_none, index) => index);
  for (const parts of [2, 3, 4, 5, 6]) {
    const shares = [...turns].map((turn) => share(trials, parts, String(turn)));
    expect(new Set(shares.map(([first]) => first)).size).toBe(parts);
    expect([...new Set(shares.flat())].toSorted((one, other) => one - other)).toEqual(trials);
    for (const each of shares) expect(each.length).toBeLessThanOrEqual(Math.ceil(trials.length / parts));
    expect(shareOf(25, parts, "0")).toBe(Math.ceil(25 / parts));
  }
  expect([share(trials, 5, ""), shareOf(25, 5, "")]).toEqual([trials, 25]);
});

test("the fast tests that take turns are files of the fast suite, and no file that asks for a program", () => {
  expect(files.length).toBeGreaterThan(100);
  for (const file of [...files, ...longestFirst, ...slowInThirds, ...Object.values(slowInTurn).flat()])
    expect(existsSync(join(root, file)), file).toBe(true);
  expect(files).toContain("test/core/journal/step.test.ts");
  expect(files).not.toContain("test/memory/store/file-store.test.ts");
  expect(files.filter((file) => file.includes(".slow."))).toEqual([]);
});

test("a third of the long files runs in each check, and each file with each share of its trials", () => {
  const seen = new Map<string, Set<number>>();
  for (const commit of commits) {
    const { left, turn } = partsFor(commit, files);
    const run = slowInThirds.filter((file) => !left.includes(file));
    expect(run).toHaveLength(slowInThirds.length / 3);
    for (const file of run) seen.set(file, (seen.get(file) ?? new Set()).add(turn % 12));
  }
  for (const file of slowInThirds) expect(seen.get(file)?.size, file).toBe(12);
  const inTurn: readonly string[] = Object.values(slowInTurn).flat();
  expect(slowInThirds.filter((file) => inTurn.includes(file))).toEqual([]);
});

test("each slow file that was a fast one has its turn on the bare machine", () => {
  const times = new Map<string, number>();
  for (const commit of commits)
    for (const file of partsFor(commit, files).bare) times.set(file, (times.get(file) ?? 0) + 1);
  expect([...times.keys()].toSorted()).toEqual(slowOnBare.toSorted());
  for (const [file, count] of times) expect(count, file).toBeGreaterThan(commits.length / 12);
  for (const file of slowOnBare) expect(existsSync(join(root, file)), file).toBe(true);
  expect(slowOnBare.filter((file) => !file.endsWith(".slow.test.ts"))).toEqual([]);
});

test("the commit is read without git, too, and there may be none", () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-parts-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = process.env["PATH"];
  process.env["PATH"] = folder;
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  expect(commitOf(folder)).toBe("0".repeat(40));
  const id = "0123456789abcdef".repeat(3).slice(0, 40);
  mkdirSync(join(folder, ".git/refs/heads"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, ".git/packed-refs"), `# pack-refs with: peeled\n${id} refs/heads/main\n`);
  expect(commitOf(folder)).toBe(id);
  const loose = id.replaceAll("0", "f");
  writeFileSync(join(folder, ".git/refs/heads/main"), `${loose}\n`);
  expect(commitOf(folder)).toBe(loose);
  writeFileSync(join(folder, ".git/HEAD"), `${id}\n`);
  expect(commitOf(folder)).toBe(id);
});

test.skipIf(!has("git") || !existsSync(join(root, ".git")))(
  "with git it is the commit that git names (left out: there is no git or no repository)",
  () => {
    expect(commitOf(root)).toBe(execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim());
  },
);
