// The routes and the options of the handler that the other tests do not need.

import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, createHub, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

const done: Step = [call("task_completion", { result: "Done." })];

async function served(script: readonly Step[], options: Partial<HandlerOptions> = {}) {
  const store = memoryStore();
  const agent = createAgent({ model: scriptedModel(script), tools: [taskCompletion()] });
  const hub = createHub({ agents: { worker: agent }, store });
  const { url, close } = await serve(createHandler({ hub, ...options }));
  onTestFinished(close);
  return { url, store };
}

test("the list has pages, the session that was used last first", async () => {
  const { url } = await served([done, done, done]);
  for (const id of ["a", "b", "c"]) {
    await ask(url, `/sessions/${id}/runs`, { input: "go" });
    await untilEnd(url, id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const page = async (query: string) => {
    const { sessions } = (await ask(url, `/sessions?${query}`)).body as { sessions: { id: string; updated: number }[] };
    return sessions;
  };
  const first = await page("limit=2");
  expect(first.map(({ id }) => id)).toEqual(["c", "b"]);
  expect((await page(`limit=2&before=${String(first[1]!.updated)}`)).map(({ id }) => id)).toEqual(["a"]);
  expect(await ask(url, "/sessions?limit=many")).toMatchObject({ status: 400 });
});

test("records are read from a number on, so many at a time", async () => {
  const { url, store } = await served([done]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const part = await ask(url, "/sessions/s/records?from=2&limit=3");
  expect(part.body).toEqual({ records: records.slice(2, 5), more: true });
  expect((await ask(url, "/sessions/s/records?from=5")).body).toEqual({ records: records.slice(5), more: false });
});

test("a session goes on without new words", async () => {
  const { url } = await served([{ status: 401, message: "no key" }, done]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  const failed = await untilEnd(url, "s");
  expect(failed.at(-1)).toMatchObject({ record: { status: "failed" } });
  expect(await ask(url, "/sessions/s/resume", {})).toMatchObject({ status: 202 });
  expect((await untilEnd(url, "s", failed.at(-1)!.cursor)).at(-1)).toMatchObject({ record: { status: "completed" } });
});

test("an idle stream gives signs of life, as often as is said", async () => {
  const { url } = await served([], { keepAlive: 20 });
  const { body } = await fetch(new URL("/sessions/s/events", url));
  let text = "";
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.split("\n\n").filter((part) => part === ":").length === 3) break;
  }
  expect(text.startsWith("retry: 1000\n\n")).toBe(true);
});

test("a body is as long as is allowed, and the handler is where it is mounted", async () => {
  const { url } = await served([done], { maxBody: 40, path: "/agents/" });
  expect(await ask(url, "/agents/sessions", { input: "x".repeat(40) })).toMatchObject({ status: 413 });
  expect(await ask(url, "/sessions", { input: "go" })).toMatchObject({ status: 404 });
  expect(await ask(url, "/agents/sessions", { input: "go" })).toMatchObject({ status: 202 });
});

test("the fault of a request is told to the server's owner, and not to its sender", async () => {
  const faults: unknown[] = [];
  const onError = (fault: unknown): void => void faults.push(fault);
  const { url, close } = await serve(() => Promise.reject(new Error("the password is wrong")), { onError });
  onTestFinished(close);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, '{"error":"The server failed."}']);
  expect(faults).toMatchObject([{ message: "the password is wrong" }]);
});
