import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool, type Event, type Hook, type LastcallError, type Runtime } from "../../src/index.js";
import { systemRuntime } from "../../src/index.js";
import { assertWellFormed, call } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, lookup, prompt } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });

test("the whole order of events of a run, once", async () => {
  await using stage = await agentOn([
    { text: "Looking.", calls: [call("lookup", { key: "a" }), call("lookup", { key: "none" })] },
    "words",
    [call("lookup", { key: "b" }), done],
  ]);
  await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(stage.types()).toEqual([
    "run-start",
    "iteration-start",
    "request-start",
    "reply-end",
    // Both only read, so they run side by side.
    "call-start",
    "call-start",
    "call-decision",
    "call-decision",
    "call-end",
    "call-end",
    "circuit-failure",
    "iteration-end",
    "iteration-start",
    "request-start",
    "forcing-step",
    "prompt-rewrite",
    "reply-end",
    "reply-failure",
    "circuit-failure",
    "iteration-end",
    "iteration-start",
    "request-start",
    "reply-end",
    "call-start",
    "call-decision",
    "call-end",
    "call-start",
    "call-decision",
    "claim-accepted",
    "iteration-end",
    "run-end",
  ]);
  const { session } = stage.events.find((event) => event.type === "run-start")!;
  const claim = stage.events.findLast((event) => event.type === "call-start")!;
  expect(claim.call.id).toMatch(new RegExp(`^${session}/\\w{6}/1/call:3:1$`));
});

test("run drains what stream yields: the events and the outcome are the same", async () => {
  const script = [[call("lookup", { key: "a" })], [done]];
  await using one = await agentOn(script);
  await using two = await agentOn(script);
  const ran = await one.agent.run("go", { onEvent: one.onEvent });
  const streamed: Event[] = [];
  for await (const event of two.agent.stream("go")) streamed.push(event);
  expect(streamed.map(({ type }) => type)).toEqual(one.events.map(({ type }) => type));
  const last = streamed.at(-1)!;
  if (last.type !== "run-end") throw new Error(last.type);
  expect({ ...last.outcome, session: 0 }).toEqual({ ...ran, session: 0 });
});

test("the streamed field of a claim arrives as text while it is written, and is withdrawn if it is refused", async () => {
  await using stage = await agentOn([
    {
      calls: [call("lookup", { key: "none" }), call("task_completion", { result: 'All é done\n"yes"' })],
      piece: 2,
      pause: 2,
    },
    { calls: [done], piece: 3, pause: 2 },
  ]);
  await stage.agent.run("go", { onEvent: stage.onEvent });
  const retracted = stage.events.findIndex(({ type }) => type === "claim-retracted");
  const text = (events: readonly Event[]): string =>
    events
      .flatMap((event) =>
        event.type === "text-delta" && event.claim && event.tool === "task_completion" ? [event.text] : [],
      )
      .join("");
  expect(text(stage.events.slice(0, retracted))).toBe('All é done\n"yes"');
  expect(text(stage.events.slice(retracted))).toBe("all done");
  expect(stage.events.filter((event) => event.type === "text-delta").length).toBeGreaterThan(6);
});

