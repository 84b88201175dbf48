import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { wholeReply } from "../../../src/core/index.js";
import type { LastcallError, ModelRequest, WrittenReply } from "../../../src/index.js";
import { bodyEnd, frameReader, streamEnd } from "../../../src/model/http/frames.js";
import { openai } from "../../../src/model/index.js";
import { calling, chunk, loopback } from "../loopback.js";

const request: ModelRequest = {
  ...{ key: "s/1/model:1", system: "s", messages: [], needsCall: true },
  tools: [{ name: "look", description: "", parameters: { type: "object" } }],
};

function ask(baseURL: string, idleTimeout = 5000): Promise<WrittenReply> {
  const model = openai({ baseURL, model: "m", steady: false, idleTimeout });
  return wholeReply(model.respond(request, new AbortController().signal));
}

const [first, whole] = calling("look", {});
const cut = chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "look", arguments: '{"a":' } }] });
const secondCut = chunk({ tool_calls: [{ index: 1, id: "call_2", function: { name: "look", arguments: '{"b":' } }] });
const text = (...frames: readonly unknown[]): string =>
  frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
const marker = "data: [DONE]\n\n";
const usage = { id: "c", choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };

describe("a stream without a finish reason", () => {
  it.each([
    ["its end marker comes after cut arguments", text(first, cut) + marker],
    ["its end marker comes after one whole call and one cut call", text(first, whole, secondCut) + marker],
    ["an error event has only a message", `${text(first, whole)}event: error\ndata: {"message":"boom"}\n\n${marker}`],
    ["an error event is a text", `${text(first, whole)}event: error\ndata: boom\n\n${marker}`],
    ["an error frame comes before its end", text(first, whole, { error: { message: "boom" } }) + marker],
    ["usage comes before the last chunk, which is cut", text(first, usage, cut) + marker],
    ["usage comes without an end marker", text(first, whole, usage)],
  ])("has no call to run if %s", async (_how, body) => {
    await using server = await loopback(() => ({ body }));
    await expect(ask(server.url)).rejects.toMatchObject({ code: "provider_unavailable" });
  });

  it("is whole if the usage is its last chunk, because two known servers end so", async () => {
    await using server = await loopback(() => ({ body: text(first, whole, usage) + marker }));
    expect((await ask(server.url)).calls).toMatchObject([{ name: "look", input: {} }]);
  });

  it("is whole at its end marker if the arguments of each call are complete, because a known server ends so", async () => {
    await using server = await loopback(() => ({ body: text(first, whole) + marker }));
    expect((await ask(server.url)).calls).toMatchObject([{ name: "look", input: {} }]);
  });
});

describe("an error after a finish reason", () => {
  const error = { error: { code: 400, message: "Token limit reached" } };

  it("leaves a reply that was cut as it is", async () => {
    await using server = await loopback(() => ({ body: [chunk({ content: "The an" }), chunk({}, "length"), error] }));
    expect(await ask(server.url)).toMatchObject({ finish: "cut", text: "The an" });
  });

  it("is an error if the reply was not cut", async () => {
    await using server = await loopback(() => ({ body: [first, whole, chunk({}, "tool_calls"), error] }));
    await expect(ask(server.url)).rejects.toMatchObject({ code: "provider_rejected" });
  });
});

describe("the bytes of an answer decide what it is", () => {
  const stream = text(first, whole, chunk({}, "tool_calls")) + marker;
  const [call] = [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }];
  const body = JSON.stringify({
    choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason: "tool_calls" }],
  });

  it.each([
    ["a stream", "text/event-stream", stream],
    ["a stream", "Text/Event-Stream; charset=UTF-8", stream],
    ["a stream", "application/json", stream],
    ["a stream", "application/octet-stream", `: PROCESSING\n\n${stream}`],
    ["a stream", "text/plain", `\uFEFF\r\n\nevent: message\n${stream}`],
    ["a stream", "", `id: 1\n${stream}`],
    ["a body", "application/json", body],
    ["a body", "text/event-stream", body],
    ["a body", "", `\uFEFF \n${body}`],
  ])("%s of the content type %j", async (_what, type, sent) => {
    await using server = await loopback(() => ({ headers: { "content-type": type }, body: sent }));
    expect((await ask(server.url)).calls).toMatchObject([{ name: "look", input: {} }]);
  });

  it("and the type decides only for bytes that begin neither", async () => {
    const odd = `name: a field\n${stream}`;
    await using server = await loopback(() => ({ headers: { "content-type": "text/event-stream" }, body: odd }));
    expect((await ask(server.url)).calls).toMatchObject([{ name: "look", input: {} }]);
    await using page = await loopback(() => ({ headers: { "content-type": "text/html" }, body: "<html>no</html>" }));
    await expect(ask(page.url)).rejects.toMatchObject({ code: "provider_unavailable" });
    await using error = await loopback(() => ({
      headers: { "content-type": "text/event-stream" },
      body: '{"error":{"message":"no such model","code":404}}',
    }));
    await expect(ask(error.url)).rejects.toMatchObject({ code: "provider_rejected" });
    await using nothing = await loopback(() => ({ headers: { "content-type": "text/event-stream" }, body: "" }));
    await expect(ask(nothing.url)).rejects.toMatchObject({ code: "provider_unavailable" });
  });

  it("however they are split", () => {
    for (const [type, sent] of [
      ["application/json", stream],
      ["text/event-stream", body],
    ] as const) {
      const frames = frameReader({ get: () => type }, "here");
      const read = [...Buffer.from(`\uFEFF\n${sent}`)].flatMap((byte) => [...frames.write(Uint8Array.of(byte))]);
      const all = [...read, ...frames.end()];
      expect(all.at(-1)).toBe(sent === stream ? streamEnd : bodyEnd);
      expect(all.length).toBe(sent === stream ? 4 : 2);
    }
  });
});

