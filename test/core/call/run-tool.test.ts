import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  failClosed,
  type Event,
  type Execution,
  type LimitOptions,
  type Tool,
  type ToolContext,
} from "../../../src/core/index.js";
import { checkLimits } from "../../../src/core/ports/limit.js";
import { noRedactor } from "../../../src/core/secret/redact.js";
import { Run } from "../../../src/core/run/run.js";
import { tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { WorkTime } from "../../../src/core/time/work-time.js";
import { runTool } from "../../../src/core/call/run-tool.js";
import { transcript } from "../../../src/memory/index.js";
import { compile } from "../../../src/schema/index.js";
import { scriptedModel, virtualClock, type VirtualClock } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { drain, type Drained } from "../drain.js";
import { sourceOf } from "../../../src/core/time/stage.js";

interface Bench {
  readonly run: Run;
  readonly clock: VirtualClock;
  readonly abort: AbortController;
  work(tool: Tool): AsyncGenerator<Event, Execution, void>;
}

/** A run for one call of one tool, on a clock that the test moves. */
function bench(limits: LimitOptions = {}): Bench {
  const clock = virtualClock();
  const abort = new AbortController();
  const parts = {
    model: scriptedModel([]),
    system: "",
    tools: toolbox([taskCompletion()], compile),
    permission: failClosed,
    approvals: {},
    checks: [],
    maxAttempts: 5,
    limits: checkLimits(limits, { name: "scripted" }),
    price: undefined,
    overhead: 0,
    hooks: [],
    definition: { model: "scripted", instructions: "", tools: {}, checks: [] },
    circuit: { identical: 5, inARow: 10, stall: false as const },
    clip: undefined,
    onText: undefined,
    secrets: noRedactor,
    runtime: clock,
    interactive: true,
    startsEarly: true,
    maxParallelReads: 4,
    compile,
    withClientTools: () => parts as never,
  };
  const memory = transcript({ version: 1, id: "s", records: [] });
  const run = new Run(parts, {
    id: "s",
    memory,
    signal: abort.signal,
    budget: undefined,
    permission: undefined,
    approvals: [],
    time: new WorkTime(clock),
    lease: undefined,
    attachments: undefined,
    compact: false,
    path: [],
    isWatched: true,
    children: undefined,
    context: { given: undefined, bySchema: new Map() },
  });
  return {
    run,
    clock,
    abort,
    work: (worker) => {
      const { name, effect } = worker;
      const call = { id: "s/1/call:1:0", name, effect, input: { n: 1 } };
      return sourceOf(runTool(run, worker, { call, decision: { allowed: true, reason: "the test runs it" } }));
    },
  };
}

function worker(
  run: (input: { n: number }, context: ToolContext) => unknown,
  options: { timeout?: number } = {},
): Tool {
  return tool({
    name: "worker",
    description: "Works.",
    input: z.object({ n: z.number() }),
    run,
    effect: "read",
    ...options,
  });
}

async function once(run: Parameters<typeof worker>[0]): Promise<Drained<Event, Execution>> {
  return drain(bench().work(worker(run)));
}

/** True if the promise has settled. Waits one turn of the event loop, not for the promise. */
function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  const turn = new Promise<boolean>((resolve) => {
    setImmediate(resolve, false);
  });
  return Promise.race([settled, turn]);
}

function failureOf(execution: Execution): { readonly kind: string; readonly message: string } {
  if (execution.ok) throw new Error("it did not fail");
  return execution.failure;
}

const forever = new Promise<never>(() => undefined);

