// The verdict of `npm run check`: a failure that does not come again is a flake, and everything else is a fault.

import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  isStrict,
  judge,
  toRunAgain,
  type Report,
  type Run,
  type TestFile,
  type Try,
} from "../scripts/check/judge.mjs";

/** The tests of a file: `+` passed, `-` failed, and `s` was skipped. */
function file(path: string, tests: Readonly<Record<string, string>>, failure?: string): TestFile {
  const status = { "+": "passed", "-": "failed", s: "skipped" } as const;
  return {
    ...{ file: path, failure },
    tests: Object.entries(tests).map(([name, sign]) => ({
      name,
      status: status[sign.charAt(0) as "+" | "-" | "s"],
      message: sign.slice(1),
    })),
  };
}

function reportOf(files: readonly TestFile[], errors: readonly string[] = []): Report {
  return { files, errors };
}

function failing(...files: readonly TestFile[]): Run {
  return { name: "fast", status: 1, report: reportOf(files) };
}

function again(found: TestFile, status = found.tests.some((one) => one.status === "failed") ? 1 : 0): Try {
  return { run: "fast", file: found.file, status, report: reportOf([found]) };
}

const a = "test/tools/a.test.ts";

describe("a second try", () => {
  test.each([
    "test/chaos/a.test.ts",
    "test/shell/sandbox/walls.slow.test.ts",
    "test/permission/decide/harm.test.ts",
    "test/simulation/worlds.slow.test.ts",
    "test/races/links.test.ts",
    "test/tools/race.test.ts",
    "test/tools/set-aside-race.slow.test.ts",
    "test/tools/races-of-links.test.ts",
  ])("is not given to %s", (path) => {
    expect(isStrict(path)).toBe(true);
    expect(toRunAgain([failing(file(path, { x: "-" }))])).toEqual([]);
  });

  test.each([
    "test/otel/trace-of.test.ts",
    "test/tools/shell/a.test.ts",
    "test/cli/shell.test.ts",
    "test/braces.test.ts",
  ])("is given to %s", (path) => {
    expect(toRunAgain([failing(file(path, { x: "-" }))])).toEqual([{ run: "fast", file: path }]);
  });

  test("is given to a file that did not load, to each run apart, and to no file that passed", () => {
    const other: Run = { ...failing(file(a, { x: "-" })), name: "bare" };
    const fast = failing(
      file(a, { x: "-", y: "-" }),
      file("test/b.test.ts", {}, "no"),
      file("test/c.test.ts", { x: "+" }),
    );
    expect(toRunAgain([other, fast])).toEqual([
      { run: "bare", file: a },
      { run: "fast", file: a },
      { run: "fast", file: "test/b.test.ts" },
    ]);
  });

  test("is given to nothing if more than ten files failed", () => {
    const files = Array.from({ length: 11 }, (_, at) => file(`test/${String(at)}.test.ts`, { x: "-" }));
    expect(toRunAgain([failing(...files)])).toEqual([]);
    expect(toRunAgain([failing(...files.slice(1))])).toHaveLength(10);
  });
});

test("the folders in which one failure is enough have tests", () => {
  for (const folder of ["chaos", "shell", "permission", "simulation"]) {
    const files = readdirSync(`test/${folder}`, { encoding: "utf8", recursive: true });
    expect(files.filter((name) => name.endsWith(".test.ts")).length, folder).toBeGreaterThan(0);
  }
});

