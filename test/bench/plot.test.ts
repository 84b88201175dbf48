import { XMLParser } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { plot } from "../../bench/figures/index.mjs";
import { measuredAt, row } from "./row.js";

const rows = [row("n200", { title: "N < 201 & more" }), row("n50")];
const { n200 } = measuredAt(0.5, 0.5);
const measured = { n200: { ...n200, file: { cpu: [1, 3] }, shared: { cpu: [1, 1] } } };

/** The x of a mark of lastcall at this ratio. */
function place(ratio: number): number {
  return Number(/class="lastcall"><title>.*<circle cx="([\d.]+)"/.exec(plot(measuredAt(ratio), rows, "A"))?.[1]);
}

describe("the plot of the bench", () => {
  test("is well-formed, 400 wide, and has words for those who do not see it", () => {
    const svg = plot(measured, rows, "Ratios & ranges");
    const parsed = new XMLParser({ ignoreAttributes: false }).parse(svg) as { svg: Record<string, unknown> };
    expect(parsed.svg).toMatchObject({
      "@_width": "400",
      "@_role": "img",
      title: "Ratios & ranges",
    });
  });

  test("has a mark with its range for each client that did a row, and no row that nobody did", () => {
    const titles = [...plot(measured, rows, "A").matchAll(/<g class="\w+"><title>([^<]*)</g)].map(([, title]) => title);
    expect(titles).toEqual(["lastcall: 0.50 (0.50 to 0.50)", "file store: 1.25 (1.00 to 1.50)"]);
    expect(plot(measured, rows, "A")).not.toContain("the row n50");
  });

  test("puts better ratios further left, on a logarithmic axis, inside the picture", () => {
    expect(place(1) - place(0.5)).toBeCloseTo(place(2) - place(1), 0);
    for (const ratio of [0.1, 1, 12]) {
      expect(place(ratio)).toBeGreaterThanOrEqual(194);
      expect(place(ratio)).toBeLessThanOrEqual(388);
    }
  });

  test("has colours for light and for dark pages", () => {
    const [light, dark] = plot(measured, rows, "A").split("@media (prefers-color-scheme: dark)");
    for (const part of [light, dark]) expect(part).toMatch(/\.lastcall \{ fill: #/);
  });
});
