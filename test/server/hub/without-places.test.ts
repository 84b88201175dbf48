// The words of faults for clients: what is wrong, and no folder of the server.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { fileStore } from "../../../src/memory/index.js";
import { createHandler, serve } from "../../../src/server/index.js";
import { withoutPlaces } from "../../../src/server/hub/without-places.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

async function served() {
  const root = join(mkdtempSync(join(tmpdir(), "a private folder ")), "sessions");
  const model = scriptedModel(() => [call("task_completion", { result: "Done." })]);
  const store = fileStore(root);
  const handler = createHandler({ agents: { worker: createAgent({ model, tools: [taskCompletion()] }) }, store });
  const { url, close } = await serve(handler);
  onTestFinished(async () => {
    await handler.close();
    await close();
    rmSync(join(root, ".."), { recursive: true, force: true });
  });
  return { url, root };
}

const words = (id: string) => ({ id, role: "user" });
const agui = { threadId: "t", runId: "r", tools: [], messages: [{ ...words("u"), content: "go" }] };
const chat = { id: "c", messages: [{ ...words("u"), parts: [{ type: "text", text: "go" }] }] };

/** The answers to requests, none of which names the folder. */
async function answers(url: string, requests: readonly (readonly [path: string, body?: unknown])[]) {
  const told: string[] = [];
  for (const [path, body] of requests) {
    const answer = await ask(url, path, body);
    const text = `${String(answer.status)} ${JSON.stringify(answer.body)}`;
    expect(text).not.toMatch(/private|folder-|\/tmp|sessions\//);
    told.push(text);
  }
  return told;
}

test("a copy that can't be made is refused without the folder of the store", async () => {
  const { url } = await served();
  await ask(url, "/sessions/a/runs", { input: "go" });
  await untilEnd(url, "a");
  expect(
    await answers(url, [
      ["/sessions/a/fork", { at: 1000 }],
      ["/sessions/a/fork", { to: "a" }],
    ]),
  ).toEqual([
    expect.stringContaining("has 6 records, so it can't be forked at 1000."),
    expect.stringContaining("There is a session a already."),
  ]);
});

test("a damaged session says what is wrong and not where it is, on every path", async () => {
  const { url, root } = await served();
  await ask(url, "/sessions/a/runs", { input: "go" });
  await untilEnd(url, "a");
  writeFileSync(join(root, "a/journal.jsonl"), "garbage\nmore\n");
  const [one, list, run] = await answers(url, [["/sessions/a"], ["/sessions"], ["/sessions/a/runs", { input: "x" }]]);
  for (const text of [one, list, run]) expect(text).toContain("The session a is no log of a session");
});

test("a store that is gone is a 503 without its folder, for chats and AG-UI too", async () => {
  const { url, root } = await served();
  rmSync(root, { recursive: true, force: true });
  writeFileSync(root, "no folder");
  const told = await answers(url, [
    ["/sessions"],
    ["/sessions/a/runs", { input: "x" }],
    ["/chat", chat],
    ["/agui", agui],
  ]);
  for (const text of told) expect(text).toMatch(/^503 .*ENOTDIR/);
});

test.each([
  ["EACCES: permission denied, open '/home/me/.lastcall/a.json'", "EACCES: permission denied, open '…'"],
  ["no module C:\\Users\\me\\agent.ts (~/agents/a.ts).", "no module … (…)."],
  [
    "The provider at https://llm.test/v1/chat said: 1/2 and/or 3",
    "The provider at https://llm.test/v1/chat said: 1/2 and/or 3",
  ],
  ["POST /sessions again", "POST /sessions again"],
])("%j is %j to a client", (message, shown) => {
  expect(withoutPlaces(message, { name: "memory" })).toBe(shown);
});
