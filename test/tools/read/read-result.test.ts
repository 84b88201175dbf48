import { expect, test } from "vitest";
import { failClosed, type JournalRecord } from "../../../src/core/index.js";
import { readResult, type ReadResult } from "../../../src/tools/index.js";
import { journal } from "../../core/journal.js";

function read(text: string, input: Partial<ReadResult> = {}): string {
  const records: readonly JournalRecord[] = journal([
    { type: "result", result: { callId: "s/1/call:2:0", name: "look", ok: true, text, shown: "less" } },
  ]);
  const budget = { reserve: () => ({ settle: () => Promise.resolve(), release: () => undefined }) };
  const context = {
    signal: new AbortController().signal,
    callId: "s/1/call:3:0",
    approved: undefined,
    principal: undefined,
    context: undefined,
    budget,
    permission: failClosed,
    decision: { allowed: true, reason: "the test runs it" },
    records,
    note: () => undefined,
    attach: () => undefined,
    ask: () => Promise.reject(new Error("nobody is there")),
    state: undefined,
    path: ["s/1/call:1:0"],
    child: () => Promise.reject(new Error("no agent is run here")),
    background: { look: () => undefined, wait: () => Promise.resolve(), stop: () => Promise.resolve() },
  };
  return readResult().run({ call: "1/call:2:0", ...input }, context) as string;
}

const lines = Array.from({ length: 500 }, (_none, index) => `line ${String(index + 1)}\n`).join("");

test("lines are read, and the end says where to read on", () => {
  expect(read(lines, { from_line: 3, lines: 2 })).toBe(
    "line 3\nline 4\n[Lines 3 to 4 of 500. Read on with from_line 5.]",
  );
  expect(read("a\nb", { from_line: 2 })).toBe("b\n[Lines 2 to 2 of 2.]");
  expect(read(lines, { call: "s/1/call:2:0", from_line: 500 })).toBe("line 500\n[Lines 500 to 500 of 500.]");
});

test("read on and on, it is the whole text", () => {
  for (const text of [lines.repeat(5), `${"long ".repeat(5000)}\nshort\n${"👋".repeat(9001)}`]) {
    let whole = "";
    let next: Partial<ReadResult> = {};
    for (let reads = 0; reads < 20; reads += 1) {
      const said = read(text, next);
      const end = said.lastIndexOf("\n[");
      const part = said.slice(0, end);
      whole += said.startsWith("[", end + 1) && said.includes("[Lines", end) ? `${part}\n` : part;
      const on = /Read on with (from_line|from_character) (\d+)/.exec(said.slice(end));
      if (on === null) break;
      next = { [String(on[1])]: Number(on[2]) };
    }
    expect(whole.replace(/\n$/, "")).toBe(text.replace(/\n$/, ""));
  }
});

test("a missing call, line or character is an error that says so", () => {
  expect(() => read(lines, { call: "1/call:9:0" })).toThrow('No call "1/call:9:0" has a result');
  expect(() => read(lines, { from_line: 501 })).toThrow("The result has 500 lines.");
  expect(() => read("abc", { from_character: 4 })).toThrow("The result has 3 characters.");
});
