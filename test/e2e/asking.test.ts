import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Session, type Tool } from "../../src/index.js";
import { fileStore, memoryStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import { assertWellFormed, call, scriptedModel, virtualClock } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

const done = call("task_completion", { result: "booked" });
const runs: string[] = [];

const book = tool({
  name: "book",
  description: "Books a table",
  input: z.object({ place: z.string() }),
  asks: z.object({ question: z.string() }),
  async run({ place }, { ask, state }) {
    runs.push(`begin ${JSON.stringify(state ?? null)}`);
    const people = await ask({ question: `How many at ${place}?` }, { state: { place } });
    runs.push(`for ${String(people)}`);
    return `a table at ${place} for ${String(people)}`;
  },
});

const tools = [book, askQuestion(), taskCompletion()] as const;

function agentOf(script: Parameters<typeof scriptedModel>[0]) {
  runs.length = 0;
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools, permission: allowAll() }) };
}

describe("a running call that asks the user", () => {
  test("ends the run with its question, and runs again with the answer in the same run", async () => {
    const { model, agent } = agentOf([[call("book", { place: "the Lion" })], [done]]);
    const events: Event[] = [];
    const asked = await agent.run("Book.", { onEvent: (event) => void events.push(event) });
    if (asked.status !== "waiting") throw new Error(asked.status);
    if (asked.by === "book") expectTypeOf(asked.value).toEqualTypeOf<{ question: string }>();
    expect(asked).toMatchObject({ by: "book", value: { question: "How many at the Lion?" }, iterations: 1 });
    expect(events).toContainEqual(expect.objectContaining({ type: "call-question", id: asked.id, name: "book" }));
    const session = JSON.parse(JSON.stringify(asked.session)) as Session;
    expect(await agent.waiting(session)).toMatchObject({ by: "book", id: asked.id });
    const answered = await agent.run("four", { session, answers: asked.id });
    if (answered.status !== "completed") throw new Error(answered.status);
    expect(answered.inputs).toEqual(["Book.", "four"]);
    expect(answered.iterations).toBe(1);
    expect(runs).toEqual(["begin null", 'begin {"place":"the Lion"}', "for four"]);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ role: "tool", text: "a table at the Lion for four" });
    assertWellFormed(answered.session.records, { tools });
  });

  test("keeps its question though the time of the call is up while the store takes it", async () => {
    const { model } = agentOf([[call("book", { place: "the Lion" })], [done]]);
    const agent = createAgent({ model, tools, permission: allowAll(), limits: { toolTimeout: 50 } });
    const session = openSession({ store: memoryStore() });
    const slow: typeof session = {
      ...session,
      lease: async (onBusy) => {
        const lease = await session.lease(onBusy);
        return (
          lease && {
            ...lease,
            append: async (record) => {
              if (record.type === "question") await new Promise((resolve) => setTimeout(resolve, 1500));
              await lease.append(record);
            },
          }
        );
      },
    };
    const asked = await agent.run("Book.", { session: slow });
    expect(asked).toMatchObject({ status: "waiting", by: "book" });
    const answers = asked.status === "waiting" ? asked.id : "";
    expect((await agent.run("four", { session, answers })).status).toBe("completed");
    expect(runs).toContain("for four");
  });

  test("takes a second answer to the same call as the first", async () => {
    const { agent } = agentOf([[call("book", { place: "the Lion" })], [done]]);
    const asked = await agent.run("Book.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    const first = await agent.run("four", { session: asked.session, answers: asked.id });
    const second = await agent.run("five", { session: first.session, answers: asked.id });
    expect(second).toMatchObject({ status: "completed", joined: true });
    expect(runs.filter((line) => line.startsWith("for"))).toEqual(["for four"]);
  });

  test("takes plain words without an id as its answer, as any question does", async () => {
    const { agent } = agentOf([[call("book", { place: "the Lion" })], [done]]);
    const asked = await agent.run("Book.");
    expect((await agent.run("four", { session: asked.session })).status).toBe("completed");
    expect(runs).toContain("for four");
  });

  test("may ask several things, one after the other, and each is asked once", async () => {
    const trip = tool({
      name: "trip",
      description: "Plans a trip",
      input: z.object({}),
      asks: z.string(),
      async *run(_input, { ask }) {
        const from = await ask("From?");
        yield `from ${String(from)}`;
        const to = await ask("To?");
        return `${String(from)} to ${String(to)}`;
      },
    });
    const model = scriptedModel([[call("trip", {})], [done]]);
    const agent = createAgent({ model, tools: [trip, taskCompletion()], permission: allowAll() });
    const first = await agent.run("Plan.");
    expect(first).toMatchObject({ status: "waiting", value: "From?" });
    if (first.status !== "waiting") throw new Error(first.status);
    const second = await agent.run("Rome", { session: first.session, answers: first.id });
    if (second.status !== "waiting") throw new Error(second.status);
    expect(second.value).toBe("To?");
    expect((await agent.run("Bari", { session: second.session, answers: first.id })).joined).toBe(true);
    const third = await agent.run("Oslo", { session: second.session, answers: second.id });
    expect(third.status).toBe("completed");
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ text: "Rome to Oslo" });
    assertWellFormed(third.session.records, { tools: [trip, taskCompletion()] });
  });

  test("lets its siblings finish, and several that ask are answered each by its id, in any order", async () => {
    const survey = tool({
      name: "survey",
      description: "Asks",
      input: z.object({ about: z.string() }),
      effect: "read",
      readsOutside: false,
      asks: z.object({ question: z.string() }),
      run: async ({ about }, { ask }) => `${about}: ${String(await ask({ question: about }))}`,
    });
    const look = tool({
      name: "look",
      description: "Looks",
      input: z.object({}),
      effect: "read",
      readsOutside: false,
      run: () => "seen",
    });
    const all = [survey, look, taskCompletion()] as const;
    const reply = [call("survey", { about: "a" }), call("look", {}), call("survey", { about: "b" })];
    const model = scriptedModel([reply, [done]]);
    const agent = createAgent({ model, tools: all, permission: allowAll() });
    const asked = await agent.run("Ask.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    const questions = asked.session.records.filter(({ type }) => type === "question");
    expect(questions).toHaveLength(2);
    const [, second] = questions as { readonly id: string }[];
    const one = await agent.run("B", { session: asked.session, answers: second!.id });
    expect(one).toMatchObject({ status: "waiting", id: asked.id, value: { question: "a" } });
    const both = await agent.run("A", { session: one.session, answers: asked.id });
    expect(both.status).toBe("completed");
    expect(model.requests[1]!.messages.slice(-3).map((message) => "text" in message && message.text)).toEqual([
      "seen",
      "b: B",
      "a: A",
    ]);
    assertWellFormed(both.session.records, { tools: all });
  });

  test("is not put to the person's permission again", async () => {
    const asked: string[] = [];
    const permission = askFirst((frozen) => {
      asked.push(frozen.name);
      return Promise.resolve({ allowed: true, reason: "the person said yes" });
    });
    const model = scriptedModel([[call("book", { place: "the Lion" })], [done]]);
    const gated = { ...book, effect: "network" } as const;
    const agent = createAgent({ model, tools: [gated, taskCompletion()], permission });
    const waiting = await agent.run("Book.");
    const ended = await agent.run("four", { session: waiting.session });
    expect(ended.status).toBe("completed");
    expect(asked.filter((name) => name === "book")).toEqual(["book"]);
  });

  test("gets a typed reply that fits its schema, and no other", async () => {
    const pick = tool({
      name: "pick",
      description: "Picks",
      input: z.object({}),
      asks: z.object({ question: z.string() }),
      async run(_input, { ask }) {
        const replySchema = {
          type: "object",
          properties: { size: { type: "integer", minimum: 1 } },
          required: ["size"],
        } as const;
        return JSON.stringify(await ask({ question: "Which size?" }, { replySchema }));
      },
    });
    const model = scriptedModel([[call("pick", {})], [done]]);
    const agent = createAgent({ model, tools: [pick, taskCompletion()], permission: allowAll() });
    const asked = await agent.run("Pick.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    expect(asked.replySchema).toMatchObject({ required: ["size"] });
    for (const wrong of ["large", { size: 0 }, { length: 2 }]) {
      const failed = await agent.run(wrong, { session: asked.session, answers: asked.id });
      expect(failed).toMatchObject({ status: "failed", fault: { code: "configuration" } });
      expect(failed.session.records).toHaveLength(asked.session.records.length);
    }
    expect((await agent.run({ size: 3 }, { session: asked.session })).status).toBe("completed");
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ text: '{"size":3}' });
  });

  test("fails with no answer when its time is over, and the model goes on", async () => {
    const hurry = tool({
      name: "hurry",
      description: "Asks, shortly",
      input: z.object({}),
      asks: z.string(),
      run: async (_input, { ask }) => ask("Now?", { expiresAfter: 1000 }),
    });
    const clock = virtualClock();
    const hurried = (script: Parameters<typeof scriptedModel>[0]) =>
      createAgent({
        model: scriptedModel(script),
        tools: [hurry, taskCompletion()],
        permission: allowAll(),
        runtime: clock,
      });
    const agent = hurried([[call("hurry", {})], [done]]);
    const asked = await agent.run("Go.");
    expect(asked.status).toBe("waiting");
    const givenAt = clock.now();
    await clock.advance(1001);
    const answered = await hurried([[done]]).run("I do.", { session: asked.session, givenAt });
    expect(answered.status).toBe("completed");
    assertWellFormed(answered.session.records);
    expect(await agent.waiting(asked.session)).toBeUndefined();
    const ended = await agent.resume(asked.session);
    expect(ended.status).toBe("completed");
    const result = ended.session.records.find(({ type }) => type === "result");
    expect(result).toMatchObject({ result: { ok: false, failure: { kind: "interrupted" } } });
    assertWellFormed(ended.session.records);
  });

  test("survives in a store, in an agent made anew; a call of a tool that is gone is told", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-asking-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const session = () => openSession({ store: fileStore(folder), id: "s" });
    const { agent } = agentOf([[call("book", { place: "the Lion" })]]);
    await agent.run("Book.", { session: session() });
    expect(await session().waiting()).toMatchObject({ by: "book", value: { question: "How many at the Lion?" } });
    const other = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] as readonly Tool[] });
    await expect(other.waiting(session())).rejects.toThrow("waits for an answer to a question of book");
    const { agent: later } = agentOf([[done]]);
    const ended = await later.run("four", { session: session() });
    expect(ended.status).toBe("completed");
    expect(runs).toContain("for four");
    assertWellFormed((await session().toJSON()).records, { tools });
  });

  test("that died at any record goes on from there, and is not done twice", async () => {
    const script = [[call("book", { place: "the Lion" })], [done]] as const;
    const { agent } = agentOf([...script]);
    const asked = await agent.run("Book.");
    const { session: whole } = await agent.run("four", { session: asked.session });
    const types = whole.records.map(({ type }) => type);
    expect(types.filter((type) => type === "intent")).toHaveLength(2);
    for (let length = types.indexOf("reply") + 1; length < whole.records.length; length += 1) {
      const session = { ...whole, records: whole.records.slice(0, length) };
      const isRun = types.slice(0, length).includes("result");
      const { agent: later } = agentOf(
        types.slice(0, length).filter((type) => type === "reply").length > 1 ? [] : [[done]],
      );
      const isAnswered = types.slice(0, length).includes("answer");
      let outcome = await later.resume(session);
      const isAsked = outcome.status === "failed" || outcome.status === "waiting";
      expect(isAsked).toBe(!isAnswered && types[length - 1] !== "intent");
      if (isAsked) outcome = await later.run("four", { session: outcome.session });
      expect(outcome.status).toBe("completed");
      const wasAtWork = types[length - 1] === "intent";
      expect(runs.filter((line) => line === "for four")).toHaveLength(isRun || wasAtWork ? 0 : 1);
      const result = outcome.session.records.find((record) => record.type === "result");
      expect(result?.result.ok).toBe(!wasAtWork);
      assertWellFormed(outcome.session.records, { tools });
    }
  });

  test("has no secret in its question", async () => {
    const key = `sk-${"a1B2".repeat(12)}`;
    const { agent } = agentOf([[call("book", { place: key })]]);
    const asked = await agent.run("Book.");
    expect(asked.status).toBe("waiting");
    const question = asked.session.records.find((record) => record.type === "question");
    expect(JSON.stringify(question?.value)).not.toContain(key);
    if (asked.status === "waiting") expect(JSON.stringify(asked.value)).not.toContain(key);
  });

  test.each<[string, Partial<Parameters<typeof createAgent>[0]>, string]>([
    ["the agent is not interactive", { interactive: false }, "nobody can answer: the agent is not interactive"],
    ["the question does not fit", { tools: [wrong(), taskCompletion()] }, "asks what its schema does not have"],
    ["two kinds of reply are asked for", { tools: [doubtful(), taskCompletion()] }, "leave one of them out"],
    ["the tool does not declare it", { tools: [undeclared(), taskCompletion()] }, "and does not declare it"],
  ])("fails as a call, and says why, if %s", async (_what, options, message) => {
    const name = options.tools?.[0]?.name ?? "book";
    const model = scriptedModel([[call(name, { place: "x" })], [done]]);
    const agent = createAgent({ model, tools, permission: allowAll(), ...options });
    const outcome = await agent.run("Go.");
    const result = outcome.session.records.find(({ type }) => type === "result");
    expect(JSON.stringify(result)).toContain(message);
  });
});

function wrong(): Tool {
  return tool({
    name: "wrong",
    description: "Asks wrongly",
    input: z.object({ place: z.string() }),
    asks: z.object({ question: z.string() }),
    run: (_input, { ask }) => ask({ question: 7 } as never),
  });
}

function doubtful(): Tool {
  return tool({
    name: "doubtful",
    description: "Asks for an approval and for a typed reply",
    input: z.object({ place: z.string() }),
    asks: z.object({ question: z.string() }),
    run: (_input, { ask }) => ask({ question: "Which?" }, { approves: "d", replySchema: { type: "object" } }),
  });
}

function undeclared(): Tool {
  return tool({
    name: "undeclared",
    description: "Asks, and does not say so",
    input: z.object({ place: z.string() }),
    run: (_input, { ask }) => ask("Why?" as never),
  });
}
