import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { condensedLine } from "../../../src/cli/show/call-line.js";
import { summaryOfResult } from "../../../src/cli/show/summary.js";
import { plain } from "../../../src/cli/display/quantities.js";
import { createAgent, type Call, type Event, type Json } from "../../../src/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { notes, readResult, taskCompletion, workspaceTools } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

/** The lines of calls to the real tools, in this order in one folder. */
async function folded(
  root: string,
  calls: readonly (readonly [string, Readonly<Record<string, Json>>])[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  const open = new Map<string, Call>();
  const onEvent = (event: Event): void => {
    if (event.type === "call-start") open.set(event.call.id, event.call);
    const begun = event.type === "call-end" ? open.get(event.result.callId) : undefined;
    if (event.type === "call-end" && begun !== undefined)
      lines.push(condensedLine(begun, { result: event.result, duration: 5 }, plain));
  };
  const model = scriptedModel([
    ...calls.map(([name, input]) => [call(name, input)]),
    [call("task_completion", { result: "done" })],
  ]);
  const tools = [taskCompletion(), readResult(), ...workspaceTools({ root, searchWith: "javascript" }), ...notes()];
  await createAgent({ model, permission: allowAll(), tools }).run("go", { onEvent });
  return lines;
}

test("a call of a known tool is one line: its arguments and its result", async () => {
  await using folder = await temporary();
  await writeFile(
    join(folder.path, "long.txt"),
    Array.from({ length: 40 }, (_, at) => `line ${String(at)}\n`).join(""),
  );
  const lines = await folded(folder.path, [
    ["write_file", { path: "a.ts", content: "one\ntwo\nthree\n" }],
    ["write_file", { path: "a.ts", content: "one\ntwo\nthree" }],
    [
      "edit_file",
      {
        path: "a.ts",
        edits: [
          { search: "two", replace: "2\n2b" },
          { search: "three", replace: "" },
        ],
      },
    ],
    ["read_file", { path: "a.ts" }],
    ["read_file", { path: "long.txt", from_line: 10, lines: 11 }],
    ["read_file", { path: "long.txt", from_line: 40 }],
    ["list_files", {}],
    ["search_files", { pattern: "line 1", path: "long.txt" }],
    ["search_files", { pattern: "^(one|line 3)", glob: "*.t*" }],
    ["search_files", { pattern: "nothing like it" }],
    ["run_command", { command: "echo a; echo b; exit 3" }],
    ["run_command", { command: "true", working_dir: "." }],
    ["run_command", { command: "kill -9 $$" }],
    ["move_file", { from: "a.ts", to: "b.ts" }],
    ["delete_file", { path: "b.ts" }],
    ["add_note", { text: "It is so." }],
    ["list_notes", {}],
    ["read_result", { call: "call:8:0", from_line: 2, lines: 1 }],
    ["read_file", { path: "b.ts" }],
    ["read_file", { file: "b.ts" }],
  ]);
  expect(lines).toEqual([
    "write_file a.ts → ok new, 3 lines (5 ms)",
    "write_file a.ts → ok replaced, 3 lines (5 ms)",
    "edit_file a.ts → ok 2 edits, +2 −2 (5 ms)",
    "read_file a.ts → ok 3 lines (5 ms)",
    "read_file long.txt lines 10–20 → ok 11 lines, there is more (5 ms)",
    "read_file long.txt from line 40 → ok 1 line (5 ms)",
    "list_files . → ok 2 entries (5 ms)",
    'search_files "line 1" in long.txt → ok 11 matches in 1 file (5 ms)',
    'search_files "^(one|line 3)" *.t* → ok 12 matches in 2 files (5 ms)',
    'search_files "nothing like it" → ok no matches (5 ms)',
    "run_command echo a; echo b; exit 3 → exit 3, 2 lines (5 ms)",
    "run_command true (in .) → ok exit 0, no output (5 ms)",
    "run_command kill -9 $$ → killed by signal SIGKILL, no output (5 ms)",
    "move_file a.ts to b.ts → ok moved (5 ms)",
    expect.stringMatching(/^delete_file b\.ts → ok deleted, \d+ bytes \(5 ms\)$/),
    "add_note It is so. → ok Noted as n1. (5 ms)",
    "list_notes → ok 1 note (5 ms)",
    "read_result call:8:0 line 2 → ok lines 2 to 2 of 12 (5 ms)",
    expect.stringMatching(/^read_file b\.ts → tool_error .*\(5 ms\)$/),
    expect.stringMatching(/^read_file b\.ts → invalid_arguments .* Given: \{"file":"b.ts"\} \(5 ms\)$/),
  ]);
});

test("an unknown tool, and a known one with unknown arguments, has the general summary", () => {
  const line = (name: string, input: Json, text: string): string =>
    condensedLine(
      { type: "call", id: "1", name, input },
      { result: { callId: "1", name, ok: true, text }, duration: 5 },
      plain,
    );
  expect(line("constructor", { a: "x\u001b", b: [1] }, "fine\nand more")).toBe(
    "constructor x\\u{1b} b=[1] → ok fine … 2 lines (5 ms)",
  );
  expect(line("search_files", { pattern: 3 }, "odd")).toBe("search_files 3 → ok odd (5 ms)");
  expect(line("run_command", ["ls"], "odd")).toBe('run_command ["ls"] → ok odd (5 ms)');
  expect(line("edit_file", { path: "a", edits: [1, { search: 2 }] }, "ok")).toBe(
    "edit_file a → ok 2 edits, +0 −0 (5 ms)",
  );
  const unreadable = {
    type: "unreadable-call",
    kind: "truncated",
    id: "1",
    name: "w",
    source: "{",
    problem: "",
  } as const;
  const result = { callId: "1", name: "w", ok: true, text: "" };
  expect(condensedLine(unreadable, { result, duration: 5 }, plain)).toBe("w { → ok  (5 ms)");
});

test("the words of a hook after a result are part of its line", () => {
  const text = "Wrote 3 bytes to a.js (replaced)\n\nAfter this edit, `node --check a.js`: failed (exit code 1).\nmore";
  const name = "write_file";
  const begun: Call = { type: "call", id: "1", name, input: { path: "a.js", content: "a(\n" } };
  expect(condensedLine(begun, { result: { callId: "1", name, ok: true, text }, duration: 5 }, plain)).toBe(
    "write_file a.js → ok replaced, 1 line. After this edit, `node --check a.js`: failed (exit code 1). (5 ms)",
  );
});

test("added and removed lines of a replacement are counted, kept lines are not", () => {
  const counted = (search: string, replace: string): string =>
    summaryOfResult(
      { type: "call", id: "1", name: "edit_file", input: { path: "a", edits: [{ search, replace }] } },
      { callId: "1", name: "edit_file", ok: true, text: "Edited a" },
    );
  expect(counted("a\nb\nc\nd", "a\nB\nc\nd")).toBe("1 edit, +1 −1");
  expect(counted("a\nb\nc\nd\ne", "a\nx\nc\ny\nz\ne")).toBe("1 edit, +3 −2");
  expect(counted("", "a\nb\n")).toBe("1 edit, +2 −0");
});
