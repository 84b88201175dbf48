// Limits and the graceful close, over real HTTP: what is allowed is not exceeded, and the model gets a last word.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type CheckContext, type Event, type LimitOptions, type Outcome } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import {
  assertWellFormed,
  call,
  scriptedModel,
  scriptedProvider,
  type Script,
  type ScriptedCall,
} from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, lookup, prompt, tools } from "./agent-on.js";

let key = 0;
/** A call that never repeats itself, so that no stall is seen. */
const look = (): readonly ScriptedCall[] => [call("lookup", { key: `k${String((key += 1))}` })];
const done = [call("task_completion", { result: "as far as it goes" })];

/** Works until it is told that the run is being closed, and then says the last reply. */
function until(last: readonly ScriptedCall[], usage = {}): Script {
  return ({ lastText }) => ({ calls: lastText.includes("has to end") ? last : look(), usage });
}

const ofType = <T extends Event["type"]>(events: readonly Event[], type: T): readonly Extract<Event, { type: T }>[] =>
  events.filter((event): event is Extract<Event, { type: T }> => event.type === type);

describe("at a limit", () => {
  test("the model gets one last iteration, the claim it makes there is no completion, and is in partial", async () => {
    await using stage = await agentOn(until(done), { limits: { maxIterations: 3 } });
    const { agent, provider, onEvent, events } = stage;
    const outcome = await agent.run("go", { onEvent });
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "max_iterations",
      message: "3 iterations, as many as allowed",
      partial: { text: "", claim: { by: "task_completion", value: { result: "as far as it goes" } } },
      iterations: 4,
    });
    expect(prompt(provider, 4).at(-1)).toBe(
      "user: The run has to end: 3 iterations, as many as allowed. Your next reply is its last. Call ask_question, converse, give_up, submit_report or task_completion, and say what is done and what is not; no other call is run.",
    );
    expect(ofType(events, "notice").map(({ about }) => about)).toEqual(["closing"]);
    assertWellFormed(outcome.session.records, { tools });
    assertPaired(provider);
  });

  test("a claim in the last iteration is a completion where checks confirm it, and none where they don't", async () => {
    const check = (passes: boolean) => ({
      name: "tests",
      verify: ({ when }: CheckContext) => ({ passed: passes && when === "claim", output: "what they said" }),
    });
    await using good = await agentOn(until(done), { limits: { maxIterations: 1 }, checks: [check(true)] });
    expect(await good.agent.run("go")).toMatchObject({ status: "completed", verified: "checked", iterations: 2 });
    await using bad = await agentOn(until(done), { limits: { maxIterations: 1 }, checks: [check(false)] });
    const outcome = await bad.agent.run("go");
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "max_iterations",
      partial: { text: "as far as it goes" },
      receipts: [{ check: "tests", passed: false }],
    });
    expect(outcome).not.toHaveProperty("partial.claim");
  });

  test("nothing but a loop-breaking call runs in the last iteration, and a claim beside another call is refused", async () => {
    let looked = 0;
    const counting = tool({
      name: "look",
      description: "Looks",
      input: z.object({}),
      run: () => `seen ${String((looked += 1))}`,
    });
    const model = scriptedModel(() => [call("look", {}), call("task_completion", { result: "half" })]);
    const agent = createAgent({
      model,
      tools: [counting, taskCompletion()],
      limits: { maxIterations: 1 },
      checks: [{ name: "never", verify: () => ({ passed: false, output: "no" }) }],
    });
    const outcome = await agent.run("go");
    expect(looked).toBe(1);
    expect(outcome).toMatchObject({ status: "stopped", reason: "max_iterations", partial: { text: "half" } });
    const failures = outcome.session.records.flatMap((record) =>
      record.type === "result" ? [record.result.failure?.kind] : [],
    );
    expect(failures).toEqual([undefined, "check_failed", "closing", "claim_refused"]);
  });

  test("a model that goes on all the same has had its last iteration", async () => {
    await using stage = await agentOn(look, { limits: { maxIterations: 2 } });
    expect(await stage.agent.run("go")).toMatchObject({
      reason: "max_iterations",
      iterations: 3,
      partial: { text: "" },
    });
    expect(stage.provider.requests).toHaveLength(3);
  });

  test("without a reserve there is no last iteration", async () => {
    await using stage = await agentOn(look, { limits: { maxIterations: 2, reserve: 0 } });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "max_iterations", iterations: 2 });
  });

  test("the session goes on: a question that was asked last is answered by the next input", async () => {
    const script: Script = ({ lastText }) => {
      if (lastText.includes("has to end")) return [call("ask_question", { question: "Which one?" })];
      return lastText === "The second." ? [call("task_completion", { result: "It was the second." })] : look();
    };
    await using stage = await agentOn(script, { limits: { maxIterations: 1 } });
    const first = await stage.agent.run("go");
    expect(first).toMatchObject({ status: "stopped", partial: { claim: { by: "ask_question" } } });
    const second = await stage.agent.run("The second.", { session: first.session });
    expect(second).toMatchObject({ status: "completed", value: { result: "It was the second." } });
    assertWellFormed(second.session.records, { tools });
    assertPaired(stage.provider);
  });

  test("an interrupt closes nothing: it ends the run at once", async () => {
    const abort = new AbortController();
    await using stage = await agentOn(
      () => {
        abort.abort();
        return look();
      },
      { limits: { maxIterations: 1 } },
    );
    const outcome = await stage.agent.run("go", { signal: abort.signal });
    expect(outcome.status).toBe("aborted");
    expect(stage.provider.requests).toHaveLength(1);
  });
});

