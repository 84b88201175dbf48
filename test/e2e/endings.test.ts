import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type Check } from "../../src/index.js";
import { assertWellFormed, call } from "../../src/testing/index.js";
import { converse, taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, failingFor, lookup, prompt, tools } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });

test("task_completion ends the run completed, with its arguments as the value", async () => {
  await using stage = await agentOn([[call("lookup", { key: "a" })], [done]]);
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({
    status: "completed",
    by: "task_completion",
    value: { result: "all done" },
    verified: "unchecked",
    receipts: [],
    iterations: 2,
  });
  expect(stage.provider.unsaid).toBe(0);
  expect(prompt(stage.provider, 2).slice(1)).toEqual(["user: go", "assistant: lookup", "tool: value of a"]);
});

test("a loop-breaking tool of one's own ends the run with its typed payload", async () => {
  await using stage = await agentOn([[call("submit_report", { findings: ["x"], grade: 2 })]]);
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({ status: "completed", by: "submit_report", value: { findings: ["x"], grade: 2 } });
});

test("the value is what run returns, and run happens only once all else holds", async () => {
  const effects: string[] = [];
  const publish = tool({
    name: "publish",
    description: "Publishes",
    input: z.object({ title: z.string() }),
    isLoopBreaking: true,
    run: ({ title }) => {
      effects.push(title);
      return { url: `https://example.test/${title}` };
    },
  });
  await using stage = await agentOn(
    [[call("lookup", { key: "none" }), call("publish", { title: "early" })], [call("publish", { title: "late" })]],
    {
      tools: [lookup, publish],
    },
  );
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({ status: "completed", value: { url: "https://example.test/late" } });
  expect(effects).toEqual(["late"]);
});

test("a claim whose own run throws is refused with the error, and the loop goes on", async () => {
  let tries = 0;
  const publish = tool({
    name: "publish",
    description: "Publishes",
    input: z.object({}),
    isLoopBreaking: true,
    run: () => {
      tries += 1;
      if (tries === 1) throw new Error("the press is jammed");
      return tries;
    },
  });
  await using stage = await agentOn([[call("publish")], [call("publish")]], { tools: [publish] });
  expect(await stage.agent.run("go")).toMatchObject({ status: "completed", value: 2, iterations: 2 });
  expect(prompt(stage.provider, 2).at(-1)).toContain("ERROR tool_error (publish): the press is jammed");
});

test("a predicate decides by the input whether a call ends the run", async () => {
  const vote = tool({
    name: "vote",
    description: "Votes",
    input: z.object({ final: z.boolean() }),
    isLoopBreaking: ({ final }) => final,
    run: ({ final }) => (final ? "the end" : "noted"),
  });
  await using stage = await agentOn([[call("vote", { final: false })], [call("vote", { final: true })]], {
    tools: [vote],
  });
  expect(await stage.agent.run("go")).toMatchObject({
    status: "completed",
    by: "vote",
    value: "the end",
    iterations: 2,
  });
  expect(prompt(stage.provider, 2).at(-1)).toBe("tool: noted");
});

test("ask_question ends the run waiting, and the next input is its result", async () => {
  await using stage = await agentOn([
    [call("lookup", { key: "a" }), call("ask_question", { question: "Which?", suggestions: ["one", "two"] })],
    [done],
  ]);
  const asked = await stage.agent.run("go");
  if (asked.status !== "waiting") throw new Error(asked.status);
  expect(asked.value).toEqual({ question: "Which?", suggestions: ["one", "two"] });
  expect(asked.id).toMatch(new RegExp(`^${asked.session.id}/\\w{6}/1/call:1:1$`));

  const session = JSON.parse(JSON.stringify(asked.session)) as typeof asked.session;
  expect(await stage.agent.run("two", { session })).toMatchObject({ status: "completed" });
  expect(prompt(stage.provider, 2).slice(1)).toEqual([
    "user: go",
    "assistant: lookup + ask_question",
    "tool: value of a",
    "tool: two",
  ]);
  assertPaired(stage.provider);
});

