// The names that lead to a file: the target of a link with a protected or secret name is protected as the link is.

import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { has } from "../../programs.js";
import { createAgent } from "../../../src/index.js";
import { gate } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../../src/tools/index.js";

/** A folder with files, links (`name -> target`) and hard links (`name = other`). */
async function workspace(entries: readonly string[]): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-names-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const entry of entries) {
    const [, name = entry, how, target = ""] = /^(.+?) (->|=) (.+)$/.exec(entry) ?? [];
    await mkdir(dirname(join(root, name)), { recursive: true });
    if (how === "->") await symlink(target, join(root, name));
    else if (how === "=") await link(join(root, target), join(root, name));
    else await writeFile(join(root, name), "before\n");
  }
  return root;
}

/** The outcome of one call in a folder: its basis, and whether somebody was asked. */
async function judged(root: string, name: string, input: Readonly<Record<string, unknown>>): Promise<string> {
  let asked = 0;
  const permission = gate({ root, approver: () => (asked++, false) });
  const model = scriptedModel([[call(name, input)], [call("task_completion", { result: "ok" })]]);
  const agent = createAgent({ model, tools: [...workspaceTools({ root }), taskCompletion()], permission });
  const { session } = await agent.run("Go.");
  const decision = session.records.find((record) => record.type === "decision");
  if (decision?.type !== "decision") throw new Error("there is no decision");
  return decision.allowed ? "allowed" : asked > 0 ? "asked" : String(decision.basis);
}

const write = (root: string, path: string): Promise<string> => judged(root, "write_file", { path, content: "x\n" });

test.each<readonly [what: string, entries: readonly string[], path: string, expected: string]>([
  ["the target of .mcp.json", ["mcp/list.json", ".mcp.json -> mcp/list.json"], "mcp/list.json", "protected"],
  ["the target of CLAUDE.md", ["docs/ai.md", "CLAUDE.md -> docs/ai.md"], "docs/ai.md", "asked"],
  ["a file in the target of .vscode", ["conf/x", ".vscode -> conf"], "conf/tasks.json", "protected"],
  ["the target of a link in a protected folder", ["t.json", ".vscode/tasks.json -> ../t.json"], "t.json", "protected"],
  ["a target that does not exist yet", ["docs/x", "sub/AGENTS.md -> ../docs/ai.md"], "docs/ai.md", "asked"],
  ["the end of a chain", ["c.md", "b -> c.md", "a -> b", "CLAUDE.md -> a"], "c.md", "asked"],
  [
    "a target behind a link of a folder",
    ["real/ai.md", "docs -> real", "CLAUDE.md -> docs/ai.md"],
    "real/ai.md",
    "asked",
  ],
  ["a hard link", ["list.json", ".mcp.json = list.json"], "list.json", "protected"],
  ["the folder that a file .git names", ["data/HEAD"], "data/hooks/pre-commit", "protected"],
  ["a hook that is a link", ["x.sh", ".git/hooks/pre-commit -> ../../x.sh"], "x.sh", "asked"],
  ["a file beside the target", ["docs/ai.md", "docs/b.md", "CLAUDE.md -> docs/ai.md"], "docs/b.md", "allowed"],
  ["the target of a link with a usual name", ["docs/ai.md", "notes -> docs/ai.md"], "docs/ai.md", "allowed"],
])("writing %s: %s %s is %s", async (_what, entries, path, expected) => {
  const root = await workspace(entries);
  if (path.startsWith("data/")) await writeFile(join(root, ".git"), "gitdir: data\n");
  expect(await write(root, path)).toBe(expected);
});

test("a link on the way to a protected file can't be replaced or removed unasked", async () => {
  const root = await workspace(["real/ai.md", "evil", "docs -> real", "CLAUDE.md -> docs/ai.md"]);
  expect(await judged(root, "delete_file", { path: "docs" })).toBe("asked");
  expect(await judged(root, "move_file", { from: "evil", to: "docs", overwrite: true })).toBe("asked");
});

test.each<readonly [what: string, entries: readonly string[], path: string]>([
  ["the target of .env", ["settings/dev.txt", ".env -> settings/dev.txt"], "settings/dev.txt"],
  ["a link to .env", [".env", "config/dev -> ../.env"], "config/dev"],
  ["a hard link to .env", [".env", "config/dev.txt = .env"], "config/dev.txt"],
  ["the end of a chain from a key", ["c", "b -> c", "id_rsa -> b"], "c"],
  ["a file in the target of .aws", ["cloud/a", ".aws -> cloud"], "cloud/a"],
])("reading %s is asked about, and a search leaves it out", async (_what, entries, path) => {
  const root = await workspace(entries);
  expect(await judged(root, "read_file", { path })).toBe("asked");
  expect(await judged(root, "run_command", { command: `cat ${path}` })).toBe("asked");
  for (const searchWith of [...(has("rg") ? (["ripgrep"] as const) : []), "javascript"] as const) {
    const model = scriptedModel([
      [call("search_files", { pattern: "before" })],
      [call("task_completion", { result: "ok" })],
    ]);
    const agent = createAgent({
      model,
      tools: [...workspaceTools({ root, searchWith }), taskCompletion()],
      permission: gate({ root }),
    });
    const { session } = await agent.run("Go.");
    const result = session.records.find((record) => record.type === "result");
    expect(JSON.stringify(result), searchWith).toContain("[No line matches.]");
  }
});

test("links are seen that were made after the first decision", async () => {
  const root = await workspace(["docs/ai.md", "deep/er/x"]);
  expect(await write(root, "docs/ai.md")).toBe("allowed");
  await symlink("../../docs/ai.md", join(root, "deep/er/CLAUDE.md"));
  expect(await write(root, "docs/ai.md")).toBe("asked");
  await rm(join(root, "deep/er/CLAUDE.md"));
  expect(await write(root, "docs/ai.md")).toBe("allowed");
});
