// Moments at which a run is suspended: a wait before a retry, a fold, reads that began early, a hand-over, limits and prices.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type Agent,
  type Event,
  type JournalRecord,
  type Model,
  type Outcome,
  type Session,
  type Tool,
} from "../../src/index.js";
import { memoryStore, openSession, windowed } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, scriptedProvider, type Step } from "../../src/testing/index.js";
import { delegate, handBack, handOver, taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];
const usage = { inputTokens: 1000, outputTokens: 100 };
/** Milliseconds of a wait that nobody waits for. */
const long = 30_000;

const recordsOf = <Type extends JournalRecord["type"]>({ records }: Session, type: Type) =>
  records.filter((record): record is Extract<JournalRecord, { readonly type: Type }> => record.type === type);

/** Records that come again when a call whose agent was suspended goes on, and the marks of those who went on. */
const repeated: readonly string[] = ["resume", "decision", "intent"];

/** The types of the records, without those that come again. */
const storyOf = ({ records }: Session): readonly string[] =>
  records.map(({ type }) => type).filter((type) => !repeated.includes(type));

function expectSuspended(outcome: Outcome): void {
  if (outcome.status === "failed") throw outcome.fault;
  expect(outcome).toMatchObject({ status: "aborted", suspended: true, iterations: 0, usage: { inputTokens: 0 } });
  expect(storyOf(outcome.session)).not.toContain("outcome");
}

/** A model whose reply follows from the number of the iteration, so that any process can go on with it. */
function numbered(steps: readonly Step[], name = "numbered"): Model & { readonly keys: readonly string[] } {
  const keys: string[] = [];
  return {
    name,
    provider: `${name}:`,
    keys,
    respond(request, signal) {
      keys.push(request.key.split("/").at(-1)!);
      const step = steps[Number(/model:(\d+)/.exec(request.key)?.[1] ?? 0) - 1] ?? done;
      return scriptedModel([step]).respond(request, signal);
    },
  };
}

/** A run that was suspended once: both outcomes, and all events. */
interface Broken {
  readonly first: Outcome;
  readonly last: Outcome;
  readonly events: readonly Event[];
}

/** Runs until an event, suspends there, and goes on with another agent. */
async function suspendedAt(agentOf: () => Agent, isDue: (event: Event, number: number) => boolean): Promise<Broken> {
  const session = openSession({ store: memoryStore(), id: "s" });
  const suspend = new AbortController();
  const events: Event[] = [];
  const onEvent = (event: Event): void => {
    if (isDue(event, events.length)) suspend.abort();
    events.push(event);
  };
  const first = await agentOf().run("Go.", { session, suspend: suspend.signal, onEvent });
  if (first.status !== "aborted") return { first, last: first, events };
  expectSuspended(first);
  return { first, last: await agentOf().resume(session, { onEvent }), events };
}

/** Suspends at each event of a run in turn, or at each of some types. Every run ends as the unbroken one does, which is returned. */
async function suspendedEverywhere(
  agentOf: () => Agent,
  look: (broken: Broken) => void,
  types?: readonly Event["type"][],
): Promise<Outcome> {
  const whole = await suspendedAt(agentOf, () => false);
  for (const [at, { type }] of whole.events.entries()) {
    if (types?.includes(type) === false) continue;
    const broken = await suspendedAt(agentOf, (_event, number) => number === at);
    const where = `suspended at event ${String(at)}, ${type}`;
    expect(storyOf(broken.last.session), where).toEqual(storyOf(whole.last.session));
    expect(amountsOf(broken.last), where).toEqual(amountsOf(whole.last));
    expect(JSON.stringify(broken.last.session), where).not.toContain("outcome is unknown");
    look(broken);
  }
  return whole.last;
}

const amountsOf = ({ status, iterations, usage, cost, ...outcome }: Outcome) => ({
  ...{ status, iterations, usage, cost },
  reason: "reason" in outcome ? outcome.reason : undefined,
});

describe("a run that is suspended while it waits before a retry", () => {
  test("stops at once, and asks again with all of its attempts", async () => {
    const busy: Step = { status: 503, headers: { "retry-after": String(long / 1000) } };
    const short: Step = { status: 503, headers: { "retry-after-ms": "1" } };
    await using provider = await scriptedProvider([short, busy, short, short, { calls: done, usage }]);
    const agentOf = (): Agent => {
      const model = openai({ baseURL: provider.url, model: "m", steady: { attempts: 3, firstDelay: 1 } });
      return createAgent({ model, tools: [taskCompletion()] });
    };
    const began = performance.now();
    const { first, last, events } = await suspendedAt(
      agentOf,
      (event) => event.type === "request-retry" && event.delay > 1000,
    );
    expect(performance.now() - began).toBeLessThan(long / 3);
    expect(storyOf(first.session)).toEqual(["input"]);
    expect(last).toMatchObject({ status: "completed", iterations: 1, usage: { inputTokens: 1000 } });
    const attempts = events.flatMap((event) => (event.type === "request-retry" ? [event.attempt] : []));
    expect(attempts).toEqual([1, 2, 1, 2]);
    expect(provider.requests).toHaveLength(5);
    expect(provider.unsaid).toBe(0);
  });
});

