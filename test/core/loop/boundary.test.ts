// Regressions of the boundary between two iterations, and of timeouts.

import { expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  sharedLimits,
  tool,
  type Check,
  type Event,
  type Json,
  type Outcome,
} from "../../../src/index.js";
import { transcript } from "../../../src/memory/index.js";
import {
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedModel,
  scriptedProvider,
  virtualClock,
} from "../../../src/testing/index.js";
import { openai } from "../../../src/model/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const done = call("task_completion", { result: "done" });
const look = tool({
  name: "look",
  description: "x",
  input: z.object({ n: z.number() }),
  effect: "read",
  run: ({ n }) => `v${String(n)}`,
});
const edit = tool({
  name: "edit",
  description: "x",
  input: z.object({ n: z.number() }),
  run: ({ n }) => `v${String(n)}`,
});
const notices = ({ session }: Outcome) =>
  session.records.flatMap((record) => (record.type === "notice" ? [record.about] : []));

test("a warning is not put between a question and its answer", async () => {
  await using provider = await scriptedProvider([
    [call("look", { n: 1 })],
    [call("look", { n: 2 })],
    [call("look", { n: 3 })],
    [call("ask_question", { question: "?" })],
    [done],
  ]);
  const agent = createAgent({
    model: openai({ baseURL: provider.url, model: "s" }),
    tools: [look, askQuestion(), taskCompletion()],
    limits: { maxIterations: 5 },
  });
  const { session } = await agent.run("go");
  await agent.run("answer", { session });
  for (const { body } of provider.requests) assertWellFormedRequest(body);
});

test("no warning after a completion, nor after the closing iteration", async () => {
  const outcome = await createAgent({
    model: scriptedModel([[call("look", { n: 1 })], [call("look", { n: 2 })], [call("look", { n: 3 })], [done]]),
    tools: [look, taskCompletion()],
    limits: { maxIterations: 5 },
  }).run("go");
  expect(notices(outcome)).toEqual([]);
});

test("a check that passes at the baseline does not end the run at the first edit", async () => {
  const check: Check = { name: "tests", every: "iteration", verify: () => ({ passed: true, output: "" }) };
  const outcome = await createAgent({
    model: scriptedModel([[call("edit", { n: 1 })], [call("edit", { n: 2 })], [done]]),
    tools: [edit, taskCompletion()],
    checks: [check],
  }).run("go");
  expect(outcome).toMatchObject({ status: "completed", iterations: 3 });
});

test("receipts and oracle agree if a judged check is listed first", async () => {
  const checks: readonly Check[] = [
    { name: "opinion", judged: true, verify: () => ({ passed: true, output: "fine" }) },
    { name: "tests", verify: () => ({ passed: true, output: "" }) },
  ];
  assertWellFormed(
    (await createAgent({ model: scriptedModel([[done]]), tools: [taskCompletion()], checks }).run("go")).session
      .records,
  );
});

test.each([false, true])(
  "an iteration whose time is up leaves an expiry record, with another call after the slow one: %s",
  async (another) => {
    const runtime = virtualClock({ auto: true });
    const slow = tool({
      name: "slow",
      description: "x",
      input: z.object({}),
      effect: "read",
      run: async (_i, { signal }) => runtime.sleep(5000, signal),
    });
    const calls = another ? [call("slow"), call("look", { n: 1 })] : [call("slow")];
    const outcome = await createAgent({
      model: scriptedModel([calls, [done]]),
      tools: [slow, look, taskCompletion()],
      limits: { iterationTimeout: 100 },
      runtime,
    }).run("go");
    expect(outcome.session.records.map(({ type }) => type)).toContain("expiry");
  },
);
test("the timeout of the run bounds the baseline", async () => {
  const runtime = virtualClock({ auto: true });
  const check: Check = {
    name: "slow",
    verify: async ({ signal }) => (await runtime.sleep(60_000, signal), { passed: true, output: "" }),
  };
  await createAgent({
    model: scriptedModel(() => [done]),
    tools: [taskCompletion()],
    checks: [check],
    limits: { timeout: 1000 },
    runtime,
  }).run("go");
  expect(runtime.now()).toBeLessThan(5000);
});

