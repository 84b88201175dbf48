import { describe, expect, test } from "vitest";
import { fromAiSdk, type AiSdkModel } from "../../src/ai-sdk/index.js";
import { createAgent, tool, type ModelEvent } from "../../src/index.js";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { makerOf, makers } from "./makers.js";
import { ask, continued, requestOf, spoken } from "./request.js";
import { wireProvider } from "./wire-provider.js";
import { anthropicWire } from "./wires.js";
import { createAnthropic } from "ai-sdk-7-anthropic";

const versions = ["v3", "v4"] as const;
const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };
const ephemeral = { anthropic: { cacheControl: { type: "ephemeral" } } };

function stepsIn(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "forcing-step" ? [`${event.from} to ${event.to}`] : []));
}

describe.each(versions)("with thinking on, at %s", (version) => {
  test("the package leaves out that a tool must be called, and the ladder steps down at once", async () => {
    await using running = await makerOf("anthropic", version).start([{ text: "Well." }, { text: "Well." }]);
    const model = fromAiSdk(running.model, { steady: false, providerOptions: thinking });
    const { events } = await ask(model);
    expect(running.requests[0]?.body["tool_choice"]).toEqual({ type: "auto" });
    expect(stepsIn(events)).toEqual(["required to auto"]);
    await ask(model);
    expect(JSON.stringify(running.requests[1]?.body["system"])).toContain("Answer with a function call");
  });

  test("a call in the text of that very reply is read, and not shown as words", async () => {
    const text = '<tool_call>{"name": "lookup", "arguments": {"key": "a"}}</tool_call>';
    await using running = await makerOf("anthropic", version).start([{ reasoning: "Hm.", text, piece: 5 }, "ok"]);
    const model = fromAiSdk(running.model, { steady: false, providerOptions: thinking });
    const { events, reply } = await ask(model);
    expect(reply?.calls).toMatchObject([{ type: "call", name: "lookup", input: { key: "a" } }]);
    expect(events.filter(({ type }) => type === "text-delta")).toEqual([]);
    // The call is written as a call of the provider, and its reasoning stands before it.
    await ask(model, requestOf({ messages: continued(reply!) }));
    const messages = running.requests[1]?.body["messages"] as readonly object[];
    expect(messages[1]).toMatchObject({ content: [{ type: "thinking" }, { type: "tool_use", name: "lookup" }] });
  });

  test("an agent ends its task", async () => {
    const script: Script = [
      { reasoning: "Look first.", calls: [call("look", { at: "a" }), call("look", { at: "b" })] },
      { status: 529 },
      { text: "Half", cut: "end" },
      { text: "All is done." },
      [call("task_completion", { result: "Done." })],
    ];
    await using running = await makerOf("anthropic", version).start(script);
    const model = fromAiSdk(running.model, { steady: { firstDelay: 1 }, providerOptions: thinking });
    const look = tool({
      name: "look",
      description: "Looks",
      effect: "read",
      input: z.object({ at: z.string() }),
      run: ({ at }) => `seen ${at}`,
    });
    const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.");
    expect(outcome).toMatchObject({ status: "completed", value: { result: "Done." } });
    expect(JSON.stringify(running.requests.at(-1)?.body["messages"])).toContain("signature of 1");
  });
});

