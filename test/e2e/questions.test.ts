import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AgentOptions, type Event, type Outcome, type Tool } from "../../src/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { assertWellFormed, call, scriptedModel, virtualClock, type Script } from "../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../src/tools/index.js";

const size = z.object({ width: z.number().int(), unit: z.enum(["cm", "in"]) });
const asks = [call("ask_question", { question: "How wide?" })];
const done = [call("task_completion", { result: "done" })];

function agentOn(script: Script, question: Tool = askQuestion(), more: Partial<AgentOptions<readonly Tool[]>> = {}) {
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools: [question, taskCompletion()], ...more }) };
}

function lastTexts({ requests }: ReturnType<typeof agentOn>["model"], count: number): readonly string[] {
  return requests
    .at(-1)!
    .messages.slice(-count)
    .map((message) => (message.role === "assistant" ? "" : message.text));
}

describe("a typed reply", () => {
  const typed = () => agentOn([asks, done], askQuestion({ replySchema: size }));

  test("is asked for with its schema, validated, and read by the model as JSON", async () => {
    const { model, agent } = typed();
    const first = await agent.run("Make a table.");
    expect(first).toMatchObject({ status: "waiting", replySchema: { type: "object", required: ["width", "unit"] } });
    const second = await agent.run({ width: 80, unit: "cm" }, { session: first.session });
    expect(second.status).toBe("completed");
    expect(lastTexts(model, 1)).toEqual(['{"width":80,"unit":"cm"}']);
    assertWellFormed(second.session.records);
  });

  test("may be given as the text of its JSON", async () => {
    const { model, agent } = typed();
    const { session } = await agent.run("Make a table.");
    expect((await agent.run('{ "width": 80, "unit": "in" }', { session })).status).toBe("completed");
    expect(lastTexts(model, 1)).toEqual(['{"width":80,"unit":"in"}']);
  });

  test.each<[string | { width: string }, RegExp]>([
    ["eighty", /does not fit what ask_question asked for: it is no JSON object\. It takes \{.*"width"/],
    ['{"width": 80', /it is no JSON object/],
    [{ width: "80" }, /width: .*number.*unit: /],
  ])("that does not fit is refused with what is wrong, and the session waits on: %j", async (reply, words) => {
    const { model, agent } = typed();
    const { session } = await agent.run("Make a table.");
    const refused = await agent.run(reply, { session });
    expect(refused).toMatchObject({ status: "failed", fault: { code: "configuration", message: words } });
    expect(refused.session.records).toEqual(session.records);
    expect(model.requests).toHaveLength(1);
    expect((await agent.run({ width: 1, unit: "cm" }, { session })).status).toBe("completed");
  });

  test("is refused where none is due", async () => {
    const { agent } = agentOn([asks, done]);
    const message = /no call waits for an answer with a schema/;
    expect(await agent.run({ width: 1 })).toMatchObject({ status: "failed", fault: { message } });
    const { session } = await agent.run("Make a table.");
    expect(await agent.run({ width: 1 }, { session })).toMatchObject({ status: "failed", fault: { message } });
  });

  test("reaches a kept session from any process, and counts once", async () => {
    const { agent } = typed();
    const session = openSession({ store: memoryStore() });
    const first = await agent.run("Make a table.", { session });
    const answers = first.status === "waiting" ? first.id : "";
    const [one, two] = await Promise.all([
      agent.run({ width: 1, unit: "cm" }, { session, answers }),
      agent.run({ width: 1, unit: "cm" }, { session, answers }),
    ]);
    expect([one, two]).toMatchObject([{ status: "completed" }, { status: "completed" }]);
    const { records } = await session.toJSON();
    expect(records.filter((record) => "answers" in record)).toHaveLength(1);
  });

  test("can be asked for only by a tool that awaits one", () => {
    const wrong = { ...taskCompletion(), replySchema: size };
    expect(() => createAgent({ model: scriptedModel([]), tools: [wrong] })).toThrow(
      'Tool "task_completion" has a replySchema: set awaitsReply',
    );
    const unusable = askQuestion({ replySchema: z.string() as never });
    expect(() => createAgent({ model: scriptedModel([]), tools: [unusable] })).toThrow(
      'The reply schema of tool "ask_question" can\'t be used',
    );
  });
});

test("what is awaited of the user can be said of a conversation as well", async () => {
  const says = [call("converse", { message: "How wide?" })];
  const { agent } = agentOn([says, done], converse({ replySchema: size, expiresAfter: 60_000 }));
  const first = await agent.run("Make a table.");
  expect(first).toMatchObject({ status: "waiting", replySchema: { type: "object" }, expiresAt: expect.any(Number) });
  expect(await agent.run("eighty", { session: first.session })).toMatchObject({ status: "failed" });
  expect((await agent.run({ width: 80, unit: "cm" }, { session: first.session })).status).toBe("completed");
});

describe("a question that expires", () => {
  const hour = 3_600_000;
  const expiring = (script: Script) => {
    const clock = virtualClock();
    return { clock, ...agentOn(script, askQuestion({ expiresAfter: hour }), { runtime: clock }) };
  };

  test("says when, and takes an answer until then", async () => {
    const { clock, agent } = expiring([asks, done]);
    const first = await agent.run("Make a table.");
    const expiresAt = first.status === "waiting" ? first.expiresAt : undefined;
    expect(expiresAt).toBe(first.session.records.find(({ type }) => type === "claim")!.at + hour);
    await clock.advance(hour - 1);
    expect((await agent.run("80 cm", { session: first.session })).status).toBe("completed");
  });

  test("takes an answer that was given in time, however late it comes", async () => {
    const { clock, agent } = expiring([asks, done]);
    const first = await agent.run("Make a table.");
    const givenAt = first.session.records.at(-1)!.at;
    await clock.advance(2 * hour);
    const second = await agent.run("80 cm", { session: first.session, givenAt });
    expect(second).toMatchObject({ status: "completed", inputs: ["80 cm"] });
    expect(second.session.records).toContainEqual(expect.objectContaining({ text: "80 cm", givenAt }));
    assertWellFormed(second.session.records);
    await expect(agent.run("80 cm", { session: first.session, givenAt: NaN })).rejects.toThrow("givenAt is NaN");
  });

  test("takes later words as new ones: the model is told that no answer came", async () => {
    const { clock, model, agent } = expiring([asks, done]);
    const first = await agent.run("Make a table.");
    await clock.advance(hour);
    const second = await agent.run("Make a chair instead.", { session: first.session });
    expect(second.status).toBe("completed");
    expect(lastTexts(model, 2)).toEqual([expect.stringContaining("No answer came in time"), "Make a chair instead."]);
    expect(second.session.records).toContainEqual(
      expect.objectContaining({ type: "input", text: "Make a chair instead.", lapses: expect.any(String) as string }),
    );
    assertWellFormed(second.session.records);
  });

  test("refuses an answer that names it, and loses nothing", async () => {
    const { clock, agent } = expiring([asks, done]);
    const first = await agent.run("Make a table.");
    await clock.advance(hour);
    const answers = first.status === "waiting" ? first.id : "";
    const late = await agent.run("80 cm", { session: first.session, answers });
    expect(late).toMatchObject({ status: "failed", fault: { message: expect.stringContaining("any more") as string } });
    expect(late.session.records).toEqual(first.session.records);
  });

  test("lets the agent go on without an answer", async () => {
    const { clock, model, agent } = expiring([asks, done]);
    const first = await agent.run("Make a table.");
    expect(await agent.resume(first.session)).toMatchObject({ status: "failed" });
    await clock.advance(hour);
    const second = await agent.resume(first.session);
    expect(second.status).toBe("completed");
    expect(lastTexts(model, 1)).toEqual([expect.stringContaining("No answer came in time")]);
    assertWellFormed(second.session.records);
  });
});

describe("a session that is gone on with by another agent", () => {
  const noted = (kind: string): Tool =>
    tool({ name: "note", description: kind, input: z.object({ text: z.string() }), effect: "none" });

  async function goOn(first: Partial<AgentOptions<readonly Tool[]>>, second: typeof first) {
    const script: Script = [done, done, done];
    const model = scriptedModel(script);
    const make = (more: typeof first) => createAgent({ model, tools: [taskCompletion()], ...more });
    const events: Event[] = [];
    const { session } = await make(first).run("Go.");
    const outcome: Outcome = await make(second).run("Again.", { session, onEvent: (event) => void events.push(event) });
    const changes = events.flatMap((event) => (event.type === "definition-drift" ? event.changes : []));
    return { outcome, changes };
  }

  test("is told what is new, gone or another", async () => {
    const { outcome, changes } = await goOn(
      { instructions: "Be brief.", tools: [taskCompletion(), noted("Notes"), askQuestion()] },
      {
        instructions: "Be long.",
        tools: [taskCompletion(), noted("Notes it"), { ...noted("x"), name: "mark" }],
        checks: [{ name: "tests", verify: () => ({ passed: true, output: "" }) }],
      },
    );
    expect(outcome.status).toBe("completed");
    expect(changes).toEqual([
      "the instructions are others",
      "the tool ask_question is gone",
      "the tool mark is new",
      "the tool note is another",
      "the check tests is new",
    ]);
    const definitions = outcome.session.records.filter((record) => "definition" in record);
    expect(definitions.map(({ type }) => type)).toEqual(["input", "input"]);
  });

  test("is told so in the midst of a run as well, where its process left it", async () => {
    const { session } = await agentOn([[call("note", { text: "a" })], done], noted("Notes")).agent.run("Go.");
    const left = session.records.slice(
      0,
      session.records.findIndex(({ type }) => type === "result"),
    );
    const events: Event[] = [];
    const onEvent = (event: Event): void => void events.push(event);
    const outcome = await agentOn([done]).agent.resume({ ...session, records: left }, { onEvent });
    expect(outcome.status).toBe("completed");
    expect(events).toContainEqual({
      type: "definition-drift",
      changes: ["the tool ask_question is new", "the tool note is gone"],
    });
    expect(outcome.session.records).toContainEqual(
      expect.objectContaining({ type: "resume", definition: expect.objectContaining({ model: "scripted" }) as object }),
    );
  });

  test("is told nothing by the same one, which is recorded once", async () => {
    const { outcome, changes } = await goOn({}, {});
    expect(changes).toEqual([]);
    expect(outcome.session.records.filter((record) => "definition" in record)).toHaveLength(1);
  });
});
