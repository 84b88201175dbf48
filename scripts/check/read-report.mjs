// Reads a report of a test run: the test files with their tests, and the errors that belong to no test.

import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** The report at the path; undefined if there is none that can be read. */
export function readReport(path) {
  try {
    const { root, errors = [], testResults } = JSON.parse(readFileSync(path, "utf8"));
    return { errors: errors.map(beginning), files: testResults.map((result) => readFile(result, root)) };
  } catch {
    return undefined;
  }
}

function readFile({ name, status, message, startTime, endTime, assertionResults }, root) {
  const tests = assertionResults.map(({ fullName, status, failureMessages }) => ({
    name: fullName,
    status: status === "passed" || status === "failed" ? status : "skipped",
    message: beginning(failureMessages[0]),
  }));
  const isExplained = status !== "failed" || tests.some((test) => test.status === "failed");
  return {
    file: root === undefined ? name.slice(name.indexOf("/test/") + 1) : relative(root, name),
    // The failure of the file itself: it did not load, or a hook failed.
    failure: message !== "" ? beginning(message) : isExplained ? undefined : "it failed, and does not say why",
    seconds: (endTime - startTime) / 1000,
    tests,
  };
}

/** The words of a failure without the stack, which is at its end, in lines that begin with `at`. */
function beginning(text = "") {
  const lines = text.trimEnd().split("\n");
  return lines
    .slice(0, lines.findLastIndex((line) => !/^\s+at /.test(line)) + 1)
    .join("\n")
    .slice(0, 2000);
}

/** True if the file or one of its tests failed. */
export function hasFailed({ failure, tests }) {
  return failure !== undefined || tests.some(({ status }) => status === "failed");
}

/** The failures of a file: each of its failed tests, and the failure of the file itself, which has no name. */
export function failuresOf({ file, failure, tests }) {
  const failed = tests
    .filter(({ status }) => status === "failed")
    .map(({ name, message }) => ({ file, name, message }));
  return failure === undefined ? failed : [{ file, name: undefined, message: failure }, ...failed];
}

/** A line for a failure. */
export function failureLine({ file, name, message }) {
  return `${name === undefined ? file : `${file} > ${name}`}: ${message}`;
}
