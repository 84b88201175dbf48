// Parts that behave oddly: tools, permissions, watchers, the clock, the host around the agent.

import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type AgentOptions,
  type Decision,
  type Event,
  type Outcome,
  type Tool,
  type ToolContext,
} from "../../src/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import { call, scriptedModel, virtualClock, type Step } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { built } from "../dist.js";
import { checkEnd, checkInvariants, type SeenEffect } from "./invariants.js";
import { counted } from "./counted.js";
import { isAll, randomFrom, seeds } from "./scale.js";

const done = [call("task_completion", { result: "done" })];

/** A tool that does this, and tells of it outside. */
function odd(run: (input: unknown, context: ToolContext) => unknown, name = "odd") {
  const effects: SeenEffect[] = [];
  const made = tool({
    name,
    description: "Behaves oddly",
    input: z.object({ list: z.array(z.number()).optional() }),
    effect: "write",
    run: (input, context): unknown => {
      effects.push({ callId: context.callId, input: structuredClone(input) });
      return run(input, context);
    },
  });
  return { effects, tool: made };
}

/** Runs the script with these tools, and holds what came of it against the invariants. */
async function run(
  script: readonly Step[],
  tools: readonly { readonly effects: readonly SeenEffect[]; readonly tool: Tool }[],
  options: Partial<AgentOptions<readonly Tool[]>> & { readonly signal?: AbortSignal } = {},
): Promise<Outcome> {
  const all = [...tools.map((one) => one.tool), taskCompletion()];
  const { signal, ...rest } = options;
  const agent = createAgent({ model: scriptedModel(script), tools: all, permission: allowAll(), ...rest });
  const events: Event[] = [];
  const outcome = await agent.run("Go.", { ...(signal && { signal }), onEvent: (event) => void events.push(event) });
  checkEnd(events, outcome);
  const effects = tools.flatMap((one) => one.effects);
  checkInvariants({ records: outcome.session.records, requests: [], effects, tools: all });
  return outcome;
}

/** What the model reads of each call. */
function textsOf({ session }: Outcome): readonly string[] {
  return session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
}

function cyclic(): object {
  const made: Record<string, unknown> = { name: "cyclic" };
  made["self"] = made;
  return made;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class Mute extends Error {
  override get message(): string {
    throw new Error("no message");
  }
}

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("not to be looked at");
    },
  },
);

describe("a tool that throws", () => {
  test.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a text", () => "a text"],
    ["a symbol", () => Symbol("odd")],
    ["a bigint", () => 10n],
    ["a function", () => () => 1],
    ["a frozen error", () => Object.freeze(new Error("frozen"))],
    ["a cyclic object", cyclic],
    ["an object without a prototype", () => Object.create(null) as object],
    ["an error whose message can't be read", () => new Mute()],
    ["a proxy that throws at every look", () => hostile],
    ["a proxy that is revoked", revoked],
    ["an error that causes itself", () => Object.assign(new Error("self"), { cause: undefined })],
  ])("%s has failed, and the run goes on", async (_what, thrown) => {
    const made = odd(() => {
      throw thrown();
    });
    const outcome = await run([[call("odd")], done], [made]);
    expect(outcome.status).toBe("completed");
    expect(textsOf(outcome)[0]).toMatch(/^ERROR tool_error \(odd\): ./);
    counted("tool-throws-odd", 1);
  });
});

