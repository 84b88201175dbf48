// Two real servers on loopback, of which the first fails in every way that a provider does.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent, LastcallError, tool, wholeReply, type Event, type Model } from "../../../src/index.js";
import { fallback, openai, steady } from "../../../src/model/index.js";
import { modelConformance, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { z } from "zod";
import { calling, chunk, done, loopback, type Loopback } from "../loopback.js";

const usage = { id: "c", choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } };
const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "a page" });
const tools = [look, taskCompletion()];

function at({ url }: { readonly url: string }, model: string): Model {
  return openai({ baseURL: url, apiKey: "none", model, api: "chat", steady: false });
}

interface Ran {
  readonly status: string;
  readonly seen: readonly Event[];
}

async function run(model: Model): Promise<Ran> {
  const seen: Event[] = [];
  const { status } = await createAgent({ model, tools }).run("go", { onEvent: (event) => void seen.push(event) });
  return { status, seen };
}

function writersIn(seen: readonly Event[]): readonly (string | undefined)[] {
  return seen.flatMap((event) => (event.type === "reply-end" ? [event.reply.model] : []));
}

/** A server that breaks each connection: before its answer, or after a word of it. */
async function breaking(word?: string): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const server = createServer((incoming, response) => {
    count += 1;
    incoming.resume();
    if (word === undefined) {
      incoming.socket.destroy();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(chunk({ content: word }))}\n\n`, () => {
      setTimeout(() => incoming.socket.destroy(), 20);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`, count: () => count };
}

/** A server with one answer for all requests. */
function saying(status: number, error: object): Promise<Loopback> {
  return loopback(() => ({ status, body: { error } }));
}

describe("the next model answers", () => {
  test.each([
    ["503", 503, { message: "overloaded" }],
    ["429", 429, { message: "slow down" }],
    ["402", 402, { message: "no credit is left" }],
    ["a used up quota", 429, { message: "pay first", code: "insufficient_quota" }],
  ])("after %s, and the event and the reply say so", async (_what, status, error) => {
    await using first = await saying(status, error);
    await using second = await loopback(() => ({ body: done }));
    const { status: ended, seen } = await run(fallback([at(first, "a"), at(second, "b")]));
    expect(ended).toBe("completed");
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    expect(writersIn(seen)).toEqual(["b"]);
    const adjusted = seen.find(({ type }) => type === "request-adjusted");
    expect(adjusted).toMatchObject({ reason: expect.stringMatching(/^a did not answer, so b is asked: .*said/) });
  });

  test("after a connection that dropped before the answer", async () => {
    const first = await breaking();
    await using second = await loopback(() => ({ body: done }));
    const { seen } = await run(fallback([at(first, "a"), at(second, "b")]));
    expect(writersIn(seen)).toEqual(["b"]);
  });

  test("after a stream that was cut, and the words shown before are withdrawn", async () => {
    const first = await breaking("Half a");
    await using second = await loopback(() => ({ body: done }));
    const { seen } = await run(fallback([at(first, "a"), at(second, "b")]));
    const types = seen.map(({ type }) => type);
    expect(seen).toContainEqual({ type: "text-delta", text: "Half a" });
    expect(types.indexOf("reply-retracted")).toBeGreaterThan(types.indexOf("text-delta"));
    expect(types.indexOf("request-adjusted")).toBeGreaterThan(types.indexOf("reply-retracted"));
    expect(writersIn(seen)).toEqual(["b"]);
  });

  test("after an open circuit within, and each model is retried before", async () => {
    await using first = await saying(503, { message: "down" });
    await using second = await loopback(() => ({ body: done }));
    const retried = steady(at(first, "a"), { attempts: 5, firstDelay: 0, circuit: { identical: 2 } });
    const { seen } = await run(fallback([retried, at(second, "b")]));
    expect(first.requests).toHaveLength(2);
    expect(seen.filter(({ type }) => type === "request-retry")).toHaveLength(2);
    expect(writersIn(seen)).toEqual(["b"]);
  });
});