describe("the forcing ladder", () => {
  test.each(makers)("asks $name at $version for a call, and lets it choose if the loop does", async ({ start }) => {
    await using running = await start([[call("lookup", { key: "a" })], "Hello."]);
    const model = fromAiSdk(running.model, { steady: false });
    await ask(model);
    const { reply } = await ask(model, requestOf({ needsCall: false }));
    expect(JSON.stringify(running.requests[0]?.body)).toMatch(
      /"tool_choice":"(?:required|any)"|\{"type":"any"\}|"mode":"ANY"/,
    );
    expect(JSON.stringify(running.requests[1]?.body)).not.toMatch(/"required",|"any"|"ANY"|Answer with a function/);
    expect(reply?.text).toBe("Hello.");
  });

  test.each(makers)("steps down for $name at $version until the tools are described in XML", async ({ start }) => {
    const xml = "<tool>\n<tool_name>lookup</tool_name>\n<arguments>\n<key>a</key>\n</arguments>\n</tool>";
    await using running = await start(["One.", "Two.", "Three.", { text: xml, piece: 7 }, "ok"]);
    const model = fromAiSdk(running.model, { steady: false });
    const steps: string[] = [];
    for (let times = 0; times < 3; times += 1) steps.push(...stepsIn((await ask(model)).events));
    expect(steps).toEqual(["required to auto", "auto to xml"]);
    const { reply, events } = await ask(model);
    expect(reply?.calls).toMatchObject([{ type: "call", name: "lookup", input: { key: "a" } }]);
    expect(events.some(({ type }) => type === "call-delta")).toBe(true);
    const { body } = running.requests[3]!;
    expect(JSON.stringify(body)).toContain("You call tools by writing XML");
    expect(body["tools"] ?? []).toEqual([]);
    const { fault } = await ask(model, requestOf({ messages: continued(reply!) }));
    expect(fault).toBeUndefined();
    expect(JSON.stringify(running.requests[4]?.body)).toContain("tool_result name=");
  });

  test("sends a request again if the provider refuses to be told, and takes a pinned rung as it is", async () => {
    const refusal = { status: 400, message: "tool_choice: type any is not supported here" };
    await using running = await makerOf("anthropic", "v4").start([refusal, "Well.", refusal]);
    const { events } = await ask(fromAiSdk(running.model, { steady: false }));
    expect(stepsIn(events)).toEqual(["required to auto"]);
    expect(running.requests).toHaveLength(2);
    const { fault } = await ask(fromAiSdk(running.model, { steady: false, forcing: "required" }));
    expect(fault).toMatchObject({ code: "provider_rejected" });
  });

  test("sends a request again in XML if the package leaves out the tools", async () => {
    const asked: Readonly<Record<string, unknown>>[] = [];
    const text = "<tool><tool_name>lookup</tool_name><arguments><key>a</key></arguments></tool>";
    const doStream = (options: Readonly<Record<string, unknown>>) => {
      asked.push(options);
      const warnings = options["tools"] === undefined ? [] : [{ type: "unsupported", feature: "tools" }];
      return Promise.resolve({
        stream: ReadableStream.from([
          { type: "stream-start", warnings },
          { type: "text-delta", id: "1", delta: text },
          { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} },
        ]),
      });
    };
    const model: AiSdkModel = { specificationVersion: "v3", provider: "old", modelId: "m", doStream };
    const { events, reply } = await ask(fromAiSdk(model, { steady: false }));
    expect(stepsIn(events)).toEqual(["required to xml"]);
    expect(reply?.calls).toMatchObject([{ name: "lookup", input: { key: "a" } }]);
    expect(asked.map(({ tools }) => tools === undefined)).toEqual([false, true]);
  });

  test("heals arguments and names as for any other carrier", async () => {
    const written = [call("functions.Lookup", '```json\n{"key": "a"}\n```')];
    for (const { start } of makers) {
      await using running = await start([written]);
      const { reply } = await ask(fromAiSdk(running.model, { steady: false }));
      expect(reply?.calls).toMatchObject([{ type: "call", name: "lookup", input: { key: "a" } }]);
    }
  });
});

