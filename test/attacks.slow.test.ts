// Attacks on the gate: the shared cases where they are, and our own.

import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { expect, test } from "vitest";
import { countsOf, lineOf, readAttacks, tryAll } from "../scripts/attacks/index.mjs";
import { createAgent, redactor } from "../src/index.js";
import { gate } from "../src/permission/index.js";
import { call, scriptedModel } from "../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../src/tools/index.js";

const root = resolve(import.meta.dirname, "..");
const library = { createAgent, redactor, scriptedModel, call, gate, workspaceTools, taskCompletion };
const files = [
  resolve(root, "../shared/cases/attacks.jsonl"),
  // On rules with a * for commands that run checks.
  resolve(root, "test/cases/attacks/runners.jsonl"),
  resolve(root, "test/cases/attacks/own.jsonl"),
];

for (const file of files) {
  const isHere = existsSync(file);
  const why = isHere ? "" : " (left out: it is not beside the repository)";
  test.skipIf(!isHere)(`every attack of ${basename(file)} ends as it should${why}`, { timeout: 300_000 }, async () => {
    const cases = readAttacks([file]);
    expect(cases.length).toBeGreaterThan(0);
    const results = await tryAll(cases, library);
    console.log(`${basename(file)}: ${countsOf(results)}`);
    expect(results.filter(({ problem }) => problem !== undefined).map(lineOf)).toEqual([]);
  });
}

test("the page of figures counts our own cases by what they expect", () => {
  const page = readFileSync(resolve(root, "docs/what-was-tried.md"), "utf8");
  const cases = readAttacks([resolve(root, "test/cases/attacks/own.jsonl")]);
  const countOf = (expected: string): number => cases.filter(({ expect: one }) => one === expected).length;
  for (const [expected, words] of [
    ["ask", "a question"],
    ["deny", "a refusal"],
    ["allow", "that a harmless call"],
  ] as const)
    expect(page.split("\n").find((line) => line.includes(`| ${words}`))).toMatch(
      new RegExp(`^\\| ${String(countOf(expected))} `),
    );
});