describe("a tool that returns", () => {
  test.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["a bigint", () => 10n],
    ["a bigint within", () => ({ big: 10n })],
    ["something cyclic", cyclic],
    ["a symbol", () => Symbol("odd")],
    ["a function", () => () => 1],
    ["bytes", () => Buffer.from("bytes")],
    ["a lone surrogate", () => "\ud83d and \udc4b"],
    [
      "what can't be written as JSON",
      () => ({
        toJSON: () => {
          throw new Error("no JSON");
        },
      }),
    ],
    ["a proxy that throws at every look", () => hostile],
    ["a proxy that is revoked", revoked],
    ["NaN", () => NaN],
    ["a date that is none", () => new Date(NaN)],
    ["a map", () => new Map([[1, 2]])],
  ])("%s has one result, which can be kept and read again", async (_what, value) => {
    const made = odd(value);
    const store = memoryStore();
    const tools = [made.tool, taskCompletion()];
    const agent = createAgent({ model: scriptedModel([[call("odd")], done]), tools, permission: allowAll() });
    const outcome = await agent.run("Go.", { session: openSession({ store, id: "s" }) });
    expect(outcome.status).toBe("completed");
    const kept = await openSession({ store, id: "s" }).toJSON();
    expect(kept).toEqual(outcome.session);
    checkInvariants({ records: kept.records, requests: [], effects: made.effects, tools });
    expect(textsOf(outcome)[0]).not.toBe("");
    counted("tool-result-odd", 1);
  });

  test("a very long text is kept whole, and shown in part", async () => {
    const length = (isAll ? 200 : 20) * 1024 * 1024;
    const outcome = await run([[call("odd")], done], [odd(() => "x".repeat(length))]);
    expect(outcome.status).toBe("completed");
    expect(textsOf(outcome)[0]?.length).toBe(length);
    counted("tool-result-odd", 1);
  });
});

test("a tool that ignores the abort and rejects once the run is over is left behind, and nobody notices", async () => {
  const stop = new AbortController();
  let reject: (why: Error) => void = () => undefined;
  const made = odd(() => {
    stop.abort();
    return new Promise((_resolve, fail) => {
      reject = fail;
    });
  });
  const began = performance.now();
  const outcome = await run([[call("odd")]], [made], { signal: stop.signal });
  expect(outcome.status).toBe("aborted");
  expect(performance.now() - began).toBeLessThan(1900);
  expect(textsOf(outcome)[0]).toContain("Its outcome is unknown");
  reject(new Error("late"));
  await sleep(5);
  counted("tool-rejects-late", 1);
});

test("of tools in one reply that fail, hang and settle twice, each has one result, in the order of the calls", async () => {
  const clock = virtualClock({ auto: true });
  const tools = [
    odd(() => "first", "first"),
    odd(() => Promise.reject(new Error("broken")), "fails"),
    odd(() => new Promise(() => undefined), "hangs"),
    odd(
      () =>
        new Promise((resolve, reject) => {
          resolve("once");
          resolve("twice");
          reject(new Error("and then not"));
        }),
      "twice",
    ),
    odd(() => "last", "last"),
  ];
  const calls = tools.map((one) => call(one.tool.name));
  const outcome = await run([calls, done], tools, { runtime: clock, limits: { toolTimeout: 5000 } });
  expect(outcome.status).toBe("completed");
  expect(textsOf(outcome).map((text) => text.split("\n")[0])).toEqual([
    "first",
    "ERROR tool_error (fails): broken",
    "ERROR tool_timeout (hangs): It did not finish within 5000 ms and was stopped. It may still be running.",
    "once",
    "last",
  ]);
  for (const fault of ["tool-parallel-one-fails", "tool-never-settles", "tool-settles-twice"]) counted(fault, 1);
});

test("two calls of one reply that change the same thing do so one after the other, in the order of the calls", async () => {
  const log: string[] = [];
  const made = odd(async (_input, { callId }) => {
    log.push(`begin ${callId}`);
    await sleep(2);
    log.push(`end ${callId}`);
  });
  await run([[call("odd"), call("odd"), call("odd")], done], [made]);
  const order = made.effects.flatMap(({ callId }) => [`begin ${callId}`, `end ${callId}`]);
  expect(log).toEqual(order);
  counted("tool-parallel-conflict", 1);
});

test("a tool can't change its arguments: the journal, the permission and the next request have what was approved", async () => {
  const approved: unknown[] = [];
  const made = odd((input) => {
    (input as { list: number[] }).list.push(9);
  });
  const permission = askFirst(({ input }) => {
    approved.push(structuredClone(input));
    return true;
  });
  const outcome = await run([[call("odd", { list: [1] })], done], [made], { permission });
  expect(outcome.status).toBe("completed");
  expect(approved[0]).toEqual({ list: [1] });
  expect(textsOf(outcome)[0]).not.toContain("ERROR");
  expect(JSON.stringify(outcome.session.records)).not.toContain("9]");
  counted("tool-mutates-args", 1);
});