test("converse keeps a conversation going over any number of runs", async () => {
  await using stage = await agentOn(
    [[call("converse", { message: "Hello" })], [call("converse", { message: "Well?" })], [done]],
    {
      tools: [converse(), taskCompletion()],
    },
  );
  let outcome = await stage.agent.run("hi");
  outcome = await stage.agent.run("how are you", { session: outcome.session });
  outcome = await stage.agent.run("bye", { session: outcome.session });
  expect(outcome.status).toBe("completed");
  outcome.session.records.forEach((record, index) => {
    expect(record.seq).toBe(index);
  });
  assertPaired(stage.provider);
});

test("give_up ends the run stopped, with the claim in partial and never as an answer", async () => {
  await using stage = await agentOn([{ text: "Hm.", calls: [call("give_up", { reason: "no network" })] }]);
  expect(await stage.agent.run("go")).toMatchObject({
    status: "stopped",
    reason: "gave_up",
    partial: { text: "Hm.", claim: { by: "give_up", value: { reason: "no network" } } },
  });
});

test("a claim beside a sibling that failed is refused, whatever their order", async () => {
  for (const reply of [
    [call("lookup", { key: "none" }), done],
    [done, call("lookup", { key: "none" })],
  ]) {
    await using stage = await agentOn([reply, [done]]);
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    const texts = prompt(stage.provider, 2).join("\n");
    expect(texts).toContain("ERROR tool_error (lookup): There is nothing under none");
    expect(texts).toContain("ERROR claim_refused (task_completion)");
    expect(texts).toContain("lookup (tool_error)");
    assertPaired(stage.provider);
  }
});

test("of two loop-breaking calls in one reply none runs, and both are told", async () => {
  await using stage = await agentOn([
    [done, call("ask_question", { question: "Done?" }), call("lookup", { key: "a" })],
    [done],
  ]);
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
  const texts = prompt(stage.provider, 2);
  expect(texts.filter((text) => text.includes("ERROR conflicting_calls"))).toHaveLength(2);
  expect(texts).toContain("tool: value of a");
  assertPaired(stage.provider);
});

test("checks gate a completion: a failed one is the claim's result, and attempts are bounded", async () => {
  let green = false;
  const check = { name: "tests", verify: () => ({ passed: green, output: "1 test failed: adds" }) };
  const fix = tool({
    name: "fix",
    description: "Fixes",
    input: z.object({}),
    run: () => {
      green = true;
    },
  });
  await using stage = await agentOn([[done], [call("fix")], [done]], {
    tools: [fix, taskCompletion()],
    checks: [check],
  });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(outcome).toMatchObject({
    status: "completed",
    verified: "checked",
    receipts: [{ check: "tests", passed: true, passedAtBaseline: false, failedBefore: 1, flaky: false }],
  });
  expect(stage.events.flatMap((event) => (event.type === "check-end" ? [[event.when, event.passed]] : []))).toEqual([
    ["baseline", false],
    ["claim", false],
    ["claim", true],
  ]);
  expect(prompt(stage.provider, 2).at(-1)).toContain(
    'ERROR check_failed (task_completion): Not accepted, because the check "tests"',
  );

  green = false;
  await using red = await agentOn(() => [done], { checks: [check], maxAttempts: 7 });
  expect(await red.agent.run("go")).toMatchObject({ status: "stopped", reason: "checks_failed", iterations: 7 });
});

test("checks are run before the first request, and the model is told what they said", async () => {
  const check = { name: "tests", verify: () => ({ passed: false, output: "1 test failed: adds" }) };
  await using stage = await agentOn([[call("give_up", { reason: "tired" })]], { checks: [check] });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  const text =
    'The task is done when its checks pass. They were run before you began.\n\nThe check "tests" does not pass yet. It says:\n1 test failed: adds';
  expect(prompt(stage.provider, 1).slice(1)).toEqual(["user: go", `user: ${text}`]);
  expect(stage.types().slice(0, 5)).toEqual(["run-start", "check-start", "check-end", "notice", "iteration-start"]);
  expect(stage.events.find(({ type }) => type === "notice")).toEqual({ type: "notice", about: "baseline", text });
  expect(outcome).toMatchObject({ reason: "gave_up", receipts: [{ check: "tests", when: "baseline", passed: false }] });
  assertWellFormed(outcome.session.records, { tools });
});

