// The files of the studio: they come without a token, to this host alone, and let nothing else in.

import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { createHandler, type HandlerOptions } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

function handler(options: Partial<HandlerOptions> = {}) {
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const token = "a-token-that-nobody-guesses";
  const made = createHandler({ agents: { worker: agent }, store: memoryStore(), token, ...options });
  onTestFinished(() => void made.close());
  return made;
}

const get = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://127.0.0.1:8080${path}`, { headers: { host: "127.0.0.1:8080", ...headers } });

test("the page and its files come without a token, and the sessions do not", async () => {
  const answer = handler({ studio: true });
  for (const [path, type] of [
    ["/studio/", "text/html; charset=utf-8"],
    ["/studio/app.js", "text/javascript; charset=utf-8"],
    ["/studio/app.css", "text/css; charset=utf-8"],
  ] as const) {
    const response = await answer(get(path));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect((await response.text()).length).toBeGreaterThan(200);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  }
  expect((await answer(get("/sessions"))).status).toBe(401);
});

test.each(["/studio/../../package.json", "/studio/%2e%2e/index.js", "/studio/constructor", "/studio/app.js.map"])(
  "%s is no file of the page",
  async (path) => {
    const response = await handler({ studio: true })(get(path));
    expect([401, 404]).toContain(response.status);
  },
);

test("another host, another site and a sender who may not ask get no page", async () => {
  const answer = handler({ studio: true });
  expect((await answer(get("/studio/", { host: "evil.example" }))).status).toBe(403);
  expect((await answer(get("/studio/", { "sec-fetch-site": "cross-site" }))).status).toBe(403);
  const embedded = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };
  expect((await answer(get("/studio/", embedded))).status).toBe(403);
  const own = handler({
    studio: true,
    token: undefined,
    authenticate: (request) => request.headers.get("x-user") === "me",
  });
  expect((await own(get("/studio/"))).status).toBe(401);
  expect((await own(get("/studio/", { "x-user": "me" }))).status).toBe(200);
});

test("a link elsewhere leads to the page, and to nothing else", async () => {
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const answer = handler({ studio: true, token: undefined, authenticate: () => true });
  expect((await answer(get("/studio/", link))).status).toBe(200);
  expect((await answer(get("/sessions", link))).status).toBe(403);
});

test("a handler has no studio unless it is asked for, and has it where it is mounted", async () => {
  expect((await handler({ token: undefined, authenticate: () => true })(get("/studio/"))).status).toBe(404);
  const mounted = handler({ studio: true, path: "/agents" });
  expect((await mounted(get("/agents/studio/"))).status).toBe(200);
});