describe("no other model is asked", () => {
  test.each([
    ["authentication", 401, { message: "wrong key" }],
    ["provider_rejected", 404, { message: "no such model" }],
    ["context_overflow", 400, { message: "too long", code: "context_length_exceeded" }],
  ])("after %s", async (code, status, error) => {
    await using first = await saying(status, error);
    await using second = await loopback(() => ({ body: done }));
    const asked = fallback([at(first, "a"), at(second, "b")]);
    const request = { key: "k", system: "", messages: [], tools: [], needsCall: false };
    await expect(asked.respond(request, new AbortController().signal).next()).rejects.toMatchObject({ code });
    expect(second.requests).toHaveLength(0);
  });

  test("after an abort, and the first model does not rest for it", async () => {
    const abort = new AbortController();
    await using first = await loopback((number) => {
      if (number === 1) abort.abort(new Error("enough"));
      return { body: done };
    });
    await using second = await loopback(() => ({ body: done }));
    const model = fallback([at(first, "a"), at(second, "b")]);
    const { status } = await createAgent({ model, tools }).run("go", { signal: abort.signal });
    expect(status).toBe("aborted");
    expect(writersIn((await run(model)).seen)).toEqual(["a"]);
    expect(second.requests).toHaveLength(0);
  });
});

describe("a model that failed", () => {
  test("is asked after the others for the pause, and first again after it", async () => {
    let isDown = true;
    await using first = await loopback(() => (isDown ? { status: 503, body: { error: {} } } : { body: done }));
    await using second = await loopback(() => ({ body: done }));
    const model = fallback([at(first, "a"), at(second, "b")], { pause: 300 });
    await run(model);
    isDown = false;
    expect(writersIn((await run(model)).seen)).toEqual(["b"]);
    expect(first.requests).toHaveLength(1);
    await sleep(400);
    expect(writersIn((await run(model)).seen)).toEqual(["a"]);
    expect(writersIn((await run(model)).seen)).toEqual(["a"]);
  });

  test("is asked all the same if no other answers", async () => {
    await using first = await loopback((number) => (number === 1 ? { status: 503, body: {} } : { body: done }));
    await using second = await loopback((number) => (number === 1 ? { body: done } : { status: 503, body: {} }));
    const model = fallback([at(first, "a"), at(second, "b")]);
    expect(writersIn((await run(model)).seen)).toEqual(["b"]);
    expect(writersIn((await run(model)).seen)).toEqual(["a"]);
  });

  test("is named with its words if all of them failed, and a wait is the shortest if all ask for one", async () => {
    const down = (retryAfterMs?: number): Model => ({
      name: `waits-${String(retryAfterMs)}`,
      provider: "p",

      async *respond() {
        const details = retryAfterMs === undefined ? {} : { retryAfterMs };
        throw new LastcallError("provider_unavailable", `down for ${String(retryAfterMs)}`, details);
      },
    });
    const request = { key: "k", system: "", messages: [], tools: [], needsCall: false };
    const faultOf = async (models: readonly Model[]): Promise<unknown> => {
      const source = fallback(models).respond(request, new AbortController().signal);
      return wholeReply(source).catch((thrown: unknown) => thrown);
    };
    expect(await faultOf([down(900), down(500)])).toMatchObject({
      code: "provider_unavailable",
      message: "No model answered. waits-900: down for 900 waits-500: down for 500",
      retryAfterMs: 500,
    });
    expect(await faultOf([down(900), down()])).not.toHaveProperty("retryAfterMs");
  });
});

describe("thinking of one provider", () => {
  test("never goes to another, and goes back to its own", async () => {
    const thinking = { reasoning_content: "a secret thought", reasoning_signature: "sig-of-a" };
    let isDown = false;
    await using first = await loopback(() =>
      isDown ? { status: 503, body: { error: {} } } : { body: calling("look", {}, thinking) },
    );
    await using second = await loopback((number) => ({ body: number === 1 ? calling("look", {}) : done }));
    const model = fallback([at(first, "a"), at(second, "b")], { pause: 0 });
    const seen: Event[] = [];
    const stream = createAgent({ model, tools }).stream("go");
    for await (const event of stream) {
      seen.push(event);
      if (event.type === "iteration-end" && event.iteration === 2) isDown = true;
    }
    expect(writersIn(seen)).toEqual(["a", "a", "b", "b"]);
    expect(first.requests[1]?.text).toContain("sig-of-a");
    for (const { text } of second.requests) expect(text).not.toMatch(/sig-of-a|secret thought/);
  });
});

