import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  sharedLimits,
  tool,
  type AnyPermission,
  type Event,
  type Outcome,
  type RunOptions,
  type Session,
} from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, ChildFailure, delegate, taskCompletion } from "../../src/tools/index.js";

const done = (result: string) => [call("task_completion", { result })];

const found = tool({
  name: "found",
  description: "Ends the search",
  input: z.object({ file: z.string(), line: z.number() }),
  effect: "none",
  isLoopBreaking: true,
});

const looked: string[] = [];
const look = tool({
  name: "look",
  description: "Looks",
  input: z.object({ at: z.string() }),
  effect: "read",
  readsOutside: false,
  run({ at }) {
    looked.push(at);
    return `saw ${at}`;
  },
});

function searcher(script: Parameters<typeof scriptedModel>[0]) {
  looked.length = 0;
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools: [look, found, askQuestion()], permission: allowAll() }) };
}

function storeForTest() {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-delegating-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return fileStore(folder);
}

describe("a tool that runs an agent", () => {
  test("has the typed value of the agent's completion, and the agent sees nothing but its task", async () => {
    const child = searcher([[call("look", { at: "a.ts" })], [call("found", { file: "a.ts", line: 3 })]]);
    const search = delegate(child.agent, { name: "search", description: "Searches", effect: "read" });
    expectTypeOf<Awaited<ReturnType<typeof search.run>>>().not.toBeAny();
    const model = scriptedModel([[call("search", { task: "Find it." })], done("a.ts:3")]);
    const agent = createAgent({ model, tools: [search, taskCompletion()], permission: allowAll() });
    const events: Event[] = [];
    const outcome = await agent.run("A long story.", { onEvent: (event) => void events.push(event) });
    expect(outcome.status).toBe("completed");
    expect(child.model.requests[0]!.messages).toMatchObject([{ role: "user", text: "Find it." }]);
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain(String.raw`{\"file\":\"a.ts\",\"line\":3}`);
    const [id] = outcome.session.records.flatMap((record) => (record.type === "child" ? [record.callId] : []));
    const inner = events.filter((event) => event.type === "child-event");
    expect(new Set(inner.map(({ path }) => path.join()))).toEqual(new Set([id]));
    expect(
      inner.map(({ event }) => event.type).filter((type) => type.startsWith("call-st") || type.startsWith("run")),
    ).toEqual(["run-start", "call-start", "call-start", "run-end"]);
    expect(Object.keys(outcome.session.children ?? {})).toEqual([id]);
    assertWellFormed(outcome.session.records, { tools: [search, taskCompletion()] });
    assertWellFormed(outcome.session.children![id!]!.records, { tools: [look, found, askQuestion()] });
  });

  test("fails with the reason and the partial result if the agent ends without a completion", async () => {
    const child = scriptedModel(["I looked at a.ts only.", "And nothing else."]);
    const agentBelow = createAgent({ model: child, tools: [look, found], limits: { maxIterations: 1, reserve: 0 } });
    const search = delegate(agentBelow, { name: "search", description: "Searches" });
    const errors: unknown[] = [];
    const model = scriptedModel([[call("search", { task: "Find it." })], done("nothing")]);
    const agent = createAgent({
      model,
      tools: [search, taskCompletion()],
      permission: allowAll(),
      hooks: [
        {
          async *call(frozen, next) {
            const execution = yield* next(frozen);
            if (!execution.ok) errors.push(execution.error);
            return execution;
          },
        },
      ],
    });
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    const [error] = errors;
    if (!(error instanceof ChildFailure)) throw new Error("no ChildFailure");
    expect(error.outcome).toMatchObject({ status: "stopped" });
    const told = JSON.stringify(model.requests[1]!.messages.at(-1));
    expect(told).toContain("search did not complete the task (stopped:");
  });

  test.each([false, true])(
    "redacts the secrets of the runs around it in its own session (in a store: %s)",
    async (inStore) => {
      const tell = tool({
        name: "tell",
        description: "Tells",
        input: z.object({}),
        effect: "read",
        readsOutside: false,
        run: () => "It is acme-internal, blue-whale and green-fox.",
      });
      const model = scriptedModel([[call("tell", {})], done("found")]);
      const leaf = createAgent({
        model,
        tools: [tell, taskCompletion()],
        permission: allowAll(),
        secrets: { values: ["green-fox"] },
      });
      const middle = createAgent({
        model: scriptedModel([[call("leaf", { task: "Tell." })], done("found")]),
        tools: [delegate(leaf, { name: "leaf", description: "Tells" }), taskCompletion()],
        permission: allowAll(),
        secrets: { values: ["blue-whale"] },
      });
      const agent = createAgent({
        model: scriptedModel([[call("middle", { task: "Ask." })], done("done")]),
        tools: [delegate(middle, { name: "middle", description: "Asks" }), taskCompletion()],
        permission: allowAll(),
        secrets: { values: ["acme-internal"] },
      });
      const store = storeForTest();
      const events: Event[] = [];
      const outcome = await agent.run("Go.", {
        ...(inStore && { session: openSession({ store, id: "root" }) }),
        onEvent: (event) => void events.push(event),
      });
      expect(outcome.status).toBe("completed");
      const sessions = inStore
        ? await Promise.all((await store.list()).map(({ id }) => openSession({ store, id }).toJSON()))
        : [outcome.session];
      expect(sessions).toHaveLength(inStore ? 3 : 1);
      const told = JSON.stringify([sessions, events, model.requests]);
      expect(told).toContain("[redacted: value]");
      expect(told).not.toMatch(/acme-internal|blue-whale|green-fox/);
    },
  );

  test("has its approvals answered by the run around it: words are a no, and a digest counts for no other call", async () => {
    const paid: number[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: z.object({ cents: z.int() }),
      effect: "network",
      run: ({ cents }) => {
        paid.push(cents);
        return "paid";
      },
    });
    const payer = createAgent({
      model: scriptedModel([[call("pay", { cents: 5 })], [call("pay", { cents: 7 })], done("paid")]),
      tools: [pay, taskCompletion()],
      permission: () => ({ later: true as const, reason: "nobody is there" }),
    });
    const middle = createAgent({
      model: scriptedModel([[call("payer", { task: "Pay." })], done("paid")]),
      tools: [delegate(payer, { name: "payer", description: "Pays" }), taskCompletion()],
      permission: allowAll(),
    });
    const agent = createAgent({
      model: scriptedModel([[call("middle", { task: "Pay." })], done("done")]),
      tools: [delegate(middle, { name: "middle", description: "Pays" }), taskCompletion()],
      permission: allowAll(),
    });
    const first = await agent.run("Go.");
    if (first.status !== "waiting") throw new Error(first.status);
    expect(first.value).toMatchObject({ by: "pay", path: ["middle", "payer"], input: { cents: 5 } });
    expect(first.approves).toBe(first.value.approval?.digest);
    const other = await agent.run({ allowed: true, digest: "0" }, { session: first.session });
    expect(other).toMatchObject({ status: "failed", fault: { code: "configuration" } });
    const second = await agent.run('{"allowed": true}', { session: first.session });
    if (second.status !== "waiting") throw new Error(second.status);
    expect([paid, second.value.input]).toEqual([[], { cents: 7 }]);
    const digest = second.approves ?? "";
    expect(digest).not.toBe(first.approves);
    const outcome = await agent.run({ allowed: true, digest }, { session: second.session, answers: second.id });
    expect([outcome.status, paid]).toEqual(["completed", [7]]);
    assertWellFormed(outcome.session.records);
  });

  test("counts in the limits of the run around it, and refuses to go too deep", async () => {
    const leaf = searcher([[call("found", { file: "x", line: 1 })]]);
    const inner = delegate(leaf.agent, { name: "inner", description: "Searches", maxDepth: 1 });
    const middleModel = scriptedModel([[call("inner", { task: "x" })], done("no")]);
    const middle = createAgent({ model: middleModel, tools: [inner, taskCompletion()], permission: allowAll() });
    const outer = delegate(middle, { name: "outer", description: "Delegates" });
    const model = scriptedModel([[call("outer", { task: "x" })], done("done")]);
    const agent = createAgent({ model, tools: [outer, taskCompletion()], permission: allowAll() });
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    expect(leaf.model.requests).toEqual([]);
    expect(JSON.stringify(middleModel.requests[1]!.messages.at(-1))).toContain("1 deep");
    const spent = outcome.session.records.filter(({ type }) => type === "spend");
    expect(spent).toHaveLength(2);
  });
});

