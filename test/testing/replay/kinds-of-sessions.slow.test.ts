import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, fromMessages, tool, type Session } from "../../../src/index.js";
import type { Model, Tool } from "../../../src/core/index.js";
import { forkSession, memoryStore, openSession, windowed } from "../../../src/memory/index.js";
import { call, replaySession, scriptedModel, type Script } from "../../../src/testing/index.js";
import {
  askQuestion,
  converse,
  delegate,
  handOver,
  notes,
  readResult,
  taskCompletion,
} from "../../../src/tools/index.js";
import {
  balanced,
  bookkeeper,
  deafModel,
  newWorld,
  pay,
  recordedSession,
  type Options,
  type World,
} from "./bookkeeper.js";

const done = [call("task_completion", { result: "Done." })];

/** Makes an agent with a model. A replay gives a model that nobody may ask. */
type Make = (model: Model, scriptOf: (script: Script) => Model) => ReturnType<typeof createAgent<readonly Tool[]>>;

/** Records a session, and replays it with the same agent over deaf models. */
async function same(
  make: Make,
  script: Script,
  record: (agent: ReturnType<Make>) => Promise<Session>,
): Promise<Session> {
  const session = JSON.parse(JSON.stringify(await record(make(scriptedModel(script), scriptedModel)))) as Session;
  const replayed = await replaySession(session, { agent: make(deafModel(), deafModel), context: undefined });
  expect(replayed.departures).toEqual([]);
  expect(replayed).toMatchObject({ identical: true, unsaid: 0 });
  return session;
}

const once =
  (input: string) =>
  async (agent: ReturnType<Make>): Promise<Session> =>
    (await agent.run(input)).session;

const make =
  (changes: Partial<Options>): Make =>
  (model) =>
    createAgent(bookkeeper(newWorld(), { checks: [], ...changes }, model));

const typesOf = ({ records }: Session): readonly string[] => records.map(({ type }) => type);

test("a conversation of words goes the same way", async () => {
  await same(
    make({ tools: [converse(), taskCompletion()], onText: "converse" }),
    ["Hello.", "Fine."],
    async (agent) => {
      const { session } = await agent.run("Hi");
      return (await agent.run("How are you?", { session })).session;
    },
  );
});

test("a call that ran an agent has its recorded result", async () => {
  const session = await same(
    (model, scriptOf) => {
      const child = createAgent({ model: scriptOf([done]), tools: [taskCompletion()] });
      const ask = delegate(child, { name: "helper", description: "Helps." });
      return createAgent({ model, tools: [ask, taskCompletion()] });
    },
    [[call("helper", { task: "Help" })], done],
    once("Go"),
  );
  expect(typesOf(session)).toContain("child");
});

test("a run that was handed over goes on with the other agent", async () => {
  const session = await same(
    (model) => {
      const other = createAgent({ model, instructions: "You are the other.", tools: [taskCompletion()] });
      const pass = handOver({ other }, {});
      return createAgent({ model, tools: [pass, taskCompletion()] });
    },
    [[call("hand_over", { to: "other", message: "Your turn." })], done],
    once("Go"),
  );
  expect(typesOf(session)).toContain("hand-over");
});

const long = tool({
  name: "long",
  description: "Long.",
  effect: "read",
  input: z.object({ page: z.number() }),
  run: ({ page }) => `${String(page)} words `.repeat(30),
});

/** Ninety iterations, more than a window of 8,000 tokens takes. */
const pages: Script = [
  ...Array.from({ length: 90 }, (_none, page) => ({
    text: "I read on. ".repeat(20),
    calls: [call("long", { page })],
  })),
  done,
];

const reader = (model: Model, summarize?: Model): ReturnType<Make> =>
  createAgent({
    model,
    tools: [long, readResult(), taskCompletion()],
    memory: windowed({ window: 8000, summarize }),
  });

