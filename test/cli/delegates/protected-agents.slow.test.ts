// Files of agents are protected: an agent that writes one would instruct the next run.

import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, type ScriptedCall } from "../../../src/testing/index.js";
import { findSandbox } from "../../../src/tools/index.js";
import { reviewer, trust, wordFolder } from "./word-folder.js";

const done = [call("task_completion", { result: "done" })];

/** True if a sandbox works here that keeps single files: Landlock does not. */
const hasSandbox = await keepsFiles();
const noSandbox = hasSandbox ? "" : " (left out: no sandbox works here that keeps single files)";

async function keepsFiles(): Promise<boolean> {
  const root = await mkdtemp(join(tmpdir(), "lastcall-tried-"));
  try {
    await writeFile(join(root, "kept"), "");
    return (await findSandbox({ root, writable: true, readOnly: ["kept"] })).ok;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test.each<[string, ScriptedCall]>([
  ["its own tool", call("write_file", { path: ".lastcall/agents/x.md", content: reviewer })],
  ["moving a file there", call("move_file", { from: "x.md", to: ".lastcall/agents/x.md" })],
  ["a command", call("run_command", { command: "cat x.md > .lastcall/agents/x.md" })],
])("a model that writes an agent by %s is refused, whatever is allowed", async (_how, attempt) => {
  await using folder = await wordFolder();
  await folder.put("x.md", reviewer);
  const { code, stderr } = await folder.on([[attempt], done], ["go", "--yes", "--no-sandbox"]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("denied");
  expect(existsSync(join(folder.path, ".lastcall/agents/x.md"))).toBe(false);
});

test("an agent that --agents names is protected as those in the folder of agents are", async () => {
  await using folder = await wordFolder();
  const path = await folder.put("reviewer.md", reviewer);
  const write = [call("write_file", { path: "reviewer.md", content: "---\ndescription: Evil.\n---\nEvil.\n" })];
  const { code, stderr } = await folder.on([write, done], ["go", "--agents", path, "--yes"]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("denied");
  expect(await readFile(path, "utf8")).toBe(reviewer);
});

test.skipIf(!hasSandbox)(`a command in the sandbox can't write one either${noSandbox}`, async () => {
  await using folder = await wordFolder();
  const trusted = await folder.put(".lastcall/agents/reviewer.md", reviewer);
  const named = await folder.put("named.md", reviewer.replace("---\n", "---\nname: named\n"));
  await trust(folder);
  // The path is hidden from the gate, so that the walls alone decide.
  const line =
    "for f in named.md .lastcall/agents/reviewer.md .lastcall/agents/x.md; do sh -c 'echo evil > \"$0\"' $f; done; true";
  const { code, stderr } = await folder.on(
    [[call("run_command", { command: line })], done],
    ["go", "--agents", trusted, "--agents", named, "--yes"],
  );
  expect(code, stderr).toBe(0);
  expect(await readFile(trusted, "utf8")).toBe(reviewer);
  expect(await readFile(named, "utf8")).toContain("You review with care.");
  expect(existsSync(join(folder.path, ".lastcall/agents/x.md"))).toBe(false);
});