test("a tree of three levels, four wide, stays within a shared limit, but for the requests in flight", async () => {
  const reply = { usage: { inputTokens: 60, outputTokens: 40 } };
  let [open, most, asked] = [0, 0, 0];
  const level = (name: string, below: string | undefined) => {
    const inner = scriptedModel(({ lastText }) => {
      asked += 1;
      const isTask = lastText.startsWith("task");
      const calls =
        isTask && below !== undefined
          ? [0, 1, 2, 3].map((at) => call(below, { task: `task ${name}${String(at)}` }))
          : done("x");
      return { ...reply, calls };
    });
    return {
      ...inner,
      async *respond(...given: Parameters<typeof inner.respond>) {
        most = Math.max(most, (open += 1));
        try {
          await new Promise((resolve) => setTimeout(resolve, 2));
          return yield* inner.respond(...given);
        } finally {
          open -= 1;
        }
      },
    };
  };
  const options = { permission: allowAll(), hooks: [] };
  const below = { description: "Delegates", effect: "read" } as const;
  const leaf = createAgent({ ...options, model: level("c", undefined), tools: [taskCompletion()] });
  const branch = createAgent({
    ...options,
    model: level("b", "leaf"),
    tools: [delegate(leaf, { ...below, name: "leaf" }), taskCompletion()],
  });
  const root = createAgent({
    ...options,
    model: level("a", "branch"),
    tools: [delegate(branch, { ...below, name: "branch" }), taskCompletion()],
  });
  const budget = sharedLimits({ maxTokens: 1500 });
  await root.run("task", { budget });
  // Without the limit there are 26 replies.
  expect(asked).toBeLessThan(26);
  expect(budget.spent.tokens).toBe(asked * 100);
  expect(budget.spent.tokens).toBeGreaterThan(500);
  expect(budget.spent.tokens).toBeLessThanOrEqual(1500 + most * 100);
});