describe("a permission that", () => {
  test.each<[string, () => unknown]>([
    ["says nothing", () => undefined],
    ["says a number", () => 1],
    ["says yes in words", () => "yes"],
    ["says true", () => true],
    ["allows with a number", () => ({ allowed: 1, reason: "x" })],
    ["allows in words", () => ({ allowed: "true", reason: "x" })],
    ["gives no reason", () => ({ allowed: true })],
    ["hands back what can't be looked at", () => hostile],
    [
      "throws what can't be looked at",
      () => {
        throw hostile as Error;
      },
    ],
    ["rejects without a word", () => Promise.reject(new Error())],
    [
      "is a generator",
      function* () {
        yield { allowed: true, reason: "x" };
      },
    ],
  ])("%s has said no", async (_what, decide) => {
    const made = odd(() => "ran");
    const permission = { decide: decide as () => Decision };
    const outcome = await run([[call("odd")], "Then not.", "No.", "No.", "No.", "No."], [made], { permission });
    expect(made.effects).toEqual([]);
    expect(textsOf(outcome)[0]).toContain("ERROR denied (odd)");
    counted("approval-odd", 1);
  });

  test("answers only after the abort has said no, and what it says then is not heard", async () => {
    const stop = new AbortController();
    const made = odd(() => "ran");
    let answer: (decision: Decision) => void = () => undefined;
    const decide = (): Promise<Decision> => {
      setTimeout(() => {
        stop.abort();
      }, 1);
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const outcome = await run([[call("odd")]], [made], { permission: { decide }, signal: stop.signal });
    answer({ allowed: true, reason: "late" });
    await sleep(2);
    expect([outcome.status, made.effects]).toEqual(["aborted", []]);
    counted("approval-odd", 1);
  });
});

test("a reader that takes its time holds the model up, and nothing is heaped up for it", async () => {
  let ahead = 0;
  const plain = scriptedModel([{ text: "word ".repeat(200), piece: 5, calls: done }]);
  const agent = createAgent({
    model: {
      name: plain.name,
      provider: plain.provider,
      async *respond(request, signal) {
        const source = plain.respond(request, signal);
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
          ahead += 1;
          yield next.value;
        }
      },
    },
    tools: [taskCompletion()],
  });
  let most = 0;
  let last: Event["type"] | undefined;
  for await (const { type } of agent.stream("Go.")) {
    last = type;
    if (type === "text-delta" || type === "call-delta") ahead -= 1;
    most = Math.max(most, ahead);
    await Promise.resolve();
  }
  expect([most <= 1, last]).toEqual([true, "run-end"]);
  counted("consumer-slow", 1);
});

test.each([
  ["forward", 3_600_000],
  ["back", -3_600_000],
])(
  "a clock that is put %s by an hour in the midst of a run changes no limit, no order and no sum",
  async (_way, by) => {
    const real = Date.now;
    const clock = vi.spyOn(Date, "now");
    try {
      const made = odd(async () => {
        clock.mockImplementation(() => real() + by);
        await sleep(5);
      });
      const limits = { timeout: 60_000, iterationTimeout: 60_000, toolTimeout: 60_000 };
      const outcome = await run([[call("odd")], done], [made], { limits });
      expect(outcome.status).toBe("completed");
      const elapsed = outcome.session.records.flatMap((record) =>
        record.type === "iteration" ? [record.elapsed ?? NaN] : [],
      );
      for (const [index, time] of elapsed.entries()) {
        expect(time).toBeGreaterThanOrEqual(elapsed[index - 1] ?? 0);
        expect(time).toBeLessThan(10_000);
      }
    } finally {
      clock.mockRestore();
    }
    counted("clock-jumps", 1);
  },
);

