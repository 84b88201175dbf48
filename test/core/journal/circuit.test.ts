import { describe, expect, it } from "vitest";
import {
  circuitBounds,
  closedCircuit,
  countIteration,
  isOpen,
  nextOpener,
  type Circuit,
  type CircuitOptions,
} from "../../../src/core/journal/circuit.js";
import { LastcallError } from "../../../src/core/index.js";

function countAll(iterations: readonly (readonly string[])[]): Circuit {
  return iterations.reduce(countIteration, closedCircuit);
}

describe("countIteration", () => {
  it("counts identical failed iterations in a row", () => {
    expect(countAll([["a"], ["a"], ["a"], ["a"], ["a"]])).toMatchObject({ signature: "a", count: 5 });
  });

  it("starts at one again with another failure", () => {
    expect(countAll([["a"], ["a"], ["b"]])).toMatchObject({ signature: "b", count: 1 });
    expect(countAll([["a"], ["b"], ["a"]])).toMatchObject({ signature: "a", count: 1 });
  });

  it("counts failed iterations in a row with any failures", () => {
    expect(countAll([["a"], ["b"], ["a", "b"], ["b"]]).inARow).toBe(4);
    expect(countAll([["a"], ["b"], [], ["a"]]).inARow).toBe(1);
  });

  it("counts for each failure the iterations in a row that had it, with or without others", () => {
    expect(countAll([["a"], ["a", "b"], ["b", "a", "a"]]).repeats).toEqual({ a: 3, b: 2 });
    expect(countAll([["a"], ["b"], ["a"]]).repeats).toEqual({ a: 1 });
  });

  it("is reset only by an iteration without failures", () => {
    expect(countAll([["a"], ["a"], []])).toBe(closedCircuit);
    expect(countAll([["a"], [], ["a"]])).toEqual({ signature: "a", count: 1, inARow: 1, repeats: { a: 1 } });
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

  it("neither counts nor resets for a failed check, which has its own limit", () => {
    const before = countAll([["a"], ["a"]]);
    expect(countIteration(before, ["check_failed|x"])).toBe(before);
    expect(countIteration(before, ["check_failed|x", "a"])).toMatchObject({ signature: "a", count: 3, inARow: 3 });
  });
});

describe("the bounds", () => {
  const bounds = circuitBounds({});

  it("are 5 identical failures, 10 failures, and 3 and 6 repetitions", () => {
    expect(bounds).toEqual({ identical: 5, inARow: 10, stall: { nudge: 3, stop: 6 } });
    expect(circuitBounds({ stall: { stop: 9 } }).stall).toEqual({ nudge: 3, stop: 9 });
    expect(circuitBounds({ stall: false }).stall).toBe(false);
  });

  it("open the circuit when one of them is reached", () => {
    expect([4, 5].map((count) => isOpen({ ...closedCircuit, count, inARow: count }, bounds))).toEqual([false, true]);
    expect([9, 10].map((inARow) => isOpen({ ...closedCircuit, count: 1, inARow }, bounds))).toEqual([false, true]);
  });

  it.each<[CircuitOptions, string]>([
    [{ identical: 0 }, "circuit.identical is 0: give a whole number of at least 1."],
    [{ inARow: 0 }, "circuit.inARow is 0: give a whole number of at least 1."],
    [{ stall: { nudge: 1 } }, "circuit.stall.nudge is 1: give a whole number of at least 2."],
    [{ stall: { stop: 7.5 } }, "circuit.stall.stop is 7.5: give a whole number of at least 2."],
    [
      { stall: { nudge: 6 } },
      "circuit.stall.nudge is 6 and circuit.stall.stop is 6: give a nudge that is less than the stop.",
    ],
  ])("that make no sense (%j) are refused with the correct range", (options, message) => {
    expect(() => circuitBounds(options)).toThrow(new LastcallError("configuration", message));
  });
});

describe("nextOpener", () => {
  const bounds = circuitBounds({});
  const four = (last: readonly string[]): Circuit => countAll([last, last, last]);

  it("predicts that the same failure once more opens the circuit", () => {
    expect(nextOpener(four(["a"]), () => ["a"], bounds)).toBe("same");
    expect(nextOpener(four(["a", "b"]), () => ["a"], bounds)).toBe("same");
    expect(nextOpener(four(["a", "b"]), () => ["a", "b"], bounds)).toBe("same");
    expect(nextOpener(countAll([["a"], ["a"]]), () => ["a"], bounds)).toBeUndefined();
  });

  it("ignores a failure that was as frequent but had others beside it", () => {
    expect(nextOpener(four(["a"]), () => ["b", "a"], bounds)).toBeUndefined();
    expect(nextOpener(four(["ab"]), () => ["a"], bounds)).toBeUndefined();
    expect(nextOpener(countAll([["a"], ["a", "b"], ["a"]]), () => ["a"], bounds)).toBeUndefined();
  });

  it("predicts that any failure opens the circuit", () => {
    const nine = countAll(Array.from({ length: 8 }, (_none, index) => [String(index)]));
    expect(nextOpener(nine, () => ["a"], bounds)).toBe("any");
    expect(nextOpener(closedCircuit, () => ["a"], { ...bounds, inARow: 2 })).toBe("any");
  });

  it("predicts it at the first failure if two open the circuit", () => {
    expect(nextOpener(closedCircuit, () => ["a"], { ...bounds, identical: 2 })).toBe("same");
  });
});
