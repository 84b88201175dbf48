// Each scenario of the shared corpus has a test here, or a reason why it has none yet.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** The corpus is beside the repository, if it is there at all. */
const corpus = join(import.meta.dirname, "../../../shared/cases/attack-scenarios.jsonl");

const needs = {
  mcp: "needs an MCP client, which does not exist yet",
  web: "needs a tool that fetches from the network, which does not exist yet",
  server: "needs a server of our own, which does not exist yet",
};

/** Scenarios without a test, and the reason. */
const later: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "path-052-leading-dash-arg": needs.mcp,
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
    "mcp-001-tool-poisoning": needs.mcp,
    "mcp-002-rug-pull": needs.mcp,
    "mcp-006-shadowing": needs.mcp,
    "mcp-007-builtin-shadow": needs.mcp,
    "mcp-009-list-changed-between-gate-and-call": needs.mcp,
    "mcp-010-huge-tool-list": needs.mcp,
    "mcp-013-schema-remote-ref": needs.mcp,
    "mcp-015-schema-proto": needs.mcp,
    "mcp-018-result-binary": needs.mcp,
    "mcp-020-server-hangs": needs.mcp,
    "mcp-022-stdout-noise": needs.mcp,
    "mcp-023-giant-line": needs.mcp,
    "mcp-025-response-wrong-id": needs.mcp,
    "mcp-028-auth-endpoint-injection": needs.mcp,
    "mcp-030-invisible-unicode-description": needs.mcp,
    "mcp-031-cross-server-instruction": needs.mcp,
    "mcp-032-localhost-origin": needs.server,
  }),
);

/** The first words of the test names, including the rows of `test.each` that give them. */
function firstWords(): ReadonlySet<string> {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".test.ts") && name !== "index.test.ts",
  );
  const texts = files.map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
  const begins = /(?:\btest\(|\)\(|^\s*\[)\s*["'`]([a-z]+(?:-[A-Za-z0-9]+)+)(?=[\s:"'`])/gm;
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
