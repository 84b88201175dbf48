// The prompt of a request in the past: told from the journal alone, it is the one that the model got.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type MemoryFactory, type Model, type Session } from "../../../src/index.js";
import { memoryStore, openSession, promptAt, transcript, windowed } from "../../../src/memory/index.js";
import { call, scriptedModel, type ScriptedModel, type Step } from "../../../src/testing/index.js";
import { askQuestion, converse, delegate, handBack, handOver, taskCompletion } from "../../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];
const look = tool({
  name: "look",
  description: "Looks",
  effect: "read",
  input: z.object({ at: z.string() }),
  run: ({ at }) => `saw ${at} `.padEnd(3000, "x"),
});
const write = tool({
  name: "write",
  description: "Writes",
  effect: "write",
  input: z.object({ text: z.string() }),
  run: ({ text }) => `wrote ${text}`,
});
const looks = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_none, at) => ({
    text: `Look ${String(at)}`,
    calls: [call("look", { at: String(at) })],
  }));

/** The requests that the replies of a session answered, as its journal tells them. */
async function told(session: Session, memory?: MemoryFactory) {
  const replies = session.records.filter(({ type }) => type === "reply");
  return Promise.all(replies.map(({ seq }) => promptAt(session, seq, { memory })));
}

const sent = (models: readonly ScriptedModel[]) =>
  models.flatMap(({ requests }) => requests).map(({ system, tools, messages }) => ({ system, tools, messages }));

/** The told requests are those that were sent, byte for byte; tools have their keys in another order. */
async function expectTold(session: Session, requests: ReturnType<typeof sent>, memory?: MemoryFactory): Promise<void> {
  const prompts = await told(session, memory);
  expect(prompts.length).toBe(requests.length);
  for (const [index, prompt] of prompts.entries()) {
    const request = requests[index]!;
    expect(JSON.stringify(prompt.messages)).toBe(JSON.stringify(request.messages));
    expect(prompt.system).toBe(request.system);
    expect(prompt.tools).toEqual(request.tools);
  }
}

