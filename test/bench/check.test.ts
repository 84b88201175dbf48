import { describe, expect, test } from "vitest";
import { check, keptRatios, missedLimits } from "../../bench/figures/index.mjs";
import { measuredAt, row } from "./row.js";

const rows = [row("n200")];
const kept = keptRatios(measuredAt(0.7, 0.75, 0.8), rows);

describe("the check of the bench", () => {
  test("keeps the median of the ratios, and the width of their range as noise", () => {
    expect(kept).toEqual({ n200: { lastcall: { cpu: { ratio: 0.75, band: 0.133 } } } });
  });

  test("takes a tenth as noise even if the rounds agree", () => {
    expect(keptRatios(measuredAt(0.5, 0.5), rows)).toEqual({ n200: { lastcall: { cpu: { ratio: 0.5, band: 0.1 } } } });
  });

  test("fails beyond the band, and names the row, both ratios and the band", () => {
    expect(check(measuredAt(0.9, 0.85, 1.1), kept, rows)).toEqual({
      problems: [
        "n200, lastcall, cpu: the ratio to the loop by hand is 0.90 (0.85 to 1.10); the kept ratio is 0.75, its band 13 %, so at most 0.85 is noise.",
      ],
      notes: [],
    });
  });

  test("passes inside the band, also if one round was far beyond it", () => {
    expect(check(measuredAt(0.8, 0.84, 3), kept, rows)).toEqual({ problems: [], notes: [] });
  });

  test("notes a ratio that got better, and one that is not kept", () => {
    expect(check(measuredAt(0.4, 0.4, 0.4), kept, rows)).toEqual({
      problems: [],
      notes: [expect.stringContaining("n200, lastcall, cpu: better than kept, 0.40 (0.40 to 0.40)")],
    });
    expect(check(measuredAt(0.7), {}, rows).notes).toEqual(["n200, lastcall, cpu: no ratio is kept."]);
  });

  test("does not judge another version of the openai package, nor rows that were not measured", () => {
    const measured = { n200: { hand: { cpu: [1] }, "hand-7.57.0": { cpu: [9] } } };
    expect(check(measured, kept, [...rows, row("n50")])).toEqual({ problems: [], notes: [] });
  });

  test("a figure over its row's limit fails without a kept ratio", () => {
    const startup = row("startup", { judged: [], limits: { import: 30 } });
    expect(missedLimits({ startup: { lastcall: { import: [29, 30, 90] } } }, [startup])).toEqual([]);
    expect(check({ startup: { lastcall: { import: [29, 31, 90] } } }, {}, [startup]).problems).toEqual([
      "startup, lastcall, import: 31.00 is over the limit of 30.",
    ]);
  });
});
