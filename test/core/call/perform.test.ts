import { describe, expect, test } from "vitest";
import {
  tool,
  type AgentOptions,
  type Event,
  type Execution,
  type FrozenCall,
  type Hook,
  type Tool,
} from "../../../src/core/index.js";
import { perform, recordResult } from "../../../src/core/call/perform.js";
import { resolve, type ResolvedCall } from "../../../src/core/call/resolve.js";
import { z } from "zod";
import { createAgent } from "../../../src/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { readResult, taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { idOf, openRun, replied, worker, type OpenedRun } from "../open-run.js";

interface Performed extends OpenedRun {
  readonly execution: Execution;
  readonly events: readonly Event[];
}

/** Performs one call of a tool. */
async function performed(
  one: Tool,
  options: Partial<AgentOptions<readonly Tool[]>> = {},
  argument: object = {},
): Promise<Performed> {
  const opened = openRun({ tools: [one, taskCompletion()], ...options }, [
    input(1, "go"),
    replied(1, [call(one.name, argument)]),
  ]);
  const ready = (await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!)) as ResolvedCall;
  const { events, value: execution } = await drain(perform(opened.run, ready));
  return { ...opened, events, execution };
}

describe("a call", () => {
  test.each([
    ["none", ["decision"]],
    ["read", ["decision"]],
    ["write", ["decision", "intent"]],
    ["execute", ["decision", "intent"]],
    ["network", ["decision", "intent"]],
  ] as const)("whose effect is %s leaves the records %j before it runs", async (effect, expected) => {
    let before: readonly string[] = [];
    const one = worker("work", effect, (_input, { records }) => {
      before = records.slice(2).map(({ type }) => type);
    });
    await performed(one);
    expect(before).toEqual(expected);
  });

  test("of a tool that declares no effect is taken to change something", async () => {
    const undeclared = tool({ name: "work", description: "x", input: z.object({}) });
    expect((await performed(undeclared)).types()).toEqual(["decision", "intent"]);
  });

  test("gets its own copy of the arguments: its changes reach neither permission nor hooks nor the journal", async () => {
    const seen: FrozenCall[] = [];
    const approved: unknown[] = [];
    const permission: AgentOptions<readonly Tool[]>["permission"] = {
      decide: (frozen) => {
        seen.push(frozen);
        return { allowed: true, reason: "fine" };
      },
    };
    const one = tool({
      name: "work",
      description: "Changes what it got.",
      input: z.object({ tags: z.array(z.string()), day: z.coerce.date() }),
      run({ tags, day }, context) {
        tags.push("more");
        day.setUTCFullYear(1970);
        approved.push(context.approved);
        return tags;
      },
    });
    const { execution, run } = await performed(one, { permission }, { tags: ["a"], day: "2026-01-02" });
    expect(execution).toEqual({ ok: true, value: ["a", "more"] });
    expect(seen[0]?.input).toEqual({ tags: ["a"], day: new Date("2026-01-02") });
    expect(approved[0]).toBe(seen[0]?.input);
    expect(run.reply.calls[0]).toMatchObject({ input: { tags: ["a"], day: "2026-01-02" } });
  });

  test("is put to permission as it then runs, frozen, and told to watchers", async () => {
    const seen: unknown[] = [];
    const permission: AgentOptions<readonly Tool[]>["permission"] = {
      decide: (frozen, { session }) => {
        seen.push(frozen.input, session);
        return { allowed: true, reason: "fine", basis: "rule" };
      },
    };
    const one = worker("work", "write", (given) => void seen.push(given));
    const { events, added } = await performed(one, { permission }, { n: 1 });
    expect(seen).toEqual([{ n: 1 }, "s", { n: 1 }]);
    expect(events).toContainEqual({
      type: "call-decision",
      callId: idOf(1),
      allowed: true,
      reason: "fine",
      basis: "rule",
    });
    expect(added()[0]).toMatchObject({ type: "decision", allowed: true, reason: "fine", basis: "rule" });
  });
});

describe("a call is not run", () => {
  const never = worker("work", "write", () => expect.fail("it ran"));

  test.each<[string, () => unknown]>([
    ["says no", () => ({ allowed: false, reason: "not here" })],
    ["throws", () => Promise.reject(new Error("no terminal"))],
    ["says nothing clear", () => ({ allowed: "yes", reason: "fine" })],
  ])("if permission %s", async (_how, decide) => {
    const { execution, types, added } = await performed(never, { permission: { decide: decide as never } });
    expect(execution).toMatchObject({ ok: false, failure: { kind: "denied" } });
    expect(types()).toEqual(["decision"]);
    expect(added()[0]).toMatchObject({ allowed: false });
  });

  test("if the run is aborted while permission thinks about it: then there is no decision", async () => {
    const opened = openRun(
      {
        tools: [never, taskCompletion()],
        permission: { decide: () => (opened.abort.abort(new Error("enough")), new Promise<never>(() => undefined)) },
      },
      [input(1, "go"), replied(1, [call("work")])],
    );
    const ready = (await resolve(opened.run.parts.tools, opened.run.reply.calls[0]!)) as ResolvedCall;
    await expect(drain(perform(opened.run, ready))).rejects.toThrow("enough");
    expect(opened.types()).toEqual([]);
  });
});