describe("the last request", () => {
  test("keeps the cached prefix: its bytes before the closing message are those of the request before, and its tools", async () => {
    await using provider = await scriptedProvider(until(done));
    const bodies: string[] = [];
    const proxy: Server = createServer((incoming, outgoing) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks).toString();
        bodies.push(body);
        const headers = { "content-type": "application/json" };
        const reply = await fetch(`${provider.url}/chat/completions`, { method: "POST", headers, body });
        outgoing.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
        outgoing.end(await reply.text());
      })();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const baseURL = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}/v1`;
    const agent = createAgent({ model: openai({ baseURL, model: "m" }), tools, limits: { maxIterations: 2 } });
    await agent.run("go");
    proxy.close();
    expect(bodies).toHaveLength(3);
    const [before = "", closing = ""] = bodies.slice(1);
    const messagesOf = (body: string): readonly { readonly role: string }[] =>
      (JSON.parse(body) as { readonly messages: readonly { readonly role: string }[] }).messages;
    const rest = (body: string): readonly [string, string] => {
      const [head = "", tail = ""] = body.split(JSON.stringify(messagesOf(body)));
      expect(tail).toContain('"tools":[');
      return [head, tail];
    };
    const kept = JSON.stringify(messagesOf(before)).slice(0, -1);
    expect(closing.startsWith(rest(before)[0] + kept)).toBe(true);
    expect(rest(closing)).toEqual(rest(before));
    const added = messagesOf(closing).slice(messagesOf(before).length);
    expect(added.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
  });
});

describe("the soft warning", () => {
  test("is given once for each limit, at four fifths of it", async () => {
    await using stage = await agentOn(until(done), { limits: { maxIterations: 10 } });
    await stage.agent.run("go", { onEvent: stage.onEvent });
    const told = ofType(stage.events, "notice").filter(({ about }) => about === "limit");
    expect(told).toEqual([
      {
        type: "notice",
        about: "limit",
        reason: "max_iterations",
        text: "8 iterations of at most 10 iterations are used. Do what matters most first, and end before the rest is used up.",
      },
    ]);
    expect(prompt(stage.provider, 9).at(-1)).toContain("8 iterations of at most 10");
  });

  test("can be given earlier, or never", async () => {
    const at = async (warnAt: number): Promise<number> => {
      await using stage = await agentOn(until(done), { limits: { maxIterations: 4, warnAt } });
      await stage.agent.run("go", { onEvent: stage.onEvent });
      return stage.events.findIndex((event) => event.type === "notice" && event.about === "limit");
    };
    expect(await at(1)).toBe(-1);
    expect(await at(0.25)).toBeGreaterThan(0);
    expect(await at(0.25)).toBeLessThan(await at(0.75));
  });
});

const prices = { scripted: { input: 10, cachedInput: 1, output: 20 } };

/** What the provider reported of all requests. */
function used(outcome: Outcome): { readonly tokens: number; readonly cost: number } {
  const { inputTokens, cachedInputTokens, outputTokens } = outcome.usage;
  const cost = ((inputTokens - cachedInputTokens) * 10 + cachedInputTokens + outputTokens * 20) / 1_000_000;
  return { tokens: inputTokens + outputTokens, cost };
}

describe("a budget of tokens or cost", () => {
  const rounds = Array.from({ length: 40 }, (_, index) => index);
  test.each(rounds)("is never exceeded where requests are no larger than projected (round %i)", async (round) => {
    // Numbers without a pattern, the same in every run.
    const random = (most: number, salt: number): number => ((round + 1) * 7919 * (salt + 13)) % most;
    const input = 200 + random(3000, 1);
    const usage = { inputTokens: input, cachedInputTokens: random(input, 2), outputTokens: 1 + random(400, 3) };
    const limits: LimitOptions =
      round % 2 === 0
        ? { maxTokens: input * 3 + random(40_000, 4), prices }
        : { maxCost: (input * 30 + random(400_000, 5)) / 1_000_000, prices };
    await using stage = await agentOn(until(done, usage), { limits });
    const outcome = await stage.agent.run("go");
    const { tokens, cost } = used(outcome);
    expect(outcome).toMatchObject({ status: "stopped", reason: round % 2 === 0 ? "token_budget" : "cost_budget" });
    expect(tokens).toBeLessThanOrEqual(limits.maxTokens ?? Infinity);
    expect(cost).toBeLessThanOrEqual(limits.maxCost ?? Infinity);
    expect(outcome.cost).toBeCloseTo(cost, 12);
    // The reserve paid for the closing iteration.
    if (outcome.iterations > 1) expect(outcome).toHaveProperty("partial.claim.by", "task_completion");
  });

  test.each(rounds.slice(0, 10))(
    "is exceeded by no more than the request under way, whatever it takes (round %i)",
    async (round) => {
      let last = 0;
      const model = scriptedModel(({ number }) => {
        last = 1 + ((number * (round + 3) * 104_729) % 9000);
        return { calls: look(), usage: { inputTokens: last, outputTokens: 7 } };
      });
      const agent = createAgent({ model, tools, limits: { maxTokens: 20_000 } });
      const outcome = await agent.run("go");
      expect(outcome).toMatchObject({ reason: "token_budget" });
      expect(used(outcome).tokens - (last + 7)).toBeLessThan(20_000);
    },
  );

  test("holds where the provider reports no usage: it is estimated, on the safe side", async () => {
    const model = scriptedModel(() => ({ calls: look(), usage: { inputTokens: 0, outputTokens: 0 } }));
    const agent = createAgent({ model, tools, limits: { maxTokens: 10_000 } });
    const outcome = await agent.run("go");
    expect(outcome).toMatchObject({ status: "stopped", reason: "token_budget" });
    expect(outcome.iterations).toBeGreaterThan(2);
    expect(outcome.iterations).toBeLessThan(60);
  });

  test("that does not allow one request stops the run before it", async () => {
    await using stage = await agentOn(look, { limits: { maxTokens: 100 } });
    const outcome = await stage.agent.run("go ".repeat(1000));
    expect(outcome).toMatchObject({ status: "stopped", reason: "token_budget", iterations: 0 });
    expect(stage.provider.requests).toHaveLength(0);
  });

  test("counts cached tokens at their own price", async () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 10 };
    await using stage = await agentOn([{ calls: done, usage }], { limits: { prices } });
    expect((await stage.agent.run("go")).cost).toBeCloseTo((100 * 10 + 900 + 10 * 20) / 1_000_000, 12);
  });

  test("needs a price for the model, said before anything runs", () => {
    const model = scriptedModel([]);
    expect(() => createAgent({ model, tools, limits: { maxCost: 1, prices: {} } })).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: "limits.maxCost needs what scripted costs: add it to limits.prices.",
      }),
    );
  });

  test("counts what a model that judges took", async () => {
    const check = {
      name: "judged",
      judged: true,
      verify: () => ({
        passed: true,
        output: "fine",
        asked: [
          { model: "other", usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 } },
        ],
      }),
    };
    const usage = { inputTokens: 10, outputTokens: 0 };
    await using stage = await agentOn([{ calls: done, usage }], { checks: [check], limits: { prices } });
    const outcome = await stage.agent.run("go");
    expect(outcome).toMatchObject({ status: "completed", verified: "judged", usage: { inputTokens: 10 } });
    // A model without a price is as dear as the dearest.
    expect(outcome.cost).toBeCloseTo((110 * 10) / 1_000_000, 12);
  });
});

describe("a limit of time", () => {
  const slow = tool({
    name: "wait",
    description: "Waits",
    input: z.object({ ms: z.number() }),
    effect: "execute",
    run: async ({ ms }, { signal }) => {
      await sleep(ms, undefined, { signal });
      return "waited";
    },
  });
  const slowTools = [slow, taskCompletion()] as const;

  test("breaks off what is under way when only the reserve is left, and closes with it", async () => {
    const script: Script = ({ lastText }) => (lastText.includes("has to end") ? done : [call("wait", { ms: 60_000 })]);
    await using provider = await scriptedProvider(script);
    const model = openai({ baseURL: provider.url, model: "m" });
    const agent = createAgent({
      model,
      tools: slowTools,
      permission: allowAll(),
      limits: { timeout: 1000, reserve: 0.5 },
    });
    const began = Date.now();
    const outcome = await agent.run("go");
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "timeout",
      message: "the time is up: 1000 ms for the run",
      partial: { claim: { by: "task_completion" } },
    });
    expect(Date.now() - began).toBeLessThan(15_000);
    const kinds = outcome.session.records.flatMap((record) =>
      record.type === "result" ? [record.result.failure?.kind] : [],
    );
    expect(kinds).toEqual(["interrupted"]);
    assertWellFormed(outcome.session.records, { tools: slowTools });
  });

  test("breaks off a reply that does not come, and the last one too", async () => {
    await using stage = await agentOn(() => ({ calls: look(), delay: 60_000 }), {
      limits: { timeout: 600, reserve: 0.5 },
    });
    const began = Date.now();
    const outcome = await stage.agent.run("go");
    expect(outcome).toMatchObject({ status: "stopped", reason: "timeout", iterations: 0 });
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(stage.provider.requests).toHaveLength(2);
    assertWellFormed(outcome.session.records, { tools });
  });

  test("for one iteration closes the run as well", async () => {
    const script: Script = ({ lastText, number }) => {
      if (lastText.includes("has to end")) return done;
      return number === 1 ? [call("wait", { ms: 1 })] : [call("wait", { ms: 60_000 })];
    };
    await using provider = await scriptedProvider(script);
    const model = openai({ baseURL: provider.url, model: "m" });
    const limits = { iterationTimeout: 300 };
    const agent = createAgent({ model, tools: slowTools, permission: allowAll(), limits });
    expect(await agent.run("go")).toMatchObject({
      status: "stopped",
      reason: "timeout",
      message: "the time is up: 300 ms for one iteration",
      partial: { claim: { by: "task_completion" } },
    });
  });

  test("for one call is told to the model, and the run goes on", async () => {
    const model = scriptedModel([[call("wait", { ms: 60_000 })], done]);
    const agent = createAgent({ model, tools: slowTools, permission: allowAll(), limits: { toolTimeout: 50 } });
    const outcome = await agent.run("go");
    expect(outcome.status).toBe("completed");
    const told = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
    expect(told[0]).toContain("ERROR tool_timeout (wait): It did not finish within 50 ms and was stopped.");
  });

  test("does not count the time that a watcher holds the run up, or that permission takes", async () => {
    const permission = {
      decide: async () => {
        await sleep(400);
        return { allowed: true, reason: "thought about it" };
      },
    };
    const model = scriptedModel([[call("wait", { ms: 1 })], done]);
    const agent = createAgent({ model, tools: slowTools, permission, limits: { timeout: 700 } });
    const stream = agent.stream("go");
    for await (const event of stream) if (event.type === "iteration-start") await sleep(400);
    expect((await stream.outcome).status).toBe("completed");
  });
});

describe("an agent in a tool", () => {
  /** A tool that runs an agent of its own, which works on until something stops it. */
  const nested = (outcomes: Outcome[], limits: LimitOptions = {}) =>
    tool({
      name: "delegate",
      description: "Runs another agent",
      input: z.object({}),
      effect: "read",
      run: async (_input, { budget, signal }) => {
        const model = scriptedModel(() => ({ calls: look(), usage: { inputTokens: 900, outputTokens: 100 } }));
        const inner = createAgent({ model, tools: [lookup, taskCompletion()], limits });
        const outcome: Outcome = await inner.run("part of it", { budget, signal });
        outcomes.push(outcome);
        return outcome.status;
      },
    });

  test("draws from the limits of the run around it, before each request", async () => {
    const outcomes: Outcome[] = [];
    const model = scriptedModel(({ number }) => ({
      calls: number === 1 ? [call("delegate", {})] : done,
      usage: { inputTokens: 900, outputTokens: 100 },
    }));
    const outer = createAgent({
      model,
      tools: [nested(outcomes), taskCompletion()],
      limits: { maxTokens: 20_000, prices: { scripted: { input: 1, output: 1 } } },
    });
    const outcome = await outer.run("go");
    const [inner] = outcomes;
    expect(inner).toMatchObject({ status: "stopped", reason: "token_budget" });
    expect(inner).toHaveProperty("message", expect.stringContaining("of the run around this one"));
    const spent = outcome.session.records.flatMap((record) => (record.type === "spend" ? [record.spent.tokens] : []));
    expect(spent).toHaveLength(inner!.iterations);
    const total = spent.reduce((a, b) => a + b, 0) + used(outcome).tokens;
    expect(total).toBeLessThanOrEqual(20_000);
    expect(total).toBeGreaterThan(15_000);
    assertWellFormed(outcome.session.records, { tools: [nested([]), taskCompletion()] });
  });

  test("is stopped by its own limits first where they are less", async () => {
    const outcomes: Outcome[] = [];
    const model = scriptedModel([[call("delegate", {})], done]);
    const tools = [nested(outcomes, { maxIterations: 2 }), taskCompletion()];
    const outcome = await createAgent({ model, tools, limits: { maxIterations: 50 } }).run("go");
    expect(outcomes[0]).toMatchObject({ reason: "max_iterations", iterations: 3 });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
  });

  test("several at once are held to what is left together", async () => {
    const outcomes: Outcome[] = [];
    const several = tool({
      name: "several",
      description: "Runs three agents at once",
      input: z.object({}),
      effect: "read",
      run: async (_input, context) => {
        await Promise.all([1, 2, 3].map(async () => nested(outcomes).run({}, context)));
        return "all over";
      },
    });
    const model = scriptedModel([[call("several", {})], done]);
    const outer = createAgent({ model, tools: [several, taskCompletion()], limits: { maxTokens: 15_000, reserve: 0 } });
    const outcome = await outer.run("go");
    const spent = outcome.session.records.flatMap((record) => (record.type === "spend" ? [record.spent.tokens] : []));
    expect(outcomes).toHaveLength(3);
    expect(spent.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(15_000);
    expect(spent.length).toBeGreaterThan(10);
    assertWellFormed(outcome.session.records, { tools: [several, taskCompletion()] });
  });
});

describe("the host's own stop", () => {
  test("is asked after each iteration, stops the run with its words, and leaves a history that can go on", async () => {
    const asked: number[] = [];
    const veto = ({ iteration }: { readonly iteration: number }): string | undefined => {
      asked.push(iteration);
      return iteration === 2 ? "the user closed the window" : undefined;
    };
    await using stage = await agentOn(({ lastText }) => (lastText === "on" ? done : look()), { hooks: [{ veto }] });
    const outcome = await stage.agent.run("go");
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "veto",
      message: "the user closed the window",
      iterations: 2,
    });
    expect(asked).toEqual([1, 2]);
    assertWellFormed(outcome.session.records, { tools });
    expect(await stage.agent.run("on", { session: outcome.session })).toMatchObject({ status: "completed" });
    assertPaired(stage.provider);
  });

  test("may take its time, and one that throws is a fault", async () => {
    const late = { veto: async () => (await sleep(5), "enough") };
    await using stage = await agentOn(look, { hooks: [late] });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "veto", message: "enough" });
    const broken = {
      veto: (): never => {
        throw new Error("no connection");
      },
    };
    await using other = await agentOn(look, { hooks: [broken] });
    expect(await other.agent.run("go")).toMatchObject({
      status: "failed",
      fault: { message: "Unexpected error: no connection" },
    });
  });
});
