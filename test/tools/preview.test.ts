// Previews: the change that was shown to the approver is made, or nothing is.

import { appendFile, mkdir, readdir, readFile as read, rm, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../src/core/index.js";
import { deleteFile, editFile, moveFile, workspaceTools, writeFile } from "../../src/tools/index.js";
import { call, makeFolder } from "./fixture.js";

const signal = new AbortController().signal;

async function preview<Input>(tool: Tool<string, Input>, input: Input): Promise<string> {
  return (await tool.preview?.(input, signal)) ?? "no preview";
}

/** Runs the tool with a copy of the input that was previewed, as the loop does. */
async function run<Input>(tool: Tool<string, Input>, input: Input): Promise<unknown> {
  const context = {
    signal,
    callId: "call_1",
    approved: input,
    budget: undefined,
    permission: undefined,
    records: [],
    note: () => undefined,
  };
  return tool.run(structuredClone(input), context as never);
}

test("a change shows as a diff, a new file whole, a deletion and a move in words", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "one\ntwo\n");
  const edits = [{ search: "two", replace: "2" }];
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2";
  expect(await preview(editFile({ root }), { path: "a.txt", edits })).toBe(diff);
  expect(await preview(writeFile({ root }), { path: "./a.txt", content: "one\n2\n" })).toBe(diff);
  expect(await preview(writeFile({ root }), { path: "a.txt", content: "one\ntwo\n" })).toBe("a.txt stays as it is");
  expect(await preview(writeFile({ root }), { path: "b/c.txt", content: "new\n" })).toBe(
    "new file b/c.txt\n--- /dev/null\n+++ b/b/c.txt\n@@ -0,0 +1 @@\n+new",
  );
  expect(await preview(deleteFile({ root }), { path: "a.txt" })).toBe("deletes a.txt (8 bytes)");
  expect(await preview(moveFile({ root }), { from: "a.txt", to: "b/c.txt" })).toBe("moves a.txt to b/c.txt");
  await write(join(root, "b.bin"), Buffer.from([0xff, 0]));
  expect(await preview(writeFile({ root }), { path: "b.bin", content: "x" })).toMatch(
    /^replaces what is not UTF-8 text \(2 bytes\)\n/,
  );
  expect(await preview(moveFile({ root }), { from: "a.txt", to: "b.bin", overwrite: true })).toBe(
    "moves a.txt to b.bin, and replaces the file there (2 bytes)",
  );
  expect((await readdir(root)).sort()).toEqual(["a.txt", "b.bin"]);
});

test("a preview throws what the run would", async () => {
  const root = await makeFolder();
  await mkdir(join(root, "src/x"), { recursive: true });
  await write(join(root, "a.txt"), "aa");
  const calls: readonly (readonly [Tool, object])[] = [
    [writeFile({ root }), { path: "../x", content: "" }],
    [writeFile({ root }), { path: "src", content: "" }],
    [editFile({ root }), { path: "a.txt", edits: [{ search: "a", replace: "b" }] }],
    [editFile({ root }), { path: "b.txt", edits: [{ search: "a", replace: "b" }] }],
    [moveFile({ root }), { from: "a.txt", to: "src" }],
    [deleteFile({ root }), { path: "src" }],
  ];
  for (const [tool, input] of calls) {
    const shown = await preview(tool, input).catch((thrown: unknown) => String(thrown));
    expect(shown).toMatch(/^Error: /);
    expect(await call(tool, input).catch((thrown: unknown) => String(thrown))).toBe(shown);
  }
});

describe("a file that has changed since its preview is left unchanged", () => {
  const words = "has changed since it was shown to whoever approved, so nothing was done. Look again.";

  test("by an edit, though its search still fits", async () => {
    const root = await makeFolder();
    await write(join(root, "a.txt"), "one\ntwo\n");
    const tool = editFile({ root });
    const input = { path: "a.txt", edits: [{ search: "two", replace: "2" }] };
    await preview(tool, input);
    await appendFile(join(root, "a.txt"), "three\n");
    await expect(run(tool, input)).rejects.toThrow(`a.txt ${words}`);
    expect(await read(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    await preview(tool, input);
    await run(tool, input);
    expect(await read(join(root, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  });

  test("by a write, where a file came up or another was there", async () => {
    const root = await makeFolder();
    const tool = writeFile({ root });
    const input = { path: "a.txt", content: "mine" };
    await preview(tool, input);
    await write(join(root, "a.txt"), "theirs");
    await expect(run(tool, input)).rejects.toThrow(words);
    await preview(tool, input);
    await rm(join(root, "a.txt"));
    await expect(run(tool, input)).rejects.toThrow(words);
    expect(await readdir(root)).toEqual([]);
  });

  test("if the path leads elsewhere by now, even to the same content", async () => {
    const root = await makeFolder();
    for (const name of ["x", "y"]) {
      await mkdir(join(root, name));
      await write(join(root, name, "a.txt"), "same");
    }
    await symlink("x", join(root, "way"));
    const tool = writeFile({ root });
    const input = { path: "way/a.txt", content: "mine" };
    await preview(tool, input);
    await rm(join(root, "way"));
    await symlink("y", join(root, "way"));
    await expect(run(tool, input)).rejects.toThrow(words);
    expect(await read(join(root, "y/a.txt"), "utf8")).toBe("same");
  });

  test("by a move and a deletion", async () => {
    const root = await makeFolder();
    await write(join(root, "a.txt"), "a");
    const move = moveFile({ root });
    const input = { from: "a.txt", to: "b.txt", overwrite: true };
    await preview(move, input);
    await write(join(root, "b.txt"), "b");
    await expect(run(move, input)).rejects.toThrow(`a.txt or b.txt ${words}`);
    const remove = deleteFile({ root });
    const path = { path: "a.txt" };
    await preview(remove, path);
    await write(join(root, "a.txt"), "c");
    await expect(run(remove, path)).rejects.toThrow(words);
    expect((await readdir(root)).sort()).toEqual(["a.txt", "b.txt"]);
  });

  test("and what was shown for another input, or not at all, binds nobody", async () => {
    const root = await makeFolder();
    const tool = writeFile({ root });
    await preview(tool, { path: "a.txt", content: "mine" });
    await write(join(root, "a.txt"), "theirs");
    await run(tool, { path: "a.txt", content: "mine" });
    expect(await read(join(root, "a.txt"), "utf8")).toBe("mine");
  });
});

test("every tool says what a call concerns, with the paths as they were given", async () => {
  const tools = workspaceTools({ root: await makeFolder() });
  const reach = (at: number, input: object): unknown => (tools[at] as Tool).reach?.(input);
  expect(reach(0, { path: "./a/../b" })).toEqual({ reads: ["./a/../b"] });
  expect(reach(1, { path: "a", content: "" })).toEqual({ writes: ["a"] });
  expect(reach(2, { path: "a", edits: [] })).toEqual({ reads: ["a"], writes: ["a"] });
  expect(reach(3, {})).toEqual({ reads: ["."] });
  expect(reach(4, { pattern: "x" })).toEqual({ reads: ["."] });
  expect(reach(4, { pattern: "x", path: "src" })).toEqual({ reads: ["src"] });
  expect(reach(5, { from: "a", to: "b" })).toEqual({ reads: ["a"], writes: ["a", "b"] });
  expect(reach(6, { path: "a" })).toEqual({ writes: ["a"] });
});
