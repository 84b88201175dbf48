// The handler in servers of others: anything that takes a fetch function, and those of Node by the adapter that the docs name.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "srvx/node";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { createHandler } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

test("a server of Node mounts it among its own paths, and streams", async () => {
  const model = scriptedModel([[call("task_completion", { result: "Done." })]]);
  const handler = createHandler({
    agents: { worker: createAgent({ model, tools: [taskCompletion()] }) },
    store: memoryStore(),
  });
  const mounted = toNodeHandler(handler) as unknown as RequestListener;
  const server = createServer((request, response) => {
    if (request.url === "/own") response.end('{"own":true}');
    else mounted(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  expect(await ask(url, "/own")).toMatchObject({ status: 200, body: { own: true } });
  expect(await ask(url, "/sessions/s/runs", { input: "go" })).toMatchObject({ status: 202 });
  expect((await untilEnd(url, "s")).at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
});