describe("settings", () => {
  test.each(versions)("and options of the provider reach the wire, at %s", async (version) => {
    await using running = await makerOf("anthropic", version).start(["Well."]);
    const settings = {
      params: { maxOutputTokens: 777, topK: 5 },
      headers: { "x-team": "a" },
      providerOptions: thinking,
    };
    await ask(fromAiSdk(running.model, { ...settings, steady: false }));
    const { body, headers } = running.requests[0]!;
    expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 1024 } });
    expect(body["max_tokens"]).toBe(777 + 1024);
    expect(headers["x-team"]).toBe("a");
  });

  test("that the provider leaves out are told once, and not with each request", async () => {
    await using running = await makerOf("anthropic", "v4").start(["One.", "Two."]);
    const model = fromAiSdk(running.model, { steady: false, params: { seed: 7 }, forcing: "auto" });
    const told = (events: readonly ModelEvent[]): readonly string[] =>
      events.flatMap((event) => (event.type === "request-adjusted" ? [event.reason] : []));
    expect(told((await ask(model)).events)).toContain("anthropic.messages: seed is not supported");
    expect(told((await ask(model)).events)).toEqual([]);
  });

  test.each(versions)(
    "mark where the cache of Anthropic ends: three places, however long the prompt, at %s",
    async (version) => {
      await using running = await makerOf("anthropic", version).start(["Well."]);
      const messages = Array.from({ length: 9 }, (_none, index) =>
        index % 2 === 0 ? ({ role: "user", text: `Go ${String(index)}.` } as const) : spoken("Well."),
      );
      await ask(fromAiSdk(running.model, { breakpoint: ephemeral, steady: false }), requestOf({ messages }));
      const { body } = running.requests[0]!;
      const sent = body["messages"] as readonly object[];
      expect(JSON.stringify(body["system"])).toContain('"cache_control":{"type":"ephemeral"}');
      expect(sent.map((message) => JSON.stringify(message).includes("cache_control"))).toEqual([
        ...[false, false, false, false, false, false],
        ...[true, false, true],
      ]);
    },
  );

  test("of the cache show in the usage", async () => {
    const usage = { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 20, reasoningTokens: 5 };
    for (const { start } of makers) {
      await using running = await start([{ text: "Well.", usage }]);
      expect((await ask(fromAiSdk(running.model, { steady: false }))).reply?.usage).toEqual(usage);
    }
  });

  test("without tools send neither tools nor a choice", async () => {
    await using running = await makerOf("anthropic", "v4").start(["A summary."]);
    const { reply } = await ask(
      fromAiSdk(running.model, { steady: false }),
      requestOf({ tools: [], needsCall: false }),
    );
    expect(reply?.text).toBe("A summary.");
    expect(Object.keys(running.requests[0]!.body)).not.toContain("tool_choice");
  });
});

describe("a reply that is left", () => {
  const long = { text: "word ".repeat(200), piece: 5, pause: 20 };

  test.each(["an abort", "a break"] as const)("by %s lets go of its connection", async (way) => {
    await using provider = await wireProvider(anthropicWire, [long]);
    const model = fromAiSdk(createAnthropic({ baseURL: `${provider.origin}/v1`, apiKey: "k" })("claude"), {
      steady: false,
    });
    const abort = new AbortController();
    const source = model.respond(requestOf(), abort.signal);
    let next = await source.next();
    while (next.done !== true && next.value.type !== "text-delta") next = await source.next();
    expect(provider.left).toBe(0);
    if (way === "an abort") {
      abort.abort(new Error("enough"));
      await expect(source.next().then(() => source.next())).rejects.toThrow("enough");
    } else await source.return(undefined as never);
    for (let tries = 0; tries < 50 && provider.left === 0; tries += 1) await sleep(20);
    expect(provider.left).toBe(1);
  });

  test("for a while is not taken for a silent provider", async () => {
    await using provider = await wireProvider(anthropicWire, [{ text: "One. Two. Three.", piece: 5 }]);
    const sdk = createAnthropic({ baseURL: `${provider.origin}/v1`, apiKey: "k" })("claude");
    const source = fromAiSdk(sdk, { steady: false, idleTimeout: 60 }).respond(
      requestOf(),
      new AbortController().signal,
    );
    let next = await source.next();
    while (next.done !== true) {
      await sleep(100);
      next = await source.next();
    }
    expect(next.value.text).toBe("One. Two. Three.");
  });

  test("by an abort settles even if the model does not listen to its signal", async () => {
    const doStream = () => Promise.resolve({ stream: new ReadableStream() });
    const model: AiSdkModel = { specificationVersion: "v4", provider: "p", modelId: "m", doStream };
    const abort = new AbortController();
    const answered = ask(fromAiSdk(model, { steady: false }), requestOf(), abort.signal);
    setTimeout(() => {
      abort.abort(new Error("enough"));
    }, 20);
    expect((await answered).fault).toMatchObject({ message: "enough" });
  });

  test("and one that was read to its end leave no listener on the signal", async () => {
    await using provider = await scriptedProvider(Array.from({ length: 20 }, () => "Well."));
    const model = fromAiSdk(createOpenAICompatible({ name: "s", baseURL: provider.url })("m"), { steady: false });
    const abort = new AbortController();
    const warnings: Error[] = [];
    const warned = (warning: Error): number => warnings.push(warning);
    process.on("warning", warned);
    for (let times = 0; times < 20; times += 1) await ask(model, requestOf({ needsCall: false }), abort.signal);
    await sleep(1);
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });
});
