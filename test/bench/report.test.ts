import { describe, expect, test } from "vitest";
import { short, tables, withRange } from "../../bench/figures/index.mjs";
import { measuredAt, row } from "./row.js";

const words = {
  rows: [row("n200", { title: "N = 200" }), row("cold", { title: "cold", mode: "cold" })],
  clients: { hand: { title: "by hand" }, lastcall: { title: "lastcall" } },
  metrics: { first: { title: "first request", unit: "ms" } },
};

describe("the report of the bench", () => {
  test("numbers have about three digits that count", () => {
    expect([0.123, 1.5, 12.34, 1234.5].map(short)).toEqual(["0.12", "1.50", "12.3", "1,235"]);
  });

  test("a median stands with its range, unless the range is nothing that shows", () => {
    expect(withRange({ median: 1, low: 0.9, high: 1.2 })).toBe("1.00 (0.90 to 1.20)");
    expect(withRange({ median: 1, low: 1.001, high: 1.002 })).toBe("1.00");
    expect(withRange(undefined)).toBe("–");
  });

  test("the table of the loops has CPU, ratios with their range, and the size of the last request", () => {
    const { n200 } = measuredAt(0.5, 0.6, 0.7);
    const sent = { hand: { ...n200!["hand"], sent: [70.9] }, lastcall: { ...n200!["lastcall"], sent: [71.6] } };
    expect(tables({ n200: sent }, words).split("\n")).toEqual([
      "| CPU, ms per iteration | by hand | lastcall | last request, KB |",
      "| --- | --- | --- | --- |",
      "| N = 200 | 2.00 (1.00 to 4.00) | 1.20 (0.50 to 2.80); **0.60x** (0.50 to 0.70) | 70.9 / 71.6 |",
    ]);
  });

  test("the other rows have a line for each figure, and a dash if a client did not do the row", () => {
    const measured = { cold: { hand: { first: [100] }, "hand-7.1.0": { first: [150] } } };
    expect(tables(measured, words).split("\n")).toEqual([
      "| row | figure | by hand | by hand, openai 7.1.0 |",
      "| --- | --- | --- | --- |",
      "| cold | first request, ms | 100 | 150; **1.50x** |",
    ]);
    expect(tables({ cold: { ...measured.cold, lastcall: {} } }, words)).toContain("| 100 | – | 150; **1.50x** |");
  });
});