test("checks that pass before the first request are told to show nothing, and judged ones are not asked there", async () => {
  const asked: string[] = [];
  const checkNamed = (name: string, judged: boolean): Check => ({
    name,
    judged,
    verify: ({ when }) => (asked.push(`${name} ${when}`), { passed: true, output: "" }),
  });
  await using stage = await agentOn([[done]], { checks: [checkNamed("a", false), checkNamed("b", true)] });
  const outcome = await stage.agent.run("go");
  expect(asked).toEqual(["a baseline", "a claim", "b claim"]);
  expect(prompt(stage.provider, 1).at(-1)).toContain('and pass already: "a". So they do not show that');
  if (outcome.status !== "completed") throw new Error(outcome.status);
  expect(outcome.verified).toBe("judged");
  expect(outcome.receipts.map(({ passedAtBaseline, judged }) => [passedAtBaseline, judged])).toEqual([
    [true, false],
    [undefined, true],
  ]);
});

test("a question is never gated by checks", async () => {
  const check = { name: "never", verify: () => ({ passed: false, output: "" }) };
  await using stage = await agentOn([[call("ask_question", { question: "Which?" })]], { checks: [check] });
  expect(await stage.agent.run("go")).toMatchObject({ status: "waiting" });
});

test("a check that throws has not passed", async () => {
  const check = {
    name: "broken",
    verify: (): never => {
      throw new Error("no such program");
    },
  };
  await using stage = await agentOn(() => [done], { checks: [check], maxAttempts: 1 });
  expect(await stage.agent.run("go")).toMatchObject({ status: "stopped", reason: "checks_failed" });
});

test("without a reserve, a limit of the caller stops the run after the iteration that reached it", async () => {
  await using stage = await agentOn(() => [call("lookup", { key: "a" })], { limits: { maxIterations: 3, reserve: 0 } });
  expect(await stage.agent.run("go")).toMatchObject({
    status: "stopped",
    reason: "max_iterations",
    message: "3 iterations, as many as allowed",
    iterations: 3,
  });
  expect(stage.types()).not.toContain("notice");
});

test("a limit of the caller leaves one more iteration, in which nothing runs but what ends the run", async () => {
  const script = ({ number }: { readonly number: number }): readonly [ReturnType<typeof call>] => [
    call("lookup", { key: `a${String(number)}` }),
  ];
  await using stage = await agentOn(script, { limits: { maxIterations: 3 } });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations", iterations: 4, partial: { text: "" } });
  expect(prompt(stage.provider, 4).slice(-2)).toEqual([
    "tool: value of a3",
    expect.stringMatching(
      /^user: The run has to end: 3 iterations, as many as allowed\. Your next reply is its last\. Call ask_question, .* or task_completion, /,
    ),
  ]);
  const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(results.map(({ failure }) => failure?.kind)).toEqual([undefined, undefined, undefined, "closing"]);
  expect(stage.events.filter(({ type }) => type === "call-decision")).toHaveLength(3);
  assertWellFormed(outcome.session.records, { tools });
  assertPaired(stage.provider);
});

test("what the model says in the closing iteration is the partial claim, and no completion unless checks passed", async () => {
  const script = ({ number }: { readonly number: number }): readonly [ReturnType<typeof call>] =>
    number > 1 ? [done] : [call("lookup", { key: "a" })];
  const claim = { by: "task_completion", value: { result: "all done" } };
  await using unchecked = await agentOn(script, { limits: { maxIterations: 1 } });
  expect(await unchecked.agent.run("go")).toMatchObject({
    status: "stopped",
    reason: "max_iterations",
    partial: { claim },
    iterations: 2,
  });
  await using checked = await agentOn(script, { limits: { maxIterations: 1 }, checks: [failingFor(0)] });
  expect(await checked.agent.run("go")).toMatchObject({ status: "completed", verified: "checked", iterations: 2 });
  await using failing = await agentOn(script, { limits: { maxIterations: 1 }, checks: [failingFor(9)] });
  const outcome = await failing.agent.run("go");
  expect(outcome).toMatchObject({ reason: "max_iterations", partial: { text: "all done" }, iterations: 2 });
  expect(outcome).not.toHaveProperty("partial.claim");
});