describe("a run that is suspended while its memory asks for a summary", () => {
  const look = tool({
    name: "look",
    description: "Looks",
    effect: "read",
    readsOutside: false,
    input: z.object({ at: z.number() }),
    run: ({ at }) => `saw ${String(at)} `.padEnd(1500, "x"),
  });
  const looks: readonly Step[] = Array.from({ length: 9 }, (_none, at) => ({
    text: `Look ${String(at)} `.padEnd(700, "y"),
    calls: [call("look", { at })],
  }));
  const folding = (summarize: Model): Agent => {
    const memory = windowed({ window: 3000, keep: 1, summarize });
    return createAgent({ model: numbered(looks), memory, tools: [look, taskCompletion()] });
  };
  const brief: Step = { text: "I looked around.", usage: { inputTokens: 7, outputTokens: 1 } };

  test("keeps nothing of it, and folds once when it goes on", async () => {
    const whole = await folding(scriptedModel(() => brief)).run("Go.");
    const folds = recordsOf(whole.session, "fold").length;
    expect(folds).toBeGreaterThan(0);
    const suspend = new AbortController();
    await using provider = await scriptedProvider(({ number }) => {
      if (number > 1) return brief;
      suspend.abort();
      return { ...brief, delay: long };
    });
    const summarize = openai({ baseURL: provider.url, model: "small" });
    const session = openSession({ store: memoryStore(), id: "s" });
    const began = performance.now();
    const first = await folding(summarize).run("Go.", { session, suspend: suspend.signal });
    expect(performance.now() - began).toBeLessThan(long / 3);
    expectSuspended(first);
    expect(storyOf(first.session)).not.toContain("fold");
    expect(storyOf(first.session)).not.toContain("spend");
    const last = await folding(summarize).resume(session);
    expect(storyOf(last.session)).toEqual(storyOf(whole.session));
    expect(recordsOf(last.session, "fold")[0]).toMatchObject({ by: "model" });
    expect(recordsOf(last.session, "spend")).toHaveLength(folds);
    expect(amountsOf(last)).toEqual(amountsOf(whole));
    expect(provider.requests).toHaveLength(folds + 1);
  });

  test("or at any other moment, ends as an unbroken run", async () => {
    const whole = await suspendedEverywhere(
      () => folding(scriptedModel(() => brief)),
      ({ last }) => {
        expect(last.status).toBe("completed");
      },
      ["iteration-start", "prompt-rewrite", "request-start"],
    );
    expect(recordsOf(whole.session, "fold").length).toBeGreaterThan(0);
  });
});

describe("a run that is suspended while reads are at work that began early", () => {
  const reply: Step = {
    calls: [call("look", { at: "a" }), call("look", { at: "b" }), call("look", { at: "c" })],
    usage,
  };

  /** Looks take some time. Each beginning and each end is noted, and `begun` is called first. */
  function looking(begun: (at: string) => void = () => undefined) {
    const happened: string[] = [];
    const look = tool({
      name: "look",
      description: "Looks",
      effect: "read",
      readsOutside: false,
      input: z.object({ at: z.string() }),
      run: async ({ at }, { signal }) => {
        happened.push(at);
        begun(at);
        for (let wait = 0; wait < 30; wait += 1) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          signal.throwIfAborted();
        }
        happened.push(`${at} done`);
        return `saw ${at}`;
      },
    });
    return { happened, look };
  }
  const agentOn = (url: string, look: Tool): Agent =>
    createAgent({ model: openai({ baseURL: url, model: "m" }), tools: [look, taskCompletion()] });

  test("stops them with the reply, and each has one result when it goes on", async () => {
    const suspend = new AbortController();
    // The third call is still being written while the first is at work.
    await using provider = await scriptedProvider([{ ...reply, piece: 1, pause: 20 }, reply, { calls: done, usage }]);
    const broken = looking(() => {
      suspend.abort();
    });
    const session = openSession({ store: memoryStore(), id: "s" });
    const first = await agentOn(provider.url, broken.look).run("Go.", { session, suspend: suspend.signal });
    expectSuspended(first);
    expect(broken.happened).toEqual(["a"]);
    expect(storyOf(first.session)).toEqual(["input"]);
    const { happened, look } = looking();
    const last = await agentOn(provider.url, look).resume(session);
    expect(last).toMatchObject({ status: "completed", iterations: 2, usage: { inputTokens: 2000 } });
    expect(happened.toSorted()).toEqual(["a", "a done", "b", "b done", "c", "c done"]);
    expect(broken.happened).toEqual(["a"]);
    expect(recordsOf(last.session, "result").map(({ result }) => result.text)).toMatchObject([
      "saw a",
      "saw b",
      "saw c",
    ]);
    assertWellFormed(last.session.records, { tools: [look, taskCompletion()] });
  });

  test("after their reply has ended, goes on with those that have no result", async () => {
    await using provider = await scriptedProvider([
      { ...reply, piece: 4, pause: 1 },
      { calls: done, usage },
    ]);
    const { happened, look } = looking();
    const { first, last } = await suspendedAt(
      () => agentOn(provider.url, look),
      ({ type }) => type === "reply-end",
    );
    const kept = recordsOf(first.session, "result").length;
    expect(recordsOf(last.session, "result").map(({ result }) => result.ok)).toEqual([true, true, true]);
    expect(recordsOf(last.session, "reply")).toHaveLength(2);
    const ended = happened.filter((what) => what.endsWith("done"));
    expect(ended.toSorted()).toEqual(["a done", "b done", "c done"]);
    expect(kept).toBeLessThanOrEqual(3);
    assertWellFormed(last.session.records, { tools: [look, taskCompletion()] });
  });
});

