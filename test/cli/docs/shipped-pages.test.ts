import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { allPages } from "../../../scripts/all-pages.mjs";
import { likelyPage, pageNamed, shippedPages } from "../../../src/cli/docs/shipped-pages.js";

const root = resolve(import.meta.dirname, "../../..");
const pages = shippedPages();

test("llms.txt lists every page that ships, once", () => {
  const inFolder = (folder: string): readonly string[] =>
    readdirSync(resolve(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const skills = existsSync(resolve(root, "skills")) ? inFolder("skills") : [];
  const there = [
    "README.md",
    "SECURITY.md",
    "SKILL.md",
    "examples/README.md",
    ...inFolder("docs").filter((path) => path !== "docs/README.md"),
    ...inFolder("docs/guide"),
    ...skills,
  ];
  expect(pages.map(({ path }) => path).sort()).toEqual([...there].sort());
});

test("docs/README.md is that list for people: node scripts/all-pages.mjs writes it", () => {
  expect(readFileSync(resolve(root, "docs/README.md"), "utf8")).toBe(allPages());
});

test("no two pages have one name or one title, and each has a line about it", () => {
  for (const of of ["name", "title", "about"] as const)
    expect(new Set(pages.map((page) => page[of])).size).toBe(pages.length);
  expect(pages.every(({ about }) => about.length > 10 && about.length < 120)).toBe(true);
});

test.each([
  ["limits", "docs/limits.md"],
  ["docs/limits.md", "docs/limits.md"],
  ["./docs/limits.md", "docs/limits.md"],
  ["../limits.md", "docs/limits.md"],
  ["README", "README.md"],
  ["skill", "SKILL.md"],
  ["guide/5-checks", "docs/guide/5-checks.md"],
  ["5-checks.md", "docs/guide/5-checks.md"],
  ["checks", "docs/guide/5-checks.md"],
  ["sessions", "docs/sessions.md"],
  ["guide/README", "docs/guide/README.md"],
])("%s is the name of %s", (word, path) => {
  expect(pageNamed(pages, word)?.path).toBe(path);
});

test("a slip in a name has a page that was most likely meant, and other words have none", () => {
  expect(likelyPage(pages, "limts")).toBe("limits");
  expect(likelyPage(pages, "sesions.md")).toBe("sessions");
  expect(likelyPage(pages, "zebra")).toBeUndefined();
  expect(pageNamed(pages, "__proto__")).toBeUndefined();
});

test("SKILL.md begins as Agent Skills do: a name and a description, short enough for each of their readers", () => {
  const [, matter = ""] = /^---\n([^]*?)\n---\n/.exec(pages.find(({ name }) => name === "SKILL")?.text ?? "") ?? [];
  const { name, description, ...others } = parse(matter) as Readonly<Record<string, string>>;
  expect({ name, others }).toEqual({ name: "lastcall", others: {} });
  expect(description?.length).toBeLessThanOrEqual(1024);
  expect(description).toContain("Use it when");
});

test("a package without its pages says so, with the missing file", () => {
  expect(() => shippedPages(pathToFileURL(`${import.meta.dirname}/`))).toThrow("there is no llms.txt in its package");
});
