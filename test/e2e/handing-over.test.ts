import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  outcomeOf,
  tool,
  type Agent,
  type AgentOptions,
  type Check,
  type Event,
  type JournalRecord,
  type Session,
  type Tool,
} from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type ScriptedModel } from "../../src/testing/index.js";
import { askQuestion, delegate, handBack, handOver, taskCompletion } from "../../src/tools/index.js";

type Script = Parameters<typeof scriptedModel>[0];

const done = (result: string) => [call("task_completion", { result })];
const to = (name: string, message = `This is for ${name}.`) => [call("hand_over", { to: name, message })];
const back = [call("hand_back", { message: "Not mine." })];

const refund = tool({
  name: "refund",
  description: "Refunds",
  input: z.object({ cents: z.int() }),
  effect: "network",
  run: ({ cents }) => `${String(cents)} cents went back`,
});

const billingTools = [refund, askQuestion(), taskCompletion(), handBack()] as const;

/** A desk that hands over to billing. Each agent has its own script. */
function deskWith(
  { desk, billing }: { readonly desk: Script; readonly billing: Script },
  { next = {}, first = {} }: { readonly next?: object; readonly first?: object } = {},
) {
  const models = { desk: scriptedModel(desk), billing: scriptedModel(billing) };
  const options = { instructions: "You are billing.", permission: allowAll(), ...next };
  const billingAgent = createAgent({ model: models.billing, tools: billingTools, ...options });
  const tools = [handOver({ billing: billingAgent }, { when: { billing: "refunds" } }), taskCompletion()] as const;
  const agent = createAgent({ model: models.desk, tools, instructions: "You are the desk.", ...first });
  return { models, agent };
}

function typesOf(session: Session): readonly string[] {
  return session.records.map(({ type }) => type);
}

function isOf<Type extends JournalRecord["type"]>(type: Type) {
  return (record: JournalRecord): record is Extract<JournalRecord, { readonly type: Type }> => record.type === type;
}

/** Checks the journal by the rules of the loop. */
function expectWellFormed(session: Session): void {
  assertWellFormed(session.records, { tools: [...billingTools] });
}

const wordsOf = (model: ScriptedModel, request = 0): string => JSON.stringify(model.requests[request]?.messages);

