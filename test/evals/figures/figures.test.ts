// The figures of the statistics, held against statsmodels 0.14 and scipy.

import { expect, test } from "vitest";
import { differenceOf } from "../../../src/evals/figures/difference.js";
import { passAt, passHat } from "../../../src/evals/figures/pass-at.js";
import { holm, signFlip } from "../../../src/evals/figures/sign-flip.js";
import { studentQuantile } from "../../../src/evals/figures/student.js";
import { verdictsOn } from "../../../src/evals/figures/verdict.js";
import { rateOf, wilson } from "../../../src/evals/figures/wilson.js";

function near(found: readonly (number | undefined)[], expected: readonly number[], digits = 9): void {
  expect(found).toHaveLength(expected.length);
  expected.forEach((number, index) => {
    expect(found[index]).toBeCloseTo(number, digits);
  });
}

test.each([
  [0, 5, 0, 0.43448246478317487],
  [7, 10, 0.39677814746114537, 0.8922087325936989],
  [10, 10, 0.7224672001371106, 1],
  [50, 100, 0.4038315303659956, 0.5961684696340044],
  [3.5, 7.25, 0.19458950380172002, 0.7828706297982393],
])("Wilson's interval of %d of %d is that of statsmodels.proportion_confint", (passed, trials, low, high) => {
  near(wilson(passed, trials), [low, high]);
});

test("the interval over tasks is Wilson's on the clustered variance of statsmodels.OLS", () => {
  const rate = rateOf([5, 5, 4, 3, 0, 2].map((passed) => ({ passed, trials: 5 })));
  near(
    [rate.rate, rate.effective, ...rate.interval],
    [...[0.63333333333, 9.24778761061947, 0.3302245855822987, 0.8581802022033114]],
  );
});

test("if every trial ended alike, each task counts as one trial, and the interval has a width", () => {
  const rate = rateOf(Array.from({ length: 4 }, () => ({ passed: 5, trials: 5 })));
  expect(rate.effective).toBe(4);
  expect(rate.interval[0]).toBeLessThan(0.6);
  expect(rateOf([])).toMatchObject({ rate: 0, interval: [0, 1] });
});

test.each([
  [1, 12.706204736174694],
  [5, 2.5705818356363146],
  [10, 2.228138851986274],
  [11, 2.200985160091639],
  [19, 2.0930240544083087],
  [49, 2.0095752371292392],
])("Student's quantile for %i degrees of freedom is that of scipy.stats.t", (freedom, quantile) => {
  expect(studentQuantile(freedom)).toBeCloseTo(quantile, 3);
});

test("Holm's correction is that of statsmodels.multipletests", () => {
  near(holm([0.01, 0.04, 0.03, 0.5]), [0.04, 0.09, 0.09, 0.5]);
});

test("the sign-flip test is scipy.stats.permutation_test of type samples", () => {
  const { twoSided, worse, changed } = signFlip([0.2, -0.4, 0, 0.2, 0.6, 0.4, -0.2]);
  near([twoSided, worse, changed], [0.53125, 0.859375, 6]);
});

test("the test draws signs if there are too many for all combinations, and the seed gives the same figure again", () => {
  const many = Array.from({ length: 30 }, (_none, index) => (index % 3 === 0 ? -0.2 : 0.4));
  expect(signFlip(many, 3)).toEqual(signFlip(many, 3));
  expect(signFlip(many, 3).twoSided).toBeLessThan(0.01);
});

test("pass@k and pass^k are the unbiased estimates, and not powers of the rate", () => {
  near(
    [2, 4, 8].map((k) => passHat(10, 7, k)),
    [0.46666666667, 0.16666666667, 0],
  );
  near(
    [1, 3].map((k) => passAt(10, 1, k)),
    [0.1, 0.3],
  );
  expect([passAt(3, 1, 4), passHat(3, 1, 4)]).toEqual([undefined, undefined]);
});

const pairs = (tasks: number, before: number, now: number) =>
  Array.from({ length: tasks }, () => ({ before: { passed: before, trials: 5 }, now: { passed: now, trials: 5 } }));

test("a comparison says what it could have seen, and with fewer than five tasks that it could see nothing", () => {
  expect(differenceOf(pairs(4, 5, 0))).toMatchObject({ difference: -1, visible: undefined });
  const unchanged = differenceOf(pairs(20, 5, 5));
  expect(unchanged).toMatchObject({ difference: 0, chance: 1 });
  expect(unchanged.visible).toBeGreaterThan(0.05);
  expect(unchanged.interval?.[0]).toBeLessThan(-0.05);
});

test("the verdict is one of three", () => {
  expect(verdictsOn([differenceOf(pairs(8, 1, 5))])[0]).toEqual({ is: "better" });
  expect(verdictsOn([differenceOf(pairs(8, 5, 1))])[0]).toEqual({ is: "worse" });
  expect(verdictsOn([differenceOf(pairs(8, 3, 3))])[0]).toMatchObject({ is: "unseen" });
  expect(verdictsOn([differenceOf(pairs(200, 5, 5))])[0]).toMatchObject({ is: "no-difference" });
});
