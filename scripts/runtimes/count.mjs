// Counts what came of the tests in one runtime.

/** The least share of the tests that has to run in a runtime. */
export const leastShare = 0.9;

/** The things of Node that tests take, in the words of the page. */
const reasons = [
  [/undici|only Node loads/, "the transport of Node"],
  [/node:(?:child_process|worker_threads)|typescript|aimock|promisify|node:url/, "processes and packages of Node"],
  [/node:(?:fs|os|readline)|the file \/|SQLite/, "files and SQLite"],
  [/node:(?:net|https|http2|zlib|tls)/, "sockets, TLS and compression of Node"],
  [/node:events|warnings of Node/, "Node's lists of listeners"],
];

/**
 * The numbers of a runtime: all tests, the tests that passed, among them the tests of time that had no clock, the tests that are left out by
 * reason, and the names of failed tests.
 * @param results of each file, as run-file.mjs gives them.
 * @param expected the number of tests in each file, as Node lists them.
 */
export function cellOf(results, expected) {
  const leftOut = new Map();
  const failed = [];
  let passed = 0;
  let untimed = 0;
  let more = 0;
  const leave = (what, count) => {
    const reason = reasons.find(([signs]) => signs.test(what))?.[1] ?? what;
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
  };
  const byFile = new Map(results.map((result) => [result.file, result]));
  for (const [file, count] of expected) {
    const { tests = [], reason, error } = byFile.get(file) ?? { error: { message: "It did not run." } };
    if (reason !== undefined) {
      leave(reason, count);
      continue;
    }
    if (error !== undefined) failed.push({ name: file, message: error.message });
    for (const test of tests) {
      if (test.state === "pass") passed += 1;
      if (test.state === "pass") untimed += test.isUntimed ? 1 : 0;
      else if (test.state === "skip" && test.reason !== undefined) leave(test.reason, 1);
      else
        failed.push({
          name: `${file} > ${test.name}`,
          message: [test.error?.message ?? "It was skipped without a reason.", test.error?.diff].join("\n"),
        });
    }
    // A runtime that has SQLite has more tests than Node 20.
    more += Math.max(0, tests.length - count);
    if (error === undefined && tests.length < count)
      failed.push({ name: file, message: `It has ${tests.length} tests there, and ${count} on Node.` });
  }
  const total = [...expected.values()].reduce((sum, count) => sum + count, more);
  return { total, passed, untimed, leftOut: Object.fromEntries(sorted(leftOut)), failed };
}

const sorted = (counts) => [...counts].toSorted((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));

/** The cell for people. */
export function linesOf({ name, version, total, passed, untimed, leftOut, failed }) {
  const share = ((100 * passed) / total).toFixed(1);
  const first = `${name} (${version}): ${passed} of ${total} passed, ${share} %, ${failed.length} failed`;
  return [
    first,
    ...(untimed > 0 ? [`  passed without a clock of the processor: ${untimed}`] : []),
    ...Object.entries(leftOut).map(([reason, count]) => `  left out: ${count}: ${reason}`),
    ...failed.map(
      ({ name: test, message }) => `  FAILED ${test}\n    ${message.split("\n").slice(0, 20).join("\n    ")}`,
    ),
  ];
}