describe("a run that is handed over", () => {
  test("goes on with the other agent's model, instructions and tools, sees all, and says who spoke", async () => {
    const { agent, models } = deskWith({
      desk: [to("billing")],
      billing: [[call("refund", { cents: 500 })], done("refunded")],
    });
    const events: Event[] = [];
    const outcome = await agent.run("I was charged twice.", { onEvent: (event) => void events.push(event) });
    expect(outcome).toMatchObject({
      status: "completed",
      by: "task_completion",
      value: { result: "refunded" },
      speaker: "billing",
      iterations: 3,
    });
    const [request] = models.billing.requests;
    expect(request!.system).toMatch(/^You are billing\./);
    expect(request!.tools.map(({ name }) => name)).toEqual(["ask_question", "hand_back", "refund", "task_completion"]);
    expect(request!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(wordsOf(models.billing)).toContain("This is for billing.");
    expect(models.desk.requests[0]!.tools.find(({ name }) => name === "hand_over")!.description).toContain(
      "- billing: refunds",
    );
    expect(events.filter(({ type }) => type === "hand-over")).toMatchObject([{ from: [], to: ["billing"] }]);
    const [record] = outcome.session.records.filter(isOf("hand-over"));
    expect(record).toMatchObject({ speakers: ["billing"], definition: { model: models.billing.name } });
    expect(outcomeOf(outcome.session)).toMatchObject({ status: "completed", speaker: "billing" });
    expectWellFormed(outcome.session);
  });

  test("shows the next agent a summary alone, if that is asked for", async () => {
    const look = tool({
      name: "look",
      description: "Looks",
      input: z.object({}),
      effect: "read",
      readsOutside: false,
      run: () => "the customer's whole file",
    });
    const billing = scriptedModel([done("refunded")]);
    const next = createAgent({ model: billing, tools: billingTools, permission: allowAll() });
    const agent = createAgent({
      model: scriptedModel([[call("look", {})], [call("look", {})], to("billing", "Charged twice on Monday.")]),
      tools: [look, handOver({ billing: next }, { sees: "summary" }), taskCompletion()],
    });
    const outcome = await agent.run("I was charged twice.");
    expect(outcome.status).toBe("completed");
    expect(billing.requests[0]!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(wordsOf(billing)).toContain("I was charged twice.");
    expect(wordsOf(billing)).toContain("Charged twice on Monday.");
    expect(wordsOf(billing)).not.toContain("whole file");
    expect(JSON.stringify(outcome.session)).toContain("whole file");
    expectWellFormed(outcome.session);
  });

  test("goes back and forth, and is not handed over more often than the bound says", async () => {
    const { agent, models } = deskWith({
      desk: [to("billing"), to("billing"), done("by the desk")],
      billing: [back],
    });
    const tools = [
      handOver({ billing: createAgent({ model: models.billing, tools: billingTools }) }, { max: 1 }),
      taskCompletion(),
    ] as const;
    const bounded = createAgent({ model: models.desk, tools });
    const outcome = await bounded.run("Go.");
    expect(outcome).toMatchObject({ status: "completed", value: { result: "by the desk" } });
    expect(outcome.speaker).toBeUndefined();
    expect(wordsOf(models.desk, 1)).toContain("handed back to you");
    expect(wordsOf(models.desk, 2)).toContain("was handed over 2 times in this run, and that is the most");
    expect(agent).toBeDefined();
    expectWellFormed(outcome.session);
  });

  test("can't be handed back by the agent that it began with", async () => {
    const model = scriptedModel([back, done("done")]);
    const outcome = await createAgent({ model, tools: [handBack(), taskCompletion()] }).run("Go.");
    expect(outcome.status).toBe("completed");
    expect(wordsOf(model, 1)).toContain("nobody to hand it back to");
  });

  test("is not handed over beside a call that fails, nor twice in one reply", async () => {
    const { agent, models } = deskWith({
      desk: [[call("nothing", {}), ...to("billing")], [...to("billing"), ...to("billing")], done("done")],
      billing: [],
    });
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    expect(models.billing.requests).toEqual([]);
    expect(typesOf(outcome.session)).not.toContain("hand-over");
  });

  test("waits for the user with the next agent, also for its second question, and goes on with it", async () => {
    const { agent, models } = deskWith({
      desk: [to("billing")],
      billing: [[call("ask_question", { question: "Which order?" })], done("refunded"), done("again")],
    });
    const asked = await agent.run("I was charged twice.");
    if (asked.status !== "waiting" || asked.by !== "ask_question") throw new Error(asked.status);
    expect(asked.value.question).toBe("Which order?");
    expect(await agent.waiting(asked.session)).toMatchObject({ by: "ask_question", id: asked.id });
    const events: Event[] = [];
    const ended = await agent.run("Order 7.", {
      session: JSON.parse(JSON.stringify(asked.session)) as Session,
      answers: asked.id,
      onEvent: (event) => void events.push(event),
    });
    expect(ended).toMatchObject({ status: "completed", value: { result: "refunded" }, speaker: "billing" });
    expect(events.filter(({ type }) => type === "definition-drift")).toEqual([]);
    const next = await agent.run("And once more?", { session: ended.session });
    expect(next).toMatchObject({ status: "completed", value: { result: "again" }, speaker: "billing" });
    expect(models.desk.requests).toHaveLength(1);
    expectWellFormed(next.session);
  });

  test("goes on with the next agent where a process left it, after each record", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-handing-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const script = { desk: [to("billing")], billing: [[call("refund", { cents: 5 })], done("refunded")] };
    const { agent } = deskWith(script);
    const { session } = await agent.run("Go.");
    for (let count = 1; count < session.records.length; count += 1) {
      const records = session.records.slice(0, count);
      const replies = records.filter(isOf("reply")).length;
      const rest = deskWith({
        desk: script.desk.slice(replies),
        billing: script.billing.slice(Math.max(0, replies - 1)),
      });
      const outcome = await rest.agent.resume({ ...session, records });
      expect([count, outcome.status, outcome.speaker]).toEqual([count, "completed", "billing"]);
      expect(outcome.session.records.filter(isOf("hand-over"))).toHaveLength(1);
      expectWellFormed(outcome.session);
    }
    const stored = openSession({ store: fileStore(folder), id: "s" });
    expect(await deskWith(script).agent.run("Go.", { session: stored })).toMatchObject({ speaker: "billing" });
    expect(await agent.resume(stored)).toMatchObject({ status: "completed", value: { result: "refunded" } });
  });

  test("holds the claim against the checks of the agent that makes it, with their own baseline", async () => {
    const ran: string[] = [];
    const check = (name: string, results: boolean[]): Check => ({
      name,
      begin: () => ({ by: name }),
      verify: ({ when, begun }) => {
        ran.push(`${name} ${when} ${JSON.stringify(begun)}`);
        return { passed: results.shift() ?? true, output: name };
      },
    });
    const { agent, models } = deskWith(
      { desk: [to("billing")], billing: [done("too early"), done("refunded")] },
      { first: { checks: [check("a", [])] }, next: { checks: [check("b", [false, false, true])] } },
    );
    const outcome = await agent.run("Go.");
    expect(outcome).toMatchObject({ status: "completed", value: { result: "refunded" }, verified: "checked" });
    expect(ran).toEqual(['a baseline {"by":"a"}', 'b baseline {"by":"b"}', 'b claim {"by":"b"}', 'b claim {"by":"b"}']);
    expect(wordsOf(models.billing)).toContain('The check \\"b\\" does not pass yet');
    expectWellFormed(outcome.session);
  });

  test("needs the permission of the agent that speaks, and of the run around", async () => {
    const script = { desk: [to("billing")], billing: [[call("refund", { cents: 5 })], done("no refund")] };
    const strict = deskWith(script, { next: { permission: undefined } });
    await strict.agent.run("Go.");
    expect(wordsOf(strict.models.billing, 1)).toContain("This call was not allowed");
    const allowed = deskWith(script);
    await allowed.agent.run("Go.");
    expect(wordsOf(allowed.models.billing, 1)).toContain("5 cents went back");
    const within = deskWith(script);
    const help = delegate(within.agent, { name: "help", description: "Helps" });
    const around = scriptedModel([[call("help", { task: "Refund." })], done("done")]);
    const permission = {
      decide: ({ name }: { readonly name: string }) => ({ allowed: name !== "refund", reason: "no" }),
    };
    const outcome = await createAgent({ model: around, tools: [help, taskCompletion()], permission }).run("Go.");
    expect(outcome.status).toBe("completed");
    expect(wordsOf(within.models.billing, 1)).toContain("This call was not allowed");
  });

  test("ends by the limit that is reached first, counted over all agents", async () => {
    const script = { desk: [to("billing")], billing: [[call("refund", { cents: 5 })], [call("refund", { cents: 6 })]] };
    for (const limited of [
      { first: { limits: { maxIterations: 2, reserve: 0 } } },
      { first: { limits: { reserve: 0 } }, next: { limits: { maxIterations: 2 } } },
    ]) {
      const outcome = await deskWith(script, limited).agent.run("Go.");
      expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations", iterations: 2 });
    }
  });

  test("is not handed over in its last iteration", async () => {
    const { agent, models } = deskWith(
      { desk: [[call("nothing", {})], to("billing")], billing: [] },
      { first: { limits: { maxIterations: 1 } } },
    );
    const outcome = await agent.run("Go.");
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations" });
    expect(typesOf(outcome.session)).not.toContain("hand-over");
    expect(JSON.stringify(models.desk.requests[1]!.messages.at(-1))).not.toContain("hand_over");
    expect(models.billing.requests).toEqual([]);
    const only = createAgent({
      model: scriptedModel([[call("nothing", {})]]),
      tools: [handOver({ agent })],
      limits: { maxIterations: 1 },
    });
    expect(await only.run("Go.")).toMatchObject({ status: "stopped", iterations: 1 });
  });

  test("redacts the secrets of every agent from the start, and shows its hooks every request", async () => {
    const asked: string[] = [];
    const hook = {
      request(request: { readonly system: string }, next: (value: never) => never) {
        asked.push(request.system.split(".")[0] ?? "");
        return next(request as never);
      },
    };
    const { agent } = deskWith(
      { desk: [to("billing", "The word is swordfish-77.")], billing: [done("done")] },
      { next: { secrets: { values: ["swordfish-77"] }, hooks: [hook] }, first: { hooks: [hook] } },
    );
    const outcome = await agent.run("Go.");
    expect(outcome.session.records.find(isOf("hand-over"))!.text).toContain("[redacted: value]");
    expect(asked).toEqual(["You are the desk", "You are billing"]);
  });
});

describe("what can't be handed over", () => {
  const model = scriptedModel([]);
  const make = (tools: readonly Tool[], options: Partial<AgentOptions<readonly Tool[]>> = {}): Agent =>
    createAgent({ model, tools, ...options });
  const agent = createAgent({ model, tools: [taskCompletion()] });

  test("is told when the agent is made", () => {
    expect(() => handOver({})).toThrow("handOver needs an agent");
    expect(() => handOver({ agent }, { max: 0 })).toThrow("handOver.max");
    expect(() => handOver({ agent }, { sees: "some" as never })).toThrow('sees of handOver is "some"');
    expect(() => handOver({ agent: {} })).toThrow('The agents of handOver has the field "agent", which is an object');
    const alike = { stream: agent.stream.bind(agent) };
    expect(() => make([handOver({ agent: alike })])).toThrow('hand_over hands over to "agent", which is no agent');
    expect(() => make([handOver({ agent }), handOver({ agent })])).toThrow('Two tools are named "hand_over"');
    const prices = { other: { input: 1, output: 1 } };
    const other = { ...model, name: "other", respond: model.respond.bind(model) };
    expect(() => createAgent({ model: other, tools: [handOver({ agent })], limits: { maxCost: 1, prices } })).toThrow(
      `limits.maxCost needs what ${model.name} of agent costs`,
    );
  });

  test("is a session whose agents are not those that it was handed to", async () => {
    const { agent: desk } = deskWith({ desk: [to("billing")], billing: [done("done")] });
    const { session } = await desk.run("Go.");
    await expect(agent.run("And?", { session })).rejects.toThrow(
      "was handed over to billing, and this agent hands nothing over",
    );
    const others = make([handOver({ sales: agent })]);
    await expect(others.run("And?", { session })).rejects.toThrow("handed over to billing, and no tool of the agent");
  });
});
