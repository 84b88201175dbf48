import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, noUsage, tool, type Event, type Model, type Outcome, type Tool } from "../../src/index.js";
import { windowed } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import {
  assertPrefixStable,
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedModel,
  scriptedProvider,
  type ProviderRequest,
  type ScriptedProvider,
  type Step,
} from "../../src/testing/index.js";
import { readResult, taskCompletion } from "../../src/tools/index.js";
import { agentOn } from "./agent-on.js";

const task = "Read every page, and say what is in them.";

/** A page of so many lines. */
function page(number: number, lines: number): string {
  return Array.from({ length: lines }, (_none, line) => `page ${String(number)}, line ${String(line + 1)}\n`).join("");
}

function reading(lines: number): Tool<"read_page", { number: number }, string, "never"> {
  return tool({
    name: "read_page",
    description: "Reads a page",
    input: z.object({ number: z.number() }),
    effect: "read",
    run: ({ number }) => page(number, lines),
  });
}

/** The model with the tokens counted as a provider would: four characters each. */
function counting(model: Model, seen: number[] = []): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *respond(request, signal) {
      const reply = yield* model.respond(request, signal);
      const { system, messages, tools } = request;
      const inputTokens = Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
      seen.push(inputTokens);
      return { ...reply, usage: { ...noUsage, inputTokens, outputTokens: 20 } };
    },
  };
}

/** What of the request before is the beginning of this one, and how long that one was, in characters. */
function kept(before: ProviderRequest, after: ProviderRequest): readonly [number, number] {
  const [a, b] = [before, after].map(({ body }) => body.messages.map((message) => JSON.stringify(message)));
  let same = 0;
  for (let index = 0; index < a!.length && a![index] === b![index]; index += 1) same += a![index]!.length;
  return [same, a!.join("").length];
}

function textOf({ body }: ProviderRequest): string {
  return JSON.stringify(body.messages);
}

function through(provider: ScriptedProvider): Model {
  return openai({ baseURL: provider.url, model: "scripted", steady: { firstDelay: 1 } });
}

test("500 iterations in a window of 32,000 tokens: pins kept, always inside, nine tenths of the prompt an unchanged prefix", async () => {
  const iterations = 500;
  await using provider = await scriptedProvider(({ number }): Step => {
    return number < iterations ? [call("read_page", { number })] : [call("task_completion", { result: "read" })];
  });
  const tokens: number[] = [];
  const events: Event[] = [];
  const agent = createAgent({
    model: counting(through(provider), tokens),
    tools: [reading(60), readResult(), taskCompletion()],
    memory: windowed({ window: 32_000 }),
  });
  const outcome = await agent.run(task, { onEvent: (event) => void events.push(event) });
  expect(outcome).toMatchObject({ status: "completed", iterations });
  assertWellFormed(outcome.session.records);
  assertPrefixStable(provider.requests, events);
  expect(Math.max(...tokens)).toBeLessThan(32_000 * 0.9);
  let [same, all] = [0, 0];
  for (const [index, request] of provider.requests.entries()) {
    assertWellFormedRequest(request.body);
    const text = textOf(request);
    expect(text).toContain(task);
    for (let number = Math.max(1, index - 3); number <= index; number += 1) {
      expect(text).toContain(JSON.stringify(page(number, 60)).slice(1, -1));
    }
    if (index === 0) continue;
    const [prefix, before] = kept(provider.requests[index - 1]!, request);
    same += prefix;
    all += before;
  }
  expect(same / all).toBeGreaterThan(0.9);
  const steps = outcome.session.records.map(({ type }) => type);
  const reasons = events.flatMap((event) => (event.type === "prompt-rewrite" ? [event.reason] : []));
  expect(reasons).toEqual(steps.filter((type) => ["stub", "fold", "prune"].includes(type)));
  expect(new Set(reasons)).toEqual(new Set(["stub", "fold"]));
});

test("clipping is reversible: the model reads the rest with read_result, and nothing is lost", async () => {
  await using stage = await agentOn(
    [
      [call("read_page", { number: 7 })],
      [call("read_result", { call: "1/call:1:0", from_line: 41 })],
      ({ lastText }) => {
        const [, from] = /Read on with from_line (\d+)/.exec(lastText)!;
        return [call("read_result", { call: "1/call:1:0", from_line: Number(from) })];
      },
      [call("task_completion", { result: "read" })],
    ],
    { tools: [reading(800), readResult(), taskCompletion()] },
  );
  const outcome = await stage.agent.run(task);
  expect(outcome.status).toBe("completed");
  const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(results[0]?.text).toBe(page(7, 800));
  const first = String(stage.provider.requests[1]!.body.messages.at(-1)?.["content"]);
  expect(first).toContain('call read_result with call "1/call:1:0" and from_line 41');
  expect(first.length).toBeLessThan(8200);
  expect(first).toMatch(/^\[outside (\w{6})\]\n[^]*\n\[end \1\]$/);
  const head = first.slice(first.indexOf("\n") + 1, first.indexOf("[..."));
  const rest = results.slice(1).map(({ text }) => text.replace(/\[Lines .*\]$/, ""));
  expect(page(7, 800).startsWith([head, ...rest].join(""))).toBe(true);
  const shown = [head, ...rest, first.slice(first.lastIndexOf("...]\n") + 5)].join("").split("\n");
  for (const line of page(7, 800).split("\n").slice(0, 500)) expect(shown).toContain(line);
});

