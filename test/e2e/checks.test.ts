// Done is a check: before the work, during it, and at the claim.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, verifyReceipt, type Check, type CheckContext, type Event } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type Script } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "done" })];

/** A world with a number in it: `add` changes it, `peek` does not. */
function world(): {
  readonly tools: readonly [ReturnType<typeof makeAdd>, ReturnType<typeof makePeek>, ReturnType<typeof taskCompletion>];
  readonly value: () => number;
  readonly atLeast: (least: number, options?: Partial<Check>) => Check & { readonly asked: CheckContext[] };
} {
  const state = { value: 0 };
  return {
    tools: [makeAdd(state), makePeek(state), taskCompletion()],
    value: () => state.value,
    atLeast: (least, options = {}) => {
      const asked: CheckContext[] = [];
      return {
        name: `at least ${String(least)}`,
        ...options,
        asked,
        verify: (context) => {
          asked.push({ ...context, records: [...context.records] });
          return { passed: state.value >= least, output: `it is ${String(state.value)}` };
        },
      };
    },
  };
}

const makeAdd = (state: { value: number }) =>
  tool({
    name: "add",
    description: "Adds one",
    input: z.object({}),
    effect: "write",
    run: () => `now ${String((state.value += 1))}`,
  });

const makePeek = (state: { value: number }) =>
  tool({
    name: "peek",
    description: "Looks",
    input: z.object({}),
    effect: "read",
    run: () => `it is ${String(state.value)}`,
  });

const add = [call("add", {})];
const peek = [call("peek", {})];

async function runIn(
  { tools }: ReturnType<typeof world>,
  script: Script,
  options: Partial<Parameters<typeof createAgent>[0]> = {},
) {
  const model = scriptedModel(script);
  const events: Event[] = [];
  const agent = createAgent({ model, tools, permission: allowAll(), ...options });
  const outcome = await agent.run("Make it larger", { onEvent: (event) => void events.push(event) });
  assertWellFormed(outcome.session.records, { tools });
  const checks = events.flatMap((event) =>
    event.type === "check-end" ? [[event.when, event.check, event.passed]] : [],
  );
  const told = events.flatMap((event) => (event.type === "notice" ? [[event.about, event.text]] : []));
  return { outcome, events, checks, told, requests: model.requests };
}

describe("the baseline", () => {
  test("is run before the first request, and the model is told what does not pass yet", async () => {
    const here = world();
    const { outcome, checks, requests } = await runIn(here, [add, done], { checks: [here.atLeast(1)] });
    expect(checks).toEqual([
      ["baseline", "at least 1", false],
      ["claim", "at least 1", true],
    ]);
    expect(requests[0]?.messages).toEqual([
      { role: "user", text: "Make it larger" },
      {
        role: "user",
        text: 'The task is done when its checks pass. They were run before you began.\n\nThe check "at least 1" does not pass yet. It says:\nit is 0',
      },
    ]);
    expect(outcome).toMatchObject({
      status: "completed",
      verified: "checked",
      receipts: [{ check: "at least 1", when: "claim", failedBefore: 0, flaky: false, passedAtBaseline: false }],
    });
  });

  test("that passes already is said to the model, and stands in the receipt", async () => {
    const here = world();
    const { outcome, told } = await runIn(here, [done], { checks: [here.atLeast(0)] });
    expect(told).toEqual([
      [
        "baseline",
        'Before you began, the checks of this task were run, and pass already: "at least 0". So they do not show that the task is done: see to that yourself.',
      ],
    ]);
    expect(outcome).toMatchObject({ status: "completed", receipts: [{ passedAtBaseline: true }] });
  });

  test("knows no claim, and the claim's check knows it, with everything before it", async () => {
    const here = world();
    const check = here.atLeast(0);
    await runIn(here, [done], { checks: [check] });
    const [baseline, claim] = check.asked;
    expect(baseline).not.toHaveProperty("claim");
    expect(baseline?.records.map(({ type }) => type)).toEqual(["input"]);
    expect(claim?.claim).toEqual({ by: "task_completion", input: { result: "done" } });
    expect(claim?.records.map(({ type }) => type)).toContain("reply");
    expect(claim?.key).toMatch(/^.+\/1\/check:\d+$/);
    expect(new Set(check.asked.map(({ key }) => key)).size).toBe(2);
  });

  test("reminds each check of what it began with, and is taken once for a task, over questions and further tries", async () => {
    const here = world();
    let begun = 0;
    const check = here.atLeast(2, { begin: () => ({ times: (begun += 1) }) });
    const ask = [call("ask_question", { question: "How large?" })];
    const model = scriptedModel([add, ask, add, done, done]);
    const tools = [...here.tools, askQuestion()] as const;
    const agent = createAgent({ model, tools, permission: allowAll(), checks: [check] });
    const first = await agent.run("Make it larger");
    const second = await agent.run("Two", { session: first.session });
    expect(second.status).toBe("completed");
    expect(begun).toBe(1);
    expect(check.asked.map(({ when, begun: with_ }) => [when, with_])).toEqual([
      ["baseline", { times: 1 }],
      ["claim", { times: 1 }],
    ]);
    const third = await agent.run("Once more", { session: second.session });
    expect(third).toMatchObject({ status: "completed", receipts: [{ passedAtBaseline: true }] });
    expect(begun).toBe(2);
    assertWellFormed(third.session.records, { tools });
  });

  test("that can't be taken ends the run with the reason, before a request is made", async () => {
    const here = world();
    const check = here.atLeast(1, {
      begin: () => {
        throw new Error("there is no such folder");
      },
    });
    const { outcome, requests } = await runIn(here, [done], { checks: [check] });
    expect(outcome).toMatchObject({ status: "failed", fault: { message: expect.stringContaining("no such folder") } });
    expect(requests).toHaveLength(0);
  });
});

