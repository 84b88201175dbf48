import { describe, expect, test } from "vitest";
import { noUsage, type Check, type CheckContext } from "../../../src/core/index.js";
import type { CheckRecord } from "../../../src/core/internal.js";
import { examine } from "../../../src/core/loop/examine.js";
import { sha256 } from "../../../src/core/journal/verify-receipt.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { openRun, type OpenedRun } from "../open-run.js";
import { sourceOf } from "../../../src/core/time/stage.js";

const atIteration = { when: "iteration" } as const;

/** Examines a check that does this, on a run of its own. */
async function examined(
  verify: (context: CheckContext) => unknown,
  more: Partial<Check> = {},
): Promise<OpenedRun & { readonly record: CheckRecord }> {
  const opened = openRun({ limits: { prices: { scripted: { input: 1, output: 2 }, big: { input: 5, output: 10 } } } }, [
    input(1, "go"),
  ]);
  const check = { name: "tests", ...more, verify: verify as Check["verify"] };
  const { value: record } = await drain(examine(opened.run, check, atIteration));
  return { ...opened, record };
}

describe("a check passes", () => {
  test("if its verdict says so with true, and the record has all that it said", async () => {
    const verdict = { passed: true, output: "12 tests", exitCode: 0, changed: ["a.test.ts"] };
    const { record, added } = await examined(() => verdict);
    expect(record).toMatchObject({ ...verdict, type: "check", check: "tests", when: "iteration" });
    expect(record.digest).toBe(await sha256("12 tests"));
    expect(added()).toMatchObject([record]);
  });

  test.each<[string, () => unknown]>([
    ["another value than true", () => ({ passed: "yes", output: "fine" })],
    ["a number", () => ({ passed: 1, output: "fine" })],
    ["no verdict", () => undefined],
    ["an error", () => Promise.reject(new Error("no such command"))],
    ["an error at once", () => expect.fail("at once")],
  ])("not with %s: a check fails closed", async (_what, verify) => {
    expect((await examined(verify)).record.passed).toBe(false);
  });

  test("not by an error, whose words are its output", async () => {
    const { record } = await examined(() => Promise.reject(new Error("no such command")));
    expect(record.output).toContain("no such command");
  });
});

describe("the record", () => {
  test("is in the journal before watchers hear of the verdict", async () => {
    const { run, types } = openRun({}, [input(1, "go")]);
    const check: Check = { name: "tests", verify: () => ({ passed: true, output: "" }) };
    const events = sourceOf(examine(run, check, atIteration));
    expect((await events.next()).value).toMatchObject({ type: "check-start", check: "tests" });
    expect((await events.next()).value).toMatchObject({ type: "check-end", passed: true });
    expect(types()).toEqual(["check"]);
  });

  test("has no secret in it, and the digest of what is left", async () => {
    const key = `sk-proj-${"Ab3".repeat(16)}`;
    const { record } = await examined(() => ({ passed: false, output: `401 for ${key}` }));
    expect(record.output).not.toContain(key);
    expect(record.digest).toBe(await sha256(record.output));
  });

  test("has the time that the check took", async () => {
    const opened = openRun({}, [input(1, "go")]);
    const verify = async () => {
      await opened.clock.advance(40);
      return { passed: true, output: "" };
    };
    const { value } = await drain(examine(opened.run, { name: "tests", verify }, atIteration));
    expect(value.duration).toBe(40);
  });

  test("has what the models cost that the check asked, at the highest price if one has none", async () => {
    const usage = { ...noUsage, inputTokens: 1_000_000 };
    const asked = ["scripted", "unknown"].map((model) => ({ model, usage }));
    const { record, run } = await examined(() => ({ passed: true, output: "", asked }), { judged: true });
    expect(record).toMatchObject({ judged: true, spent: { tokens: 2_000_000, cost: 6 } });
    expect(run.state.spent.cost).toBe(6);
  });
});

test("a check is told its key, the records so far, and what it began with", async () => {
  let seen: CheckContext | undefined;
  const verify = (context: CheckContext) => {
    seen = context;
    return { passed: true, output: "" };
  };
  const { run } = openRun({}, [input(1, "go"), { type: "baseline", begun: { tests: "3 files", lint: "other" } }]);
  await drain(examine(run, { name: "tests", verify }, atIteration));
  expect(seen).toMatchObject({ key: "s/1/check:2", when: "iteration", begun: "3 files" });
  expect(seen).not.toHaveProperty("claim");
  await drain(examine(run, { name: "lint", verify }, { when: "baseline", begun: { lint: "now" } }));
  expect(seen).toMatchObject({ key: "s/1/check:3", begun: "now" });
});

test("an abort ends the wait for a check that does not listen, and nothing is recorded of it", async () => {
  const { run, abort, types } = openRun({}, [input(1, "go")]);
  const verify = () => {
    abort.abort(new Error("enough"));
    return new Promise<never>(() => undefined);
  };
  await expect(drain(examine(run, { name: "tests", verify }, atIteration))).rejects.toThrow("enough");
  expect(types()).toEqual([]);
});