describe("abort", () => {
  const never = tool({
    name: "never",
    description: "Waits until it is told to stop",
    input: z.object({}),
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(new Error("told to stop"));
        });
      }),
  });
  const deaf = tool({
    name: "deaf",
    description: "Ignores abort",
    input: z.object({}),
    run: () => new Promise(() => undefined),
  });

  test.each(["claim-accepted", "iteration-end"])("at %s comes too late: the claim stands", async (last) => {
    for (const [claim, status] of [
      [done, "completed"],
      [call("ask_question", { question: "Which?" }), "waiting"],
    ] as const) {
      await using stage = await agentOn([[claim]]);
      const abort = new AbortController();
      const onEvent = ({ type }: Event): void => {
        if (type === last) abort.abort();
      };
      const outcome = await stage.agent.run("go", { signal: abort.signal, onEvent });
      expect(outcome.status).toBe(status);
      assertWellFormed(outcome.session.records);
    }
  });

  test("before the run: nothing is asked, and the input is kept", async () => {
    await using stage = await agentOn([[done]]);
    const outcome = await stage.agent.run("go", { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ status: "aborted", iterations: 0 });
    expect(stage.provider.requests).toHaveLength(0);
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
    expect(prompt(stage.provider, 1).slice(1)).toEqual(["user: go", "user: on"]);
  });

  test("during the stream: the reply is dropped and the connection let go", async () => {
    const stop = new AbortController();
    await using stage = await agentOn([{ text: "word ".repeat(200), piece: 5, pause: 200 }, [done]]);
    const began = Date.now();
    const outcome = await stage.agent.run("go", {
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === "text-delta") stop.abort();
      },
    });
    expect(outcome).toMatchObject({ status: "aborted", iterations: 0 });
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
  });

  test("during a wait between two attempts", async () => {
    const stop = new AbortController();
    await using stage = await agentOn([{ status: 429, headers: { "retry-after": "30" } }]);
    const outcome = await stage.agent.run("go", {
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === "request-retry")
          setTimeout(() => {
            stop.abort();
          }, 10);
      },
    });
    expect(outcome.status).toBe("aborted");
  });

  test.each([
    ["that listens", never, 900],
    ["that ignores it", deaf, 15_000],
  ])("during a tool %s: every call has a result that says so, and the session goes on", async (_what, stuck, bound) => {
    const stop = new AbortController();
    await using stage = await agentOn([[call(stuck.name), call("lookup", { key: "a" }), done], [done]], {
      tools: [stuck, lookup, taskCompletion()],
    });
    const began = Date.now();
    const outcome = await stage.agent.run("go", {
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === "call-decision")
          setTimeout(() => {
            stop.abort();
          }, 10);
      },
    });
    expect(Date.now() - began).toBeLessThan(bound);
    expect(outcome.status).toBe("aborted");
    const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(results.map(({ failure }) => failure?.kind)).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(results[0]!.text).toContain("Its outcome is unknown");
    expect(results[1]!.text).toContain("before this call ran");
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
    assertPaired(stage.provider);
  });

  test("leaving the stream early aborts the run, waits for its tools and leaves the journal in order", async () => {
    let stopped = false;
    const slow = tool({
      name: "slow",
      description: "Takes a while to stop",
      input: z.object({}),
      async *run() {
        try {
          yield "started";
          yield "never reached";
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 100));
          stopped = true;
        }
      },
    });
    await using stage = await agentOn([[call("slow")], [done]], { tools: [slow, taskCompletion()] });
    const stream = stage.agent.stream("go");
    for await (const event of stream) if (event.type === "call-progress") break;
    expect(stopped).toBe(true);
    const outcome = await stream.outcome;
    expect(outcome.status).toBe("aborted");
    expect(outcome.session.records.at(-1)).toMatchObject({ type: "outcome", status: "aborted" });
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
    assertPaired(stage.provider);
  });

  test("a stream that is left while an event is awaited ends too, as an HTTP client that hangs up would have it", async () => {
    await using stage = await agentOn([{ calls: [done], delay: 50_000 }]);
    const stream = stage.agent.stream("go");
    const reading = (async () => {
      const types: string[] = [];
      for await (const { type } of stream) types.push(type);
      return types;
    })();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = Date.now();
    const left = await stream.return();
    expect(left.value.status).toBe("aborted");
    expect((await reading).length).toBeGreaterThan(0);
    expect(Date.now() - began).toBeLessThan(15_000);
  });
});

test("a watcher that throws, or whose promise rejects, is reported once and changes nothing", async () => {
  for (const watcher of [
    (): never => {
      throw new Error("watcher bug");
    },
    async (): Promise<void> => Promise.reject(new Error("watcher bug")),
  ]) {
    const warnings: LastcallError[] = [];
    const runtime: Runtime = { ...systemRuntime, warn: (fault) => warnings.push(fault) };
    await using stage = await agentOn([[call("lookup", { key: "a" })], [done]], { runtime });
    expect(await stage.agent.run("go", { onEvent: watcher })).toMatchObject({ status: "completed", iterations: 2 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: "watcher", message: expect.stringContaining("watcher bug") });
  }
});

