// Limits of each principal, from the words of a person to each request that follows from them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createAgent,
  sharedLimits,
  tool,
  type AnyOutcome,
  type Principal,
  type SharedLimits,
} from "../../src/index.js";
import { fileStore, forkSession, memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, delegate, inBackground, taskCompletion } from "../../src/tools/index.js";

const ann: Principal = { id: "ann", tenant: "acme" };
const ben: Principal = { id: "ben", tenant: "acme" };
const people: readonly Principal[] = ["acme", "globex"].flatMap((tenant) =>
  ["ann", "ben", "cas"].map((id) => ({ id, tenant })),
);
const input = { type: "object", properties: {} } as const;
const note = tool({ name: "note", description: "Notes.", input, effect: "none", run: () => "noted" });
const noted = [call("note", {})];
const done = [call("task_completion", { result: "done" })];
const asks = [call("ask_question", { question: "Which?" })];

/** A limit of replies, which are counted exactly. */
const limitOf = (maxIterations: number): SharedLimits => sharedLimits({ maxIterations, per: "principal" });

function agentOf(steps: readonly Step[] | (() => Step), tools: readonly ReturnType<typeof tool>[] = []) {
  return createAgent({
    model: scriptedModel(steps),
    tools: [note, askQuestion(), taskCompletion(), ...tools],
    circuit: { stall: false },
  });
}

const replies = (budget: SharedLimits, ...who: readonly (Principal | undefined)[]): readonly number[] =>
  who.map((one) => budget.spentBy(one).iterations);

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "lastcall-limits-of-people-"));
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
};

describe.each<[string, () => Store]>([
  ["memory", () => memoryStore()],
  ["files", () => fileStore(folder())],
])("over sessions in %s", (_name, storeOf) => {
  test("six people of two tenants share a budget, and each is stopped at their own limit", async () => {
    const [store, budget] = [storeOf(), limitOf(3)];
    const agent = agentOf(() => noted);
    const outcomes = await Promise.all(
      people.map(async (by, at) =>
        agent.run("go", { session: openSession({ store, id: `s${String(at)}` }), by, budget }),
      ),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: "stopped",
        reason: "max_iterations",
        message: "the limit of the principal that asked: 3 iterations, as many as allowed",
      });
    expect(replies(budget, ...people)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  test("two people talk in one session: each pays for the runs that follow from their own words", async () => {
    const [session, budget] = [openSession({ store: storeOf(), id: "s" }), limitOf(3)];
    const outcomes: AnyOutcome[] = [];
    for (const by of [ann, ben, ann, ben, ben, undefined])
      outcomes.push(await agentOf([noted, done]).run("go", { session, by, budget }));
    // Ann has three replies, Ben too, and nobody has the limit of all without a name.
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["completed", "completed", "stopped", "stopped", "stopped", "completed"],
    ]);
    expect(replies(budget, ann, ben, undefined)).toEqual([3, 3, 2]);
  });

  test("words during a run are paid by the person who said them, from the next request on", async () => {
    const [session, budget] = [openSession({ store: storeOf(), id: "s" }), limitOf(5)];
    const stream = agentOf([noted, noted, noted, done]).stream("go", { session, by: ann, budget });
    let iterations = 0;
    for await (const event of stream)
      if (event.type === "iteration-end" && (iterations += 1) === 2)
        await session.send({ id: "1", text: "and tell me", by: ben });
    expect(replies(budget, ann, ben)).toEqual([2, 2]);
  });

  test("a run that another process goes on with counts for the person it follows from, whoever resumes it", async () => {
    const [store, leave] = [storeOf(), new AbortController()];
    const stream = agentOf(() => noted).stream("go", {
      session: openSession({ store, id: "s" }),
      by: ann,
      suspend: leave.signal,
    });
    for await (const event of stream) if (event.type === "iteration-end") leave.abort();
    const budget = limitOf(2);
    const session = openSession({ store, id: "s" });
    const outcome = await agentOf(() => noted).resume(session, { by: ben, budget });
    expect(outcome.status).toBe("stopped");
    expect(replies(budget, ann, ben, undefined)).toEqual([2, 0, 0]);
  });

  test("a fork goes on as the person it follows from, and new words in it are paid by their giver", async () => {
    const [store, budget] = [storeOf(), limitOf(4)];
    await agentOf([noted, done]).run("go", { session: openSession({ store, id: "s" }), by: ann, budget });
    const { records } = await openSession({ store, id: "s" }).toJSON();
    await forkSession({ store, id: "s", to: "copy", at: records.findIndex(({ type }) => type === "iteration") + 1 });
    await agentOf([done]).resume(openSession({ store, id: "copy" }), { budget });
    expect(replies(budget, ann, ben)).toEqual([3, 0]);
    await agentOf([noted, done]).run("more", { session: openSession({ store, id: "copy" }), by: ben, budget });
    expect(replies(budget, ann, ben)).toEqual([3, 2]);
  });

  test("an answer is paid by its giver, and the work of an agent below still by the person whose call it is", async () => {
    const [session, budget] = [openSession({ store: storeOf(), id: "s" }), limitOf(10)];
    const below = agentOf([asks, noted, done]);
    const tools = [delegate(below, { name: "research", description: "Looks." })];
    const asked = await agentOf([[call("research", { task: "look" })]], tools).run("go", { session, by: ann, budget });
    if (asked.status !== "waiting") throw new Error(asked.status);
    expect(replies(budget, ann, ben)).toEqual([2, 0]);
    await agentOf([noted, done], tools).run("this one", { session, answers: asked.id, by: ben, budget });
    // Ann: her reply and three of the agent below, one of them before the question. Ben: two.
    expect(replies(budget, ann, ben)).toEqual([4, 2]);
  });
});

