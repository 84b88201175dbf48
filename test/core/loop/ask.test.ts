import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LastcallError, tool, type Hook, type Message, type Tool } from "../../../src/core/index.js";
import { ask } from "../../../src/core/loop/ask.js";
import { projected } from "../../../src/core/run/run.js";
import { transcript } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { converse, taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { input, iteration, reply, result } from "../journal.js";
import { openRun, worker } from "../open-run.js";

const go = input(1, "go");
const usage = { inputTokens: 900, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 };
const tools = [worker("look", "read"), taskCompletion()];

describe("a reply", () => {
  test("is recorded with the ids of its calls, what it counts, and the size of its request", async () => {
    const model = scriptedModel([{ calls: [call("look"), call("look")], usage }]);
    const { run, added } = openRun({ model, tools }, [go]);
    const { events } = await drain(ask(run));
    expect(added()).toMatchObject([
      {
        type: "reply",
        iteration: 1,
        reply: { calls: [{ id: "s/1/call:1:0" }, { id: "s/1/call:1:1" }], usage },
        spent: { iterations: 1, tokens: 1000 },
        characters: run.parts.overhead + run.ledger.characters,
      },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      "iteration-start",
      "request-start",
      "call-delta",
      "call-delta",
      "reply-end",
    ]);
  });

  test("counts for the limits by its estimated size if the provider does not say", async () => {
    const { run, added } = openRun({ model: scriptedModel([[call("look")]]), tools }, [go]);
    const { tokens } = projected(run.state, run.parts);
    await drain(ask(run));
    expect(added()[0]).toMatchObject({ spent: { tokens: tokens + 1 } });
  });

  test("is charged up the tree, once, in place of what was set aside for its request", async () => {
    const above = openRun({ limits: { maxTokens: 2000, reserve: 0 } }, [go]);
    const budget = above.run.purse.open();
    const { run } = openRun({ model: scriptedModel([{ calls: [call("look")], usage }]), tools }, [go], { budget });
    expect(await run.purse.reserveNext({ iterations: 1, tokens: 1500, cost: 0 }, "key")).toBeUndefined();
    await drain(ask(run));
    expect(above.added()).toMatchObject([{ type: "spend", spent: { iterations: 1, tokens: 1000 } }]);
    expect(budget.reserve({ iterations: 1, tokens: 800, cost: 0 })).toHaveProperty("settle");
  });

  test("of words alone is a call of the tool that `onText` names, and silence is not", async () => {
    const talking = { tools: [converse(), taskCompletion()], onText: "converse" };
    const spoken = openRun({ ...talking, model: scriptedModel(["Hello there."]) }, [go]);
    await drain(ask(spoken.run));
    expect(spoken.added()).toMatchObject([
      { reply: { text: "", calls: [{ name: "converse", input: { message: "Hello there." } }] } },
    ]);
    const silent = openRun({ ...talking, model: scriptedModel(["  "]) }, [go]);
    await drain(ask(silent.run));
    expect(silent.added()).toMatchObject([{ reply: { text: "", calls: [] } }]);
  });
});

describe("a request", () => {
  test("has the key of its run and iteration, and another in the closing iteration", async () => {
    const model = scriptedModel(() => [call("look")]);
    const before = [go, reply(1, ["a"]), result("a"), iteration(1)];
    const text = "The run has to end.";
    const closing = { type: "notice", about: "closing", reason: "timeout", message: "up", text } as const;
    await drain(ask(openRun({ model, tools }, before).run));
    await drain(ask(openRun({ model, tools }, [...before, closing]).run));
    expect(model.requests.map(({ key }) => key)).toEqual(["s/1/model:2", "s/1/model:closing"]);
  });

  test("passes the hooks, the first one outermost; what they change is held against what servers take", async () => {
    const log: string[] = [];
    const named = (name: string): Hook => ({
      async *request(request, next) {
        log.push(`${name} before`);
        const made = yield* next(request);
        log.push(`${name} after`);
        return made;
      },
    });
    const model = scriptedModel(() => [call("look")]);
    const { run } = openRun({ model, tools, hooks: [named("outer"), named("inner")] }, [go]);
    await drain(ask(run));
    expect(log).toEqual(["outer before", "inner before", "inner after", "outer after"]);

    const emptying: Hook = {
      async *request(request, next) {
        return yield* next({ ...request, messages: [] });
      },
    };
    const broken = openRun({ model, tools, hooks: [emptying] }, [go]);
    await expect(drain(ask(broken.run))).rejects.toMatchObject({ code: "bug" });
    expect(model.requests).toHaveLength(1);
  });

  test("tells watchers of arguments that were mended", async () => {
    const healed = {
      ...scriptedModel([]),
      async *respond() {
        const repairs = ["a missing brace was added"];
        return {
          text: "",
          calls: [{ type: "call" as const, name: "look", input: {}, repairs }],
          finish: "complete" as const,
          usage,
        };
      },
    };
    const { events } = await drain(ask(openRun({ model: healed, tools }, [go]).run));
    expect(events).toContainEqual({
      type: "call-healed",
      call: 0,
      name: "look",
      repairs: ["a missing brace was added"],
    });
  });
});

describe("a prompt that the provider refuses as too long", () => {
  const tooLong = () => new LastcallError("context_overflow", "It has 12 tokens too many.");

  /** A model that refuses this many requests. */
  function refusing(times: number) {
    const script = scriptedModel(() => [call("look")]);
    const keys: string[] = [];
    const model = {
      ...script,
      respond(...[request, signal]: Parameters<typeof script.respond>) {
        keys.push(request.key);
        if (keys.length <= times) throw tooLong();
        return script.respond(request, signal);
      },
    };
    return { model, keys };
  }

  const long: readonly Tool[] = [
    tool({ name: "look", description: "x", input: z.object({}), effect: "read" }),
    taskCompletion(),
  ];
  const old = Array.from({ length: 12 }, (_none, index) => [
    reply(index + 1, [`c${String(index)}`]),
    {
      type: "result" as const,
      result: { callId: `c${String(index)}`, name: "look", ok: true, text: "line\n".repeat(400) },
    },
    iteration(index + 1),
  ]).flat();

  test("is shortened and sent once more under a key of its own", async () => {
    const { model, keys } = refusing(1);
    const { run, types } = openRun({ model, tools: long }, [go, ...old]);
    await drain(ask(run));
    expect(keys).toEqual(["s/1/model:13", "s/1/model:13:again"]);
    expect(types().at(-1)).toBe("reply");
    expect(types().length).toBeGreaterThan(1);
  });

  test("is not sent a third time: that no prompt fits is recorded, with the provider's words", async () => {
    const { model, keys } = refusing(9);
    const { run, added } = openRun({ model, tools: long }, [go, ...old]);
    await drain(ask(run));
    expect(keys).toHaveLength(2);
    expect(added().at(-1)).toMatchObject({ type: "overflow", message: "It has 12 tokens too many." });
  });

  test("is not sent again as it was, by a memory that can leave nothing out", async () => {
    const { model, keys } = refusing(9);
    const message: Message = { role: "user", text: "go" };
    const { run, types } = openRun(
      {
        model,
        tools,
        memory: (session) => {
          const inner = transcript(session);
          return {
            records: inner.records,
            append: (record) => inner.append(record),
            async *recall() {
              return [message];
            },
          };
        },
      },
      [go],
    );
    await drain(ask(run));
    expect(keys).toEqual(["s/1/model:1"]);
    expect(types()).toEqual(["overflow"]);
  });
});

test("any other fault of the provider is thrown, and nothing is recorded", async () => {
  const { run, types } = openRun({ model: scriptedModel([{ status: 401, message: "no key" }]), tools }, [go]);
  await expect(drain(ask(run))).rejects.toMatchObject({ code: "authentication" });
  expect(types()).toEqual([]);
});