describe("hooks", () => {
  test("around a call sees the frozen call, may change its input, and what it changed is validated again", async () => {
    const seen: unknown[] = [];
    const hook: Hook = {
      async *call(frozen, next) {
        seen.push(frozen.input);
        expect(Object.isFrozen(frozen.input)).toBe(true);
        if (frozen.name !== "lookup") return yield* next(frozen);
        const { key } = frozen.input as { readonly key: string };
        return yield* next({ ...frozen, input: key === "bad" ? { ky: 1 } : { key: key.toUpperCase() } });
      },
    };
    await using stage = await agentOn([[call("lookup", { key: "a" }), call("lookup", { key: "bad" })], [done]], {
      hooks: [hook],
    });
    expect(await stage.agent.run("go")).toMatchObject({ status: "completed" });
    expect(prompt(stage.provider, 2).slice(3)).toEqual([
      "tool: value of A",
      expect.stringContaining("ERROR invalid_arguments"),
    ]);
    expect(seen).toEqual([{ key: "a" }, { key: "bad" }, { result: "all done" }]);
  });

  test("around a call may answer without running it", async () => {
    const hook: Hook = {
      async *call(frozen, next) {
        return frozen.name === "lookup" ? { ok: true, value: "from a cache" } : yield* next(frozen);
      },
    };
    await using stage = await agentOn([[call("lookup", { key: "none" })], [done]], { hooks: [hook] });
    await stage.agent.run("go");
    expect(prompt(stage.provider, 2).at(-1)).toBe("tool: from a cache");
  });

  test("a hook that leaves a call early has its tool stopped before the run goes on", async () => {
    const order: string[] = [];
    const slow = tool({
      name: "slow",
      description: "Shows progress",
      input: z.object({}),
      async *run(_input, { signal }) {
        try {
          yield "started";
          yield "never reached";
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 50));
          order.push(signal.aborted ? "stopped" : "not told");
        }
      },
    });
    const hook: Hook = {
      async *call(frozen, next) {
        if (frozen.name !== "slow") return yield* next(frozen);
        for await (const event of next(frozen)) if (event.type === "call-progress") break;
        order.push("left");
        return { ok: true, value: "enough" };
      },
    };
    await using stage = await agentOn([[call("slow")], [done]], { tools: [slow, taskCompletion()], hooks: [hook] });
    expect(await stage.agent.run("go")).toMatchObject({ status: "completed" });
    expect(order).toEqual(["stopped", "left"]);
  });

  test("around a request may change it, and the first hook is the outermost", async () => {
    const order: string[] = [];
    const named = (name: string): Hook => ({
      async *request(request, next) {
        order.push(name);
        return yield* next({ ...request, system: `${request.system} ${name}` });
      },
    });
    await using stage = await agentOn([[done]], { hooks: [named("outer"), named("inner")] });
    await stage.agent.run("go");
    expect(order).toEqual(["outer", "inner"]);
    expect(prompt(stage.provider, 1)[0]).toMatch(/outer inner$/);
  });

  test("what a hook throws is a fault", async () => {
    const hook: Hook = {
      async *call() {
        throw new Error("hook bug");
      },
    };
    await using stage = await agentOn([[call("lookup", { key: "a" })], [done]], { hooks: [hook] });
    const outcome = await stage.agent.run("go");
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { code: "bug", message: expect.stringContaining("hook bug") },
    });
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "failed" });
    assertPaired(stage.provider);
  });
});

test("a journal that can't be written fails the run before the tool runs", async () => {
  let ran = false;
  const effect = tool({
    name: "effect",
    description: "Changes something",
    input: z.object({}),
    run: () => {
      ran = true;
    },
  });
  await using stage = await agentOn([[call("effect")], [done]], {
    tools: [effect, taskCompletion()],
    memory: (session) => ({
      records: [...session.records],
      append: ({ type }) => {
        if (type === "intent") throw new Error("disk full");
      },
      async *recall() {
        return [{ role: "user", text: "go" }];
      },
    }),
  });
  const outcome = await stage.agent.run("go");
  expect(outcome).toMatchObject({
    status: "failed",
    fault: { code: "store", message: expect.stringContaining("disk full") },
  });
  expect(ran).toBe(false);
});