test("the bound that is given is the one that holds", async () => {
  const shown = async (clip: number): Promise<number> => {
    const script: readonly Step[] = [[call("read_page", { number: 1 })], [call("task_completion", { result: "x" })]];
    await using stage = await agentOn(script, { tools: [reading(800), taskCompletion()], clip });
    await stage.agent.run(task);
    return String(stage.provider.requests[1]!.body.messages.at(-1)?.["content"]).length;
  };
  const [small, large] = [await shown(400), await shown(4000)];
  expect(small).toBeLessThan(600);
  expect(large).toBeGreaterThan(small);
  expect(large).toBeLessThan(4200);
});

test("without read_result the marker names no tool that is not there", async () => {
  await using stage = await agentOn([[call("read_page", { number: 1 })], [call("task_completion", { result: "x" })]], {
    tools: [reading(800), taskCompletion()],
  });
  await stage.agent.run(task);
  expect(textOf(stage.provider.requests[1]!)).toContain("740 of 800 lines are left out; to see them, ask for less");
  expect(textOf(stage.provider.requests[1]!)).not.toContain("read_result");
});

describe("a prompt that the provider refuses as too long", () => {
  const refuses: Step = { status: 400, code: "context_length_exceeded", message: "This is too long." };
  const read = (count: number): readonly Step[] =>
    Array.from({ length: count }, (_none, index) => [call("read_page", { number: index + 1 })]);
  const tools = [reading(100), readResult(), taskCompletion()] as const;
  const done: Step = [call("task_completion", { result: "read" })];

  test("is shortened, sent once more, and the run goes on, also where no window was known", async () => {
    await using stage = await agentOn([...read(9), refuses, done], { tools });
    const outcome = await stage.agent.run(task, { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 10 });
    const [, refused, sent] = stage.provider.requests.slice(-3);
    expect(textOf(sent!).length).toBeLessThan(textOf(refused!).length);
    assertWellFormedRequest(sent!.body);
    assertPrefixStable(stage.provider.requests, stage.events);
    assertWellFormed(outcome.session.records);
  });

  test("stops the run context_full where it can't be shortened, and the session can go on", async () => {
    await using stage = await agentOn([...read(2), refuses, done], { tools });
    const first = await stage.agent.run(task);
    expect(first).toMatchObject({ status: "stopped", reason: "context_full", iterations: 2 });
    expect(first.status === "stopped" && first.message).toContain("This is too long.");
    expect(stage.provider.requests).toHaveLength(3);
    assertWellFormed(first.session.records);
    expect((await stage.agent.run("Go on.", { session: first.session })).status).toBe("completed");
  });

  test("stops the run context_full where it is refused again", async () => {
    await using stage = await agentOn([...read(9), refuses, refuses], { tools });
    const outcome = await stage.agent.run(task);
    expect(outcome).toMatchObject({ status: "stopped", reason: "context_full", iterations: 9 });
    expect(stage.provider.requests).toHaveLength(11);
    assertWellFormed(outcome.session.records);
  });
});

test("a run whose pins alone do not fit stops context_full, without a request and without a closing iteration", async () => {
  const model = scriptedModel(() => [call("read_page", { number: 1 })]);
  const agent = createAgent({
    model: counting(model),
    tools: [reading(300), taskCompletion()],
    memory: windowed({ window: 5000 }),
    clip: false,
    circuit: { stall: false },
  });
  const outcome = await agent.run(task);
  expect(outcome).toMatchObject({ status: "stopped", reason: "context_full" });
  expect(outcome.status === "stopped" && outcome.message).toMatch(
    /^the prompt takes about \d+ tokens of a window of 5000/,
  );
  expect(model.requests).toHaveLength(outcome.iterations);
  assertWellFormed(outcome.session.records);
});

