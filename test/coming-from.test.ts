// The pages for people who come from another library have the same parts, and name the packages that they were tried with.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comingFrom, versionOf } from "../bench/peers/index.mjs";
import { namesOf, ownNamesOf, pageFor, printedOn, rowsOf, theirProgram } from "./coming-from.js";

test("there is a page for each library, with the version that its program was tried with", () => {
  expect(comingFrom.length).toBe(5);
  for (const peer of comingFrom)
    expect(pageFor(peer)).toContain(`(\`${Object.keys(peer.packages)[0] ?? ""}\` ${versionOf(peer)})`);
});

test.each(comingFrom)("the page for $name has the same program twice, once with the words of its library", (peer) => {
  const page = pageFor(peer);
  const blocks = [...page.matchAll(/^```(\w.*)$/gm)].map(([, kind]) => kind);
  expect(blocks).toEqual([`ts ${peer.name}`, "ts", "text"]);
  expect(theirProgram(peer)).not.toContain("lastcall");
  expect(printedOn(peer)).toMatch(/^I look at the order\.\nrefund \d+ cents\?\n/);
});

test.each(comingFrom)("the page for $name is short, and each row of its table leads to a page of ours", (peer) => {
  const page = pageFor(peer);
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(130);
  const rows = rowsOf(peer);
  expect(rows.length).toBeGreaterThanOrEqual(12);
  expect(rows.length).toBeLessThanOrEqual(20);
  expect(rows.filter(({ here }) => !here.includes(".md"))).toEqual([]);
  expect(namesOf(peer).length).toBeGreaterThanOrEqual(20);
  for (const part of ["## Nicer there", "**No counterpart here:**", "## Habits that mislead", "\n3. **"])
    expect(page).toContain(part);
});

test("the names of ours in the tables are names of the sources", () => {
  const src = join(import.meta.dirname, "../src");
  const texts = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const names = [...new Set(comingFrom.flatMap(ownNamesOf))].filter((name) => name !== "useChat");
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
});