describe("the cost", () => {
  const prices = { a: { input: 10, output: 10 }, b: { input: 1, output: 1 } };

  test("of a reply is by the price of the model that wrote it", async () => {
    await using first = await loopback((number) =>
      number === 1 ? { body: [...calling("look", {}), usage] } : { status: 503, body: { error: {} } },
    );
    await using second = await loopback(() => ({ body: [...done, usage] }));
    const model = fallback([at(first, "a"), at(second, "b")]);
    const outcome = await createAgent({ model, tools, limits: { prices, maxCost: 1 } }).run("go");
    expect(outcome.status).toBe("completed");
    expect(outcome.cost).toBeCloseTo((1100 * 10 + 1100 * 1) / 1_000_000, 9);
  });

  test("can be limited only if each model has a price", async () => {
    const model = fallback([at({ url: "http://127.0.0.1:9/v1" }, "a"), at({ url: "http://127.0.0.1:9/v1" }, "b")]);
    const make = (priced: object): unknown =>
      createAgent({ model, tools, limits: { maxCost: 1, prices: priced as typeof prices } });
    expect(() => make({ a: prices.a })).toThrow("limits.maxCost needs what b costs: add it to limits.prices.");
    expect(() => make(prices)).not.toThrow();
  });
});

describe("the model that it makes", () => {
  const model = (name: string, attachments?: readonly string[]): Model => ({
    ...at({ url: `http://127.0.0.1:9/${name}` }, name),
    ...(attachments && { attachments }),
  });

  test("names all of them, in the definition of a session too", async () => {
    await using first = await saying(503, { message: "down" });
    await using second = await loopback(() => ({ body: done }));
    const both = fallback([fallback([at(first, "a"), at(second, "b")]), at(second, "c")]);
    expect(both.models).toEqual(["a", "b", "c"]);
    const { session } = await createAgent({ model: both, tools }).run("go");
    expect(session.records[0]).toMatchObject({ definition: { model: "a or b or c" } });
    expect(session.records).toContainEqual(
      expect.objectContaining({ reply: expect.objectContaining({ model: "b" }) as unknown }),
    );
  });

  test("takes the attachments that each of them takes", () => {
    expect(fallback([model("a"), model("b")]).attachments).toBeUndefined();
    expect(fallback([model("a", ["image/*"]), model("b")]).attachments).toEqual(["image/*"]);
    const both = fallback([model("a", ["image/*", "text/plain"]), model("b", ["image/png", "audio/*"])]);
    expect(both.attachments).toEqual(["image/png"]);
  });

  test("is retried as one if `steady` stands outside", async () => {
    await using first = await saying(503, { message: "down" });
    await using second = await loopback((number) => (number === 1 ? { status: 503, body: {} } : { body: done }));
    const { seen } = await run(steady(fallback([at(first, "a"), at(second, "b")]), { firstDelay: 0 }));
    expect(writersIn(seen)).toEqual(["b"]);
    expect(seen.filter(({ type }) => type === "request-retry")).toHaveLength(1);
  });

  test.each<[string, () => unknown, string]>([
    ["one model", () => fallback([model("a")]), "at least two models"],
    ["no list", () => fallback(model("a") as never), "at least two models"],
    ["an element that is none", () => fallback([model("a"), {} as Model]), "The element 1 of fallback is no model"],
    ["a pause that is no time", () => fallback([model("a"), model("b")], { pause: -1 }), "pause is -1"],
  ])("is refused for %s", (_what, make, words) => {
    expect(make).toThrow(words);
  });
});

describe("the contract of models", () => {
  const down = at({ url: "http://127.0.0.1:9/v1" }, "down");
  test.each(modelConformance((script) => fallback([down, scriptedModel(script)])))("$name", ({ run }) => run());
});
