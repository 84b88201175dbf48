// Runs that are suspended: they stop without an end in their journal, and another agent goes on with the same run.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  outcomeOf,
  tool,
  type AgentOptions,
  type Event,
  type Model,
  type Outcome,
  type Tool,
} from "../../src/index.js";
import { predicate } from "../../src/checks/index.js";
import { fileStore, memoryStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { delegate, inBackground, taskCompletion } from "../../src/tools/index.js";
import { temporaryFolder } from "../memory/store-places.js";

type Options = Partial<AgentOptions<readonly Tool[]>>;
const done = call("task_completion", { result: "Done." });
const usage = { inputTokens: 100, outputTokens: 10 };

/** A model whose calls follow from the number of replies in the prompt, so any process can go on with it. It tells when it is asked. */
function modelOf(
  steps: readonly (readonly ReturnType<typeof call>[])[],
  asked?: (reply: number) => Promise<void> | void,
) {
  const keys: string[] = [];
  const respond: Model["respond"] = async function* (request, signal) {
    keys.push(request.key);
    const replies = request.messages.filter(({ role }) => role === "assistant").length;
    await asked?.(replies);
    const step = { calls: [...(steps[replies] ?? [done])], usage };
    return yield* scriptedModel([step]).respond(request, signal);
  };
  return { name: "m", provider: "scripted", respond, keys };
}

/** A call that can't be repeated. */
function working(begun: string[], during?: () => Promise<void> | void): Tool {
  return tool({
    name: "work",
    description: "Works",
    input: z.object({}),
    effect: "write",
    run: async (_input, { callId }) => {
      begun.push(callId);
      await during?.();
      return "worked";
    },
  });
}

function agentOf(model: ReturnType<typeof modelOf>, tools: readonly Tool[], options: Options = {}) {
  return createAgent({ model, tools: [...tools, taskCompletion()], permission: allowAll(), ...options });
}

const forever = (): Promise<void> => new Promise(() => undefined);

/** Holds a suspended outcome and its events against what is true of each. */
function expectSuspended(outcome: Outcome, events: readonly Event[] = []): void {
  if (outcome.status === "failed") throw outcome.fault;
  expect(outcome).toMatchObject({ status: "aborted", suspended: true, iterations: 0, usage: { inputTokens: 0 } });
  expect(outcome.session.records.map(({ type }) => type)).not.toContain("outcome");
  expect(outcomeOf(outcome.session)).toBeUndefined();
  if (events.length === 0) return;
  expect(events.filter(({ type }) => type === "run-end")).toHaveLength(1);
  expect(events.at(-1)?.type).toBe("run-end");
}

describe("a run that is suspended", () => {
  test("while it waits for the model, stops at once and is the same run when it goes on", async () => {
    const begun: string[] = [];
    const suspend = new AbortController();
    const hangs = modelOf([[call("work", {})]], (reply) => {
      if (reply === 0) return;
      suspend.abort(new Error("deploy"));
      return forever();
    });
    const events: Event[] = [];
    const onEvent = (event: Event): void => void events.push(event);
    const first = await agentOf(hangs, [working(begun)]).run("Go.", { suspend: suspend.signal, onEvent });
    expectSuspended(first, events);
    expect(first).toMatchObject({ message: "the caller suspended the run: deploy" });
    const model = modelOf([[call("work", {})]]);
    const second = await agentOf(model, [working(begun)]).resume(first.session);
    expect(second).toMatchObject({ status: "completed", iterations: 2, usage: { inputTokens: 200 } });
    const records = second.session.records;
    expect(records.filter(({ type }) => type === "input")).toHaveLength(1);
    expect(records.filter(({ type }) => type === "resume")).toHaveLength(1);
    expect(begun).toHaveLength(1);
    expect(model.keys[0]).toMatch(/model:2:[a-z0-9]{6}$/);
    expect(begun[0]?.split("/").slice(0, 3)).toEqual(model.keys[0]?.split("/").slice(0, 3));
  });

  test("while a call runs, waits for its result and begins no other call", async () => {
    const begun: string[] = [];
    const suspend = new AbortController();
    const steps = [[call("work", {}), call("work", {})]];
    const work = working(begun, async () => {
      suspend.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    const first = await agentOf(modelOf(steps), [work]).run("Go.", { suspend: suspend.signal });
    expectSuspended(first);
    const results = first.session.records.filter(({ type }) => type === "result");
    expect(results).toMatchObject([{ result: { ok: true, text: "worked" } }]);
    const second = await agentOf(modelOf(steps), [working(begun)]).resume(first.session);
    expect(second).toMatchObject({ status: "completed", iterations: 2 });
    expect(new Set(begun).size).toBe(2);
    expect(begun).toHaveLength(2);
  });

  test("between two iterations, asks for no other reply", async () => {
    const suspend = new AbortController();
    const model = modelOf([[call("work", {})]]);
    const work = working([], () => {
      suspend.abort();
    });
    expectSuspended(await agentOf(model, [work]).run("Go.", { suspend: suspend.signal }));
    expect(model.keys).toHaveLength(1);
  });

  test("while its claim is verified, ends as usual if the claim is accepted", async () => {
    const suspend = new AbortController();
    const check = predicate("slow", ({ when }) => {
      if (when === "claim") suspend.abort();
      return true;
    });
    const outcome = await agentOf(modelOf([]), [], { checks: [check] }).run("Go.", { suspend: suspend.signal });
    expect(outcome).toMatchObject({ status: "completed", iterations: 1 });
    expect(outcomeOf(outcome.session)?.status).toBe("completed");
  });

  test("while its claim is verified, stops after a refusal", async () => {
    const suspend = new AbortController();
    const check = predicate("slow", ({ when }) => {
      if (when === "claim") suspend.abort();
      return false;
    });
    const first = await agentOf(modelOf([]), [], { checks: [check] }).run("Go.", { suspend: suspend.signal });
    expectSuspended(first);
    expect(first.session.records.map(({ type }) => type)).toContain("iteration");
  });

  test("is aborted as usual if its signal aborts, too", async () => {
    const suspend = AbortSignal.abort();
    const abort = new AbortController();
    const late = new AbortController();
    const work = working([], () => {
      late.abort();
      abort.abort();
      return forever();
    });
    const options = { suspend: late.signal, signal: abort.signal };
    const outcome = await agentOf(modelOf([[call("work", {})]]), [work]).run("Go.", options);
    expect(outcome.status).toBe("aborted");
    expect(outcome).not.toHaveProperty("suspended");
    expect(outcome.session.records.at(-1)?.type).toBe("outcome");
    expectSuspended(await agentOf(modelOf([]), []).run("Go.", { suspend }));
  });

  test("within the time of an iteration, is not told to be out of time", async () => {
    const suspend = new AbortController();
    const model = modelOf([], () => {
      suspend.abort();
      return forever();
    });
    const limits = { iterationTimeout: 60_000 };
    const first = await agentOf(model, [], { limits }).run("Go.", { suspend: suspend.signal });
    expectSuspended(first);
    expect(first.session.records.map(({ type }) => type)).not.toContain("expiry");
  });

  test("needs a signal", () => {
    const suspend = "now" as unknown as AbortSignal;
    expect(() => agentOf(modelOf([]), []).stream("Go.", { suspend })).toThrow(
      "suspend of run is a text: give an AbortSignal",
    );
  });
});

describe.each([
  ["memory", () => Promise.resolve({ store: memoryStore(), end: () => Promise.resolve() })],
  [
    "file",
    async () => {
      const folder = await temporaryFolder();
      return { store: fileStore(folder.path), end: () => folder[Symbol.asyncDispose]() };
    },
  ],
])("in a %s store, a suspended run", (_name, place) => {
  test("goes on twice, and its amounts are told once", async () => {
    const { store, end } = await place();
    const begun: string[] = [];
    const steps = [[call("work", {})], [call("work", {})]];
    const outcomes: Outcome[] = [];
    for (const stopAt of [1, 2, Infinity]) {
      const suspend = new AbortController();
      const model = modelOf(steps, (reply) => {
        if (reply < stopAt) return;
        suspend.abort();
        return forever();
      });
      const agent = agentOf(model, [working(begun)]);
      const session = openSession({ store, id: "s" });
      const options = { suspend: suspend.signal };
      outcomes.push(
        await (outcomes.length === 0 ? agent.run("Go.", { ...options, session }) : agent.resume(session, options)),
      );
    }
    expect(outcomes.map(({ iterations }) => iterations)).toEqual([0, 0, 3]);
    expect(outcomes.map((outcome) => outcome.usage.inputTokens)).toEqual([0, 0, 300]);
    expect(begun).toHaveLength(2);
    const { records } = await openSession({ store, id: "s" }).toJSON();
    expect(records.filter(({ type }) => type === "input")).toHaveLength(1);
    expect(records.filter(({ type }) => type === "outcome")).toHaveLength(1);
    await end();
  });

  test("that waits for the lease stops, and what it sent stays sent", async () => {
    const { store, end } = await place();
    const lease = await openSession({ store, id: "s" }).lease();
    const suspend = new AbortController();
    const onEvent = ({ type }: Event): void => {
      if (type === "lease-wait") suspend.abort();
    };
    const session = openSession({ store, id: "s" });
    const outcome = await agentOf(modelOf([]), []).run("Hurry.", { session, suspend: suspend.signal, onEvent });
    expectSuspended(outcome);
    expect(await lease?.inbox()).toMatchObject([{ text: "Hurry." }]);
    await lease?.release();
    await end();
  });

  test("suspends the agents of its calls, which go on in their own sessions", async () => {
    const { store, end } = await place();
    const begun: string[] = [];
    const inner = [[call("work", {})]];
    const outer = [[call("ask", { task: "Work." }), call("ask", { task: "Work." })]];
    const team = (during?: (reply: number) => Promise<void> | void, effect?: "read") => {
      const child = agentOf(modelOf(inner, during), [working(begun)]);
      return agentOf(modelOf(outer), [delegate(child, { name: "ask", description: "Asks", effect })]);
    };
    for (const [id, effect] of [
      ["in-order", undefined],
      ["together", "read"],
    ] as const) {
      begun.length = 0;
      const suspend = new AbortController();
      const session = openSession({ store, id });
      const hangs = (reply: number): Promise<void> | void => {
        if (reply === 0) return;
        suspend.abort();
        return forever();
      };
      const first = await team(hangs, effect).run("Go.", { session, suspend: suspend.signal });
      expectSuspended(first);
      expect(first.session.records.filter(({ type }) => type === "result")).toEqual([]);
      const second = await team(undefined, effect).resume(session);
      expect(second.status).toBe("completed");
      const results = second.session.records.filter(({ type }) => type === "result");
      expect(results).toMatchObject([{ result: { ok: true } }, { result: { ok: true } }]);
      expect(begun).toHaveLength(2);
      expect(JSON.stringify(second.session.records)).not.toContain("outcome is unknown");
    }
    await end();
  });
});

test("an agent in the background is suspended with the run and goes on; no end of it is told before", async () => {
  const begun: string[] = [];
  const outer = [[call("ask", { task: "Work." })], [call("background_result", { id: "bg-1", wait_seconds: 5 })]];
  const team = (
    during?: (reply: number) => Promise<void> | void,
    ofOuter?: (reply: number) => Promise<void> | void,
  ) => {
    const child = agentOf(modelOf([[call("work", {})]], during), [working(begun)]);
    const tools = inBackground(delegate(child, { name: "ask", description: "Asks" }));
    return agentOf(modelOf(outer, ofOuter), tools);
  };
  const suspend = new AbortController();
  const hangs = (reply: number): Promise<void> | void => {
    if (reply === 0) return;
    suspend.abort();
    return forever();
  };
  const first = await team(hangs, (reply) => (reply === 0 ? undefined : forever())).run("Go.", {
    suspend: suspend.signal,
  });
  expectSuspended(first);
  expect(first.session.records.map(({ type }) => type)).not.toContain("background-end");
  const second = await team().resume(JSON.parse(JSON.stringify(first.session)) as typeof first.session);
  expect(second.status).toBe("completed");
  expect(begun).toHaveLength(1);
  const ends = second.session.records.filter(({ type }) => type === "background-end");
  expect(ends).toMatchObject([{ result: { ok: true } }]);
});