describe("the model that writes the summary", () => {
  /** A run of 40 iterations in a small window, with this model for the summary. */
  async function run(summarize: Model, options: { timeout?: number; maxTokens?: number } = {}): Promise<Outcome> {
    const { timeout = 1000, maxTokens } = options;
    const model = scriptedModel(({ number }) => [
      number < 60 ? call("read_page", { number }) : call("task_completion", { result: "read" }),
    ]);
    const agent = createAgent({
      model: counting(model),
      tools: [reading(20), taskCompletion()],
      memory: windowed({ window: 4000, summarize, timeout }),
      limits: { maxTokens, reserve: 0 },
    });
    const outcome = await agent.run(task);
    assertWellFormed(outcome.session.records);
    return outcome;
  }
  const folds = ({ session }: Outcome): readonly string[] =>
    session.records.flatMap((record) => (record.type === "fold" ? [record.by] : []));

  test("is asked on the run's account", async () => {
    const usage = { inputTokens: 700, outputTokens: 30 };
    const outcome = await run(scriptedModel(() => ({ text: "I read some pages.", usage })));
    expect(new Set(folds(outcome))).toEqual(new Set(["model"]));
    const spent = outcome.session.records.flatMap((record) => (record.type === "spend" ? [record.spent] : []));
    expect(spent).toEqual(folds(outcome).map(() => ({ iterations: 0, tokens: 730, cost: 0 })));
  });

  test("is not waited for longer than it may take, and the rule writes instead", async () => {
    const hangs: Model = {
      name: "hanging",
      provider: "hanging:",
      async *respond() {
        return new Promise<never>(() => undefined);
      },
    };
    const outcome = await run(hangs, { timeout: 20 });
    expect(outcome.status).toBe("completed");
    expect(new Set(folds(outcome))).toEqual(new Set(["rule"]));
  });

  test("is never the end of a run: what it throws is answered by the rule", async () => {
    const outcome = await run(scriptedModel(() => ({ status: 500 })));
    expect(outcome.status).toBe("completed");
    expect(new Set(folds(outcome))).toEqual(new Set(["rule"]));
  });
});

test("a session that is gone on with sends the prompt that was due, byte for byte", async () => {
  const script = ({ number }: { readonly number: number }): Step =>
    number % 30 === 0 ? [call("task_completion", { result: "so far" })] : [call("read_page", { number })];
  const run = async (resumed: boolean): Promise<readonly string[]> => {
    const model = scriptedModel(script);
    const make = () =>
      createAgent({
        model: counting(model),
        tools: [reading(60), readResult(), taskCompletion()],
        memory: windowed({ window: 10_000 }),
        runtime: { ...fixed },
      });
    const first = await make().run(task);
    const session = resumed ? (JSON.parse(JSON.stringify(first.session)) as Outcome["session"]) : first.session;
    const second = await make().run("And once more.", { session });
    expect(second.status).toBe("completed");
    return model.requests.map(({ messages }) => JSON.stringify(messages));
  };
  expect(await run(true)).toEqual(await run(false));
});

const fixed = {
  now: () => 1,
  random: () => 0,
  id: () => "s",
  sleep: () => new Promise<void>(() => undefined),
  turn: () => Promise.resolve(),
  warn: () => undefined,
};

/** A run of so many iterations in a small window, and the processor time of each hundred of them, in microseconds. */
async function timesOfHundreds(iterations: number): Promise<readonly number[]> {
  let asked = 0;
  const model: Model = {
    name: "counting",
    provider: "counting:",
    async *respond({ messages }) {
      asked += 1;
      const last = asked === iterations;
      const characters = messages.reduce(
        (sum, message) => sum + (message.role === "assistant" ? 60 : message.text.length),
        0,
      );
      return {
        text: "",
        calls: [
          last
            ? { type: "call", name: "task_completion", input: { result: "done" } }
            : { type: "call", name: "read_page", input: { number: asked } },
        ],
        finish: "complete",
        usage: { ...noUsage, inputTokens: Math.ceil(characters / 4), outputTokens: 10 },
      };
    },
  };
  const times: number[] = [];
  let before = process.cpuUsage();
  const agent = createAgent({
    model,
    tools: [reading(20), taskCompletion()],
    memory: windowed({ window: 16_000 }),
  });
  const outcome = await agent.run(task, {
    onEvent: (event) => {
      if (event.type !== "iteration-end" || event.iteration % 100 !== 0) return;
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
      before = process.cpuUsage();
    },
  });
  expect(outcome).toMatchObject({ status: "completed", iterations });
  return times;
}

// The quickest hundred is the one that the machine's other work slowed least. A run that grows does so each time it is measured, so other
// work that slows one half of a run is told from growth by a second and a third run.
test("10,000 iterations in a window: the time of one does not grow", async () => {
  // The first iterations of a process are slower, whatever comes after them.
  await timesOfHundreds(3000);
  const ratios: number[] = [];
  do {
    const times = await timesOfHundreds(10_000);
    ratios.push(Math.min(...times.slice(70)) / Math.min(...times.slice(10, 40)));
  } while (ratios.at(-1)! >= 1.6 && ratios.length < 3);
  expect(Math.min(...ratios), String(ratios)).toBeLessThan(1.6);
});
