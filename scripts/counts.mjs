// The counts of a test run, from the runner's own report in JSON.

import { readFileSync } from "node:fs";

/** What a run that left no report counts as. */
const none = { passed: 0, failed: 1, skipped: 0 };

/** How many tests passed, failed and were skipped. A file that could not be loaded is a failure, and so is a report that is not there. */
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
    return none;
  }
}

/** The counts of several runs as one. */
export function sum(all) {
  const add = (name) => all.reduce((total, counts) => total + counts[name], 0);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped") };
}

/** The closing line. */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