describe("a tool's run", () => {
  it("may return a value, a promise of one, or a generator that returns one", async () => {
    expect((await once(() => "plain")).value).toEqual({ ok: true, value: "plain" });
    expect((await once(async () => "promised")).value).toEqual({ ok: true, value: "promised" });
    const generated = await once(async function* () {
      yield "half";
      return "generated";
    });
    expect(generated.value).toEqual({ ok: true, value: "generated" });
  });

  it("gets its input, the call's id and a signal", async () => {
    const { value } = await once((input, { callId, signal }) => ({ input, callId, isAborted: signal.aborted }));
    expect(value).toEqual({ ok: true, value: { input: { n: 1 }, callId: "s/1/call:1:0", isAborted: false } });
  });

  it("gets a budget that holds the limits of the run, until the call ends", async () => {
    const next = { iterations: 1, tokens: 10, cost: 0 };
    const answers: unknown[] = [];
    let draw = (): void => undefined;
    const asking = worker((_input, { budget }) => {
      draw = () => void answers.push(budget.reserve(next));
      draw();
    });
    await drain(bench().work(asking));
    draw();
    expect(answers).toEqual([
      { settle: expect.any(Function), release: expect.any(Function) },
      { reason: "timeout", message: "the call that started this run has ended", canClose: false },
    ]);
  });

  it("yields progress for watchers, in order", async () => {
    const { events } = await once(async function* () {
      yield 1;
      yield { done: "half" };
      return "all";
    });
    expect(events).toEqual([
      { type: "call-progress", callId: "s/1/call:1:0", progress: 1 },
      { type: "call-progress", callId: "s/1/call:1:0", progress: { done: "half" } },
    ]);
  });

  it.each([
    [
      "at once",
      () => {
        throw new Error("File a.txt is missing.");
      },
    ],
    [
      "in its promise",
      async () => {
        throw new Error("File a.txt is missing.");
      },
    ],
    [
      "in its generator",
      async function* () {
        yield 1;
        throw new Error("File a.txt is missing.");
      },
    ],
  ])("is a failure if it throws %s, with the error's message", async (_when, run) => {
    expect(failureOf((await once(run)).value)).toMatchObject({
      kind: "tool_error",
      tool: "worker",
      message: "File a.txt is missing.",
    });
  });

  it("is a failure too if it throws a value that is not an error", async () => {
    const throws = (thrown: unknown) => () => {
      throw thrown;
    };
    expect(failureOf((await once(throws("just words"))).value).message).toBe("just words");
    expect(failureOf((await once(throws(undefined))).value).message).toBe("undefined");
    expect(failureOf((await once(throws({ code: 7 }))).value).message).toBe('{"code":7}');
  });

  it("has its input as its value if it returns nothing and the call is a claim; otherwise no value", async () => {
    const claiming = tool({
      name: "claiming",
      description: "Ends.",
      input: z.object({ n: z.number() }),
      run: () => undefined,
      isLoopBreaking: true,
    });
    expect((await drain(bench().work(claiming))).value).toEqual({ ok: true, value: { n: 1 } });
    expect((await once(() => undefined)).value).toEqual({ ok: true, value: undefined });
  });

  it("keeps values that are false or null", async () => {
    for (const value of [null, 0, "", false]) expect((await once(() => value)).value).toEqual({ ok: true, value });
  });
});

describe("a tool's time", () => {
  it("has no bound by default", async () => {
    const { clock, work: start } = bench();
    let finish: (value: string) => void = () => undefined;
    const running = drain(
      start(
        worker(
          () =>
            new Promise((resolve) => {
              finish = resolve;
            }),
        ),
      ),
    );
    await clock.advance(365 * 24 * 3_600_000);
    expect(await isSettled(running)).toBe(false);
    finish("late and well");
    expect((await running).value).toEqual({ ok: true, value: "late and well" });
  });

  it("aborts the signal when it is up, and a tool that then stops has timed out", async () => {
    const { clock, work: start } = bench();
    const obedient = worker(
      (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        }),
      { timeout: 200 },
    );
    const running = drain(start(obedient));
    await clock.advance(199);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    const { kind, message } = failureOf((await running).value);
    expect(kind).toBe("tool_timeout");
    expect(message).toBe("It did not finish within 200 ms and was stopped.");
  });

  it.each<[string, number | undefined, number | undefined, number]>([
    ["is the caller's limit for all tools if the tool has none", undefined, 200, 200],
    ["is the caller's limit if the tool's own is longer", 5000, 200, 200],
    ["is the tool's own limit if the caller's is longer", 200, 5000, 200],
    ["may be zero", 0, 5000, 0],
  ])("%s", async (_what, timeout, toolTimeout, ms) => {
    const { clock, work: start } = bench(toolTimeout === undefined ? {} : { toolTimeout });
    const running = drain(start(worker(() => forever, timeout === undefined ? {} : { timeout })));
    await clock.advance(ms + 999);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    const { kind, message } = failureOf((await running).value);
    expect(kind).toBe("tool_timeout");
    expect(message).toContain(`It did not finish within ${String(ms)} ms`);
  });

  it("stops waiting for a tool that ignores the signal after a second, and says that it may still be running", async () => {
    const { clock, work: start } = bench();
    const running = drain(start(worker(() => forever, { timeout: 200 })));
    await clock.advance(1199);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    const { kind, message } = failureOf((await running).value);
    expect(kind).toBe("tool_timeout");
    expect(message).toContain("It may still be running.");
  });

  it("takes the value that a tool returns within the grace period", async () => {
    const { clock, work: start } = bench();
    const running = drain(
      start(
        worker(
          async () => {
            await clock.sleep(700, new AbortController().signal);
            return "just made it";
          },
          { timeout: 200 },
        ),
      ),
    );
    await clock.advance(700);
    expect((await running).value).toEqual({ ok: true, value: "just made it" });
  });

  it("is one timeout for all steps of a generator", async () => {
    const { clock, work: start } = bench();
    const stepping = worker(
      async function* () {
        for (let step = 1; step <= 2; step += 1) {
          await clock.sleep(90, new AbortController().signal);
          yield step;
        }
        await forever;
      },
      { timeout: 200 },
    );
    const running = drain(start(stepping));
    await clock.advance(1199);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    const { events, value } = await running;
    expect(failureOf(value).kind).toBe("tool_timeout");
    expect(events).toHaveLength(2);
  });

  it("ends a generator that ignores the signal at its next yield, and lets it clean up", async () => {
    const { clock, work: start } = bench();
    const log: string[] = [];
    const stepping = worker(
      async function* () {
        try {
          for (;;) {
            await clock.sleep(90, new AbortController().signal);
            yield "step";
          }
        } finally {
          log.push("cleaned up");
        }
      },
      { timeout: 200 },
    );
    const running = drain(start(stepping));
    await clock.advance(270);
    expect(failureOf((await running).value)).toMatchObject({
      kind: "tool_timeout",
      message: "It did not finish within 200 ms and was stopped.",
    });
    expect(log).toEqual(["cleaned up"]);
  });

  it("does not count while the watcher is slow", async () => {
    const { clock, work: start } = bench();
    const source = start(
      worker(
        async function* () {
          yield 1;
          yield 2;
          return "made";
        },
        { timeout: 200 },
      ),
    );
    expect((await source.next()).value).toMatchObject({ progress: 1 });
    await clock.advance(60_000);
    expect((await source.next()).value).toMatchObject({ progress: 2 });
    await clock.advance(60_000);
    expect(await source.next()).toEqual({ done: true, value: { ok: true, value: "made" } });
  });

  it("gives a failure the same signature whatever the timeout is", async () => {
    const failureWith = async (timeout: number): Promise<string> => {
      const { clock, work: start } = bench();
      const running = drain(start(worker(() => forever, { timeout })));
      await clock.advance(timeout + 1000);
      const { value } = await running;
      return value.ok ? "" : value.failure.signature;
    };
    expect(await failureWith(200)).toBe(await failureWith(35_000));
  });
});

