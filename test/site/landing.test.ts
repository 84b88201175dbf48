// The figures of the landing page are on the pages that it names, and its code and its demo are in the repository.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { claims, demo, falseCompletions, firstProgram, kills } from "../../site/landing.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("the table of kills has all rows of its page, as they are", () => {
  const page = read("docs/what-was-tried.md").replaceAll("`", "");
  expect(kills().length).toBeGreaterThan(8);
  for (const { broken, times } of kills()) expect(page).toMatch(new RegExp(`^\\| ${broken} +\\| +${times} \\|`, "m"));
});

test("the table of false completions has all rows of its page, as they are", () => {
  const { tasks, rows } = falseCompletions();
  expect(Number(tasks)).toBeGreaterThan(10);
  const page = read("docs/how-often-is-done-not-done.md").replaceAll("`", "");
  for (const { name, figures } of rows)
    expect(page).toMatch(new RegExp(`^\\| ${name} +\\| +${figures.join(" \\| +")} \\|`, "m"));
  expect(rows.some(({ name }) => name.startsWith("AI SDK"))).toBe(true);
});

test("the program is the first of the README, which a test compiles and runs", () => {
  expect(read("README.md")).toContain(`\`\`\`ts\n${firstProgram()}\n\`\`\``);
});

test("of the three claims of the demo two are refused, each with its reason", () => {
  expect(claims().map(({ kind }) => kind)).toEqual(["bad", "bad", "good"]);
  for (const { words } of claims().slice(0, 2)) expect(words).toMatch(/^Not accepted, because /);
  expect(demo().filter(({ kind }) => kind === "plain").length).toBeLessThan(demo().length / 2);
});
