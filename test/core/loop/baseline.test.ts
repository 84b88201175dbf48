import { expect, test } from "vitest";
import type { Check } from "../../../src/core/index.js";
import { baseline } from "../../../src/core/loop/baseline.js";
import { drain } from "../drain.js";
import { checked, input } from "../journal.js";
import { openRun } from "../open-run.js";

const go = input(1, "go");
const check = (name: string, passed: boolean, more: Partial<Check> = {}): Check => {
  return { name, verify: () => ({ passed, output: `${name} ran` }), ...more };
};

test("the checks are run once before anything is done, and the model is told what they said", async () => {
  const { run, types, added } = openRun({ checks: [check("tests", false), check("lint", true)] }, [go]);
  await drain(baseline(run));
  expect(types()).toEqual(["check", "check", "baseline", "notice"]);
  expect(added().at(-1)).toMatchObject({ about: "baseline", text: expect.stringContaining("tests ran") });
  expect(run.state.baseline.passed).toEqual({ tests: false, lint: true });
});

test("a task that has its baseline is not examined again", async () => {
  const { run, types } = openRun({ checks: [check("tests", false)] }, [go]);
  await drain(baseline(run));
  const count = types().length;
  await drain(baseline(run));
  expect(types()).toHaveLength(count);
});

test("a baseline whose process died before its record is taken again", async () => {
  const { run, types } = openRun({ checks: [check("tests", true)] }, [go, checked(true, { when: "baseline" })]);
  await drain(baseline(run));
  expect(types()).toEqual(["check", "baseline", "notice"]);
});

test("without checks nothing is recorded", async () => {
  const { run, types } = openRun({}, [go]);
  await drain(baseline(run));
  expect(types()).toEqual([]);
});

test("every check says what it wants to be reminded of before the first is run", async () => {
  const log: string[] = [];
  const checks = ["tests", "lint"].map((name): Check => {
    return {
      name,
      begin: () => (log.push(`${name} begins`), { files: name.length }),
      verify: ({ begun }) => (log.push(`${name} with ${JSON.stringify(begun)}`), { passed: true, output: "" }),
    };
  });
  const { run, added } = openRun({ checks }, [go]);
  await drain(baseline(run));
  expect(log).toEqual(["tests begins", "lint begins", 'tests with {"files":5}', 'lint with {"files":4}']);
  expect(added()).toContainEqual(
    expect.objectContaining({ type: "baseline", begun: { tests: { files: 5 }, lint: { files: 4 } } }),
  );
});

test("an opinion is not asked for before there is anything to judge, and then there is nothing to tell", async () => {
  const judged = check("opinion", false, { judged: true, verify: () => expect.fail("it was asked") });
  const { run, types } = openRun({ checks: [judged] }, [go]);
  await drain(baseline(run));
  expect(types()).toEqual(["baseline"]);
});

test("an error of `begin` is the run's, not the model's", async () => {
  const broken = check("tests", true, { begin: () => Promise.reject(new Error("no such folder")) });
  const { run, types } = openRun({ checks: [broken] }, [go]);
  await expect(drain(baseline(run))).rejects.toThrow("no such folder");
  expect(types()).toEqual([]);
});
