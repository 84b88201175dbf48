import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { noSum, readLog, writeLine } from "../../../src/memory/session/record-lines.js";

const records: readonly JournalRecord[] = [
  { type: "input", run: 1, text: 'Grüße, "sum":"0123456789abcdef"} 👋\n', seq: 0, at: 1 },
  { type: "intent", callId: "s/1/call:1:0", seq: 1, at: 2 },
  { type: "outcome", status: "aborted", seq: 2, at: 3 },
];

/** How a log is read: its last line is whole, or not. */
const [whole, torn] = [false, true].map((isTorn) => ({ id: "s", where: "It", isTorn }));

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
    const log = readLog(lines, whole!);
    expect(log).toMatchObject({ records, lines: 4, header: { id: "s" } });
    expect(log.dropped).toBeUndefined();
    expect(log.sum).toBe((JSON.parse(lines[3]!) as { sum: string }).sum);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("sum");
  });

  test("with any character of them changed are refused, the last one too: it was written to its end", () => {
    const lines = written();
    for (const [index, line] of lines.entries()) {
      for (let at = 0; at < line.length; at += 1) {
        const other = line[at] === "x" ? "y" : "x";
        const broken = lines.with(index, line.slice(0, at) + other + line.slice(at + 1));
        const what = index === 0 ? "It is no log of a session" : "It is damaged";
        expect(() => readLog(broken, whole!)).toThrow(`${what}: line ${String(index + 1)} of 4`);
      }
    }
  });

  test("cut anywhere in the last one lose that one alone", () => {
    const lines = written();
    const last = lines.at(-1)!;
    for (let kept = 1; kept < last.length; kept += 1) {
      const cut = lines.with(-1, last.slice(0, kept));
      expect(readLog(cut, torn!)).toMatchObject({
        records: records.slice(0, -1),
        lines: 3,
        dropped: { characters: kept, what: "had a last line that was not written whole" },
      });
    }
  });

  test("can't be left out, put elsewhere or taken from another log", () => {
    const [header = "", first = "", second = "", third = ""] = written();
    expect(() => readLog([header, second, third], whole!)).toThrow("line 2 of 3 does not have its checksum");
    expect(() => readLog([header, second, first, third], whole!)).toThrow("line 2 of 4 does not have its checksum");
    expect(() => readLog([first, second], whole!)).toThrow("line 1 of 2 does not have its checksum");
    expect(() => readLog([], whole!)).toThrow("It is no log of a session: it has no first line");
  });

  test("of another version are refused, and it is said what to do", () => {
    const header = { lastcall: "session", version: 2, id: "s" };
    const { line } = writeLine(header as never, noSum);
    expect(() => readLog([line], whole!)).toThrow(
      "It has version 2; this lastcall reads version 1. Use the one that wrote it.",
    );
  });

  test("with blank lines after them lose only those, and with a blank line between them are refused", () => {
    for (const blank of [[""], ["", ""], ["\r", "  "]])
      expect(readLog([...written(), ...blank], whole!)).toMatchObject({
        records,
        lines: 4,
        dropped: { what: "had blank lines at its end" },
      });
    expect(() => readLog(written().toSpliced(2, 0, ""), whole!)).toThrow("It is damaged: line 3 of 5 has no checksum");
  });

  test("of another session are refused", () => {
    expect(() => readLog(written(), { ...whole!, id: "other" })).toThrow("It holds another session, s");
  });
});

describe("after a loss of power", () => {
  const kinds = ["input", "decision", "spend", "spend", "intent"] as const;
  const values = kinds.map((type, seq) => ({ type, seq, at: seq, text: "x".repeat(50) }) as unknown as JournalRecord);
  const lines = (): readonly string[] => {
    let sum = noSum;
    return [{ lastcall: "session", version: 1, id: "s" } as const, ...values].map((value) => {
      const next = writeLine(value, sum);
      ({ sum } = next);
      return next.line;
    });
  };
  const hole = (line: string, from: number, to: number): string =>
    line.slice(0, from) + "\0".repeat(to - from) + line.slice(to);

  test("a hole where nothing was flushed is cut, with the lines after it", () => {
    for (const [from, to] of [
      [0, 40],
      [30, 60],
      [0, 70],
    ] as const) {
      const hurt = lines().slice(0, -1);
      const log = readLog(hurt.with(2, hole(hurt[2]!, from, to)), whole!);
      expect(log).toMatchObject({ lines: 2, dropped: { what: "had lines that a loss of power left unfinished" } });
      expect(log.records.map(({ type }) => type)).toEqual(["input"]);
    }
  });

  test("a hole with a flushed record after it is damage, and so is a hole in a flushed record", () => {
    const all = lines();
    expect(() => readLog(all.with(2, hole(all[2]!, 0, 40)), whole!)).toThrow("It is damaged: line 3 of 6");
    expect(() => readLog(all.with(5, hole(all[5]!, 30, 60)), whole!)).toThrow("It is damaged: line 6 of 6");
  });

  test("lines that are changed, and no hole, are damage whatever they are", () => {
    const hurt = lines().slice(0, -1);
    expect(() => readLog(hurt.with(2, hurt[2]!.replace("xx", "xy")), whole!)).toThrow("It is damaged: line 3 of 5");
    const twice = hurt.with(2, hole(hurt[2]!, 0, 40)).with(4, hurt[4]!.replace("xx", "xy"));
    expect(() => readLog(twice, whole!)).toThrow("It is damaged: line 3 of 5");
  });
});
