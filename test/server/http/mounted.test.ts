// The handler in servers of others: those of Node, and those with the middleware of Express.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { createHandler, nodeHandler, type HandlerOptions, type NodeHandler } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

type Way = (request: IncomingMessage & { originalUrl?: string; body?: unknown }) => void | Promise<void>;

/** A server that does this with each request, as Express does, and answers what nobody takes with its own words. */
async function mounted(way: Way, options: Partial<HandlerOptions> = {}): Promise<string> {
  const model = scriptedModel(() => [call("task_completion", { result: "Done." })]);
  const agents = { worker: createAgent({ model, tools: [taskCompletion()] }) };
  const handler = createHandler({ agents, store: memoryStore(), ...options });
  const middleware: NodeHandler = nodeHandler(handler);
  const server = createServer((request, response) => {
    const own = (error?: unknown): void => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(error === undefined ? { own: request.url } : { error: String(error) }));
    };
    void Promise.resolve(way(request)).then(() => middleware(request, response, own));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
}

const asItCame: Way = () => undefined;
/** As `app.use("/agents", ...)`. */
const strips: Way = (request) => {
  request.originalUrl = request.url!;
  request.url = request.url!.replace(/^\/agents(?=\/)/, "");
};
/** As `app.use(express.json())`. */
const parses: Way = async (request) => {
  request.originalUrl = request.url!;
  if (request.method === "POST") request.body = JSON.parse(await text(request)) as unknown;
};

describe.each<[string, string, Way, Partial<HandlerOptions>]>([
  ["at the root", "", asItCame, {}],
  ["at its path", "agents/", asItCame, { path: "/agents" }],
  ["at its path, which is taken off", "agents/", strips, { path: "/agents" }],
  ["at a path that it does not know", "agents/", strips, {}],
  ["behind a parser", "", parses, {}],
  ["behind a parser, at its path", "agents/", parses, { path: "/agents" }],
])("a handler that is mounted %s", (_how, at, way, options) => {
  test("takes its routes and streams, and others come to the server's own", async () => {
    const url = await mounted(way, options);
    expect(await ask(url, `/${at}sessions/s/runs`, { input: "go" })).toMatchObject({ status: 202 });
    const seen = at === "" ? await untilEnd(url, "s") : [];
    if (at === "") expect(seen.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
    expect(await ask(url, `/${at}agents`)).toMatchObject({ body: { agents: ["worker"] } });
    expect(await ask(url, `/${at}health/live`)).toMatchObject({ status: 200 });
    for (const path of ["/", "/hello", "/hello/sessions/s/runs", `/${at}unknown`])
      expect(await ask(url, path)).toMatchObject({ body: { own: expect.any(String) } });
  });
});

test("a caller without a token is known by its socket behind a parser, too, and a refusal stays one", async () => {
  const url = await mounted(parses, { token: "secret-of-the-server" });
  expect(await ask(url, "/sessions/s/runs", { input: "go" })).toMatchObject({ status: 401 });
  expect(await ask(url, "/hello")).toMatchObject({ status: 200 });
});

test("a body that is no JSON is refused by the handler, not by the server", async () => {
  const url = await mounted(asItCame);
  const headers = { "content-type": "application/json" };
  const refused = await fetch(new URL("/sessions/s/runs", url), { method: "POST", headers, body: "{" });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("no JSON")]);
});

test("an error of the handler goes to the server", async () => {
  const url = await mounted(asItCame, {
    authenticate: () => {
      throw new Error("no");
    },
  });
  expect(await ask(url, "/sessions")).toMatchObject({ body: { error: "Error: no" } });
});
