import { describe, expect, it } from "vitest";
import { closedCircuit, countIteration, type Circuit } from "../../src/core/circuit.js";

function countAll(iterations: readonly (readonly string[])[]): Circuit {
  return iterations.reduce(countIteration, closedCircuit);
}

describe("countIteration", () => {
  it("counts identical failed iterations in a row", () => {
    expect(countAll([["a"], ["a"], ["a"], ["a"], ["a"]])).toEqual({ signature: "a", count: 5 });
  });

  it("starts at one again with another failure", () => {
    expect(countAll([["a"], ["a"], ["b"]])).toEqual({ signature: "b", count: 1 });
    expect(countAll([["a"], ["b"], ["a"]])).toEqual({ signature: "a", count: 1 });
  });

  it("is reset by an iteration without failures, and by nothing else", () => {
    expect(countAll([["a"], ["a"], []])).toBe(closedCircuit);
    expect(countAll([["a"], [], ["a"]])).toEqual({ signature: "a", count: 1 });
  });

  it("takes the failures of an iteration together and in their order", () => {
    expect(
      countAll([
        ["a", "b"],
        ["a", "b"],
      ]).count,
    ).toBe(2);
    expect(
      countAll([
        ["a", "b"],
        ["b", "a"],
      ]).count,
    ).toBe(1);
    expect(countAll([["a"], ["a", "a"]]).count).toBe(1);
  });

  it("neither counts nor resets for a failed check, which has a bound of its own", () => {
    const before = countAll([["a"], ["a"]]);
    expect(countIteration(before, ["check_failed|x"])).toBe(before);
    expect(countIteration(before, ["check_failed|x", "a"])).toEqual({ signature: "a", count: 3 });
  });
});