describe("the verdict", () => {
  test("a test that passes at the second try is flaky, with its first message, and counts as passed", () => {
    const first = failing(file(a, { x: "-first", y: "+", z: "s" }), file("test/b.test.ts", { x: "+" }));
    const verdict = judge([first], [again(file(a, { x: "+", y: "+", z: "s" }))]);
    expect(verdict).toMatchObject({
      isGood: true,
      broken: [],
      failures: [],
      total: { passed: 3, failed: 0, skipped: 1 },
    });
    expect(verdict.flaky).toEqual([{ run: "fast", file: a, name: "x", message: "first" }]);
  });

  test("a file that loads at the second try is flaky, and its tests count", () => {
    const verdict = judge([failing(file(a, {}, "no"))], [again(file(a, { x: "+", y: "+" }))]);
    expect(verdict).toMatchObject({ isGood: true, total: { passed: 2, failed: 0, skipped: 0 } });
    expect(verdict.flaky).toEqual([{ run: "fast", file: a, name: undefined, message: "no" }]);
  });

  test.each<readonly [what: string, run: Run, tries: readonly Try[], failed: number]>([
    ["that fails twice", failing(file(a, { x: "-" })), [again(file(a, { x: "-" }))], 1],
    ["without a second try", failing(file(a, { x: "-" })), [], 1],
    ["that is skipped at the second try", failing(file(a, { x: "-" })), [again(file(a, { x: "s" }))], 1],
    ["that is not found at the second try", failing(file(a, { x: "-" })), [again(file(a, { y: "+" }))], 1],
    [
      "beside another that fails at the second try",
      failing(file(a, { x: "-", y: "+" })),
      [again(file(a, { x: "+", y: "-" }))],
      1,
    ],
    [
      "if the second try ends with a failure of no test",
      failing(file(a, { x: "-" })),
      [again(file(a, { x: "+" }), 1)],
      1,
    ],
    ["if the second try crashed", failing(file(a, { x: "-" })), [{ ...again(file(a, { x: "+" })), status: null }], 1],
    [
      "if the second try left no report",
      failing(file(a, { x: "-" })),
      [{ ...again(file(a, { x: "+" })), report: undefined }],
      1,
    ],
    ["whose file does not load at the second try", failing(file(a, { x: "-" })), [again(file(a, {}, "no"), 1)], 2],
    [
      "of another file than the second try's",
      failing(file(a, { x: "-" })),
      [again(file("test/b.test.ts", { x: "+" }))],
      1,
    ],
    [
      "of another run than the second try's",
      failing(file(a, { x: "-" })),
      [{ ...again(file(a, { x: "+" })), run: "slow" }],
      1,
    ],
  ])("a failed test %s fails the check, and is counted", (_what, run, tries, failed) => {
    const verdict = judge([run], tries);
    expect(verdict.isGood).toBe(false);
    expect(verdict.broken).toEqual(["fast"]);
    expect(verdict.total.failed).toBe(failed);
    expect(verdict.failures).toHaveLength(failed);
  });

  test("errors outside of the tests fail the check, in the first run and in the second", () => {
    const fine = file(a, { x: "+" });
    const flaky = failing(file(a, { x: "-" }));
    const tried = again(fine);
    for (const [run, second] of [
      [{ ...flaky, report: reportOf(flaky.report!.files, ["unhandled"]) }, tried],
      [flaky, { ...tried, report: reportOf([fine], ["unhandled"]) }],
      [{ ...flaky, report: reportOf([fine]) }, tried],
      [{ ...flaky, status: 2 }, tried],
      [{ ...flaky, status: null }, tried],
      [{ ...flaky, report: undefined }, tried],
    ] as const) {
      expect(judge([run], [second])).toMatchObject({ isGood: false, broken: ["fast"] });
    }
    expect(judge([{ ...flaky, status: 0, report: undefined }], [])).toMatchObject({
      isGood: false,
      total: { failed: 1 },
    });
    expect(judge([flaky], [tried])).toMatchObject({ isGood: true, broken: [] });
  });

  test("three flaky files pass and four do not; a file that is flaky in two runs is one", () => {
    const paths = ["test/a.test.ts", "test/b.test.ts", "test/c.test.ts", "test/d.test.ts"];
    const verdict = (count: number): ReturnType<typeof judge> => {
      const tries = paths.slice(0, count).map((path) => again(file(path, { x: "+" })));
      const run = failing(...paths.slice(0, count).map((path) => file(path, { x: "-" })));
      return judge([run, { ...run, name: "slow" }], [...tries, ...tries.map((one) => ({ ...one, run: "slow" }))]);
    };
    expect(verdict(3)).toMatchObject({ isGood: true, flakyFiles: 3, total: { passed: 6, failed: 0 } });
    expect(verdict(4)).toMatchObject({ isGood: false, broken: [], flakyFiles: 4, total: { passed: 8, failed: 0 } });
  });

  test("of two tests with one name, the one that fails twice stays failed", () => {
    const twins = (first: string, second: string): TestFile => ({
      ...file(a, {}),
      tests: [file(a, { x: first }).tests[0]!, file(a, { x: second }).tests[0]!],
    });
    expect(judge([failing(twins("-", "-"))], [again(twins("+", "-"))])).toMatchObject({
      isGood: false,
      total: { passed: 1, failed: 1 },
    });
  });
});