test("the time that permission takes is not the run's", async () => {
  const opened: { current?: OpenedRun } = {};
  const permission = {
    decide: async () => {
      await opened.current?.clock.advance(500);
      return { allowed: true, reason: "at last" };
    },
  };
  const one = worker("work", "read");
  const bench = (opened.current = openRun({ tools: [one, taskCompletion()], permission }, [
    input(1, "go"),
    replied(1, [call("work")]),
  ]));
  const ready = (await resolve(bench.run.parts.tools, bench.run.reply.calls[0]!)) as ResolvedCall;
  await drain(perform(bench.run, ready));
  expect([bench.clock.now(), bench.run.time.elapsed]).toEqual([5500, 0]);
});

describe("a hook around calls", () => {
  const rewriting = (input: unknown): Hook => ({
    async *call(frozen, next) {
      return yield* next({ ...frozen, input });
    },
  });

  test("may pass on other arguments, which are validated and put to permission like the model's", async () => {
    const one = worker("work", "read", ({ n }) => n);
    expect((await performed(one, { hooks: [rewriting({ n: 2 })] })).execution).toEqual({ ok: true, value: 2 });
    const wrong = await performed(one, { hooks: [rewriting({ n: "two" })] });
    expect(wrong.execution).toMatchObject({ ok: false, failure: { kind: "invalid_arguments" } });
    expect(wrong.types()).toEqual([]);
  });

  test("may make the answer itself: then nothing is decided, and nothing runs", async () => {
    const hook: Hook = {
      async *call() {
        return { ok: true, value: "from the cache" };
      },
    };
    const { execution, types } = await performed(
      worker("work", "write", () => expect.fail("it ran")),
      { hooks: [hook] },
    );
    expect(execution).toEqual({ ok: true, value: "from the cache" });
    expect(types()).toEqual([]);
  });
});

describe("the result of a call", () => {
  const settled = async (execution: Execution, options: Partial<AgentOptions<readonly Tool[]>> = {}) => {
    const tools = [worker("look", "read"), worker("think", "none"), readResult(), taskCompletion()];
    const opened = openRun({ tools, ...options }, [input(1, "go"), replied(1, [call("look"), call("think")])]);
    const { events } = await drain(recordResult(opened.run, opened.run.reply.calls[0]!, execution));
    const [record] = opened.added();
    if (record?.type !== "result") throw new Error("there is no result");
    return { ...opened, events, result: record.result };
  };

  test.each<[unknown, string]>([
    ["as it is", "as it is"],
    [{ n: 1 }, '{"n":1}'],
    [undefined, "Done."],
    [null, "null"],
  ])("is the text of its value: %j is %s", async (value, text) => {
    const { result, events } = await settled({ ok: true, value });
    expect(result).toEqual({ callId: idOf(1), name: "look", ok: true, text, from: "outside" });
    expect(events).toEqual([{ type: "call-end", result }]);
  });

  test("has the remarks of hooks after its text", async () => {
    expect((await settled({ ok: true, value: "saved", remarks: ["2 warnings"] })).result.text).toBe(
      "saved\n\n2 warnings",
    );
  });

  test("is whole in the journal, and says what the prompt shows of it if it is long", async () => {
    const { result } = await settled({ ok: true, value: "x".repeat(1000) }, { clip: 300 });
    expect(result.text).toHaveLength(1000);
    expect(result.shown?.length).toBeLessThan(500);
    expect(result.shown).toContain("read_result");
  });

  test("has no secret in it", async () => {
    const key = `sk-proj-${"Ab3".repeat(16)}`;
    expect((await settled({ ok: true, value: `key=${key}` })).result.text).not.toContain(key);
    expect((await settled({ ok: true, value: { key } })).result.text).not.toContain(key);
  });

  test("is a failure if JSON can't write it", async () => {
    const { result } = await settled({ ok: true, value: new Map([["a", 1]]) });
    expect(result).toMatchObject({ ok: false, failure: { kind: "tool_error" } });
    expect(result.text).toContain("Map");
  });

  test("takes back what was streamed of a claim that came to a failure", async () => {
    const opened = openRun({}, [input(1, "go"), replied(1, [call("task_completion", { result: "Done." })])]);
    const failure = { kind: "check_failed", message: "red", advice: "", signature: "x" } as const;
    const { events } = await drain(recordResult(opened.run, opened.run.reply.calls[0]!, { ok: false, failure }));
    expect(events.map(({ type }) => type)).toEqual(["call-end", "claim-retracted"]);
  });
});

describe("a tool that finishes although its run is aborted", () => {
  test.each([
    ["at once", (stop: () => void) => (stop(), "paid")],
    [
      "a moment later",
      async (stop: () => void) => {
        stop();
        await new Promise((resolve) => setTimeout(resolve, 20));
        return "paid";
      },
    ],
  ])("%s has its result in the journal as it is, not as unknown", async (_when, work) => {
    const abort = new AbortController();
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: z.object({}),
      effect: "network",
      run: () =>
        work(() => {
          abort.abort();
        }),
    });
    const model = scriptedModel([[call("pay")], [call("task_completion", { result: "done" })]]);
    const agent = createAgent({ model, tools: [pay, taskCompletion()], permission: allowAll() });
    const { status, session } = await agent.run("Go", { signal: abort.signal });
    expect(status).toBe("aborted");
    const results = session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(results).toMatchObject([{ name: "pay", ok: true, text: "paid" }]);
    const after = await agent.resume(session);
    expect(after.status).toBe("completed");
    const told = model.requests.at(-1)?.messages.findLast((message) => message.role === "tool");
    expect(told).toMatchObject({ text: expect.stringContaining("paid") });
  });
});
