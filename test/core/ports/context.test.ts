import { expectTypeOf, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Hook } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

class Database {
  readonly rows: string[] = [];
}

const addTodo = tool({
  name: "add_todo",
  description: "Adds.",
  input: z.object({ what: z.string() }),
  context: z.object({ user: z.string(), database: z.instanceof(Database) }),
  effect: "none",
  run({ what }, { context: { user, database } }) {
    database.rows.push(`${user}: ${what}`);
    return "added";
  },
});
const greet = tool({
  name: "greet",
  description: "Greets.",
  input: z.object({}),
  context: z.object({ user: z.string().toUpperCase(), locale: z.string().default("en") }),
  effect: "none",
  run: (_input, { context }) => `${context.user} ${context.locale} ${Object.keys(context).join()}`,
});
const done = [call("task_completion", { result: "done" })];

function agentOn(script: Script, hooks: readonly Hook[] = []) {
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools: [addTodo, greet, taskCompletion(), askQuestion()], hooks }) };
}

describe("a context that a run is given", () => {
  test("reaches each tool as its own schema made it, so that one agent serves all users", async () => {
    const { agent, model } = agentOn(({ number }) =>
      number % 2 === 1 ? [call("add_todo", { what: "milk" }), call("greet")] : done,
    );
    const database = new Database();
    const ann = await agent.run("go", { context: { user: "ann", database } });
    await agent.run("go", { context: { user: "bob", database, locale: "de" } });
    expect(database.rows).toEqual(["ann: milk", "bob: milk"]);
    const results = model.requests.map(({ messages }) => messages.at(-1));
    expect(results[1]).toMatchObject({ text: "ANN en user,locale" });
    expect(results[3]).toMatchObject({ text: "BOB de user,locale" });
    expect(JSON.stringify(ann.session)).not.toContain("rows");
    expect(Object.isFrozen(database.rows)).toBe(false);
  });

  test("reaches hooks and the permission as it was given", async () => {
    const seen: unknown[] = [];
    const context = { user: "ann", database: new Database() };
    const agent = createAgent({
      model: scriptedModel([[call("greet")], done]),
      tools: [greet, taskCompletion()],
      hooks: [
        {
          async *request(request, next, _signal, { user }) {
            seen.push(["request", user]);
            return yield* next(request);
          },
          async *call(frozen, next, _signal, { user }) {
            seen.push([frozen.name, user]);
            return yield* next(frozen);
          },
          veto: (_state, _signal, { user }) => void seen.push(["veto", user]),
        },
      ],
      permission: {
        decide: (_call, deciding) => {
          expectTypeOf(deciding.context?.user).toEqualTypeOf<string | undefined>();
          seen.push(["decide", deciding.context === context]);
          return { allowed: true, reason: "fine" };
        },
      },
    });
    await agent.run("go", { context });
    expect(seen.slice(0, 4)).toEqual([
      ["request", "ann"],
      ["greet", "ann"],
      ["decide", true],
      ["veto", "ann"],
    ]);
  });

  test("is given again when the session goes on, because nothing stores it", async () => {
    const database = new Database();
    const { agent } = agentOn([[call("ask_question", { question: "?" })], [call("add_todo", { what: "x" })], done]);
    const session = openSession({ store: memoryStore(), id: "s" });
    await agent.run("go", { session, context: { user: "ann", database } });
    await agent.run("yes", { session, context: { user: "ann", database } });
    expect(database.rows).toEqual(["ann: x"]);
    // @ts-expect-error -- the context is missing
    await expect(agent.resume(session)).rejects.toThrow("needs a context");
  });

  test("is passed on to an agent in a tool with the tool's context", async () => {
    const inner = createAgent({ model: scriptedModel([[call("greet")], done]), tools: [greet, taskCompletion()] });
    const delegate = tool({
      name: "delegate",
      description: "x",
      input: z.object({}),
      context: z.object({ user: z.string() }),
      effect: "none",
      run: async (_input, { child, context }) => (await inner.run("go", { session: await child(), context })).status,
    });
    const model = scriptedModel([[call("delegate")], done]);
    const outer = createAgent({ model, tools: [delegate, taskCompletion()] });
    await outer.run("go", { context: { user: "ann" } });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ text: "completed" });
  });
});

describe("a context that does not fit is a fault that names the tool,", () => {
  const database = new Database();

  test.each<[string, unknown, string]>([
    ["if there is none", undefined, 'The tool "add_todo" needs a context that this run does not have'],
    ["if a field is missing", { database }, "user: Invalid input: expected string"],
    ["if a field is another", { user: "ann", database: {} }, "database:"],
  ])("%s, before anything happens", async (_what, context, words) => {
    const { agent, model } = agentOn([]);
    await expect(agent.run("go", { context } as never)).rejects.toThrow(words);
    expect(() => agent.stream("go", { context } as never)).toThrow(words);
    expect(model.requests).toEqual([]);
  });

  test("if its schema needs promises", async () => {
    const slow = tool({ ...base, context: z.string().refine(() => Promise.resolve(true)) });
    const agent = createAgent({ model: scriptedModel([]), tools: [slow, taskCompletion()] });
    await expect(agent.run("go", { context: "x" })).rejects.toThrow('The tool "t" needs a context');
  });

  test("and a context that is no schema when the agent is made", () => {
    const wrong = tool({ ...base, context: { user: "string" } as never });
    expect(() => createAgent({ model: scriptedModel([]), tools: [wrong, taskCompletion()] })).toThrow(
      'The context of tool "t" is no schema',
    );
  });
});

const base = { name: "t", description: "x", input: z.object({}), run: () => "ok" } as const;

test("the compiler requires the intersection of the tools' contexts, and no context without one", () => {
  const { agent } = agentOn([]);
  type Given = Parameters<typeof agent.run>[1]["context"];
  expectTypeOf<Given>().toExtend<{ user: string; database: Database; locale?: string | undefined }>();
  const plain = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const wrong = [
    // @ts-expect-error -- the database is missing
    () => agent.run("go", { context: { user: "ann" } }),
    // @ts-expect-error -- the options are missing
    () => agent.stream("go"),
    () => plain.stream("go"),
  ];
  expect(wrong).toHaveLength(3);
});
