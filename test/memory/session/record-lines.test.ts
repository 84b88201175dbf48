import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { noSum, readLog, writeLine } from "../../../src/memory/session/record-lines.js";

const records: readonly JournalRecord[] = [
  { type: "input", run: 1, text: 'Grüße, "sum":"0123456789abcdef"} 👋\n', seq: 0, at: 1 },
  { type: "intent", callId: "s/1/call:1:0", seq: 1, at: 2 },
  { type: "outcome", status: "aborted", seq: 2, at: 3 },
];

function written(): readonly string[] {
  let sum = noSum;
  return [{ lastcall: "session", version: 1, id: "s" } as const, ...records].map((value) => {
    const next = writeLine(value, sum);
    ({ sum } = next);
    return next.line;
  });
}

describe("the lines of a log", () => {
  test("say what was written, each a JSON text by itself", () => {
    const lines = written();
    const log = readLog(lines, "It");
    expect(log).toMatchObject({ records, lines: 4, torn: 0, header: { id: "s" } });
    expect(log.sum).toBe((JSON.parse(lines[3]!) as { sum: string }).sum);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("sum");
  });

  test("with any character of them changed are refused, or, in the last line, left out", () => {
    const lines = written();
    for (const [index, line] of lines.entries()) {
      for (let at = 0; at < line.length; at += 1) {
        const other = line[at] === "x" ? "y" : "x";
        const broken = lines.with(index, line.slice(0, at) + other + line.slice(at + 1));
        if (index === lines.length - 1) {
          expect(readLog(broken, "It")).toMatchObject({ records: records.slice(0, -1), torn: line.length });
        } else {
          expect(() => readLog(broken, "It")).toThrow(`It is damaged: line ${String(index + 1)} of 4`);
        }
      }
    }
  });

  test("cut anywhere in the last one lose that one alone", () => {
    const lines = written();
    const last = lines.at(-1)!;
    for (let kept = 1; kept < last.length; kept += 1) {
      const cut = lines.with(-1, last.slice(0, kept));
      expect(readLog(cut, "It")).toMatchObject({ records: records.slice(0, -1), lines: 3, torn: kept });
    }
  });

  test("can't be left out, put elsewhere or taken from another log", () => {
    const [header = "", first = "", second = "", third = ""] = written();
    expect(() => readLog([header, second, third], "It")).toThrow("line 2 of 3 does not have its checksum");
    expect(() => readLog([header, second, first, third], "It")).toThrow("line 2 of 4 does not have its checksum");
    expect(() => readLog([first, second], "It")).toThrow("line 1 of 2 does not have its checksum");
    expect(() => readLog([], "It")).toThrow("It is damaged: it has no first line");
  });

  test("of another version are refused, and it is said what to do", () => {
    const header = { lastcall: "session", version: 2, id: "s" };
    const { line } = writeLine(header as never, noSum);
    expect(() => readLog([line], "It")).toThrow(
      "It has version 2; this lastcall reads version 1. Use the one that wrote it.",
    );
  });
});