describe("an agent that a tool runs by hand, on the session of its call and with nothing else,", () => {
  const written: string[] = [];
  const write = tool({
    name: "write",
    description: "Writes",
    input: z.object({}),
    effect: "write",
    run: () => {
      written.push("a");
    },
  });
  /** Runs an agent with this script in a tool, and the agent around under this permission. */
  async function byHand(
    script: Parameters<typeof scriptedModel>[0],
    around: Partial<Parameters<typeof createAgent>[0]>,
    more: RunOptions = {},
  ) {
    written.length = 0;
    const model = scriptedModel(script);
    const inner = createAgent({ model, tools: [write, taskCompletion()], permission: allowAll() });
    let ended: Outcome | undefined;
    const hand = tool({
      name: "hand",
      description: "Runs an agent",
      input: z.object({}),
      effect: "read",
      run: async (_input, { child }) => {
        ended = await inner.run("Write.", { ...more, session: await child() });
        return ended.status;
      },
    });
    const outer = scriptedModel([{ calls: [call("hand")], usage }, done("over")]);
    const agent = createAgent({ model: outer, tools: [hand, taskCompletion()], permission: allowAll(), ...around });
    const outcome = await agent.run("Go.");
    return { ended, outcome, model };
  }
  const usage = { inputTokens: 900, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

  test("needs the permission of the run around", async () => {
    const permission: AnyPermission = {
      decide: ({ name }) => ({ allowed: name !== "write", reason: "nobody writes here" }),
    };
    const { ended, model } = await byHand([[call("write")], done("x")], { permission });
    expect(ended?.status).toBe("completed");
    expect(written).toEqual([]);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ text: expect.stringContaining("nobody writes here") });
  });

  test("draws from the limits of the run around", async () => {
    const { ended, model } = await byHand([done("x")], { limits: { maxTokens: 1000, reserve: 0 } });
    expect(ended).toMatchObject({ status: "stopped", reason: "token_budget" });
    expect(model.requests).toEqual([]);
  });

  test("ends with its call", async () => {
    const { ended } = await byHand([{ delay: 60_000, calls: done("x") }], { limits: { toolTimeout: 50 } });
    await expect.poll(() => ended?.status).toBe("aborted");
  });

  test("takes no limits besides those of the run around", async () => {
    const { outcome } = await byHand([done("x")], {}, { budget: sharedLimits({ maxTokens: 5 }) });
    expect(JSON.stringify(outcome.session.records)).toContain("leave out budget");
  });
});

