import OpenAI from "openai";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { call, scriptedProvider, type Script, type ScriptedProvider } from "../../../src/testing/index.js";

const running: ScriptedProvider[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.close()));
});

async function start(script: Script): Promise<ScriptedProvider> {
  const provider = await scriptedProvider(script);
  running.push(provider);
  return provider;
}

const body = { model: "m", messages: [{ role: "user", content: "Go." }], stream: true };

function post({ url }: ScriptedProvider, more: object = {}): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
    body: JSON.stringify({ ...body, ...more }),
  });
}

interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly choices: readonly {
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

/** The data of the events in a text, the end marker included. */
function dataOf(text: string): readonly string[] {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));
}

async function chunksOf(response: Response): Promise<readonly Chunk[]> {
  const data = dataOf(await response.text());
  expect(data.at(-1)).toBe("[DONE]");
  return data.slice(0, -1).map((text) => JSON.parse(text) as Chunk);
}

/** The pieces in which the bytes of an answer arrive, and whether they ended as they should. */
function arrivals(provider: ScriptedProvider): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const outgoing = httpRequest(`${provider.url}/chat/completions`, { method: "POST", agent: false }, (incoming) => {
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("error", () => undefined);
      incoming.on("close", () => {
        resolve({ bytes: Buffer.concat(pieces), isWhole: incoming.complete });
      });
    });
    // From Node 24 on a reset is told to the request too, and before the response where nothing was read yet.
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") resolve({ bytes: Buffer.concat(pieces), isWhole: false });
      else reject(error);
    });
    outgoing.end(JSON.stringify(body));
  });
}

