import { describe, expect, it } from "vitest";
import { maxIterations } from "../../src/core/limit.js";
import { emptyState } from "../../src/core/state.js";

describe("maxIterations", () => {
  it("is reached by the iteration that was the last allowed, and by every one after", () => {
    const limit = maxIterations(3);
    const reached = [0, 1, 2, 3, 4].map((iteration) => limit.reached({ ...emptyState, iteration })?.reason);
    expect(reached).toEqual([undefined, undefined, undefined, "max_iterations", "max_iterations"]);
  });

  it("says how many were allowed", () => {
    expect(maxIterations(3).reached({ ...emptyState, iteration: 3 })?.message).toContain("3");
  });

  it.each([0, -1, 1.5, NaN, Infinity])("refuses %s and says what to give", (most) => {
    expect(() => maxIterations(most)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: `maxIterations is ${String(most)}: give a whole number of at least 1.`,
      }),
    );
  });
});
