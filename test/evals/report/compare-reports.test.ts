// Reports: comparisons, gates, JUnit and what is no report.

import { expect, test } from "vitest";
import {
  compareReports,
  compareVariants,
  comparisonLines,
  gateOf,
  junitOf,
  readReport,
  type Report,
  type TrialRow,
} from "../../../src/evals/index.js";
import { reportOf } from "../../../src/evals/report/eval-report.js";

const blank = {
  why: "",
  ending: "task_completion",
  status: "completed",
  declared: 0,
  claims: [],
  changed: [],
  answered: 0,
};
const amounts = { iterations: 1, inputTokens: 10, outputTokens: 1, cost: 0, duration: 5, served: [], attempts: 0 };

/** A report in which each task passed this many times of 4; `v` marks void trials. */
function report(passed: Readonly<Record<string, readonly (number | "v")[]>>, must = ""): Report {
  const variants = Object.keys(passed);
  const count = passed[variants[0]!]!.length;
  const tasks = Array.from({ length: count }, (_none, index) => `t${String(index)}`);
  const rows = variants.flatMap((variant) =>
    tasks.flatMap((task, index) =>
      [1, 2, 3, 4].map((trial): TrialRow => {
        const of = passed[variant]![index]!;
        const result = of === "v" ? "void" : trial <= of ? "yes" : "no";
        const id = `${task}.${variant}.m.${String(trial)}`;
        return {
          ...blank,
          ...amounts,
          id,
          task,
          variant,
          model: "m",
          trial,
          result,
          why: result === "no" ? `<${id}>\u0000` : "",
        };
      }),
    ),
  );
  return reportOf(
    {
      ...{ name: "r", plan: "p", planned: rows.length, rows },
      tasks: tasks.map((id) => ({ id, cluster: id, must: id === must, isUnsolvable: false })),
    },
    variants.map((variant) => ({ variant, model: "m" })),
  );
}

test("variants are compared with the first, and tasks that fell and rose are listed", () => {
  const [comparison] = compareVariants(report({ a: [4, 4, 4, 4, 4, 4, 0], b: [0, 0, 1, 0, 0, 0, 2] }));
  expect(comparison).toMatchObject({ now: { variant: "b" }, before: { variant: "a" }, verdict: { is: "worse" } });
  expect(comparison?.fell).toHaveLength(6);
  expect(comparison?.rose).toEqual([{ task: "t6", before: { passed: 0, trials: 4 }, now: { passed: 2, trials: 4 } }]);
  expect(comparisonLines([comparison!]).join("\n")).toContain("rose: t6 0/4 to 2/4");
});

test("a comparison over one task said 'over 1 tasks'", () => {
  expect(comparisonLines(compareVariants(report({ a: [4], b: [0] }))).join("\n")).toMatch(/over 1 task, 1 changed/);
});

test("a gate fails at a rare drop, at a failed task that must pass, at many void trials and at trials that are missing", () => {
  const before = report({ a: [4, 4, 4, 4, 4, 4] });
  const fallen = report({ a: [0, 0, 0, 0, 0, 0] });
  expect(gateOf(fallen, compareReports(fallen, before))).toEqual(["a with m fell by 100.0 points (chance 0.016)"]);
  const noisy = report({ a: [3, 4, 4, 4, 4, 4] });
  expect(gateOf(noisy, compareReports(noisy, before))).toEqual([]);
  expect(gateOf(report({ a: [3, 4] }, "t0"))).toEqual(["t0 must always pass, and t0.a.m.4 failed"]);
  expect(gateOf(report({ a: ["v", 4, 4] }))).toEqual(["4 of 12 trials are void, more than 5 %"]);
  expect(gateOf({ ...before, planned: 30 })).toEqual(["6 of 30 trials were not made"]);
  expect(compareReports(fallen, before, { least: 1.1 })[0]?.isAlarm).toBe(false);
});

test("JUnit has a suite for each arm, and texts that XML can hold", () => {
  const text = junitOf(report({ 'a"&': [4, 3, "v"] }));
  expect(text).toContain('<testsuite name="a&quot;&amp;.m" tests="3" failures="1" skipped="1">');
  expect(text).toContain('<failure message="3 of 4 trials passed">');
  expect(text).toContain("&lt;t1.a");
  expect(text).not.toContain("\u0000");
  expect(text).toContain('<skipped message="no trial could be judged"/>');
});

test("a text that is no report is refused with its place", () => {
  expect(() => readReport("{", "x.json")).toThrow("x.json is no report of an evaluation");
  expect(() => readReport("{}", "x.json")).toThrow("it has no arms");
  expect(() => readReport(JSON.stringify({ ...report({ a: [1] }), version: 2 }), "x.json")).toThrow("reads version 1");
});