describe("a question of an agent in a tool", () => {
  test("makes the tree wait, typed, and the answer goes down to the call that asked, through plain data", async () => {
    const leaf = searcher([[call("ask_question", { question: "Which?" })], [call("found", { file: "b.ts", line: 1 })]]);
    const search = delegate(leaf.agent, { name: "search", description: "Searches" });
    const middleModel = scriptedModel([[call("search", { task: "x" })], done("b.ts")]);
    const middle = createAgent({ model: middleModel, tools: [search, taskCompletion()], permission: allowAll() });
    const research = delegate(middle, { name: "research", description: "Researches" });
    const model = scriptedModel([[call("research", { task: "x" })], done("all")]);
    const agent = createAgent({ model, tools: [research, taskCompletion()], permission: allowAll() });
    const asked = await agent.run("Go.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    expectTypeOf(asked.by).toEqualTypeOf<"research">();
    expectTypeOf(asked.value.by).toEqualTypeOf<"ask_question">();
    expectTypeOf(asked.value.value.question).toEqualTypeOf<string>();
    expect(asked.value).toMatchObject({
      by: "ask_question",
      path: ["research", "search"],
      value: { question: "Which?" },
    });
    const session = JSON.parse(JSON.stringify(asked.session)) as Session;
    const events: Event[] = [];
    const outcome = await agent.run("The second.", {
      session,
      answers: asked.id,
      onEvent: (event) => void events.push(event),
    });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "all" } });
    expect(JSON.stringify(leaf.model.requests[1]!.messages.at(-1))).toContain("The second.");
    expect(leaf.model.requests).toHaveLength(2);
    expect(middleModel.requests).toHaveLength(2);
    expect(Math.max(...events.map((event) => (event.type === "child-event" ? event.path.length : 0)))).toBe(2);
  });

  test("three ask at once, and each answer reaches its own call, once, in any order and in other processes", async () => {
    const store = storeForTest();
    const heard: string[] = [];
    const build = () => {
      const script = ({ lastText, number }: { lastText: string; number: number }) => {
        if (lastText.startsWith("Task")) return [call("ask_question", { question: `About ${lastText}?` })];
        heard.push(`${lastText}#${String(number)}`);
        return [call("found", { file: lastText, line: 1 })];
      };
      const leaf = createAgent({
        model: scriptedModel(script),
        tools: [look, found, askQuestion()],
        permission: allowAll(),
      });
      const search = delegate(leaf, { name: "search", description: "Searches", effect: "read" });
      const reply = ["Task 1", "Task 2", "Task 3"].map((task) => call("search", { task }));
      const model = scriptedModel(({ lastText }) => (lastText === "Go." ? reply : done("all")));
      return createAgent({ model, tools: [search, taskCompletion()], permission: allowAll() });
    };
    const id = "tree";
    const asked = await build().run("Go.", { session: openSession({ store, id }) });
    if (asked.status !== "waiting") throw new Error(asked.status);
    const { records } = await openSession({ store, id }).toJSON();
    const ids = records.flatMap((record) => (record.type === "question" ? [record.id] : []));
    expect(ids).toHaveLength(3);
    const answer = (which: number) =>
      build().run(`answer ${String(which + 1)}`, { session: openSession({ store, id }), answers: ids[which]! });
    expect((await answer(1)).status).toBe("waiting");
    expect((await answer(1)).joined).toBe(true);
    expect((await answer(2)).status).toBe("waiting");
    const last = await answer(0);
    expect(last).toMatchObject({ status: "completed", value: { result: "all" } });
    expect(heard.map((line) => line.split("#")[0])).toEqual(["answer 2", "answer 3", "answer 1"]);
    const results = last.session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
    expect(results.filter((text) => text.includes("file"))).toHaveLength(3);
    expect((await store.list()).map((session) => session.id)).toHaveLength(4);
  });
});

test("a tree whose process died at any record goes on, and asks no model for a reply that is there", async () => {
  const build = () => {
    const leaf = searcher(({ lastText }) =>
      lastText.startsWith("saw") ? [call("found", { file: "a.ts", line: 3 })] : [call("look", { at: "a.ts" })],
    );
    const search = delegate(leaf.agent, { name: "search", description: "Searches" });
    const model = scriptedModel(({ lastText }) =>
      lastText === "Go." ? [call("search", { task: "Find it." })] : done("a.ts:3"),
    );
    const agent = createAgent({ model, tools: [search, taskCompletion()], permission: allowAll() });
    return { agent, requests: () => leaf.model.requests.length + model.requests.length };
  };
  const whole = await build().agent.run("Go.");
  const [id = "", child] = Object.entries(whole.session.children ?? {})[0] ?? [];
  const middle = whole.session.records.findIndex(({ type }) => type === "child") + 1;
  for (let at = 0; at <= child!.records.length; at += 1) {
    const records = child!.records.slice(0, at);
    const replies = records.filter(({ type }) => type === "reply").length;
    const { agent, requests } = build();
    const outcome = await agent.resume({
      ...whole.session,
      records: whole.session.records.slice(0, middle),
      children: { [id]: { ...child!, records } },
    });
    expect(outcome, `after record ${String(at)}`).toMatchObject({ status: "completed", value: { result: "a.ts:3" } });
    expect(requests(), `the requests after record ${String(at)}`).toBe(3 - replies);
  }
});

