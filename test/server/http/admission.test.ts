// Admission: posts a minute and open streams are bounded, and a stream counts no longer than its client is there.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { Admission } from "../../../src/server/http/admission.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, framesOf } from "../client.js";

async function served(options: Partial<HandlerOptions>) {
  const script = (): ReturnType<typeof call>[] => [call("task_completion", { result: "Done." })];
  const worker = createAgent({ model: scriptedModel(script), tools: [taskCompletion()] });
  const handler = createHandler({ agents: { worker }, store: memoryStore(), ...options });
  const { url, port, close } = await serve(handler);
  onTestFinished(async () => {
    await handler.close();
    await close();
  });
  return { url, port, handler };
}

const post = (url: string, session = "s"): Promise<Response> =>
  fetch(new URL(`/sessions/${session}/runs`, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"input":"go"}',
  });

const statusOf = async (url: string, path = "/sessions/s/events", method = "GET"): Promise<number> => {
  const stop = new AbortController();
  const { status } = await fetch(new URL(path, url), { method, signal: stop.signal });
  stop.abort();
  return status;
};

/** Asks until the answer has this status: the server learns of the end of a client a little later. */
async function expectSoon(status: number, asked: () => Promise<number>): Promise<void> {
  await expect.poll(asked, { timeout: 10_000, interval: 5 }).toBe(status);
}

/** A client of its own socket, which has read the head of its stream. */
async function watching(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /sessions/s/events HTTP/1.1\r\nhost: 127.0.0.1:${String(port)}\r\n\r\n`);
  const [head] = (await once(socket.setEncoding("utf8"), "data")) as [string];
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("posts", () => {
  test("beyond a minute's worth are refused until there is room, which comes back evenly and is bounded", () => {
    let now = 5000;
    const admission = new Admission({ maxRequests: 6 }, () => now);
    const admitted = (times: number): number =>
      Array.from({ length: times }, () => admission.post()).filter((refusal) => refusal === undefined).length;
    expect(admitted(9)).toBe(6);
    now += 4000;
    const refused = admission.post();
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get("retry-after")).toBe("6");
    now += 6000;
    expect(admitted(2)).toBe(1);
    now += 20_000;
    expect(admitted(3)).toBe(2);
    now += 3_600_000;
    expect(admitted(9)).toBe(6);
  });

  test("beyond the limit start nothing and say when to come again, and looks go on", async () => {
    const { url } = await served({ maxRequests: 2 });
    expect((await post(url)).status).toBe(202);
    expect((await post(url)).status).toBe(202);
    const refused = await post(url, "other");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(20);
    expect(await refused.json()).toEqual({ error: expect.stringContaining("2 posts a minute") as string });
    expect(await ask(url, "/sessions/other")).toMatchObject({ status: 404 });
    for (let look = 0; look < 5; look += 1) expect(await ask(url, "/sessions")).toMatchObject({ status: 200 });
  });

  test("of strangers take no room of those who may ask", async () => {
    const { url } = await served({ maxRequests: 1, token: "a-token-that-nobody-guesses" });
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await post(url)).status).toBe(401);
    const headers = { authorization: "Bearer a-token-that-nobody-guesses", "content-type": "application/json" };
    const allowed = { method: "POST", headers, body: '{"input":"go"}' };
    expect((await fetch(new URL("/sessions", url), allowed)).status).toBe(202);
  });
});

describe("a stream of events", () => {
  test("beyond the limit is refused, and the others go on", async () => {
    const { url } = await served({ maxStreams: 2 });
    await post(url);
    const streams = [framesOf(url, "s"), framesOf(url, "s")];
    for (const stream of streams) expect((await stream.next()).value).toMatchObject({ record: { type: "input" } });
    const refused = await fetch(new URL("/sessions/s/events", url));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await ask(url, "/sessions")).toMatchObject({ status: 200 });
    for (const stream of streams) expect((await stream.next()).done).toBe(false);
    await streams[0]!.return();
    await expectSoon(200, () => statusOf(url));
    await streams[1]!.return();
  });

  test.each<[string, (socket: Socket) => void]>([
    ["hung up", (socket) => void socket.end()],
    ["was destroyed", (socket) => void socket.destroy()],
    ["was reset", (socket) => void socket.resetAndDestroy()],
    ["was destroyed while it read nothing", (socket) => void socket.pause().destroy()],
  ])("whose client %s counts no more", async (_what, end) => {
    const { url, port } = await served({ maxStreams: 1 });
    await post(url);
    const socket = await watching(port);
    expect(await statusOf(url)).toBe(503);
    end(socket);
    await expectSoon(200, () => statusOf(url));
  });

  test("that could not begin does not count, and neither does one that was only asked about", async () => {
    const { url } = await served({ maxStreams: 1 });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await statusOf(url, "/sessions/s/events?after=nonsense")).toBe(400);
      expect(await statusOf(url, "/sessions/s/events", "HEAD")).toBe(200);
    }
    await expectSoon(200, () => statusOf(url));
  });

  test("of AG-UI counts until its run ends", async () => {
    const { url } = await served({ maxStreams: 1 });
    const input = { threadId: "t", runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };
    const body = JSON.stringify({ ...input, messages: [{ id: "m", role: "user", content: "go" }] });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const answer = await fetch(new URL("/agui", url), { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("RUN_FINISHED");
    await expectSoon(200, () => statusOf(url));
  });

  test("that nobody reads counts until its request is over", async () => {
    const { handler } = await served({ maxStreams: 1, authenticate: () => true });
    const stop = new AbortController();
    const events = (signal?: AbortSignal): Promise<Response> =>
      handler(
        new Request("http://127.0.0.1/sessions/s/events", { headers: { host: "127.0.0.1" }, signal: signal ?? null }),
      );
    expect((await events(stop.signal)).status).toBe(200);
    expect((await events()).status).toBe(503);
    stop.abort();
    const again = await events();
    expect(again.status).toBe(200);
    await again.body?.cancel();
    expect((await events(AbortSignal.abort())).status).toBe(200);
    expect((await events()).status).toBe(200);
  });
});

test("limits are whole numbers from 1 on", async () => {
  await expect(served({ maxRequests: 0 })).rejects.toThrow("maxRequests is 0");
  await expect(served({ maxStreams: 1.5 })).rejects.toThrow("maxStreams is 1.5");
});

test("a stream of a chat counts as any other, and so does the one that a message opens", async () => {
  const { url, port } = await served({ maxStreams: 1 });
  const socket = await watching(port);
  const body = JSON.stringify({
    id: "c",
    messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "go" }] }],
  });
  const chat = { method: "POST", headers: { "content-type": "application/json" }, body };
  expect((await fetch(new URL("/chat", url), chat)).status).toBe(503);
  expect(await statusOf(url, "/chat/c/stream")).toBe(503);
  socket.destroy();
  await expectSoon(204, () => statusOf(url, "/chat/c/stream"));
});