describe("receipts", () => {
  test("say of a check that fails and then passes with nothing changed that it is flaky", async () => {
    const here = world();
    let asked = 0;
    const flaky: Check = {
      name: "flaky",
      verify: () => ({ passed: (asked += 1) > 2, output: `time ${String(asked)}` }),
    };
    const { outcome } = await runIn(here, [done, peek, done], { checks: [flaky] });
    expect(outcome).toMatchObject({ status: "completed", receipts: [{ flaky: true, failedBefore: 1 }] });
    const [receipt] = outcome.status === "completed" ? outcome.receipts : [];
    expect(await verifyReceipt(receipt!, outcome.session.records)).toEqual({ holds: true });
    expect(await verifyReceipt({ ...receipt!, flaky: false }, outcome.session.records)).toEqual({
      holds: false,
      reason: "flaky is false, in the journal true",
    });
  });

  test("say nothing of that where something was changed in between", async () => {
    const here = world();
    const { outcome } = await runIn(here, [done, add, done], { checks: [here.atLeast(1)] });
    expect(outcome).toMatchObject({ receipts: [{ flaky: false, failedBefore: 1 }] });
  });

  test("of a run that stopped say what each check said last", async () => {
    const here = world();
    const { outcome } = await runIn(here, () => done, { checks: [here.atLeast(0), here.atLeast(9)], maxAttempts: 2 });
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "checks_failed",
      receipts: [
        { check: "at least 0", passed: true },
        { check: "at least 9", passed: false, failedBefore: 1 },
      ],
    });
  });
});

describe('a check with every: "iteration"', () => {
  const often = { every: "iteration" } as const;

  test("is run after each iteration that changed something, and tells the model until it passes", async () => {
    const here = world();
    const { outcome, checks, told } = await runIn(here, [peek, add, peek, add, done], {
      checks: [here.atLeast(2, often)],
    });
    expect(checks).toEqual([
      ["baseline", "at least 2", false],
      ["iteration", "at least 2", false],
      ["iteration", "at least 2", true],
    ]);
    expect(told.map(([about]) => about)).toEqual(["baseline", "check", "closing"]);
    expect(told[1]?.[1]).toBe('The check "at least 2" was run after that and does not pass. It says:\nit is 1');
    expect(told[2]?.[1]).toBe(
      "The goal is reached: every check passes: at least 2. Your next reply is the last of this run. Call task_completion now and say what was done; no other call is run.",
    );
    // What it said stands at the claim: nothing ran in between.
    expect(outcome).toMatchObject({
      status: "completed",
      verified: "checked",
      receipts: [{ when: "iteration", passed: true, failedBefore: 1 }],
      iterations: 5,
    });
  });

  test("that passes ends the run as check_passed where the model does not claim it", async () => {
    const here = world();
    const { outcome } = await runIn(here, [add, peek], { checks: [here.atLeast(1, often)] });
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "check_passed",
      message: "every check passes: at least 1",
      receipts: [{ passed: true }],
      iterations: 2,
    });
    expect(here.value()).toBe(1);
  });

  test("is no goal by itself where others are checked at the claim alone: they have to pass as well", async () => {
    const here = world();
    const checks = [here.atLeast(2), here.atLeast(1, often)];
    const { outcome, checks: seen } = await runIn(here, [add, add, done], { checks });
    expect(outcome.status).toBe("completed");
    expect(seen.slice(2)).toEqual([
      ["iteration", "at least 1", true],
      ["iteration", "at least 2", false],
      ["iteration", "at least 1", true],
      ["iteration", "at least 2", true],
    ]);
  });

  test("that passed before anything was done ends nothing until something was changed", async () => {
    const here = world();
    const { outcome } = await runIn(here, [peek, peek, add, done], { checks: [here.atLeast(0, often)] });
    expect(outcome).toMatchObject({ status: "completed", iterations: 4 });
  });

  test("says the same only once, and again when it says something else", async () => {
    const here = world();
    const fixed: Check = { name: "fixed", ...often, verify: () => ({ passed: false, output: "always the same" }) };
    const { told } = await runIn(here, [add, add, add, [call("task_completion", { result: "x" })]], {
      checks: [fixed],
      maxAttempts: 1,
    });
    expect(told.map(([about]) => about)).toEqual(["baseline"]);
    const other = world();
    const { told: more } = await runIn(other, [add, add, done], { checks: [other.atLeast(9, often)], maxAttempts: 1 });
    expect(more.map(([about]) => about)).toEqual(["baseline", "check", "check"]);
  });

  test("is not asked after an iteration whose claim has just been checked", async () => {
    const here = world();
    const { checks } = await runIn(here, [[...add, ...done], done], { checks: [here.atLeast(1, often)] });
    expect(checks).toEqual([
      ["baseline", "at least 1", false],
      ["claim", "at least 1", true],
    ]);
  });
});

test("two checks with one name are refused", () => {
  const here = world();
  const checks = [here.atLeast(1), here.atLeast(1)];
  expect(() => createAgent({ model: scriptedModel([]), tools: here.tools, checks })).toThrow(
    'Two checks are named "at least 1": leave one out, or give it another name.',
  );
});