test("summaries of a model come from the session", async () => {
  const session = await same(
    (model, scriptOf) =>
      reader(
        model,
        scriptOf(() => "## Goal\nRead the pages."),
      ),
    pages,
    once("Read all"),
  );
  expect(session.records.some((record) => record.type === "fold" && record.by === "model")).toBe(true);
});

test("a model that would write summaries now is not asked", async () => {
  const { session } = await reader(scriptedModel(pages)).run("Read all");
  expect(session.records.some((record) => record.type === "fold" && record.by === "rule")).toBe(true);
  const writer = scriptedModel(() => "## Goal\nRead the pages.");
  expect(await replaySession(session, { agent: reader(deafModel(), writer) })).toMatchObject({ identical: true });
  expect(writer.requests).toEqual([]);
});

test("notes of the model are kept", async () => {
  await same(
    make({ tools: [...notes(), taskCompletion()] }),
    [[call("add_note", { text: "Rent is due." })], [call("list_notes")], done],
    once("Note it"),
  );
});

test("a message that the user sent during the run comes at the same place", async () => {
  const store = memoryStore();
  const kept = openSession({ store, id: "steered" });
  const wait = tool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    run: () => kept.send({ text: "Hurry!" }).then(() => "Sent."),
  });
  const session = await same(make({ tools: [wait, taskCompletion()] }), [[call("wait")], done], async (agent) => {
    await agent.run("Wait", { session: kept });
    return kept.toJSON();
  });
  expect(typesOf(session)).toContain("steer");
});

test("a run that died in a call is told so again", async () => {
  const session = await same(make({}), [[call("pay", { cents: 5 })], done, done], async (agent) => {
    const { session: whole } = await agent.run("Pay");
    const at = whole.records.findIndex(({ type }) => type === "intent");
    return (await agent.resume({ ...whole, records: whole.records.slice(0, at + 1) })).session;
  });
  expect(typesOf(session)).toContain("resume");
  expect(JSON.stringify(session)).toContain("interrupted");
});

test("a question of a call gets its recorded answer", async () => {
  const pick = tool({
    name: "pick",
    description: "Asks which.",
    input: z.object({}),
    asks: z.object({ which: z.string() }),
    run: async (_input, { ask }) => `You chose ${String(await ask({ which: "bill" }))}`,
  });
  await same(make({ tools: [pick, askQuestion(), taskCompletion()] }), [[call("pick")], done], async (agent) => {
    const { session } = await agent.run("Pick");
    return (await agent.run("rent", { session })).session;
  });
});

test("a call that ran out of time has its recorded failure", async () => {
  const slow = tool({
    name: "slow",
    description: "Slow.",
    timeout: 20,
    input: z.object({}),
    run: () => sleep(1000, "late"),
  });
  await same(make({ tools: [slow, taskCompletion()] }), [[call("slow")], done], once("Go"));
});

test("the closing iteration of a limit is the same", async () => {
  const looks = Array.from({ length: 3 }, (_none, page) => [call("look", { path: `${String(page)}.txt` })]);
  await same(make({ limits: { maxIterations: 3 } }), [...looks, done], once("Look"));
});

test("a run that the provider failed goes on where it did", async () => {
  await same(make({}), [[call("look", { path: "bill.txt" })], { status: 400, message: "no" }, done], async (agent) => {
    const { session, status } = await agent.run("Look");
    expect(status).toBe("failed");
    return (await agent.resume(session)).session;
  });
});

test("a session whose run has no end goes the same way up to there", async () => {
  await same(make({}), [[call("look", { path: "bill.txt" })], [call("pay", { cents: 5 })], done], async (agent) => {
    const { session } = await agent.run("Pay");
    const at = session.records.findIndex(({ type }) => type === "iteration");
    return { ...session, records: session.records.slice(0, at + 1) };
  });
});

test("attachments of the input need no bytes", async () => {
  await same(make({}), [done], async (agent) => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const { session } = await agent.run("Look", { attachments: [{ bytes: png, mediaType: "image/png" }] });
    const { attachments: _bytes, ...bare } = session;
    return bare;
  });
});

