import { expect, test } from "vitest";
import { departuresIn } from "../../../src/testing/replay/departures.js";
import type { Fact } from "../../../src/testing/replay/facts.js";

const end = (run: number, words: string): Fact => ({
  kind: "end",
  at: `${String(run)}/end`,
  id: `end ${String(run)}/end 0`,
  name: "",
  fields: { end: words },
});

test("a recorded run that did not begin in the replay is a departure", () => {
  const recorded = [end(1, "completed"), end(2, "completed")];
  expect(departuresIn({ recorded, replayed: [], ran: new Set() })).toMatchObject([{ at: "1/end", follows: ["2/end"] }]);
  expect(departuresIn({ recorded, replayed: recorded.slice(0, 1), ran: new Set() })).toMatchObject([{ at: "2/end" }]);
  expect(departuresIn({ recorded, replayed: recorded, ran: new Set() })).toEqual([]);
});

test("lines that differ in a longer text are shown each for itself", () => {
  const [recorded, replayed] = ["a\nold\nc", "a\nnew\nc"].map((text) => [end(1, text)]) as [Fact[], Fact[]];
  const [first] = departuresIn({ recorded, replayed, ran: new Set() });
  expect(first?.differences.map(({ words }) => words)).toEqual(['end was "old" and is "new"']);
});
