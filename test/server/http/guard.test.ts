// The guard of the handler: each request that must not pass is refused by itself, and the run is never started.

import { request as send } from "node:http";
import { expect, onTestFinished, describe, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const token = "a-token-that-nobody-guesses";

async function served(options: Partial<HandlerOptions> = {}) {
  const store = memoryStore();
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const { port, close } = await serve(createHandler({ agents: { worker: agent }, store, token, ...options }));
  onTestFinished(close);
  return { port, store };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request with exactly these headers, which `fetch` would not. Returns the status. */
function status(port: number, { method = "POST", path = "/sessions", headers = {}, body = '{"input":"go"}' }: Sent) {
  const good = {
    host: `127.0.0.1:${String(port)}`,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": String(method === "GET" ? 0 : Buffer.byteLength(body)),
  };
  const all = Object.fromEntries(
    Object.entries({ ...good, ...headers }).map(([name, value]) => [name, value.replace("PORT", String(port))]),
  );
  return new Promise<number>((resolve, reject) => {
    const sending = send({ port, host: "127.0.0.1", method, path, headers: all, setHost: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sending.on("error", reject);
    sending.end(method === "GET" ? "" : body);
  });
}

describe("a request", () => {
  test.each<[string, Sent, number]>([
    ["to a host that is not this one: a page whose name leads here", { headers: { host: "evil.example" } }, 403],
    ["that only looks, to such a host, without an origin", { method: "GET", headers: { host: "evil.example" } }, 403],
    ["of a page elsewhere", { headers: { origin: "https://evil.example" } }, 403],
    ["of a page without an origin", { headers: { origin: "null" } }, 403],
    ["of a page on another port of this machine", { headers: { origin: "http://127.0.0.1:1" } }, 403],
    ["that the browser calls one of another site", { headers: { "sec-fetch-site": "cross-site" } }, 403],
    ["that the browser calls one of the same site", { headers: { "sec-fetch-site": "same-site" } }, 403],
    ["without the token", { headers: { authorization: "" } }, 401],
    ["with another token", { headers: { authorization: `Bearer ${token}x` } }, 401],
    ["of a form", { headers: { "content-type": "text/plain" } }, 415],
    ["without a type", { headers: { "content-type": "" } }, 415],
    ["with a body that is no JSON", { body: "{" }, 400],
    ["with a body that is no object", { body: "[]" }, 400],
    ["with a field that nobody knows", { body: '{"input":"go","inputID":"a"}' }, 400],
    ["with an input that is none", { body: '{"input":7}' }, 400],
    ["with a body that is too deep", { body: `{"input":${"[".repeat(20_000)}${"]".repeat(20_000)}}` }, 400],
    [
      "with a body that is deep behind quotes",
      { body: `{"input":{"a":"\\"]}","b":${'{"a":'.repeat(101)}1${"}".repeat(102)}}` },
      400,
    ],
    [
      "for a chat, too deep",
      { path: "/chat", body: `{"id":"c","messages":${"[".repeat(20_000)}${"]".repeat(20_000)}}` },
      400,
    ],
    ["over AG-UI, too deep", { path: "/agui", body: `{"state":${"[".repeat(20_000)}${"]".repeat(20_000)}}` }, 400],
    ["with an agent that nobody knows", { body: '{"input":"go","agent":"other"}' }, 409],
    ["with a body that is too long", { body: JSON.stringify({ input: "x".repeat(2_000_000) }) }, 413],
    ["to a path that leads nowhere", { path: "/sessions/s/other" }, 404],
    ["to a path with another method", { path: "/sessions/s/runs", method: "GET" }, 405],
    ["for a session that can't be", { path: "/sessions/%00", method: "GET" }, 400],
    ["for a session whose id is written wrong", { path: "/sessions/%", method: "GET" }, 400],
    ["for a session that is not there", { path: "/sessions/none", method: "GET" }, 404],
  ])("%s is refused, and starts nothing", async (_what, sent, expected) => {
    const { port, store } = await served();
    expect(await status(port, sent)).toBe(expected);
    expect(await store.list()).toEqual([]);
  });

  test("with many short lists, and brackets in a text, is not deep", async () => {
    const { port } = await served();
    const input = JSON.stringify(`${"[".repeat(500)} ${"{}".repeat(500)}`);
    expect(await status(port, { body: `{"input":${input}}` })).toBe(202);
  });

  test("with all that it needs passes, from its own page too, and from one that is allowed", async () => {
    const { port, store } = await served({ origins: ["https://app.example"] });
    const own = { origin: "http://127.0.0.1:PORT", "sec-fetch-site": "same-origin" };
    expect(await status(port, { headers: own })).toBe(202);
    const other = { origin: "https://app.example", "sec-fetch-site": "cross-site" };
    expect(await status(port, { headers: other })).toBe(202);
    expect(await store.list()).toHaveLength(2);
  });

  test("to a server that only shows can look, and nothing else", async () => {
    const { port } = await served({ readOnly: true });
    expect(await status(port, {})).toBe(403);
    expect(await status(port, { method: "GET" })).toBe(200);
  });

  test("is judged by the application in place of a token, if it says so", async () => {
    const { port } = await served({
      token: undefined,
      authenticate: (request) => Promise.resolve(request.headers.get("x-user") === "me"),
    });
    expect(await status(port, { method: "GET" })).toBe(401);
    expect(await status(port, { method: "GET", headers: { "x-user": "me" } })).toBe(200);
  });
});

test("hosts of one's own need a token or a judge", async () => {
  await expect(served({ hosts: ["agents.example"], token: undefined })).rejects.toThrow(
    "needs a token or `authenticate`",
  );
});