test("a fork that went on goes the same way", async () => {
  const store = memoryStore();
  await same(make({}), [[call("look", { path: "bill.txt" })], done, done], async (agent) => {
    await agent.run("Look", { session: openSession({ store, id: "one" }) });
    const at = (await openSession({ store, id: "one" }).toJSON()).records.findIndex(({ type }) => type === "iteration");
    const fork = openSession({ store, id: await forkSession({ store, id: "one", to: "two", at }) });
    await agent.resume(fork);
    return fork.toJSON();
  });
});

test("messages from elsewhere are given, and not replayed", async () => {
  await same(make({}), [done], async (agent) => {
    const earlier = fromMessages([
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "Look at the bill" },
    ]);
    return (await agent.run(undefined, { session: earlier })).session;
  });
});

test.each([
  ["a no with its reason", { allowed: false, reason: "too dear" }],
  ["words in place of an answer", "Pay less."],
])("%s to a call that waited is a no again", async (_name, answer) => {
  const later: Options["permission"] = (() => ({ later: true, reason: "the boss decides" })) as never;
  const session = await same(make({ permission: later }), [[call("pay", { cents: 5 })], done], async (agent) => {
    const first = await agent.run("Pay");
    return (await agent.run(answer, { session: first.session })).session;
  });
  expect(typesOf(session)).toContain("approval");
});

test("the wait for a person is not counted, however long it was", async () => {
  const options = { permission: () => true, limits: { timeout: 600_000 }, checks: [] };
  const { records, ...rest } = await recordedSession(options);
  const asked = records.find((record) => record.type === "decision" && record.basis === "approver")?.seq ?? Infinity;
  const hour = 3_600_000;
  const late = records.map((record) => (record.seq < asked ? record : { ...record, at: record.at + hour }));
  const agent = createAgent(bookkeeper(newWorld(), options));
  expect(await replaySession({ ...rest, records: late }, { agent })).toMatchObject({ identical: true });
});

test("live, a call that a person allowed, a call of an agent and a judged check do not run", async () => {
  const judged: string[] = [];
  const options = (world: World, child: Model): Partial<Options> => ({
    permission: () => true,
    checks: [{ ...balanced(world), judged: true, verify: () => (judged.push("asked"), { passed: true, output: "" }) }],
    tools: [
      pay(world),
      delegate(createAgent({ model: child, tools: [taskCompletion()] }), { name: "helper", description: "Helps." }),
      taskCompletion(),
    ] as never,
  });
  const said = [[call("helper", { task: "Help" })], [call("pay", { cents: 5 })], done];
  const session = await recordedSession(options(newWorld(), scriptedModel([done])), said);
  expect(judged).toEqual(["asked"]);
  const world = newWorld();
  const agent = createAgent(bookkeeper(world, options(world, deafModel())));
  expect(await replaySession(session, { agent, tools: "live" })).toMatchObject({ identical: true });
  expect(judged).toEqual(["asked"]);
  expect(world.paid).toEqual([]);
});

test("calls side by side have their own results", async () => {
  await same(
    make({}),
    [[call("look", { path: "bill.txt" }), call("look", { path: "none" }), call("look", { path: "bill.txt" })], done],
    once("Look"),
  );
});

test.each([
  ["an iteration that ran out of time", { limits: { iterationTimeout: 20 } }, "an iteration ran out of time"],
] as const)("%s is refused with the way around it", async (_name, changes, words) => {
  const slow = tool({ name: "slow", description: "Slow.", input: z.object({}), run: () => sleep(60, "late") });
  const options = bookkeeper(
    newWorld(),
    { checks: [], tools: [slow, taskCompletion()], ...changes },
    scriptedModel([[call("slow")], done]),
  );
  const { session } = await createAgent(options).run("Go");
  const replayed = replaySession(session, { agent: createAgent({ ...options, model: deafModel() }) });
  await expect(replayed).rejects.toThrow(words);
  await expect(replayed).rejects.toThrow(`lastcall fork ${session.id}@`);
});