describe("an error in a stream", () => {
  it.each<[string, unknown]>([
    [
      "in its choice",
      { choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 400, message: "bad" } }] },
    ],
    ["as the frame itself", { object: "error", message: "bad", type: "BadRequestError", code: 400 }],
    [
      "with a word for its code",
      { error: { message: "bad", type: "invalid_request_error", code: "invalid_function_parameters" } },
    ],
    ["with a code in text", { error: { message: "bad", code: "422" } }],
    ["with Google's word", { error: { message: "bad", status: "INVALID_ARGUMENT" } }],
  ])("that says that the request is wrong is not sent again: %s", async (_where, frame) => {
    await using server = await loopback(() => ({ body: text(first, frame) }));
    const model = openai({ baseURL: server.url, model: "m", steady: { firstDelay: 1 } });
    const asked = wholeReply(model.respond(request, new AbortController().signal));
    await expect(asked).rejects.toMatchObject({
      code: "provider_rejected",
      message: expect.stringContaining("bad") as string,
    });
    expect(server.requests.length).toBe(1);
  });

  it("that may pass is sent again", async () => {
    const gone = { choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 502, message: "gone" } }] };
    await using server = await loopback((number) => ({
      body: number === 1 ? text(gone) : text(first, whole, chunk({}, "stop")),
    }));
    const model = openai({ baseURL: server.url, model: "m", steady: { firstDelay: 1 } });
    expect((await wholeReply(model.respond(request, new AbortController().signal))).calls).toHaveLength(1);
  });
});

describe("a server that sends bytes for ever", () => {
  /** Sends a piece every 10 ms. Returns the fault and the milliseconds until it came. */
  async function endure(
    pieces: Iterator<string>,
  ): Promise<{ fault?: LastcallError; reply?: WrittenReply; ms: number }> {
    const server = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => {
        const { done, value } = pieces.next();
        if (done === true) response.end();
        else response.write(value);
      }, 10);
      response.on("close", () => {
        clearInterval(timer);
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const began = performance.now();
    try {
      const reply = await ask(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`, 300);
      return { reply, ms: performance.now() - began };
    } catch (thrown) {
      return { fault: thrown as LastcallError, ms: performance.now() - began };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  function* endless(piece: string): Generator<string, void, void> {
    for (;;) yield piece;
  }

  it.each([
    ["comments", ": PROCESSING\n\n"],
    ["empty chunks", text(chunk({}))],
    ["chunks of an empty text", text(chunk({ content: "" }))],
    ["halves of a line", "data: "],
  ])("is given up after five idle timeouts of %s", async (_what, piece) => {
    const { fault, ms } = await endure(endless(piece));
    expect(fault).toMatchObject({ code: "provider_unavailable", message: expect.stringContaining("1.5 s") as string });
    expect(ms).toBeGreaterThan(1450);
  });

  it("is heard to its end if a reply grows between its comments", async () => {
    function* slow(): Generator<string, void, void> {
      for (let word = 0; word < 4; word += 1) {
        // By the clock, and not by a count of comments: a busy machine sends fewer of them, and the word has to come in time.
        const began = performance.now();
        while (performance.now() - began < 500) yield ": PROCESSING\n\n";
        yield text(chunk({ content: "word " }));
      }
      yield text(chunk({}, "stop")) + marker;
    }
    const { reply, ms } = await endure(slow());
    expect(reply?.text).toBe("word word word word ");
    expect(ms).toBeGreaterThan(1550);
  });
});