describe("the prompt that the journal tells is the one that the model got", () => {
  test("over a failed streak, words between iterations, a question and its answer, and another run", async () => {
    const store = memoryStore();
    const session = openSession({ store, id: "s" });
    const model = scriptedModel([
      ...looks(2),
      [call("look", { wrong: 1 })],
      [call("look", { wrong: 2 })],
      ...looks(1),
      [call("ask_question", { question: "Which?" })],
      ...looks(1),
      done,
      done,
    ]);
    const agent = createAgent({ model, tools: [look, askQuestion(), taskCompletion()], instructions: "Be brief." });
    await session.send({ text: "and mind the step" });
    await agent.run("go", { session });
    await agent.run("this", { session });
    await agent.run("more", { session });
    await expectTold(await session.toJSON(), sent([model]));
  });

  test.each<[string, MemoryFactory, string]>([
    ["stubs", windowed({ window: 12_000, keep: 2 }), "stub"],
    ["groups that are left out", windowed({ window: 2000, keep: 2 }), "prune"],
    [
      "folds by a model",
      windowed({
        window: 3000,
        keep: 1,
        summarize: scriptedModel(Array<Step>(30).fill({ text: "In short." })),
      }),
      "fold",
    ],
  ])("with %s", async (_what, memory, kind) => {
    const model = scriptedModel([...looks(40), done]);
    const { session } = await createAgent({ model, memory, tools: [look, taskCompletion()] }).run("go");
    expect(session.records.map(({ type }) => type)).toContain(kind);
    await expectTold(session, sent([model]), memory);
  });

  test("after a provider refused a prompt as too long", async () => {
    const model = scriptedModel([...looks(10), done]);
    let requests = 0;
    const refusing: Model = {
      name: "refusing",
      provider: "refusing:",
      async *respond(request, signal) {
        requests += 1;
        if (requests === 9) throw new LastcallError("context_overflow", "This is too long.");
        return yield* model.respond(request, signal);
      },
    };
    const { session } = await createAgent({ model: refusing, tools: [look, taskCompletion()] }).run("go");
    expect(session.records.map(({ type }) => type)).toContain("stub");
    await expectTold(session, sent([model]));
  });

  test("over hand-overs to and fro, of agents with words and tools of their own", async () => {
    const models = {
      desk: scriptedModel([
        [call("hand_over", { to: "billing", message: "Yours." })],
        [call("hand_over", { to: "billing", message: "Again." })],
        done,
      ]),
      billing: scriptedModel([
        ...looks(1),
        [call("hand_back", { message: "Not mine." })],
        [call("hand_back", { message: "No." })],
      ]),
    };
    const billing = createAgent({ model: models.billing, tools: [look, handBack()], instructions: "You are billing." });
    const agent = createAgent({
      model: models.desk,
      tools: [handOver({ billing }), taskCompletion()],
      instructions: "You are the desk.",
    });
    const { session } = await agent.run("go");
    const [desk, other] = [sent([models.desk]), sent([models.billing])];
    await expectTold(session, [desk[0]!, other[0]!, other[1]!, desk[1]!, other[2]!, desk[2]!]);
    const texts = session.records.flatMap((record) =>
      "definition" in record ? Object.values(record.definition?.texts ?? {}) : [],
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("after an approval that came later, and of the agent that a call ran", async () => {
    const store = memoryStore();
    const models = [
      scriptedModel([[call("write", { text: "a" })], [call("search", { task: "Find it." })], done]),
      scriptedModel([...looks(1), done]),
    ] as const;
    const searcher = createAgent({ model: models[1], tools: [look, taskCompletion()], instructions: "You search." });
    const agent = createAgent({
      model: models[0],
      tools: [write, delegate(searcher, { name: "search", description: "Searches" }), taskCompletion()],
      permission: () => ({ later: true, reason: "it writes" }),
    });
    const session = openSession({ store, id: "s" });
    await agent.run("go", { session });
    await agent.run({ allowed: true }, { session });
    await expectTold(await session.toJSON(), sent([models[0]]));
    const child = (await store.list()).find(({ id }) => id !== "s")!;
    await expectTold(await openSession({ store, id: child.id }).toJSON(), sent([models[1]]));
  });

  test("when a process died between a reply and its results", async () => {
    const first = scriptedModel([...looks(2), done]);
    const { session } = await createAgent({ model: first, tools: [look, taskCompletion()] }).run("go");
    const cut = session.records.findLastIndex(({ type }) => type === "result");
    const second = scriptedModel([done]);
    const left = { ...session, records: session.records.slice(0, cut) };
    const ended = await createAgent({ model: second, tools: [look, taskCompletion()] }).resume(left);
    await expectTold(ended.session, [...sent([first]).slice(0, 2), ...sent([second])]);
  });

  test("where words alone are a call, and where the tools change between two iterations", async () => {
    const extra = tool({ name: "extra", description: "Is new", input: z.object({}), run: () => "new" });
    const source: { tools: readonly (typeof extra)[] } = { tools: [] };
    const grow = tool({
      name: "grow",
      description: "Brings a tool",
      effect: "none",
      input: z.object({}),
      run: () => {
        source.tools = [extra];
        return "there is another tool";
      },
    });
    const model = scriptedModel([[call("grow")], [call("extra")], { text: "That is all." }]);
    const agent = createAgent({ model, tools: [grow, converse()], onText: "converse", toolSources: [source] });
    const { session } = await agent.run("go");
    await expectTold(session, sent([model]));
    expect((await told(session)).map(({ tools }) => tools?.length)).toEqual([2, 3, 3]);
  });
});

test("secrets that the journal redacts are not in the told prompt", async () => {
  const model = scriptedModel([done]);
  const agent = createAgent({
    model,
    tools: [taskCompletion()],
    instructions: "The key is hunter2hunter2.",
    secrets: { values: ["hunter2hunter2"] },
  });
  const { session } = await agent.run("go");
  const [prompt] = await told(session);
  expect(prompt?.system).toContain("The key is [redacted: value].");
  expect(JSON.stringify(session)).not.toContain("hunter2");
});

test("an older journal tells the messages, and neither the system prompt nor the tools", async () => {
  const model = scriptedModel([...looks(1), done]);
  const { session } = await createAgent({ model, tools: [look, taskCompletion()] }).run("go");
  const older = session.records.map((record) => {
    if (!("definition" in record)) return record;
    const { texts: _texts, system: _system, ...definition } = record.definition;
    return { ...record, definition };
  });
  const prompts = await told({ ...session, records: older });
  expect(prompts.map(({ system, tools }) => [system, tools])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(prompts.map(({ messages }) => messages)).toEqual(sent([model]).map(({ messages }) => messages));
});

test("each reply says when its request began", async () => {
  const model = scriptedModel([{ delay: 30, calls: done }]);
  const { session } = await createAgent({ model, tools: [taskCompletion()] }).run("go");
  const reply = session.records.find((record) => record.type === "reply")!;
  expect(reply.at - (reply.asked ?? 0)).toBeGreaterThanOrEqual(28);
  expect(reply.asked).toBeGreaterThanOrEqual(session.records[0]!.at);
});

test("a record that is no reply is refused, and so is what is no session", async () => {
  const { session } = await createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] }).run("go");
  await expect(promptAt(session, 0)).rejects.toThrow(`Record 0 of ${session.id} is no reply`);
  await expect(promptAt(session, 99)).rejects.toThrow("is no reply");
  await expect(promptAt("s" as never, 1)).rejects.toThrow("The session is no session");
  expect(await promptAt(session, 1, { memory: transcript })).toMatchObject({ messages: [{ role: "user" }] });
});
