// More than 110 planted secrets and 200 usual files before the gate: no file tool reads a secret unasked, and usual files are read.

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { has } from "../programs.js";
import { createAgent, type FrozenCall } from "../../src/index.js";
import { gate } from "../../src/permission/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";

interface Case {
  readonly path: string;
  readonly content: string;
}

/** The files of a list in one folder, each in a folder of its own. */
async function filesOf(name: string): Promise<{ readonly root: string; readonly paths: readonly string[] }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-planted-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const lines = readFileSync(join(import.meta.dirname, "../cases/secrets", name), "utf8")
    .trim()
    .split("\n");
  const cases = lines.map((line) => JSON.parse(line) as Case);
  const paths = cases.map(({ path }, index) => `${String(index)}/${path}`);
  for (const [index, path] of paths.entries()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), cases[index]?.content ?? "");
  }
  return { root, paths };
}

/** The files that nobody was asked about before they were read, by a tool and by a command. */
async function unaskedOf(
  root: string,
  paths: readonly string[],
  read: (path: string) => FrozenCall,
): Promise<readonly string[]> {
  let isAsked = false;
  const permission = gate({ root, tier: "read-only", approver: () => ((isAsked = true), false) });
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const unasked: string[] = [];
  for (const path of paths) {
    isAsked = false;
    const { allowed } = await permission.decide(read(path), deciding);
    if (allowed && !isAsked) unasked.push(path);
  }
  return unasked;
}

const reading = (path: string): FrozenCall => ({
  id: "1",
  name: "read_file",
  effect: "read",
  input: { path },
  reach: { reads: [path] },
});
const printing = (path: string): FrozenCall => {
  const command = `cat '${path}'`;
  return { id: "1", name: "run_command", effect: "execute", input: { command }, reach: { command } };
};

test.each([
  ["read_file", reading],
  ["cat", printing],
])("%s reads none of the planted secrets unasked", async (_name, read) => {
  const { root, paths } = await filesOf("planted.jsonl");
  expect(paths.length).toBeGreaterThanOrEqual(110);
  expect(await unaskedOf(root, paths, read)).toEqual([]);
});

test.each<readonly [name: string, read: typeof reading]>([
  ["read_file", reading],
  ...(has("cat") ? [["cat", printing] as const] : []),
])("%s reads all but two of 200 usual files unasked", async (_name, read) => {
  const { root, paths } = await filesOf("ordinary.jsonl");
  const unasked = await unaskedOf(root, paths, read);
  expect(paths.length).toBeGreaterThanOrEqual(200);
  expect(paths.filter((path) => !unasked.includes(path)).length).toBeLessThanOrEqual(2);
});

test.each([...(has("rg") ? (["ripgrep"] as const) : []), "javascript"] as const)(
  "search_files shows nothing of the planted secrets with %s",
  async (searchWith) => {
    const { root } = await filesOf("planted.jsonl");
    const model = scriptedModel([
      [call("search_files", { pattern: "PLANT" })],
      [call("task_completion", { result: "ok" })],
    ]);
    const agent = createAgent({
      model,
      tools: [...workspaceTools({ root, searchWith }), taskCompletion()],
      permission: gate({ root }),
    });
    const { session } = await agent.run("Go.");
    const result = session.records.find((record) => record.type === "result");
    expect(result?.type === "result" && result.result.text).toBe("[No line matches.]");
  },
);
