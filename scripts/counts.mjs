// Counts the tests of a run, from the report of the runner.

import { failuresOf, readReport } from "./check/read-report.mjs";

/** The counts of a run without a report: one failure. */
const withoutReport = { passed: 0, failed: 1, skipped: 0 };

/** The numbers of tests that passed, failed and were skipped. A test file that does not load and a missing report are failures. */
export function countsIn(report) {
  const read = readReport(report);
  return read === undefined ? withoutReport : countsOf(read.files);
}

/** The same numbers for files of a report; undefined stands for a missing report. */
export function countsOf(files) {
  if (files === undefined) return withoutReport;
  const tests = files.flatMap(({ tests }) => tests);
  const count = (wanted) => tests.filter(({ status }) => status === wanted).length;
  return { passed: count("passed"), failed: files.flatMap(failuresOf).length, skipped: count("skipped") };
}

/** The sum of the counts of several runs. */
export function sum(all) {
  const add = (name) => all.reduce((total, counts) => total + counts[name], 0);
  return { passed: add("passed"), failed: add("failed"), skipped: add("skipped") };
}

/** The closing line. */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
