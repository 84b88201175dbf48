import { describe, expect, test } from "vitest";
import { noUsage } from "../../../src/index.js";
import { callsOf, compare as compareBy } from "../../../src/studio/data/compare-runs.js";
import type { IterationRow } from "../../../src/studio/data/row.js";

function run(...calls: readonly string[]): readonly IterationRow[] {
  return calls.map((name, at) => ({
    ...{ kind: "iteration", seq: at, at, iteration: at + 1, asked: undefined, text: "", finish: "complete", cost: 0 },
    ...{ usage: noUsage, model: undefined, checks: [], failures: [], ended: undefined },
    calls: [{ id: String(at), name, arguments: "{}" }],
  }));
}

const compare = (first: readonly IterationRow[], second: readonly IterationRow[]) => compareBy(first, second, callsOf);

const shown = (first: readonly IterationRow[], second: readonly IterationRow[]): readonly string[] =>
  compare(first, second).pairs.map(
    ({ first: one, second: other, isSame }) =>
      `${one?.calls[0]?.name ?? "."}${isSame ? "=" : "|"}${other?.calls[0]?.name ?? "."}`,
  );

describe("two runs compared", () => {
  test("are the same if they made the same calls", () => {
    const { pairs, divergence } = compare(run("a", "b"), run("a", "b"));
    expect([pairs.length, divergence]).toEqual([2, -1]);
  });

  test("have the iterations side by side that differ, and meet again", () => {
    expect(shown(run("a", "b", "c", "d"), run("a", "x", "d"))).toEqual(["a=a", "b|x", "c|.", "d=d"]);
    expect(compare(run("a", "b", "c", "d"), run("a", "x", "d")).divergence).toBe(1);
  });

  test("differ where one of them ends", () => {
    expect(shown(run("a"), run("a", "b"))).toEqual(["a=a", ".|b"]);
    expect(compare(run("a"), run("a", "b")).divergence).toBe(1);
  });

  test("are compared by what the arguments say, not by their spaces", () => {
    const [one] = run("a");
    const spaced = { ...one!, calls: [{ id: "0", name: "a", arguments: "{ }" }] };
    expect(compare(run("a"), [spaced]).divergence).toBe(-1);
  });
});