describe("a scripted provider", () => {
  it("is on this machine, on a port of its own", async () => {
    const [one, other] = [await start([]), await start([])];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(one.url).not.toBe(other.url);
  });

  it("streams a text as a chat completion does: role, content, finish reason, usage, end", async () => {
    const response = await post(
      await start([{ text: "Hello.", usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 4 } }]),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const chunks = await chunksOf(response);
    expect(chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])).toEqual([
      [{ role: "assistant", content: "" }, null],
      [{ content: "Hello." }, null],
      [{}, "stop"],
      [undefined, undefined],
    ]);
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 2,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 4 },
    });
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`))).toEqual(
      new Set(["chatcmpl-1 chat.completion.chunk"]),
    );
  });

  it("streams calls with ids of their own, their names first", async () => {
    const chunks = await chunksOf(await post(await start([[call("read", { path: "a" }), call("list", {}, "mine")]])));
    const pieces = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta["tool_calls"] ?? []));
    expect(pieces).toEqual([
      { index: 0, id: "call_1_0", type: "function", function: { name: "read", arguments: "" } },
      { index: 0, function: { arguments: '{"path":"a"}' } },
      { index: 1, id: "mine", type: "function", function: { name: "list", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  it("sends a text given as arguments as it is", async () => {
    const text = await (await post(await start([[call("read", '{"path": ')]]))).text();
    expect(text).toContain(JSON.stringify({ arguments: '{"path": ' }));
  });

  it("sends reasoning, and the finish reason it is told", async () => {
    const chunks = await chunksOf(await post(await start([{ reasoning: "Hm.", text: "Ha", finishReason: "length" }])));
    expect(chunks[1]?.choices[0]?.delta).toEqual({ reasoning_content: "Hm." });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("length");
  });

  it("sends text and arguments in pieces of so many characters", async () => {
    const script: Script = [{ text: "Hello.", calls: [call("read", { a: 1 })], piece: 4 }];
    const chunks = await chunksOf(await post(await start(script)));
    const contents = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta["content"])).filter(Boolean);
    expect(contents).toEqual(["Hell", "o."]);
    const pieces = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta["tool_calls"] ?? []));
    expect(JSON.stringify(pieces.slice(1))).toBe(
      JSON.stringify([
        { index: 0, function: { arguments: '{"a"' } },
        { index: 0, function: { arguments: ":1}" } },
      ]),
    );
  });

  it("answers step by step, then that the script is spent", async () => {
    const provider = await start(["one", ({ number, lastText }) => `${String(number)}: ${lastText}`]);
    expect(provider.unsaid).toBe(2);
    expect((await chunksOf(await post(provider)))[1]?.choices[0]?.delta).toEqual({ content: "one" });
    expect((await chunksOf(await post(provider)))[1]?.choices[0]?.delta).toEqual({ content: "2: Go." });
    expect(provider.unsaid).toBe(0);
    const spent = await post(provider);
    expect(spent.status).toBe(400);
    expect(await spent.json()).toMatchObject({
      error: {
        code: "script_spent",
        message: 'The script has 2 replies and was asked for number 3. The last message was: "Go."',
      },
    });
  });

  it("keeps every request as it came, one for which the script had nothing too", async () => {
    const provider = await start(["one"]);
    await post(provider, { temperature: 0.5 });
    await post(provider);
    expect(provider.requests).toHaveLength(2);
    expect(provider.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-test" },
      body: { ...body, temperature: 0.5 },
    });
  });

  it("lists one model, and that is no chat request", async () => {
    const provider = await start(["one"]);
    const models = await fetch(`${provider.url}/models`);
    expect(await models.json()).toMatchObject({ object: "list", data: [{ id: "scripted" }] });
    expect(provider.requests).toEqual([]);
    expect(provider.unsaid).toBe(1);
  });

  it("answers with an HTTP error, its message, its code and its headers", async () => {
    const provider = await start([
      { status: 429, message: "Slow down.", code: "rate_limit", headers: { "retry-after": "7" } },
      { status: 500 },
    ]);
    const slow = await post(provider);
    expect([slow.status, slow.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await slow.json()).toMatchObject({ error: { message: "Slow down.", code: "rate_limit" } });
    const broken = await post(provider);
    expect(broken.status).toBe(500);
    expect(await broken.json()).toMatchObject({ error: { message: "scripted 500", code: null } });
  });

  it("answers a request that is no JSON with an error", async () => {
    const provider = await start(["one"]);
    const response = await fetch(`${provider.url}/chat/completions`, { method: "POST", body: "no json" });
    expect(response.status).toBe(400);
    expect(provider.unsaid).toBe(1);
  });

  it("answers requests side by side", async () => {
    const provider = await start([{ text: "slow", delay: 40 }, "fast"]);
    const slow = post(provider);
    while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await chunksOf(await post(provider)))[1]?.choices[0]?.delta).toEqual({ content: "fast" });
    expect((await chunksOf(await slow))[1]?.choices[0]?.delta).toEqual({ content: "slow" });
  });
});

describe("asked for a response, a scripted provider", () => {
  interface Sent {
    readonly type: string;
    readonly sequence_number: number;
    readonly [key: string]: unknown;
  }

  const asked = { model: "m", input: [{ role: "user", content: "Go." }], stream: true };

  async function respond({ url }: ScriptedProvider, input: readonly object[] = asked.input): Promise<Response> {
    return fetch(`${url}/responses`, { method: "POST", body: JSON.stringify({ ...asked, input }) });
  }

  function eventsOf(text: string): readonly Sent[] {
    return text
      .split("\n\n")
      .filter((event) => event !== "")
      .map((event) => {
        const [, name, data = ""] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
        const sent = JSON.parse(data) as Sent;
        expect(sent.type).toBe(name);
        return sent;
      });
  }

  it("streams the events that belong to it, numbered, and no end marker", async () => {
    const script: Script = [{ reasoning: "Hm.", text: "Ha.", calls: [call("read", { a: 1 }, "mine")], piece: 4 }];
    const events = eventsOf(await (await respond(await start(script))).text());
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index));
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"],
      ...["reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"],
      ...["output_item.added", "content_part.added", "output_text.delta"],
      ...["output_text.done", "content_part.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
      ...["function_call_arguments.done", "output_item.done"],
      "completed",
    ]);
    expect(events.at(-1)?.["response"]).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", encrypted_content: "encrypted rs_1" },
        { type: "message", content: [{ type: "output_text", text: "Ha." }] },
        { type: "function_call", call_id: "mine", name: "read", arguments: '{"a":1}' },
      ],
    });
    expect(events.at(-2)).toMatchObject({ output_index: 2, item: { status: "completed" } });
  });

  it.each([
    ["length", "response.incomplete", { incomplete_details: { reason: "max_output_tokens" } }],
    ["content_filter", "response.incomplete", { incomplete_details: { reason: "content_filter" } }],
    ["error", "response.failed", { status: "failed", error: { code: "server_error" } }],
    ["stop", "response.completed", { status: "completed" }],
  ])("ends by the finish reason %s with %s", async (finishReason, type, response) => {
    const events = eventsOf(await (await respond(await start([{ text: "Ha.", finishReason }]))).text());
    expect(events.at(-1)).toMatchObject({ type, response });
  });

  it("keeps the request as it came, looks at the last text, and says the same script to both", async () => {
    const provider = await start([({ lastText }) => lastText, ({ lastText }) => lastText, "chat", { status: 404 }]);
    const output = { type: "function_call_output", call_id: "a", output: "a result" };
    expect(await (await respond(provider)).text()).toContain('"text":"Go."');
    expect(await (await respond(provider, [...asked.input, output])).text()).toContain('"text":"a result"');
    expect(await chunksOf(await post(provider))).toHaveLength(4);
    expect((await respond(provider)).status).toBe(404);
    expect(provider.requests[1]).toMatchObject({ path: "/v1/responses", body: { model: "m", messages: [] } });
    expect(provider.requests[1]?.body.input).toEqual([...asked.input, output]);
  });

  it("cuts everything but the event that ends it", async () => {
    const events = eventsOf(await (await respond(await start([{ text: "Ha.", cut: "end" }]))).text());
    expect(events.at(-1)?.type).toBe("response.output_item.done");
    const few = await (await respond(await start([{ text: "Ha.", cut: "end", cutAfter: 17, split: 3 }]))).text();
    expect(few).toBe("event: response.c");
  });
});

describe("the manner of travel", () => {
  it("split writes so many bytes at a time, within characters too, and changes nothing else", async () => {
    const whole = await arrivals(await start([{ text: "héllo 😀" }]));
    for (const split of [1, 3, 7]) {
      const { bytes, isWhole } = await arrivals(await start([{ text: "héllo 😀", split }]));
      expect(isWhole).toBe(true);
      expect(bytes.equals(whole.bytes)).toBe(true);
    }
  });

  it("delay waits before the first byte, pause between the pieces", async () => {
    const began = performance.now();
    await (await post(await start([{ text: "x", delay: 40 }]))).text();
    expect(performance.now() - began).toBeGreaterThanOrEqual(38);
    const started = performance.now();
    await (await post(await start([{ text: "abcd", piece: 1, pause: 10 }]))).text();
    expect(performance.now() - started).toBeGreaterThanOrEqual(60);
  });

  it("cut by end sends everything but the finish reason, and ends the answer as if it were whole", async () => {
    const { bytes, isWhole } = await arrivals(await start([{ text: "Hello.", cut: "end" }]));
    expect(isWhole).toBe(true);
    const data = dataOf(bytes.toString());
    expect(data.map((text) => (JSON.parse(text) as Chunk).choices[0]?.delta)).toEqual([
      { role: "assistant", content: "" },
      { content: "Hello." },
    ]);
  });

  it("cut by reset breaks the connection off", async () => {
    const { bytes, isWhole } = await arrivals(await start([{ text: "Hello.", cut: "reset" }]));
    expect(isWhole).toBe(false);
    expect(bytes.toString()).not.toContain("[DONE]");
    await expect(
      post(await start([{ text: "Hello.", cut: "reset" }])).then((response) => response.text()),
    ).rejects.toThrow();
  });

  it("cutAfter says after how many bytes, wherever that is", async () => {
    const whole = (await arrivals(await start([{ text: "Hello." }]))).bytes;
    for (const cutAfter of [0, 1, 17, 200]) {
      const { bytes, isWhole } = await arrivals(await start([{ text: "Hello.", cut: "end", cutAfter }]));
      expect(isWhole).toBe(true);
      expect(bytes.equals(whole.subarray(0, cutAfter))).toBe(true);
    }
    const reset = await arrivals(await start([{ text: "Hello.", cut: "reset", cutAfter: 17 }]));
    expect(reset.isWhole).toBe(false);
    expect(reset.bytes.length).toBeLessThanOrEqual(17);
  });
});

describe("closing a scripted provider", () => {
  it("ends open connections and takes no more", async () => {
    const provider = await start([{ text: "x", delay: 50_000 }]);
    const waiting = post(provider).then(
      () => "answered",
      () => "broken off",
    );
    while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const began = performance.now();
    await provider.close();
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await waiting).toBe("broken off");
    await expect(post(provider)).rejects.toThrow();
  });

  it("can be done twice, and by `await using`", async () => {
    const provider = await start([]);
    await provider.close();
    await expect(provider.close()).resolves.toBeUndefined();
    let url = "";
    {
      await using inBlock = await scriptedProvider(["one"]);
      url = inBlock.url;
      expect((await post(inBlock)).status).toBe(200);
    }
    await expect(fetch(`${url}/models`)).rejects.toThrow();
  });
});

describe("a request without stream: true", () => {
  const step = {
    text: "Hm.",
    reasoning: "I see.",
    calls: [call("look", { n: 1 })],
    usage: { inputTokens: 9, outputTokens: 2 },
  };

  it("got server-sent events, which clients can't parse: it gets one JSON body, as from a real server", async () => {
    await using provider = await scriptedProvider([step, { text: "Words." }, { text: "cut", finishReason: "length" }]);
    const post = async (body: object) => {
      const response = await fetch(`${provider.url}/chat/completions`, { method: "POST", body: JSON.stringify(body) });
      return { type: response.headers.get("content-type"), body: (await response.json()) as object };
    };
    const asked = { model: "m", messages: [], stream: false };
    expect(await post(asked)).toEqual({
      type: "application/json",
      body: {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 0,
        model: "scripted",
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: "Hm.",
              reasoning_content: "I see.",
              tool_calls: [{ id: "call_1_0", type: "function", function: { name: "look", arguments: '{"n":1}' } }],
            },
            finish_reason: "tool_calls",
          },
        ],
        usage: expect.objectContaining({ prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }),
      },
    });
    const words = { choices: [{ message: { content: "Words." }, finish_reason: "stop" }] };
    expect(await post({ model: "m", messages: [] })).toMatchObject({ body: words });
    expect(await post(asked)).toMatchObject({ body: { choices: [{ finish_reason: "length" }] } });
  });

  it("is read by the official client, over both APIs", async () => {
    await using provider = await scriptedProvider([step, step]);
    const client = new OpenAI({ baseURL: provider.url, apiKey: "k", maxRetries: 0 });
    const chat = await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "go" }] });
    expect(chat.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "look" } }]);
    const response = await client.responses.create({ model: "m", input: "go" });
    expect([response.status, response.output_text]).toEqual(["completed", "Hm."]);
  });

  it("gets half a body if the reply is cut", async () => {
    await using provider = await scriptedProvider([{ text: "Words.", cut: "end" }]);
    const response = await fetch(`${provider.url}/chat/completions`, { method: "POST", body: '{"messages":[]}' });
    await expect(response.json()).rejects.toThrow();
  });
});