test("a store fault after a timeout fails the run and is not taken for the timeout", async () => {
  const runtime = virtualClock({ auto: true });
  const slow = tool({
    name: "slow",
    description: "x",
    input: z.object({}),
    effect: "read",
    run: async (_i, { signal }) => runtime.sleep(5000, signal),
  });
  let failed = false;
  const outcome = await createAgent({
    model: scriptedModel(() => [call("slow")]),
    tools: [slow, taskCompletion()],
    limits: { iterationTimeout: 100 },
    runtime,
    memory: (session) => {
      const inner = transcript(session);
      return {
        get records() {
          return inner.records;
        },
        recall: (recalling) => inner.recall(recalling),
        append: (record) => {
          if (record.type === "result" && !failed) {
            failed = true;
            throw new Error("disk full");
          }
          return inner.append(record);
        },
      };
    },
  }).run("go");
  expect(outcome).toMatchObject({ status: "failed", fault: { code: "store" } });
});

test("an inner run that is closing and that the outer budget then refuses has a well-formed journal", async () => {
  const usage = { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  let inner: Outcome | undefined;
  const child = createAgent({
    model: scriptedModel(() => ({ calls: [call("look", { n: 1 })], usage })),
    tools: [look, taskCompletion()],
    limits: { maxIterations: 1 },
  });
  const delegate = tool({
    name: "delegate",
    description: "x",
    input: z.object({}),
    effect: "none",
    run: async (_i, { budget, signal }) => (inner = await child.run("sub", { budget, signal })).status,
  });
  await createAgent({
    model: scriptedModel([
      { calls: [call("delegate")], usage: { ...usage, inputTokens: 100 } },
      { calls: [done], usage },
    ]),
    tools: [delegate, taskCompletion()],
    limits: { maxTokens: 2500, reserve: 0.2 },
  }).run("go");
  assertWellFormed(inner!.session.records);
});

test("a run that was being closed when its process died ended for another limit, of several runs", async () => {
  const model = scriptedModel([[call("look", { n: 1 })], [done]]);
  const agent = createAgent({ model, tools: [look, taskCompletion()], limits: { maxIterations: 1 } });
  const { session } = await agent.run("go");
  const closing = session.records.findIndex((record) => record.type === "notice" && record.about === "closing");
  expect(closing).toBeGreaterThan(0);
  const budget = sharedLimits({ maxIterations: 1, spent: { iterations: 1, tokens: 0, cost: 0 } });
  const outcome = await agent.resume({ ...session, records: session.records.slice(0, closing + 1) }, { budget });
  expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
  expect(outcome.status === "stopped" && outcome.message).not.toContain("several runs");
  assertWellFormed(outcome.session.records);
});

test("an inner run that outlives its call writes nothing into the outer journal", async () => {
  const runtime = virtualClock({ auto: true });
  const child = createAgent({
    model: {
      ...scriptedModel([]),
      async *respond() {
        await runtime.sleep(5000, new AbortController().signal);
        return {
          text: "",
          calls: [{ type: "call", name: "task_completion", input: { result: "x" } as Json }],
          finish: "complete",
          usage: { inputTokens: 7, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
        };
      },
    },
    tools: [taskCompletion()],
    runtime,
  });
  const delegate = tool({
    name: "delegate",
    description: "x",
    timeout: 100,
    input: z.object({}),
    effect: "none",
    run: (_i, { budget }) => child.run("sub", { budget }),
  });
  const outcome = await createAgent({
    model: scriptedModel([[call("delegate")], [done]]),
    tools: [delegate, taskCompletion()],
    runtime,
  }).run("go");
  assertWellFormed(outcome.session.records);
});

test("the closing request after a timeout has a key of its own", async () => {
  const runtime = virtualClock({ auto: true });
  const keys: string[] = [];
  const script = scriptedModel([[done]]);
  let requests = 0;
  const model = {
    ...script,
    async *respond(request: Parameters<typeof script.respond>[0], signal: AbortSignal) {
      if ((requests += 1) === 1) await runtime.sleep(5000, signal);
      return yield* script.respond(request, signal);
    },
  };
  const agent = createAgent({ model, tools: [taskCompletion()], limits: { iterationTimeout: 100 }, runtime });
  const { session } = await agent.run("go", {
    onEvent: (event: Event) => {
      if (event.type === "request-start") keys.push(event.key);
    },
  });
  const life = session.records[0]?.type === "input" ? session.records[0].life : undefined;
  expect(keys).toEqual([`session-1/${String(life)}/1/model:1`, `session-1/${String(life)}/1/model:closing`]);
});
