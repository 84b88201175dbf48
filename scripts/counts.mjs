// Reads the counts and the failures of a test run from the JSON report of the runner.

import { readFileSync } from "node:fs";

/** The counts of a run without a report: one failure. */
const withoutReport = { passed: 0, failed: 1, skipped: 0 };

/** The numbers of tests that passed, failed and were skipped. A test file that does not load and a missing report are failures. */
export function countsIn(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    return {
      passed: numPassedTests,
      failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0),
      skipped: numPendingTests + numTodoTests,
    };
  } catch {
    return withoutReport;
  }
}

/** The files of a run that took longest, with their seconds. Empty without a report. */
export function slowestIn(report, most = 12) {
  try {
    const times = JSON.parse(readFileSync(report, "utf8")).testResults.map(({ name, startTime, endTime }) => [
      name.slice(name.indexOf("/test/") + 1),
      (endTime - startTime) / 1000,
    ]);
    const longest = times.toSorted(([, one], [, other]) => other - one).slice(0, most);
    return longest.map(([file, seconds]) => `${file} ${seconds.toFixed(0)} s`);
  } catch {
    return [];
  }
}

/** A line for each failed test of a run: its file, its name, and the beginning of what it says. Empty without a report. */
export function failuresIn(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(
      ({ name, status, message, assertionResults }) => {
        const file = name.slice(name.indexOf("/test/") + 1);
        const failed = assertionResults.filter((test) => test.status === "failed");
        if (status === "failed" && failed.length === 0) return [`${file}: ${beginning(message)}`];
        return failed.map((test) => `${file} > ${test.fullName}: ${beginning(test.failureMessages[0])}`);
      },
    );
  } catch {
    return [];
  }
}

/** The words of a failure without the stack, which begins with a line `at`. */
const beginning = (text = "") => text.split(/\n\s+at /, 1)[0].slice(0, 2000);

/** The sum of the counts of several runs. */
export function sum(all) {
  const add = (name) => all.reduce((total, counts) => total + counts[name], 0);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped") };
}

/** The closing line. */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
