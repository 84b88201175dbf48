// Runs that ask to go on at a limit: in memory, in files and in SQLite, with rules, in forks, and of agents that calls run.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent, tool, type ApprovalOptions, type AskingLimits, type Principal } from "../../src/index.js";
import {
  ed25519,
  fileStore,
  forkSession,
  memoryStore,
  openSession,
  sqliteStore,
  verifyApprovals,
  type Store,
} from "../../src/memory/index.js";
import { assertWellFormed, call, scriptedModel, virtualClock } from "../../src/testing/index.js";
import { delegate, handOver, taskCompletion } from "../../src/tools/index.js";
import { hasSqlite, noSqlite } from "../memory/store-places.js";

const usage = { inputTokens: 100, outputTokens: 10 };
const prices = { scripted: { input: 1000, output: 10_000 } };

/** An agent that paints planks until it is asked to end, or until it has painted enough. */
function painter(
  limits: AskingLimits,
  { enough = 100, approvals }: { enough?: number; approvals?: ApprovalOptions } = {},
) {
  const painted: number[] = [];
  const paint = tool({
    name: "paint",
    description: "Paints a plank.",
    input: { type: "object", properties: {} },
    run: () => `${String(painted.push(painted.length))} planks are painted`,
  });
  const model = scriptedModel(({ lastText }) => {
    const isLast = lastText.includes("has to end") || painted.length >= enough;
    return { calls: [isLast ? call("task_completion", { result: "painted" }) : call("paint", {})], usage };
  });
  const tools = [paint, taskCompletion()] as const;
  const agent = createAgent({ model, tools, limits, ...(approvals && { approvals }) });
  return { agent, painted };
}

const asking = { maxIterations: 3, ask: { maxIterations: 2 }, prices };
const why = "The run reached 3 iterations. May it go on, for 2 more (at a cost of about 0.4)?";

describe.each<[string, () => Store, boolean]>([
  ["memory", () => memoryStore(), false],
  ["files", () => fileStore(mkdtempSync(join(tmpdir(), "limits-"))), false],
  ["SQLite", () => sqliteStore(join(mkdtempSync(join(tmpdir(), "limits-")), "s.db")), !hasSqlite],
])("a run that reaches its limit, in a store in %s,", (_name, make, isLeftOut) => {
  test.skipIf(isLeftOut)(
    `waits, goes on after a yes for as much as it asked for, and asks again${isLeftOut ? noSqlite : ""}`,
    async () => {
      const { agent, painted } = painter(asking);
      const store = make();
      const session = () => openSession({ store, id: "s" });
      const first = await agent.run("Paint", { session: session() });
      expect(first).toMatchObject({
        status: "waiting",
        by: "raise_limit",
        input: { limit: "max_iterations", used: 3, allowed: 3, more: 2, cost: 0.4 },
        approval: { why },
      });
      if (first.status !== "waiting" || first.by !== "raise_limit") throw new Error(first.status);
      expect(painted).toHaveLength(3);
      expect(await agent.waiting(session())).toMatchObject({ id: first.id, input: first.input });

      const given = { allowed: true, digest: first.approval.digest };
      const second = await agent.run(given, { session: session(), answers: first.id });
      expect(second).toMatchObject({ status: "waiting", by: "raise_limit", input: { used: 5, allowed: 5, more: 2 } });
      expect(second).toMatchObject({ iterations: 2 });
      if (second.status !== "waiting") throw new Error(second.status);
      expect(second.id).not.toBe(first.id);
      expect(painted).toHaveLength(5);

      // The same yes again is no second one.
      const again = await agent.run(given, { session: session(), answers: first.id });
      expect(again).toMatchObject({ joined: true });
      expect(painted).toHaveLength(5);

      const last = await agent.run({ allowed: false, reason: "enough" }, { session: session(), answers: second.id });
      expect(last).toMatchObject({
        status: "stopped",
        reason: "max_iterations",
        message: "5 iterations, as many as allowed; it may not go on: enough",
      });
      expect(last.status === "stopped" && last.partial.claim?.value).toMatchObject({ result: "painted" });
      expect(painted).toHaveLength(5);
      expect(await agent.waiting(session())).toBeUndefined();
      const { records } = await session().toJSON();
      expect(() => {
        assertWellFormed(records);
      }).not.toThrow();
    },
  );
});

test("with a limit that does not ask, the run stops as without the option", async () => {
  const { agent } = painter({ maxIterations: 3, maxTokens: 300, reserve: 0, ask: { maxIterations: 2 } });
  expect(await agent.run("Paint")).toMatchObject({ status: "stopped", reason: "token_budget" });
});

test("nobody is asked if another limit that does not ask is reached as well", async () => {
  const { agent } = painter({ maxIterations: 3, maxTokens: 430, reserve: 0, ask: { maxIterations: 2 } });
  expect(await agent.run("Paint")).toMatchObject({ status: "stopped", reason: "max_iterations" });
});

