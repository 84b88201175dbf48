// Each page of the docs has just one place on the site.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { placed, unplaced } from "../../site/structure.mjs";
import { pagesOf } from "../../site/sync.mjs";

const root = resolve(import.meta.dirname, "../..");

test("every page of docs and of the guide has a place on the site, and each place has a file", () => {
  const files = pagesOf();
  expect(files.length).toBeGreaterThan(40);
  expect(unplaced(files)).toEqual([]);
  expect(placed().filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
});

test("no page stands in two places, and no two pages have one address", () => {
  const pages = placed();
  expect(new Set(pages.map(({ file }) => file)).size).toBe(pages.length);
  expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
});

test("a page without a place is named", () => {
  expect(unplaced(["docs/limits.md", "docs/of-tomorrow.md"])).toEqual(["docs/of-tomorrow.md"]);
});

test("an address has the section and the file's name without its number", () => {
  const idOf = (file: string): string | undefined => placed().find((page) => page.file === file)?.id;
  expect(idOf("docs/guide/2-tools.md")).toBe("build/tools");
  expect(idOf("docs/limits.md")).toBe("build/limits");
  expect(idOf("CHANGELOG.md")).toBe("reference/changes");
});
