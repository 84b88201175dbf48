import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { fromAiSdk, type AiSdkModel } from "../../src/ai-sdk/index.js";
import type { Model } from "../../src/index.js";
import { fallback } from "../../src/model/index.js";
import { call, type ScriptedReply } from "../../src/testing/index.js";
import { makerOf, makers } from "./makers.js";
import { ask } from "./request.js";
import { anthropicWire, googleWire, mistralWire } from "./wires.js";

const spoken: ScriptedReply = { reasoning: "Hm.", text: "Looking.", calls: [call("lookup", { key: "a" })] };

describe.each(makers)("$name at $version", ({ start }) => {
  test.each([
    [400, "provider_rejected"],
    [401, "authentication"],
    [403, "authentication"],
    [404, "provider_rejected"],
    [408, "provider_unavailable"],
    [413, "context_overflow"],
    [429, "provider_unavailable"],
    [500, "provider_unavailable"],
    [529, "provider_unavailable"],
  ])("the status %i is the fault %s, with the provider's words", async (status, code) => {
    await using running = await start([{ status, message: "No, says the server." }]);
    const { fault } = await ask(fromAiSdk(running.model, { steady: false }));
    expect(fault).toMatchObject({ code, status });
    expect((fault as Error).message).toContain("No, says the server.");
  });

  test("a prompt that is too long is told from other refusals", async () => {
    await using running = await start([{ status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" }]);
    const { fault } = await ask(fromAiSdk(running.model, { steady: false }));
    expect(fault).toMatchObject({ code: "context_overflow" });
  });

  test("the wait that a provider asks for is known", async () => {
    await using running = await start([{ status: 429, headers: { "retry-after": "7" } }]);
    const { fault } = await ask(fromAiSdk(running.model, { steady: false }));
    expect(fault).toMatchObject({ code: "provider_unavailable", retryAfterMs: 7000 });
  });

  test("the wait that a provider names in words is known, and a quota that is used up is told", async () => {
    const used = "You have reached your limit of requests per day.";
    await using running = await start([
      { status: 429, message: "Rate limit reached. Please try again in 1.2s." },
      { status: 429, message: used },
    ]);
    const model = fromAiSdk(running.model, { steady: false });
    expect((await ask(model)).fault).toMatchObject({ code: "provider_unavailable", retryAfterMs: 1200 });
    expect((await ask(model)).fault).toMatchObject({ code: "provider_rejected", status: 429 });
  });

  test("an overloaded provider is asked again", async () => {
    await using running = await start([{ status: 529 }, { status: 500 }, spoken]);
    const { events, reply } = await ask(fromAiSdk(running.model, { steady: { firstDelay: 1 } }));
    expect(events.filter(({ type }) => type === "request-retry")).toHaveLength(2);
    expect(reply?.calls).toMatchObject([{ name: "lookup", input: { key: "a" } }]);
  });

  test("another model answers in its place, and keeps what is its own", async () => {
    await using down = await start([{ status: 529 }]);
    await using running = await start([spoken]);
    const named = (model: AiSdkModel): Model => fromAiSdk(model, { steady: false });
    const other = { ...named(running.model), name: "other" };
    const { reply } = await ask(fallback([named(down.model), other]));
    expect(reply).toMatchObject({ model: "other", calls: [{ name: "lookup", input: { key: "a" } }] });
  });

  test("a silent provider is a fault after its time", async () => {
    await using running = await start([{ text: "a", delay: 3000 }]);
    const { fault } = await ask(fromAiSdk(running.model, { steady: false, idleTimeout: 60 }));
    expect(fault).toMatchObject({ code: "provider_unavailable" });
    expect((fault as Error).message).toContain("has sent nothing of a reply for 60 ms");
  });
});

describe("a reply that is cut after any of its events", () => {
  const wires = { anthropic: anthropicWire, google: googleWire, mistral: mistralWire };
  const rows = (["v3", "v4"] as const).flatMap((version) =>
    (["anthropic", "google", "mistral"] as const).map((name) => ({ name, version })),
  );

  test.each(rows)("is a fault and never a shorter reply: $name at $version", async ({ name, version }) => {
    const maker = makerOf(name, version);
    const { content, finish } = wires[name].lines({ ...spoken, piece: 4 }, 1);
    const total = content.length + finish.length;
    const whole = await replyCutAfter(total);
    expect(whole.reply?.calls).toHaveLength(1);
    let faults = 0;
    for (let events = 0; events < total; events += 1) {
      for (const cut of ["end", "reset"] as const) {
        const { reply, fault, events: shown } = await replyCutAfter(events, cut);
        if (events < content.length) expect(reply).toBeUndefined();
        if (reply === undefined) {
          faults += 1;
          expect(fault).toMatchObject({ code: "provider_unavailable" });
          const last = shown.findLastIndex(({ type }) => type.endsWith("-delta"));
          if (last >= 0) expect(shown.findLastIndex(({ type }) => type === "reply-retracted")).toBeGreaterThan(last);
        } else expect(reply).toMatchObject({ text: whole.reply?.text, calls: [{ input: { key: "a" } }] });
      }
    }
    expect(faults).toBeGreaterThanOrEqual(2 * content.length);

    async function replyCutAfter(cutAfter: number, cut: "end" | "reset" = "end") {
      await using running = await maker.start([{ ...spoken, piece: 4, cut, cutAfter }]);
      return await ask(fromAiSdk(running.model, { steady: false }));
    }
  });
});

/** A server that sends these lines, and a model that asks it. */
async function sending(
  lines: readonly string[],
  modelAt: (origin: string) => AiSdkModel,
): Promise<{ readonly model: AiSdkModel } & AsyncDisposable> {
  const server = createServer((incoming, outgoing: ServerResponse) => {
    incoming.resume().on("end", () => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(lines.join(""));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    model: modelAt(`http://127.0.0.1:${String(port)}`),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

describe("an error within a stream", () => {
  const claude = (origin: string): AiSdkModel =>
    createAnthropic({ baseURL: `${origin}/v1`, apiKey: "k" })("claude-scripted");
  const begun = anthropicWire.lines({ text: "Half of", piece: 4 }, 1).content;
  const failing = (type: string): string =>
    `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: "It broke." } })}\n\n`;

  test.each([
    ["overloaded_error", "provider_unavailable"],
    ["api_error", "provider_unavailable"],
    ["rate_limit_error", "provider_unavailable"],
    ["invalid_request_error", "provider_rejected"],
    ["authentication_error", "authentication"],
    ["request_too_large", "context_overflow"],
  ])("of the type %s is the fault %s, and what was shown is withdrawn", async (type, code) => {
    await using server = await sending([...begun, failing(type)], claude);
    const { events, fault } = await ask(fromAiSdk(server.model, { steady: false }));
    expect(fault).toMatchObject({ code });
    expect((fault as Error).message).toContain("It broke.");
    const seen = events.map((event) => event.type).filter((each) => each !== "request-adjusted");
    expect(seen).toEqual(["text-delta", "text-delta", "reply-retracted"]);
  });

  test("that is the first event of it is a fault of its kind", async () => {
    await using server = await sending([failing("overloaded_error")], claude);
    expect((await ask(fromAiSdk(server.model, { steady: false }))).fault).toMatchObject({
      code: "provider_unavailable",
    });
  });

  test("that is no JSON is a fault", async () => {
    const compatible = (origin: string): AiSdkModel =>
      createOpenAICompatible({ name: "s", baseURL: `${origin}/v1` })("m");
    await using server = await sending(['data: {"choices": [\n\n', "data: [DONE]\n\n"], compatible);
    expect((await ask(fromAiSdk(server.model, { steady: false }))).fault).toMatchObject({
      code: "provider_unavailable",
    });
  });

  test("by which Groq discards a call is told to the model", async () => {
    const error = {
      message: "Failed to call a function.",
      type: "invalid_request_error",
      code: "tool_use_failed",
      failed_generation: '<function=lookup>{"key": "a"}',
    };
    const compatible = (origin: string): AiSdkModel =>
      createOpenAICompatible({ name: "s", baseURL: `${origin}/v1` })("m");
    await using server = await sending([`data: ${JSON.stringify({ error })}\n\n`], compatible);
    const { reply } = await ask(fromAiSdk(server.model, { steady: false }));
    expect(reply?.calls).toMatchObject([{ type: "unreadable-call", kind: "malformed_call" }]);
  });
});

describe("an error before a request", () => {
  test("for a missing key names the way to give one", async () => {
    const before = process.env["ANTHROPIC_API_KEY"];
    delete process.env["ANTHROPIC_API_KEY"];
    try {
      const { fault } = await ask(fromAiSdk(createAnthropic()("claude"), { steady: false }));
      expect(fault).toMatchObject({ code: "authentication" });
      expect((fault as Error).message).toMatch(/ANTHROPIC_API_KEY/);
    } finally {
      if (before !== undefined) process.env["ANTHROPIC_API_KEY"] = before;
    }
  });

  test("of a server that is not there is a fault that can pass", async () => {
    const model = createAnthropic({ baseURL: "http://127.0.0.1:9/v1", apiKey: "k" })("claude");
    const { fault } = await ask(fromAiSdk(model, { steady: false }));
    expect(fault).toMatchObject({ code: "provider_unavailable" });
    expect((fault as Error).message).toMatch(/ECONNREFUSED|bad port/);
  });

  test("of the model's own code is a bug, with its cause", async () => {
    const cause = new TypeError("undefined is not a function");
    const model: AiSdkModel = {
      specificationVersion: "v4",
      provider: "p",
      modelId: "m",
      doStream: () => Promise.reject(cause),
    };
    expect((await ask(fromAiSdk(model, { steady: false }))).fault).toMatchObject({ code: "bug", cause });
  });

  test("does not repeat a key that a header has", async () => {
    const error = Object.assign(new Error("Bad key sk-very-secret-1234"), { statusCode: 401 });
    const model: AiSdkModel = {
      specificationVersion: "v4",
      provider: "p",
      modelId: "m",
      doStream: () => Promise.reject(error),
    };
    const { fault } = await ask(fromAiSdk(model, { steady: false, headers: { "x-api-key": "sk-very-secret-1234" } }));
    expect(fault).toMatchObject({ code: "authentication" });
    expect(String((fault as Error).stack)).not.toContain("very-secret");
  });
});