test("a run asks at its limits on tokens, cost and time", async () => {
  const tokens = await painter({ maxTokens: 500, ask: { maxTokens: 1000 } }).agent.run("Paint");
  expect(tokens).toMatchObject({ by: "raise_limit", input: { limit: "token_budget", allowed: 500, more: 1000 } });
  const cost = painter({ maxCost: 1, prices, ask: { maxCost: 0.5 } });
  const asked = await cost.agent.run("Paint");
  expect(asked).toMatchObject({ by: "raise_limit", input: { limit: "cost_budget", allowed: 1, more: 0.5 } });
  if (asked.status !== "waiting") throw new Error(asked.status);
  expect(asked.approval?.why).toBe(
    "The run reached a limit: a cost of 0.6 of at most a cost of 1. May it go on, for a cost of 0.5 more?",
  );
});

test("a run whose time is up in a call asks, and has the new time after a yes", async () => {
  const clock = virtualClock({ start: 0 });
  let calls = 0;
  const sleep = tool({
    name: "sleep",
    description: "Sleeps.",
    input: { type: "object", properties: {} },
    run: async (_input, { signal }) => {
      calls += 1;
      await clock.sleep(calls === 1 ? 5000 : 500, signal);
      return "slept";
    },
  });
  const agent = createAgent({
    model: scriptedModel([[call("sleep")], [call("sleep")], [call("task_completion", { result: "done" })]]),
    tools: [sleep, taskCompletion()],
    limits: { timeout: 1000, ask: { timeout: 2000 } },
    runtime: clock,
  });
  const during = async <Outcome>(run: Promise<Outcome>): Promise<Outcome> => {
    let isOver = false;
    void run.finally(() => (isOver = true));
    while (!isOver) await clock.advance(100);
    return run;
  };
  const asked = await during(agent.run("Sleep"));
  expect(asked).toMatchObject({ by: "raise_limit", input: { limit: "timeout", allowed: 1000, more: 2000 } });
  if (asked.status !== "waiting") throw new Error(asked.status);
  const done = await during(agent.run({ allowed: true }, { session: asked.session, answers: asked.id }));
  expect(done).toMatchObject({ status: "completed" });
});

test("new words to a run that waits at its limit are the next run's, with its own limits", async () => {
  const { agent, painted } = painter(asking, { enough: 4 });
  const asked = await agent.run("Paint");
  const next = await agent.run("Paint one more, then end", { session: asked.session });
  expect(next).toMatchObject({ status: "completed" });
  expect(painted).toHaveLength(4);
});

const ann: Principal = { id: "ann" };
const ben: Principal = { id: "ben" };

test("the rules for approvals hold, and the yes is signed and verified", async () => {
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("the platform made no pair of keys");
  const { publicKey, privateKey } = pair;
  const seen: unknown[] = [];
  const approvals: ApprovalOptions = {
    mayApprove: (who, one) => {
      seen.push([one.name, one.principal?.id]);
      return who?.id !== one.principal?.id || "not the person who asked";
    },
    quorum: ({ name }) => (name === "raise_limit" ? 2 : 1),
    sign: ed25519("k", privateKey),
  };
  const { agent, painted } = painter(asking, { enough: 4, approvals });
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const asked = await agent.run("Paint", { session, by: ann });
  if (asked.status !== "waiting") throw new Error(asked.status);
  expect(asked.approval?.quorum).toMatchObject({ needed: 2, missing: 2 });
  const yes = (by: Principal) => agent.run({ allowed: true }, { session, answers: asked.id, by });
  expect(await yes(ann)).toMatchObject({ status: "failed", fault: { code: "not_allowed" } });
  // Words would end the wait for everybody.
  expect(await agent.run("go on", { session, by: ann })).toMatchObject({ fault: { code: "not_allowed" } });
  expect(await yes(ben)).toMatchObject({ status: "waiting", by: "raise_limit" });
  expect(painted).toHaveLength(3);
  expect(await yes({ id: "cas" })).toMatchObject({ status: "completed" });
  expect(seen).toContainEqual(["raise_limit", "ann"]);
  const plain = await session.toJSON();
  const verdicts = await verifyApprovals(plain, { k: publicKey });
  expect(verdicts.map(({ about, holds }) => [about, holds])).toEqual([
    ["answer", true],
    ["answer", true],
    ["effect", true],
  ]);
  // A journal whose yes was taken out shows that the run went on without it.
  const without = { ...plain, records: plain.records.filter(({ type }) => type !== "approval") };
  const effects = (await verifyApprovals(without, { k: publicKey })).filter(({ about }) => about === "effect");
  expect(effects.map(({ holds }) => holds)).toEqual([false]);
});

test("a fork of a session that waits has a question of its own, and its yes counts there alone", async () => {
  const { agent } = painter(asking);
  const store = memoryStore();
  const first = await agent.run("Paint", { session: openSession({ store, id: "s" }) });
  await forkSession({ store, id: "s", to: "f" });
  const fork = openSession({ store, id: "f" });
  const due = await agent.waiting(fork);
  expect(due?.id.startsWith("f/")).toBe(true);
  if (first.status !== "waiting" || due === undefined) throw new Error(first.status);
  expect(await agent.run({ allowed: true }, { session: fork, answers: due.id })).toMatchObject({ input: { used: 5 } });
  expect(await agent.waiting(openSession({ store, id: "s" }))).toMatchObject({ id: first.id });
});