describe("the events of an agent below", () => {
  const speaker = () => scriptedModel([[call("look", { at: "a.ts" })], [call("look", { at: "b.ts" })], done("seen")]);
  const treeOver = (model: ReturnType<typeof scriptedModel>) => {
    const below = createAgent({ model, tools: [look, taskCompletion()], permission: allowAll() });
    const own = tool({
      name: "own",
      description: "Runs the agent",
      input: z.object({ task: z.string() }),
      idempotent: true,
      async run({ task }, { child }) {
        const outcome = await below.run(task, { session: await child() });
        return outcome.status;
      },
    });
    const script = [[call("own", { task: "Look." })], done("both")];
    return createAgent({ model: scriptedModel(script), tools: [own, taskCompletion()], permission: allowAll() });
  };

  test("reach whoever watches, also if a tool of one's own runs the agent", async () => {
    const seen: string[] = [];
    await treeOver(speaker()).run("Go.", {
      onEvent(event) {
        if (event.type === "child-event") seen.push(`${String(event.path.length)} ${event.event.type}`);
      },
    });
    expect(seen.filter((line) => line.endsWith("iteration-start"))).toEqual(Array(3).fill("1 iteration-start"));
    expect(seen.at(-1)).toBe("1 run-end");
  });

  test("hold the agent until they are read, and a reader that leaves ends it", async () => {
    const model = speaker();
    const stream = treeOver(model).stream("Go.");
    for (;;) {
      const { value } = await stream.next();
      if ((value as Event).type === "child-event") break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(model.requests.length).toBe(0);
    await stream.return();
    expect((await stream.outcome).status).toBe("aborted");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(model.requests.length).toBe(0);
  });

  test("reach a hook though nobody watches, and come beside the progress of their tool", async () => {
    const below = createAgent({ model: speaker(), tools: [look, taskCompletion()], permission: allowAll() });
    const own = tool({
      name: "own",
      description: "Runs the agent",
      input: z.object({ task: z.string() }),
      async *run({ task }, { child }) {
        yield "before";
        const outcome = await below.run(task, { session: await child() });
        yield "after";
        return outcome.status;
      },
    });
    const seen: string[] = [];
    const agent = createAgent({
      model: scriptedModel([[call("own", { task: "Look." })], done("both")]),
      tools: [own, taskCompletion()],
      permission: allowAll(),
      hooks: [
        {
          async *call(frozen, next) {
            const calling = next(frozen);
            for (;;) {
              const { done: isDone, value } = await calling.next();
              if (isDone === true) return value;
              if (value.type === "call-progress") seen.push(String(value.progress));
              else if (value.type === "child-event") seen.push(value.event.type);
              yield value;
            }
          },
        },
      ],
    });
    expect((await agent.run("Go.")).status).toBe("completed");
    expect([seen[0], seen[1], seen.at(-2), seen.at(-1)]).toEqual(["before", "run-start", "run-end", "after"]);
    expect(seen.filter((type) => type === "iteration-end")).toHaveLength(3);
  });

  test("of two agents side by side come whole and in order, each under its own call", async () => {
    const helper = (name: string) =>
      delegate(createAgent({ model: speaker(), tools: [look, taskCompletion()], permission: allowAll() }), {
        name,
        description: "Helps",
        effect: "read",
      });
    const script = [[call("one", { task: "Look." }), call("two", { task: "Look." })], done("both")];
    const tools = [helper("one"), helper("two"), taskCompletion()];
    const agent = createAgent({ model: scriptedModel(script), tools, permission: allowAll() });
    const byPath = new Map<string, string[]>();
    await agent.run("Go.", {
      onEvent(event) {
        if (event.type !== "child-event") return;
        const path = event.path.join();
        byPath.set(path, [...(byPath.get(path) ?? []), event.event.type]);
      },
    });
    const [first, second, ...others] = [...byPath.values()];
    expect([first?.[0], first?.at(-1), others]).toEqual(["run-start", "run-end", []]);
    expect(second).toEqual(first);
  });
});