describe("a run that is suspended around a hand-over", () => {
  const asked: string[] = [];

  /** A desk that hands over to billing, which hands back. Each model notes that it was asked. */
  function desk(): Agent {
    const named = (name: string, steps: readonly Step[]): Model => {
      const model = numbered(steps, name);
      const respond: Model["respond"] = (request, signal) => {
        asked.push(`${name} ${/model:(\d+)/.exec(request.key)![1]!}`);
        return model.respond(request, signal);
      };
      return { ...model, respond };
    };
    const back = [call("hand_back", { message: "Not mine." })];
    const billing = createAgent({ model: named("billing", [done, back]), tools: [handBack(), taskCompletion()] });
    const to = [call("hand_over", { to: "billing", message: "Yours." })];
    const tools = [handOver({ billing }), taskCompletion()] as const;
    return createAgent({ model: named("desk", [to, done, done]), tools });
  }

  test.each<Event["type"]>(["reply-end", "hand-over", "iteration-end"])(
    "at its %s, asks each agent once, and the right one",
    async (moment) => {
      asked.length = 0;
      const { first, last } = await suspendedAt(desk, ({ type }) => type === moment);
      expect(first.status).toBe("aborted");
      expect(last).toMatchObject({ status: "completed", iterations: 3 });
      expect(asked).toEqual(["desk 1", "billing 2", "desk 3"]);
    },
  );

  test("or at any other moment, hands over and back once", async () => {
    const whole = await suspendedEverywhere(desk, ({ last }) => {
      expect(recordsOf(last.session, "hand-over").map(({ speakers }) => speakers)).toEqual([["billing"], []]);
    });
    expect(whole).toMatchObject({ status: "completed", iterations: 3 });
  });
});

describe("a run with prices and limits that is suspended at any moment", () => {
  const prices = { outer: { input: 10, output: 20 }, inner: { input: 5, output: 10 } };
  const work = tool({ name: "work", description: "Works", input: z.object({}), effect: "write", run: () => "worked" });
  const begun = [call("work")];

  test.each<[string, { readonly maxIterations?: number; readonly maxCost?: number; readonly maxTokens?: number }]>([
    ["ends within them", { maxIterations: 9, maxCost: 5, maxTokens: 90_000 }],
    ["ends at its most iterations", { maxIterations: 3 }],
    ["ends at its highest cost", { maxCost: 0.06 }],
    ["ends at its most tokens", { maxTokens: 6000 }],
  ])("%s, with the amounts of an unbroken run", async (_what, limits) => {
    const agentOf = (): Agent => {
      const steps = [begun, begun].map((calls) => ({ calls, usage }));
      const child = createAgent({
        model: numbered([...steps, { calls: done, usage }], "inner"),
        tools: [work, taskCompletion()],
        permission: allowAll(),
      });
      const ask = delegate(child, { name: "ask", description: "Asks" }) as unknown as Tool;
      const outer: readonly Step[] = [begun, [call("ask", { task: "Work." })], begun, done].map((calls) => ({
        calls,
        usage,
      }));
      const options = { permission: allowAll(), limits: { ...limits, prices } };
      return createAgent({
        model: numbered(outer, "outer"),
        tools: [work, ask, taskCompletion()],
        ...options,
      });
    };
    const whole = await suspendedEverywhere(agentOf, ({ first, last }) => {
      if (first !== last) expect(first).toMatchObject({ iterations: 0, usage: { inputTokens: 0 }, cost: 0 });
    });
    expect(whole.status).toBe(limits.maxIterations === 9 ? "completed" : "stopped");
    expect(whole.cost).toBeGreaterThan(0);
  });
});
