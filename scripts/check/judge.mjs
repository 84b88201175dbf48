// Tells a flake from a fault: which failed test files run a second time, and the verdict over both tries. It starts nothing.

import { basename } from "node:path";
import { countsOf, sum } from "../counts.mjs";
import { failuresOf, hasFailed } from "./read-report.mjs";

/** The most test files that may be flaky in a check that passes. */
const mostFlaky = 3;

/** The most test files that run a second time. If more failed, it is no flake. */
const mostAgain = 10;

/** Folders of tests in which one failure fails the check: they look for what happens seldom. */
const strictFolders = ["test/chaos/", "test/shell/", "test/permission/", "test/simulation/", "test/races/"];

/** The word that a suite of races has in its name. */
const race = /(?:^|[^a-z])races?(?![a-z])/i;

/** True if one failure in the test file fails the check. */
export function isStrict(file) {
  return strictFolders.some((folder) => file.startsWith(folder)) || race.test(basename(file));
}

/**
 * The test files that run a second time, each with the name of its run. None if too many failed.
 * A run is `{ name, status, report }`: the exit code, and the report as `readReport` reads it, or undefined.
 */
export function toRunAgain(runs) {
  const failed = runs.flatMap(({ name, report }) =>
    (report?.files ?? []).filter(hasFailed).map(({ file }) => ({ run: name, file })),
  );
  const again = failed.filter(({ file }) => !isStrict(file));
  return again.length > mostAgain ? [] : again;
}

/**
 * The verdict over all runs and all second tries. A second try is `{ run, file, status, report }`. `broken` names the runs that failed, and
 * `flaky` has the first failures of what passed at the second try. Its tests count as passed. `flakyFiles` is the number of their files.
 */
export function judge(runs, tries) {
  const judged = runs.map((run) => judgeRun(run, tries));
  const flaky = judged.flatMap((run) => run.flaky);
  const flakyFiles = new Set(flaky.map(({ file }) => file)).size;
  const total = sum(judged.map(({ counts }) => counts));
  const broken = judged.filter(({ isBroken }) => isBroken).map(({ name }) => name);
  return {
    isGood: broken.length === 0 && total.failed === 0 && total.passed > 0 && flakyFiles <= mostFlaky,
    ...{ broken, flaky, flakyFiles, mostFlaky, total },
    counts: judged.map(({ name, counts }) => ({ name, counts })),
    failures: judged.flatMap((run) => run.failures),
  };
}

function judgeRun({ name, status, report }, tries) {
  const own = tries.filter(({ run }) => run === name);
  const settled = report?.files.map((first) => settle(first, secondOf(first, own))) ?? [];
  const files = settled.map(({ file }) => file);
  const withRun = (failure) => ({ run: name, ...failure });
  const failures = files.flatMap(failuresOf).map(withRun);
  const flaky = settled.flatMap((one) => one.flaky).map(withRun);
  // Tests that fail give the exit code 1. Any other code, and an error outside of the tests, is no flake.
  const isExcused = status === 1 && report?.errors.length === 0 && failures.length === 0 && flaky.length > 0;
  const counts = countsOf(report === undefined ? undefined : files);
  return { name, isBroken: status !== 0 && !isExcused, failures, flaky, counts };
}

/** The file as the second try found it; undefined if there was none, or if something besides its tests went wrong. */
function secondOf({ file }, tries) {
  const { status, report } = tries.find((one) => one.file === file) ?? {};
  const second = report?.files.find((one) => one.file === file);
  if (second === undefined || report.errors.length > 0) return undefined;
  return status === (hasFailed(second) ? 1 : 0) ? second : undefined;
}

/** The file after both tries, and the failures of the first that did not come again. A failed test that was not run again stays failed. */
function settle(first, second) {
  if (second === undefined) return { file: first, flaky: [] };
  const later = byKey(second.tests);
  const failed = [...byKey(first.tests)].filter(([, { status }]) => status === "failed");
  for (const [key, test] of failed) if (!["passed", "failed"].includes(later.get(key)?.status)) later.set(key, test);
  const file = { ...second, tests: [...later.values()] };
  const remain = failed.filter(([key]) => later.get(key).status === "failed").map(([, test]) => test);
  const gone = failed.map(([, test]) => test).filter((test) => !remain.includes(test));
  const failure = second.failure === undefined ? first.failure : undefined;
  return { file, flaky: failuresOf({ ...first, failure, tests: gone }) };
}

/** The tests by name. Those that share a name also have a number. */
function byKey(tests) {
  const seen = new Map();
  return new Map(
    tests.map((test) => {
      const number = seen.get(test.name) ?? 0;
      seen.set(test.name, number + 1);
      return [`${number} ${test.name}`, test];
    }),
  );
}
