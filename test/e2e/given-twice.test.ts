// Inputs with an id: an input that is given twice runs once, whenever the second one comes.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Agent } from "../../src/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { call, scriptedModel, type ScriptedModel, type Script } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** An agent whose tool `work` waits for the gate. */
function working(script: Script, opened: Promise<void> = Promise.resolve()) {
  const model: ScriptedModel = scriptedModel(script);
  const begun = gate();
  const work = tool({
    name: "work",
    description: "Works",
    effect: "read",
    input: z.object({}),
    run: async () => {
      begun.open();
      await opened;
      return "worked";
    },
  });
  const agent: Agent = createAgent({ model, tools: [work, askQuestion(), taskCompletion()] });
  return { agent, model, begun: begun.opened };
}

const inputsOf = async (session: ReturnType<typeof openSession>): Promise<readonly unknown[]> =>
  (await session.toJSON()).records.flatMap((record) => ("sent" in record ? [[record.type, record.sent]] : []));

describe("an input that is given twice", () => {
  test("runs once, and the second caller joins the outcome of the first", async () => {
    const session = openSession({ store: memoryStore() });
    const { agent, model } = working([done]);
    const first = await agent.run("go", { session, inputId: "a" });
    const second = await agent.run("go", { session, inputId: "a" });
    expect(first).toMatchObject({ status: "completed", iterations: 1 });
    expect(first).not.toHaveProperty("joined");
    expect(second).toMatchObject({ status: "completed", joined: true, iterations: 0, value: { result: "Done." } });
    expect(model.requests).toHaveLength(1);
    expect(await inputsOf(session)).toEqual([["input", "a"]]);
  });

  test("runs once in a session that is plain data, too", async () => {
    const { agent, model } = working([done]);
    const { session } = await agent.run("go", { inputId: "a" });
    expect(await agent.run("go", { session, inputId: "a" })).toMatchObject({ status: "completed", joined: true });
    expect(model.requests).toHaveLength(1);
  });

  test("is another one under another id, or without an id", async () => {
    const session = openSession({ store: memoryStore() });
    const { agent, model } = working([done, done, done]);
    await agent.run("go", { session, inputId: "a" });
    await agent.run("go", { session, inputId: "b" });
    await agent.run("go", { session });
    expect(model.requests).toHaveLength(3);
  });

  test("goes on with the run that its first process left", async () => {
    const { session: left } = await working([[call("work")], done]).agent.run("go", { inputId: "a" });
    const records = left.records.slice(0, left.records.findIndex(({ type }) => type === "iteration") + 1);
    const { agent, model } = working([done]);
    const session = { ...left, records };
    const outcome = await agent.run("go", { session, inputId: "a" });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    expect(outcome.session.records.map(({ type }) => type)).toContain("resume");
    expect(outcome.session.records.filter(({ type }) => type === "input")).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  test("while its run works, is not told to the model a second time", async () => {
    const session = openSession({ store: memoryStore() });
    const { opened, open } = gate();
    const { agent, model, begun } = working([[call("work")], done], opened);
    const first = agent.run("go", { session, inputId: "a" });
    await begun;
    const second = agent.run("go", { session, inputId: "a" });
    open();
    expect(await Promise.all([first, second])).toMatchObject([{ status: "completed" }, { joined: true }]);
    expect(model.requests).toHaveLength(2);
    expect(await inputsOf(session)).toEqual([["input", "a"]]);
  });

  test("while another run works, becomes part of it once", async () => {
    const store = memoryStore();
    const session = openSession({ store, id: "s" });
    const { opened, open } = gate();
    const { agent, begun } = working([[call("work")], done], opened);
    const first = agent.run("go", { session, inputId: "a" });
    await begun;
    const more = [1, 2].map(() => agent.run("and that", { session, inputId: "b" }));
    while ((await store.messages("s")).length === 0) await new Promise((resolve) => setImmediate(resolve));
    open();
    const outcomes = await Promise.all([first, ...more]);
    expect(outcomes).toMatchObject([{ inputs: ["go", "and that"] }, { joined: true }, { joined: true }]);
    expect(await agent.run("and that", { session, inputId: "b" })).toMatchObject({ joined: true });
    expect(await inputsOf(session)).toEqual([
      ["input", "a"],
      ["steer", "b"],
    ]);
    expect(await store.messages("s")).toEqual([]);
  });

  test("as an answer, answers once: the later words count for nothing", async () => {
    const session = openSession({ store: memoryStore() });
    const { agent, model } = working([[call("ask_question", { question: "Which?" })], done]);
    const asked = await agent.run("go", { session });
    const answers = asked.status === "waiting" ? asked.id : "";
    await agent.run("this", { session, answers, inputId: "a" });
    expect(await agent.run("that", { session, answers, inputId: "a" })).toMatchObject({ joined: true });
    // Without the call that it answers, the id alone tells that it was given.
    expect(await agent.run("that", { session, inputId: "a" })).toMatchObject({ joined: true });
    expect(model.requests).toHaveLength(2);
  });
});

test("a wish to go on with an id counts once", async () => {
  const { agent } = working([[call("look", {})], [call("look", {})], done]);
  const stop = new AbortController();
  const stream = agent.stream("go", { signal: stop.signal });
  for await (const event of stream) if (event.type === "iteration-end") stop.abort();
  const { session } = await stream.outcome;
  const first = await agent.resume(session, { inputId: "again" });
  const second = await agent.resume(first.session, { inputId: "again" });
  expect([first.status, second.status]).toEqual(["completed", "completed"]);
  expect(second.session.records).toEqual(first.session.records);
});

test.each<[string, string, unknown]>([
  ["give a text of 1 to 200 characters", "go", ""],
  ["give a text of 1 to 200 characters", "go", "x".repeat(201)],
  ["inputId of run is 7: give a text", "go", 7],
  ["give a text of 1 to 200 characters", "go", "\ud800"],
])("an id that can't be one is refused: %s", async (message, input, inputId) => {
  const { agent } = working([done]);
  const { session } = await agent.run("go");
  await expect(agent.run(input, { session, inputId: inputId as string })).rejects.toThrow(message);
});
