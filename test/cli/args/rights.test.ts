// Tests of the gate that the command makes from its rights.

import { join } from "node:path";
import { expect, test } from "vitest";
import { findShell, permissionFor } from "../../../src/cli/args/rights.js";
import { nobody } from "../../../src/cli/person/approver.js";
import { createAgent } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

const rights = {
  tier: "workspace-write",
  mode: "allow-all",
  allow: [],
  deny: [],
  dryRun: false,
  shell: "host",
} as const;

/** True if a `write_file` call for the path fails while these paths are guarded. */
async function isRefused(path: string, guarded: (root: string) => readonly string[]): Promise<boolean> {
  await using folder = await temporary();
  const root = folder.path;
  const permission = permissionFor(rights, {
    root,
    guarded: guarded(root),
    modules: [],
    asked: [],
    approver: nobody().approver,
  });
  const model = scriptedModel([
    [call("write_file", { path, content: "x" })],
    [call("task_completion", { result: "ok" })],
  ]);
  const tools = [...workspaceTools({ root }), taskCompletion()];
  const { session } = await createAgent({ model, tools, permission }).run("go");
  return session.records.some((record) => record.type === "result" && record.result.failure?.kind === "denied");
}

test.each(["settings.json", "..cfg", "..cfg/log.txt", "a/log.txt"])(
  "a guarded path inside the folder is not written: %s",
  async (path) => {
    expect(await isRefused(path, (root) => [join(root, path)])).toBe(true);
  },
);

test("a path that is not guarded is written", async () => {
  expect(await isRefused("free.txt", (root) => [join(root, "..cfg"), join(root, ".."), root, "/etc/passwd"])).toBe(
    false,
  );
});

test("the notice says if a sandbox lacks walls, so that commands are asked about all the same", async () => {
  await using folder = await temporary();
  const needs = { root: folder.path, guarded: [], modules: [] };
  const { shell, notice } = await findShell(needs, { ...rights, shell: "sandbox" });
  const walls = ["files", "protected", "network", "home", "secrets"] as const;
  const isWhole = walls.every((wall) => shell.walls.includes(wall));
  expect(notice.includes("asked about all the same")).toBe(shell.walls.length > 0 && !isWhole);
  const open = await findShell(needs, { ...rights, shell: "sandbox-with-network" });
  expect(open.notice.includes("asked about all the same")).toBe(open.shell.walls.length > 0);
});
