// Secret files, by kinds: usual names and contents of secrets, and usual files that are none.

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isSecretAt, isSecretFound, suspicionOf } from "../../../src/files/index.js";

interface Case {
  readonly path: string;
  readonly content: string;
  readonly source?: string;
}

function casesIn(name: string): readonly Case[] {
  const text = readFileSync(join(import.meta.dirname, "../../cases/secrets", name), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
}

const planted = casesIn("planted.jsonl");
const ordinary = casesIn("ordinary.jsonl");

/** Writes the files of cases one after the other, and gives the paths of those for which the test is true. */
async function those(
  cases: readonly Case[],
  isOne: (path: string, place: string) => boolean,
): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "lastcall-secrets-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const found: string[] = [];
  for (const [index, { path, content }] of cases.entries()) {
    const place = join(root, String(index), path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
    if (isOne(path, place)) found.push(path);
  }
  return found;
}

test("of more than 110 planted secrets, each is known where a file is looked at", async () => {
  expect(planted.length).toBeGreaterThanOrEqual(110);
  expect(await those(planted, (path, place) => !isSecretAt(path, place))).toEqual([]);
});

test("a walk finds them too, but for a key in a file with the name of source code", async () => {
  expect(await those(planted, (path, place) => !isSecretFound(path, place))).toEqual(["notes.ts"]);
});

test("of 200 usual files at most two are taken for secrets", async () => {
  expect(ordinary.length).toBeGreaterThanOrEqual(200);
  const taken = await those(ordinary, isSecretAt);
  expect(taken.length, taken.join(" ")).toBeLessThanOrEqual(2);
});

test("the name decides if nobody can look: of a pipe, of a file that is gone, and not of a word", async () => {
  expect(isSecretAt(".npmrc", "/nowhere/.npmrc")).toBe(true);
  expect(isSecretAt("password", "/nowhere/password")).toBe(false);
  expect(isSecretAt("data.json", "/nowhere/data.json")).toBe(false);
  expect(suspicionOf("a/.ENV.Local")).toBe("secret");
});