test("a session goes on in a process whose clock is an hour behind", async () => {
  const store = memoryStore();
  const [before, behind] = [virtualClock({ start: 7_200_000 }), virtualClock({ start: 3_600_000 })];
  const made = odd(() => "did");
  const tools = [made.tool, taskCompletion()];
  const agentWith = (runtime: typeof before) =>
    createAgent({ model: scriptedModel([[call("odd")], done]), tools, permission: allowAll(), runtime });
  await agentWith(before).run("Go.", { session: openSession({ store, id: "s" }) });
  const outcome = await agentWith(behind).run("Again.", { session: openSession({ store, id: "s" }) });
  expect(outcome.status).toBe("completed");
  checkInvariants({ records: outcome.session.records, requests: [], effects: made.effects, tools });
  counted("clock-jumps", 1);
});

test("a host that put things on Object.prototype changes nothing", () => {
  const program = (pollution: string): string => `
    import { z } from "zod";
    import { createAgent, tool } from "${built()}";
    import { call, scriptedModel, virtualClock } from "${built("testing")}";
    import { taskCompletion } from "${built("tools")}";
    process.on("unhandledRejection", () => process.exit(9));
    const schema = z.object({ a: z.number() });
    const read = tool({ name: "read", description: "Reads", input: schema, effect: "read", run: ({ a }) => ({ a }) });
    const write = tool({ name: "write", description: "Writes", input: schema, effect: "write", run: () => { throw new Error("it ran"); } });
    const model = scriptedModel([[call("read", { a: 1 }), call("write", { a: 1 })], [call("read", {})], "words", [call("task_completion", { result: "done" })]]);
    const agent = createAgent({ model, tools: [read, write, taskCompletion()], runtime: virtualClock() });
    ${pollution}
    const outcome = await agent.run("Go.");
    console.log(JSON.stringify([outcome.status, outcome.session.records, model.requests]));
  `;
  const said = (pollution: string): string => {
    const args = ["--unhandled-rejections=strict", "--input-type=module", "--eval", program(pollution)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const clean = said("");
  expect(clean).toContain('"completed"');
  for (const pollution of [
    "Object.prototype.x = 1;",
    "Object.prototype.polluted = () => 1;",
    "Array.prototype.extra = 1;",
    'Object.prototype.reason = "polluted"; Object.prototype.allowed = true;',
  ]) {
    expect(said(pollution)).toBe(clean);
    counted("proto-polluted-host", 1);
  }
});

test("a hundred runs in one process, some of them aborted, have nothing to do with each other", async () => {
  for (const seed of seeds(1, 10)) {
    const random = randomFrom(seed);
    const effects = new Map<string, SeenEffect[]>();
    const work = tool({
      name: "work",
      description: "Works",
      input: z.object({ list: z.array(z.number()) }),
      effect: "write",
      run: async (input, { callId }) => {
        const [own = ""] = callId.split("/");
        effects.set(own, [...(effects.get(own) ?? []), { callId, input }]);
        await sleep(random() * 3);
        return own;
      },
    });
    const tools = [work, taskCompletion()];
    const script = ({ lastText }: { readonly lastText: string }): Step =>
      lastText.startsWith("run ")
        ? [call("work", { list: [Number(lastText.slice(4))] }), call("work", { list: [] })]
        : done;
    const agent = createAgent({ model: scriptedModel(script), tools, permission: allowAll() });
    const store = memoryStore();
    const one = async (index: number): Promise<void> => {
      const stop = new AbortController();
      const id = `s${String(index)}`;
      const isAborted = random() < 0.2;
      if (isAborted)
        setTimeout(() => {
          stop.abort();
        }, random() * 6);
      const session = openSession({ store, id });
      const outcome = await agent.run(`run ${String(index)}`, { session, signal: stop.signal });
      const ended = outcome.status === "aborted" ? await agent.resume(session) : outcome;
      const what = `seed ${String(seed)}, run ${String(index)}`;
      expect(["completed", "aborted"], what).toContain(outcome.status);
      expect(ended.status, what).toBe("completed");
      const { records } = await session.toJSON();
      checkInvariants({ records, requests: [], effects: effects.get(id) ?? [], tools });
      for (const record of records) {
        if (record.type === "result" && record.result.ok) expect(record.result.text, what).toBe(id);
      }
    };
    await Promise.all(Array.from({ length: 100 }, (_none, index) => one(index)));
    counted("concurrent-runs", 100);
  }
});