test("agents at any depth count for the person whose call they are", async () => {
  const budget = limitOf(100);
  const looking = [call("look", { task: "look" })];
  const above = (agent: ReturnType<typeof agentOf>) =>
    agentOf([looking, done], [delegate(agent, { name: "look", description: "Looks." })]);
  const run = async (by: Principal) => above(above(agentOf([noted, done]))).run("go", { by, budget });
  await Promise.all([run(ann), run(ben)]);
  expect(replies(budget, ann, ben, undefined)).toEqual([6, 6, 0]);
});

test("an agent in the background counts for the person whose call it is, whoever says something meanwhile", async () => {
  const [session, budget] = [openSession({ store: memoryStore(), id: "s" }), limitOf(100)];
  let isSteered: () => void = () => undefined;
  const steered = new Promise<void>((resolve) => (isSteered = resolve));
  const wait = tool({ name: "wait", description: "Waits.", input, effect: "none", run: () => steered });
  const search = delegate(agentOf([[call("wait", {})], noted, done], [wait]), {
    name: "search",
    description: "Looks.",
  });
  const waits = [call("background_result", { id: "bg-1", wait_seconds: 30 })];
  const agent = agentOf([[call("search", { task: "look" })], noted, waits, done], inBackground(search));
  let iterations = 0;
  const stream = agent.stream("go", { session, by: ann, budget });
  for await (const event of stream) {
    if (event.type === "iteration-end" && (iterations += 1) === 1) await session.send({ id: "1", text: "x", by: ben });
    if (event.type === "steer") isSteered();
  }
  expect((await stream.outcome).status).toBe("completed");
  expect(replies(budget, ann, ben)).toEqual([1 + 3, 3]);
});

test("a limit of a person that an agent below reaches stops that agent, and the run around, and nobody else", async () => {
  const budget = limitOf(3);
  const tools = [
    delegate(
      agentOf(() => noted),
      { name: "research", description: "Looks." },
    ),
  ];
  const outcome = await agentOf(() => [call("research", { task: "look" })], tools).run("go", { by: ann, budget });
  expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
  expect(JSON.stringify(outcome)).toContain("the limit of the principal that asked");
  expect((await agentOf([noted, done]).run("go", { by: ben, budget })).status).toBe("completed");
  expect(replies(budget, ann, ben)).toEqual([3, 2]);
});

test("a tool that names another person makes its own person pay, by the agent that it runs and by its budget", async () => {
  const budget = limitOf(10);
  const inner = agentOf([noted, done]);
  const forging = tool({
    name: "forge",
    description: "Runs an agent as Ben.",
    input,
    effect: "none",
    run: async (_input, context) => {
      const outcome = await inner.run("go", { session: await context.child(), by: ben });
      const answer = await context.budget.reserve({ iterations: 1, tokens: 1, cost: 0 }, "key", ben);
      if ("settle" in answer) await answer.settle({ iterations: 1, tokens: 1, cost: 0 });
      return outcome.status;
    },
  });
  await agentOf([[call("forge", {})], done], [forging]).run("go", { by: ann, budget });
  expect(replies(budget, ann, ben)).toEqual([5, 0]);
});

test("a limit of many runs does not ask for more, though the agent's own limit does", async () => {
  const agent = createAgent({
    model: scriptedModel(() => noted),
    tools: [note, taskCompletion()],
    limits: { maxIterations: 5, ask: { maxIterations: 5 } },
    circuit: { stall: false },
  });
  const outcome = await agent.run("go", { by: ann, budget: limitOf(2) });
  expect(outcome).toMatchObject({ status: "stopped", message: expect.stringMatching(/^the limit of the principal/) });
});
