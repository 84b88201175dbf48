// The numbers of sessions, from journals that real runs wrote, and from records with known times.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord, type Session } from "../../../src/index.js";
import { predicate } from "../../../src/checks/index.js";
import { memoryStore, openSession, sessionStats } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { delegate, inBackground, taskCompletion } from "../../../src/tools/index.js";

const done = call("task_completion", { result: "done" });

async function* sessionsIn(store: ReturnType<typeof memoryStore>): AsyncGenerator<Session, void, void> {
  for (const { id } of await store.list()) yield await openSession({ store, id }).toJSON();
}

const slow = tool({
  name: "slow",
  description: "Takes some time.",
  input: z.object({ ms: z.number() }),
  effect: "none",
  run: async ({ ms }) => {
    await sleep(ms);
    if (ms === 0) throw new Error("no time");
    return "ok";
  },
});

test("runs, models, tools, checks and failures are counted over all sessions of a store, agents of calls included", async () => {
  const store = memoryStore();
  const run = async (id: string, steps: readonly Step[], limits = {}): Promise<string> => {
    const helper = createAgent({
      model: scriptedModel([[call("slow", { ms: 1 })], [done]]),
      tools: [slow, taskCompletion()],
    });
    const agent = createAgent({
      model: scriptedModel(steps),
      tools: [slow, delegate(helper, { name: "help", description: "Helps." }), taskCompletion()],
      checks: [predicate("tests", () => true)],
      permission: allowAll(),
      limits,
    });
    return (await agent.run("go", { session: openSession({ store, id }) })).status;
  };
  expect(await run("a", [[call("slow", { ms: 40 }), call("slow", { ms: 0 })], [call("nope", {})], [done]])).toBe(
    "completed",
  );
  expect(await run("b", [[call("help", { task: "help" })], [done]])).toBe("completed");
  expect(await run("c", [[call("slow", { ms: 1 })], [call("slow", { ms: 2 })]], { maxIterations: 1 })).toBe("stopped");
  const stats = await sessionStats(sessionsIn(store));
  expect(stats).toMatchObject({
    sessions: 3,
    runs: { completed: 2, "stopped: max_iterations": 1 },
    circuitOpenings: 0,
    failures: { tool_error: 1, unknown_tool: 1, closing: 1 },
  });
  // The last call came in the closing iteration, and was refused.
  expect(stats.tools.find(({ name }) => name === "slow")).toMatchObject({ times: 5, failed: 2 });
  expect(stats.tools.find(({ name }) => name === "help")).toMatchObject({ times: 1, failed: 0 });
  const { latency } = stats.tools.find(({ name }) => name === "slow")!;
  expect(latency.measured).toBe(5);
  expect(latency.p99).toBeGreaterThanOrEqual(39);
  expect(latency.p50).toBeLessThan(latency.p99);
  expect(stats.models.reduce((sum, { replies }) => sum + replies, 0)).toBeGreaterThanOrEqual(8);
  expect(stats.checks).toMatchObject([{ name: "tests", failed: 0 }]);
});

test("a call in the background counts once, with the time of its work", async () => {
  const store = memoryStore();
  const agent = createAgent({
    model: scriptedModel([
      [call("slow", { ms: 80 })],
      [call("background_result", { id: "bg-1", wait_seconds: 30 })],
      [done],
    ]),
    tools: [...inBackground(slow), taskCompletion()],
    permission: allowAll(),
  });
  await agent.run("go", { session: openSession({ store, id: "a" }) });
  const { tools } = await sessionStats(sessionsIn(store));
  const work = tools.find(({ name }) => name === "slow");
  expect(work).toMatchObject({ times: 1, failed: 0 });
  expect(work?.latency.p50).toBeGreaterThanOrEqual(79);
});

test("the time in which a call waited for a person does not count, and the percentiles are by the nearest rank", async () => {
  const at = (records: readonly object[]): readonly JournalRecord[] =>
    records.map((record, seq) => ({ seq, ...record }) as unknown as JournalRecord);
  const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 0 };
  const replies = Array.from({ length: 100 }, (_none, index) => [
    {
      type: "reply",
      iteration: index + 1,
      asked: 0,
      at: index + 1,
      reply: { text: "", calls: [], finish: "complete", usage },
    },
  ]).flat();
  const definition = { model: "m" };
  const calls = [{ type: "call", id: "c", name: "pay", input: {} }];
  const records = at([
    { type: "input", run: 1, text: "go", at: 0, definition },
    ...replies,
    { type: "reply", iteration: 101, at: 200, reply: { text: "", calls, finish: "complete", usage, model: "other" } },
    { type: "parked", callId: "c", name: "pay", at: 200 },
    { type: "approval", answers: "c", allowed: true, at: 90_000 },
    { type: "decision", callId: "c", allowed: true, reason: "", at: 90_001 },
    { type: "result", result: { callId: "c", name: "pay", ok: true, text: "" }, at: 90_006 },
    { type: "question", callId: "c", id: "c/ask:0", at: 90_006 },
    { type: "answer", answers: "c/ask:0", value: "yes", at: 99_000 },
    { type: "result", result: { callId: "c", name: "pay", ok: true, text: "" }, at: 99_004 },
    { type: "outcome", status: "stopped", reason: "circuit_open", at: 99_005 },
    { type: "input", run: 2, text: "go", at: 99_006 },
  ]);
  const { models, tools, runs, circuitOpenings } = await sessionStats([{ version: 1, id: "s", records }]);
  expect(models).toEqual([
    {
      name: "m",
      replies: 100,
      inputTokens: 1000,
      outputTokens: 200,
      cost: 0,
      latency: { measured: 100, p50: 50, p95: 95, p99: 99 },
    },
    {
      name: "other",
      replies: 1,
      inputTokens: 10,
      outputTokens: 2,
      cost: 0,
      latency: { measured: 0, p50: 0, p95: 0, p99: 0 },
    },
  ]);
  expect(tools).toEqual([{ name: "pay", times: 2, failed: 0, latency: { measured: 2, p50: 4, p95: 5, p99: 5 } }]);
  expect([runs, circuitOpenings]).toEqual([{ "stopped: circuit_open": 1, open: 1 }, 1]);
});