test("a run that was closed can be gone on from, with the limits counted anew", async () => {
  const script = ({ number }: { readonly number: number }): readonly [ReturnType<typeof call>] =>
    number > 3 ? [done] : [call("lookup", { key: "a" })];
  await using stage = await agentOn(script, { limits: { maxIterations: 2 } });
  const { session, status } = await stage.agent.run("go");
  expect(status).toBe("stopped");
  expect(await stage.agent.run("on", { session })).toMatchObject({ status: "completed", iterations: 1 });
  assertPaired(stage.provider);
});

test("a refusal of the provider stops the run, and its text is no answer", async () => {
  await using stage = await agentOn([{ text: "I can't help with that.", finishReason: "content_filter" }]);
  expect(await stage.agent.run("go")).toMatchObject({
    status: "stopped",
    reason: "refused",
    partial: { text: "I can't help with that." },
  });
});

test("a reply without a call whose process was gone before it was told so is told when the next run begins", async () => {
  await using stage = await agentOn(["I think so.", [done], [done]]);
  const first = await stage.agent.run("go");
  const session = { ...first.session, records: first.session.records.slice(0, 2) };
  expect(session.records.map(({ type }) => type)).toEqual(["input", "reply"]);
  const outcome = await stage.agent.run("and now?", { session });
  expect(outcome.status).toBe("completed");
  expect(outcome.session.records[2]).toMatchObject({ type: "error-context", failure: { kind: "no_tool_call" } });
  assertPaired(stage.provider);
  assertWellFormed(outcome.session.records, { tools });
});

test("a session whose last reply was refused, and had words alone, is gone on with: it is asked for again", async () => {
  await using stage = await agentOn([{ text: "I can't.", finishReason: "content_filter" }, [done]]);
  const refused = await stage.agent.run("go");
  expect(refused).toMatchObject({ status: "stopped", reason: "refused" });
  const outcome = await stage.agent.resume(refused.session);
  expect(outcome).toMatchObject({ status: "completed", value: { result: "all done" } });
  expect(prompt(stage.provider, 2)).toEqual(prompt(stage.provider, 1));
  assertPaired(stage.provider);
  assertWellFormed(outcome.session.records, { tools });
});

test("a refused reply runs nothing, and its calls are answered all the same", async () => {
  await using stage = await agentOn([{ calls: [done], finishReason: "content_filter" }, [done]]);
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({ status: "stopped", reason: "refused" });
  expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
  assertPaired(stage.provider);
});

test("with nobody there, tools that await a reply are absent from prompt and tool list", async () => {
  await using stage = await agentOn([[call("ask_question", { question: "Which?" })], [done]], { interactive: false });
  expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
  const [first] = stage.provider.requests;
  expect(JSON.stringify(first!.body)).not.toMatch(/ask_question|converse/);
  expect(prompt(stage.provider, 2).at(-1)).toContain('There is no tool named \\"ask_question\\"'.replaceAll("\\", ""));
});

test("after any outcome a further input works", async () => {
  await using stage = await agentOn([
    [call("give_up", { reason: "tired" })],
    { status: 400, message: "nonsense" },
    "words",
    [done],
  ]);
  let outcome = await stage.agent.run("one");
  expect(outcome.status).toBe("stopped");
  outcome = await stage.agent.run("two", { session: outcome.session });
  expect(outcome.status).toBe("failed");
  outcome = await stage.agent.run("three", { session: outcome.session });
  expect(outcome.status).toBe("completed");
  assertPaired(stage.provider);
});

test("the session given is not changed by the run that goes on from it", async () => {
  await using stage = await agentOn(() => [done]);
  const first = await stage.agent.run("one");
  const before = JSON.stringify(first.session);
  const second = await stage.agent.run("two", { session: first.session });
  expect(JSON.stringify(first.session)).toBe(before);
  expect(second.session.records.length).toBeGreaterThan(first.session.records.length);
  expect(second.session.id).toBe(first.session.id);
});
