import { expect, test } from "vitest";
import { figure, heightOf, wholeSteps } from "../../../src/studio/data/series.js";

test("a plot without failures reached to 100; its axis begins at 0 and ends at 1", () => {
  expect(heightOf(0)).toEqual([0, 1]);
  expect(heightOf(null)).toEqual([0, 1]);
});

test("the highest value of a plot is near its top, however small it is", () => {
  const [lowest, highest] = heightOf(0.002);
  expect(lowest).toBe(0);
  expect(highest).toBeGreaterThan(0.002);
  expect(highest).toBeLessThan(0.003);
});

test("one iteration had the ticks 0.5 and 1.5; ticks are whole", () => {
  expect(wholeSteps.every((step) => Number.isInteger(step))).toBe(true);
});

test("the ticks of a small cost were all alike; a number keeps two digits", () => {
  expect([0.0005, 0.00126, 0.05, 4, 84].map(figure)).toEqual(["0.0005", "0.0013", "0.05", "4", "84"]);
  expect([4000, 4120, 130_000_000].map(figure)).toEqual(["4k", "4.1k", "130M"]);
});