describe("an abort of the run", () => {
  it("reaches the tool's signal with its reason, and the call is interrupted", async () => {
    const { abort, clock, work: start } = bench();
    let seen: unknown;
    const obedient = worker(
      (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            seen = signal.reason;
            reject(new Error("stopped"));
          });
        }),
    );
    const running = drain(start(obedient));
    await clock.advance(10);
    const reason = new Error("the user left");
    abort.abort(reason);
    expect(failureOf((await running).value).kind).toBe("interrupted");
    expect(seen).toBe(reason);
  });

  it("waits a second for a tool that ignores it, and no longer", async () => {
    const { abort, clock, work: start } = bench();
    const running = drain(start(worker(() => forever)));
    await clock.advance(10);
    abort.abort();
    await clock.advance(999);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    expect(failureOf((await running).value).kind).toBe("interrupted");
  });

  it("ends a generator that ignores it at its next yield, or at the yield where it waits", async () => {
    const { abort, work: start } = bench();
    const log: string[] = [];
    const source = start(
      worker(async function* () {
        try {
          for (let step = 1; ; step += 1) yield step;
        } finally {
          log.push("cleaned up");
        }
      }),
    );
    expect((await source.next()).value).toMatchObject({ progress: 1 });
    abort.abort();
    const { events, value } = await drain(source);
    expect(events).toEqual([]);
    expect(failureOf(value).kind).toBe("interrupted");
    expect(log).toEqual(["cleaned up"]);
  });

  it("waits a second for a generator that does not finish its cleanup, and no longer", async () => {
    const { abort, clock, work: start } = bench();
    const source = start(
      worker(async function* () {
        try {
          yield 1;
        } finally {
          await forever;
        }
      }),
    );
    await source.next();
    abort.abort();
    const running = drain(source);
    await clock.advance(999);
    expect(await isSettled(running)).toBe(false);
    await clock.advance(1);
    expect(failureOf((await running).value).kind).toBe("interrupted");
  });

  it("reaches the tool at once if it came before the start", async () => {
    const { abort, work: start } = bench();
    abort.abort();
    const { value } = await drain(start(worker((_input, { signal }) => `aborted: ${String(signal.aborted)}`)));
    expect(value).toEqual({ ok: true, value: "aborted: true" });
  });

  it("says that the outcome is unknown for a tool that changes something", async () => {
    const { abort, clock, work: start } = bench();
    const running = drain(start({ ...worker(() => forever), effect: "write" }));
    await clock.advance(1);
    abort.abort();
    await clock.advance(1000);
    expect(failureOf((await running).value).message).toContain("Its outcome is unknown");
  });

  it("has no listener left after the call", async () => {
    const { abort, work: start } = bench();
    let told: AbortSignal | undefined;
    await drain(
      start(
        worker((_input, { signal }) => {
          told = signal;
          return "made";
        }),
      ),
    );
    abort.abort();
    expect(told?.aborted).toBe(false);
  });
});
