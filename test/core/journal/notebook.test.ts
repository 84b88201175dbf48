import { describe, expect, test } from "vitest";
import { notesIn, type JournalRecord, type Note } from "../../../src/core/index.js";
import { describeNotes, noteLine } from "../../../src/core/internal.js";
import { input, journal } from "../journal.js";

const note = (id: string, text: string, more: Partial<Note> = {}): Note => {
  return { id, text, tags: [], scratched: false, ...more };
};

/** A session in which these notes were written, one call after the other; it begins with the first ones. */
function session(begun: readonly Note[], ...written: readonly (readonly Note[])[]): JournalRecord[] {
  const results = written.map((notes, index) => {
    const result = { callId: `c${String(index)}`, name: "note", ok: true, text: "", notes };
    return { type: "result", result } as const;
  });
  return [...journal([{ type: "input", run: 1, text: "go", notes: begun }, ...results])];
}

describe("the notes of a session", () => {
  test("are those that it began with and those that its calls wrote, the latest at the end", () => {
    const { all, current, next } = notesIn(session([note("n1", "one")], [note("n2", "two"), note("n3", "three")]));
    expect([...all.keys()]).toEqual(["n1", "n2", "n3"]);
    expect([...current.keys()]).toEqual(["n1", "n2", "n3"]);
    expect(next).toBe("n4");
  });

  test("stand as they were written last: one that was changed moves to the end", () => {
    const { all, ids } = notesIn(session([note("n1", "one"), note("n2", "two")], [note("n1", "uno")]));
    expect([...all.values()].map(({ text }) => text)).toEqual(["two", "uno"]);
    expect([ids.get("uno"), ids.get("two"), ids.get("one")]).toEqual(["n1", "n2", undefined]);
  });

  test("that were scratched are kept and not current, until they are written again", () => {
    const scratched = [note("n1", "one", { scratched: true })];
    const before = notesIn(session([note("n1", "one"), note("n2", "two")], scratched));
    expect([[...before.all.keys()], [...before.current.keys()]]).toEqual([["n2", "n1"], ["n2"]]);
    const after = notesIn(session([note("n1", "one")], scratched, [note("n1", "one again")]));
    expect([...after.current.values()]).toEqual([note("n1", "one again")]);
  });

  test("are numbered on from the highest, whatever other ids there are", () => {
    expect(notesIn([]).next).toBe("n1");
    expect(notesIn(session([note("n7", "seven"), note("plan", "p"), note("n3", "three")])).next).toBe("n8");
  });

  test("of records that have grown are folded on, and say the same as folded anew", () => {
    const records = session([note("n1", "one")], [note("n2", "two")]);
    const growing = records.slice(0, 1);
    expect([...notesIn(growing).all.keys()]).toEqual(["n1"]);
    growing.push(...records.slice(1));
    expect([...notesIn(growing).all]).toEqual([...notesIn([...records]).all]);
    growing.length = 1;
    expect([...notesIn(growing).all.keys()]).toEqual(["n1"]);
  });

  test("are none in records without any", () => {
    expect(notesIn(journal([input(1, "go")])).all.size).toBe(0);
  });
});

describe("what the model reads of its notes", () => {
  test("is a line for each, the latest first", () => {
    expect(noteLine(note("n1", "one", { tags: ["a", "b"], scratched: true }))).toBe("n1 [scratched, a, b]: one");
    const lines = describeNotes([note("n1", "one"), note("n2", "two", { tags: ["a"] })])?.split("\n");
    expect(lines?.slice(1)).toEqual(["n2 [a]: two", "n1: one"]);
  });

  test("is nothing without notes", () => {
    expect(describeNotes([])).toBeUndefined();
  });

  test("goes into its room: the oldest are left out, and their number is told", () => {
    const notes = Array.from({ length: 50 }, (_none, index) => note(`n${String(index + 1)}`, "x".repeat(50)));
    const text = describeNotes(notes, 1000) ?? "";
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text.length).toBeGreaterThan(900);
    const shown = text.split("\n").filter((line) => line.startsWith("n"));
    expect(shown[0]).toMatch(/^n50:/);
    expect(text).toContain(`${String(50 - shown.length)} older`);
  });
});
