// The page of all options is what the docstrings and the command's table say.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { rows } from "../src/cli/args/option-table.js";
import { createAgent } from "../src/index.js";
import { optionsPage } from "../scripts/options-page.mjs";

const root = resolve(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/options.md"), "utf8");

test("docs/options.md is current: node scripts/options-page.mjs writes it", async () => {
  expect(await optionsPage(root)).toBe(page);
});

test("it has every option that createAgent knows, and every option of the command", () => {
  const known = "model tools toolSources instructions permission checks maxAttempts limits hooks circuit onText";
  const others = "interactive clip earlyStart maxParallelReads memory secrets runtime";
  for (const name of `${known} ${others}`.split(" ")) expect(page).toContain(`\n| \`${name}\``);
  const wrong = { model: 1, tools: [], nothing: 1 } as never;
  expect(() => createAgent(wrong)).toThrow("nothing");
  for (const name of Object.keys(rows)) expect(page, name).toMatch(new RegExp(`^\\| \`--${name}[ \`]`, "m"));
});
