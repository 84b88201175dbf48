// Runs one file of tests with the runner and the assertions of vitest, in whatever runtime this is loaded, and tells what came of each test.

import "./state.mjs";
import { collectTests, startTests } from "@vitest/runner";
import { getNames, getTests } from "@vitest/runner/utils";
import { createExpect, expect, vi } from "vitest";

const config = {
  root: "/",
  setupFiles: [],
  name: undefined,
  passWithNoTests: true,
  testNamePattern: undefined,
  allowOnly: true,
  sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
  chaiConfig: { truncateThreshold: 2000 },
  maxConcurrency: 5,
  testTimeout: 20_000,
  hookTimeout: 60_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: [],
  strictTags: false,
};

/** The tests that are left out in this runtime: a part of the name, and the reason. */
let leftOut = [];

const runner = {
  config,
  trace: (_name, attributes, work) => (work ?? attributes)(),
  importFile: (file) => import(`./${file.replace(/\.ts$/, ".js")}`),
  onBeforeRunTask(test) {
    if (leftOut.some(([part]) => nameOf(test).includes(part))) test.mode = "skip";
  },
  onAfterRunTask(test) {
    if (test.result?.state === "fail") test.meta.leftOut = globalThis.leftOutInTest;
    test.meta.isUntimed = globalThis.untimedInTest;
  },
  onBeforeTryTask(test) {
    globalThis.leftOutInTest = undefined;
    globalThis.untimedInTest = undefined;
    expect.setState({ assertionCalls: 0, currentTestName: test.fullTestName });
  },
  extendTaskContext: (context) => Object.assign(context, { expect: createExpect(context.task) }),
};

/**
 * The name (with the names of the groups around it) of each test in the file, its `state` (`pass`, `fail`, `skip`), the reason of a test that is
 * left out, and the words of its error. `without` has parts of names of tests that are left out, each with the reason.
 */
export async function runFile(filepath, { isList = false, without = [] } = {}) {
  leftOut = without;
  globalThis.__vitest_worker__.filepath = filepath;
  const [file] = await (isList ? collectTests : startTests)([{ filepath }], runner);
  vi.restoreAllMocks();
  const broken = file.result?.errors?.[0];
  return {
    file: filepath,
    tests: getTests(file).map(told),
    ...(broken && { error: wordsOf(broken), reason: limitIn(broken) }),
  };
}

function told(test) {
  const name = nameOf(test);
  const error = errorAround(test);
  if (error === undefined) {
    const state = test.result?.state === "pass" ? "pass" : "skip";
    return { name, state, reason: reasonFor(name), isUntimed: test.meta.isUntimed };
  }
  const words = wordsOf(error);
  // A source or a test may catch what a stand-in throws. The failure has to tell of it all the same: another failure is one.
  const taken = test.meta.leftOut;
  const tells = taken !== undefined && JSON.stringify(words).includes(JSON.stringify(taken).slice(1, -1));
  const reason = limitIn(error) ?? (tells ? taken : undefined);
  return { name, state: reason === undefined ? "fail" : "skip", reason, error: words };
}

const nameOf = (test) => getNames(test).slice(1).join(" > ");

/** The reason for a test that was not begun: listed, or in its name. */
const reasonFor = (name) => leftOut.find(([part]) => name.includes(part))?.[1] ?? /\(left out: (.*?)\)/.exec(name)?.[1];

/** The limit of this runtime that the error tells of: something of Node that a test uses, or an export that says that it needs Node. */
function limitIn({ name, message = "" }) {
  if (name === "LeftOut") return message;
  if (/needs files, processes or a server of its own/.test(message)) return "an export that runs on Node, Bun and Deno";
  return /which can't be loaded in this runtime/.test(message)
    ? "schemas of zod before 4.2 and of zod/mini"
    : undefined;
}

/** The first error of the test, or of a hook of a group around it. */
function errorAround(test) {
  for (let at = test; at !== undefined; at = at.suite ?? (at === at.file ? undefined : at.file))
    if (at.result?.errors?.length) return at.result.errors[0];
  return undefined;
}

const wordsOf = ({ name, message, stack, diff, cause }) => ({ name, message, stack, diff, cause: cause?.message });
