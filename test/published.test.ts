// Pages name what a registry has under our names once it is ours, and not before.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { isPublished } from "../scripts/published.mjs";

const root = resolve(import.meta.dirname, "..");
const folders = [
  "docs",
  "docs/guide",
  "examples",
  "create-lastcall",
  ...readdirSync(join(root, "templates")).map((name) => `templates/${name}`),
];
const pages = ["README.md", ...folders.flatMap(pagesIn)];

function pagesIn(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
  return names.map((name) => `${folder}/${name}`);
}

test("pages say npm install lastcall if it is published, and only then", () => {
  const lines = /\b(?:npm (?:install|i)|pnpm add|yarn add|bun add)(?: -g| --global)? lastcall\b(?!-)/;
  const named = pages.filter((page) => lines.test(readFileSync(join(root, page), "utf8")));
  expect(named.length > 0).toBe(isPublished);
});

test("pages say npm create lastcall if it is published, and only then", () => {
  const lines =
    /\b(?:npm (?:create|init)|pnpm create|yarn create|bun create) lastcall\b|\bnpx (?:--yes )?create-lastcall\b/;
  const named = pages.filter((page) => lines.test(readFileSync(join(root, page), "utf8")));
  expect(named.length > 0).toBe(isPublished);
});