test("a fork behind a yes that nothing followed waits again, and a later fork has what the run had", async () => {
  const { agent } = painter(asking);
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const first = await agent.run("Paint", { session });
  if (first.status !== "waiting") throw new Error(first.status);
  await agent.run({ allowed: true }, { session, answers: first.id });
  const { records } = await session.toJSON();
  const yes = records.findIndex(({ type }) => type === "approval");
  await forkSession({ store, id: "s", to: "early", at: yes + 1 });
  expect(await agent.waiting(openSession({ store, id: "early" }))).toMatchObject({ input: { used: 3 } });
  await forkSession({ store, id: "s", to: "late" });
  expect(await agent.waiting(openSession({ store, id: "late" }))).toMatchObject({ input: { used: 5, allowed: 5 } });
});

test("an agent that a call runs asks up, as its calls do", async () => {
  const { agent: inner, painted } = painter(asking, { enough: 4 });
  const outer = createAgent({
    model: scriptedModel([[call("paint_fence", { task: "Paint" })], [call("task_completion", { result: "done" })]]),
    tools: [delegate(inner, { name: "paint_fence", description: "Paints." }), taskCompletion()],
  });
  const asked = await outer.run("Paint the fence");
  expect(asked).toMatchObject({
    status: "waiting",
    by: "paint_fence",
    value: { by: "raise_limit", approval: { why } },
  });
  if (asked.status !== "waiting") throw new Error(asked.status);
  const done = await outer.run({ allowed: true }, { session: asked.session, answers: asked.id });
  expect(done).toMatchObject({ status: "completed" });
  expect(painted).toHaveLength(4);
});

test("after a hand-over the limit of the first agent asks if it asked before, and if it is the lower of the two", async () => {
  for (const [mine, theirs, asks] of [
    [asking, {}, 3],
    [asking, { maxIterations: 9, ask: { maxIterations: 4 } }, 3],
    [asking, { maxIterations: 2 }, undefined],
    [{ maxIterations: 3 }, asking, undefined],
  ] as const) {
    const { agent: next, painted } = painter(theirs, { enough: 4 });
    const first = createAgent({
      model: scriptedModel([[call("hand_over", { to: "next", message: "Paint" })]]),
      tools: [handOver({ next }), taskCompletion()],
      limits: mine,
    });
    const asked = await first.run("Paint the fence");
    if (asks === undefined) {
      expect(asked).toMatchObject({ status: "stopped", reason: "max_iterations" });
      continue;
    }
    expect(asked).toMatchObject({ by: "raise_limit", input: { used: asks, allowed: asks, more: 2 } });
    if (asked.status !== "waiting") throw new Error(asked.status);
    const before = painted.length;
    await first.run({ allowed: true }, { session: asked.session, answers: asked.id });
    expect(painted.length).toBeGreaterThan(before);
  }
});

test("wrong options are refused with a remedy", () => {
  expect(() => painter({ ask: { maxCost: 1 } })).toThrow(
    /limits.ask.maxCost needs a limit to ask at: set limits.maxCost/,
  );
  expect(() => painter({ maxIterations: 3, ask: { maxIterations: 0 } })).toThrow(/limits.ask.maxIterations/);
});

// A person at a limit is shown the question and no arguments.
test("no tool has the name of the question at a limit, wherever the tool comes from", async () => {
  const other = tool({ name: "raise_limit", description: "x", input: { type: "object" }, run: () => "x" });
  const refusal = /raise_limit is the name of the question at a limit: give the tool of that name another/;
  const model = scriptedModel(() => [call("task_completion", { result: "done" })]);
  for (const limits of [asking, {}])
    expect(() => createAgent({ model, tools: [other, taskCompletion()], limits })).toThrow(refusal);
  expect(() => createAgent({ model, tools: [taskCompletion()], toolSources: [{ tools: [other] }] })).toThrow(refusal);
  const source: { tools: readonly (typeof other)[] } = { tools: [] };
  const add = () => {
    source.tools = [other];
    return "added";
  };
  const adding = tool({ name: "add", description: "x", input: { type: "object" }, effect: "none", run: add });
  const twice = scriptedModel([[call("add")], [call("task_completion", { result: "done" })]]);
  // The run goes on with the tools that it had.
  const clock = virtualClock({ auto: true });
  const tools = [adding, taskCompletion()];
  const later = createAgent({ model: twice, tools, toolSources: [source], runtime: clock });
  expect((await later.run("Go.")).status).toBe("completed");
  expect(twice.requests[1]!.tools.map(({ name }) => name)).toEqual(["add", "task_completion"]);
  expect(clock.warnings.map(({ message }) => message)).toEqual([expect.stringMatching(refusal)]);
  const clientTools = [{ name: "raise_limit", description: "x", parameters: {} }];
  const given = { clientTools } as object;
  await expect(createAgent({ model, tools: [taskCompletion()] }).run("Go.", given)).rejects.toThrow(refusal);
});
