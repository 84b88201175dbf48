// Health: for those who start processes and give them requests, without a token, under any host name.

import { request as send } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore, type Store } from "../../../src/memory/index.js";
import { createHandler, serve } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

async function served(store: Store, path?: string) {
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const token = "a-token-that-nobody-guesses";
  const handler = createHandler({ agents: { worker: agent }, store, token, path });
  const { port, close } = await serve(handler);
  onTestFinished(close);
  const ask = (path: string): Promise<{ readonly status: number; readonly body: string }> =>
    new Promise((resolve, reject) => {
      const headers = { host: "10.0.0.7:8080" };
      send({ port, host: "127.0.0.1", path, headers, setHost: false }, (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => (body += text));
        answer.on("end", () => {
          resolve({ status: answer.statusCode ?? 0, body });
        });
      })
        .on("error", reject)
        .end();
    });
  return { handler, ask };
}

test("a process lives and is ready without a token, and no other path is open", async () => {
  const { ask } = await served(memoryStore());
  expect(await ask("/health/live")).toEqual({ status: 200, body: '{"status":"live"}' });
  expect(await ask("/health/ready")).toEqual({ status: 200, body: '{"status":"ready"}' });
  for (const path of ["/health", "/health/", "/health/other", "/sessions", "/x/health/live"])
    expect((await ask(path)).status).toBe(403);
});

test("a process that closes lives, and is not ready", async () => {
  const { handler, ask } = await served(memoryStore(), "/agents");
  await handler.close();
  expect(await ask("/agents/health/live")).toMatchObject({ status: 200 });
  expect(await ask("/agents/health/ready")).toEqual({ status: 503, body: '{"status":"closing"}' });
});

test("a process is not ready while its store fails, and the store is asked once a second at most", async () => {
  let asked = 0;
  const { ask } = await served({
    ...memoryStore(),
    messages: async () => {
      asked += 1;
      throw new Error("the database is gone: postgres://user:secret@host");
    },
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/health/ready")));
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['{"status":"store does not answer"}']));
  expect(answers[0]?.status).toBe(503);
  expect(asked).toBeLessThan(3);
});
