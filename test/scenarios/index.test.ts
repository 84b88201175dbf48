// Each scenario of the shared corpus has a test here, or a reason why it has none yet.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** The corpus is beside the repository, if it is there at all. */
const corpus = join(import.meta.dirname, "../../../shared/cases/attack-scenarios.jsonl");

const needs = {
  git: "is about the tools of a git server, which are not ours; the gate's reading of git has tests by other ids",
  web: "needs a tool that fetches from the network, which does not exist yet",
};

/** Scenarios without a test, and the reason. */
const later: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "path-052-leading-dash-arg": needs.git,
    "net-ssrf-metadata": needs.web,
    "net-ssrf-loopback-v6": needs.web,
    "net-ssrf-octal": needs.web,
    "net-ssrf-mapped": needs.web,
    "net-ssrf-short": needs.web,
    "net-ssrf-zero": needs.web,
    "net-ssrf-nip": needs.web,
    "net-ssrf-ula": needs.web,
    "net-ssrf-cgnat": needs.web,
    "net-redirect-internal": needs.web,
    "net-dns-rebinding": needs.web,
    "net-userinfo": needs.web,
    "net-scheme-file": needs.web,
    "net-scheme-data-js": needs.web,
    "net-query-exfil": needs.web,
    "net-slow-body": needs.web,
  }),
);

/** The folders whose tests are named after scenarios. */
const folders = [".", "../mcp", "../core/agent"].map((folder) => join(import.meta.dirname, folder));

/** The first words of the test names, including the rows of `test.each` that give them. */
function firstWords(): ReadonlySet<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const tests = files.filter((name) => name.endsWith(".test.ts") && name !== import.meta.filename);
  const texts = tests.map((name) => readFileSync(name, "utf8"));
  const begins = /(?:\b(?:test|it)\(|\)\(|^\s*\[)\s*["'`]([a-z]+(?:-[A-Za-z0-9]+)+)(?=[\s:,"'`])/gm;
  return new Set(texts.flatMap((text) => [...text.matchAll(begins)].map(([, word = ""]) => word)));
}

/** A test name begins with the scenario's whole id, or with its kind and number. */
function isTested(id: string, words: ReadonlySet<string>): boolean {
  return words.has(id) || words.has(/^[a-z]+-\d+(?=-)/.exec(id)?.[0] ?? "");
}

const isThere = existsSync(corpus);

describe.skipIf(!isThere)(`the corpus${isThere ? "" : " (left out: it is not beside the repository)"}`, () => {
  const lines = isThere ? readFileSync(corpus, "utf8").split("\n") : [];
  const ids = lines.filter((line) => line.trim() !== "").map((line) => (JSON.parse(line) as { id: string }).id);
  const words = firstWords();

  test("each scenario has a test, or a reason why it has none", () => {
    expect(ids.filter((id) => !isTested(id, words) && !later.has(id))).toEqual([]);
  });

  test("scenarios left for later have no test", () => {
    expect(ids.filter((id) => isTested(id, words) && later.has(id))).toEqual([]);
  });

  test("scenarios left for later are in the corpus, and no scenario is there twice", () => {
    expect([...later.keys()].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.length).toBeGreaterThan(later.size);
  });
});
