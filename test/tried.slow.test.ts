// The figures of tests on the page "What was tried" are the numbers of tests in the files that each row names.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/what-was-tried.md"), "utf8");

/** The rows whose last column is the files of their tests. */
const rows = page.split("\n").flatMap((line) => {
  const [, what = "", tests = "", files = ""] = line.split(" | ").length === 3 ? line.split("|") : [];
  const named = files.match(/test\/[^`]+/g) ?? [];
  return named.length === 0 ? [] : [{ what: what.trim(), tests: Number(tests), files: named }];
});

interface Listed {
  readonly file: string;
}

test("each row that names files of tests has their number", () => {
  expect(rows.length).toBeGreaterThan(8);
  const files = [...new Set(rows.flatMap((row) => row.files))];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const listed = execFileSync(process.execPath, [vitest, "list", "--json", "--typecheck.enabled=false", ...files], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
    // A check leaves some files to another time; they have their tests all the same.
    env: { ...process.env, TEST_WITHOUT: "", TEST_TURN: "" },
  });
  const tests = JSON.parse(listed.slice(listed.indexOf("["))) as readonly Listed[];
  const inFile = (file: string): number => tests.filter((one) => one.file === join(root, file)).length;
  const counted = rows.map(({ what, files }) => [what, files.reduce((sum, file) => sum + inFile(file), 0)]);
  expect(counted).toEqual(rows.map(({ what, tests }) => [what, tests]));
}, 120_000);
