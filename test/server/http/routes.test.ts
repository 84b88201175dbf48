// The routes and the options of the handler that the other tests do not need.

import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

const done: Step = [call("task_completion", { result: "Done." })];

async function served(script: readonly Step[], options: Partial<HandlerOptions> = {}) {
  const store = memoryStore();
  const agent = createAgent({ model: scriptedModel(script), tools: [taskCompletion()] });
  const { url, close } = await serve(createHandler({ agents: { worker: agent }, store, ...options }));
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
  expect(part.body).toMatchObject({ records: records.slice(2, 5), more: true });
  expect((await ask(url, "/sessions/s/records?from=5")).body).toMatchObject({ records: records.slice(5), more: false });
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

test("the last records come with the cursor behind them, and frames go on there", async () => {
  const { url, store } = await served([done, done]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const part = (await ask(url, "/sessions/s/records?last=2")).body as { records: unknown; cursor: string };
  expect(part.records).toEqual(records.slice(-2));
  await ask(url, "/sessions/s/runs", { input: "again" });
  const [next] = await untilEnd(url, "s", part.cursor);
  expect(next).toMatchObject({ record: { seq: records.length, type: "input", text: "again" } });
});

test("long texts of records and frames are cut where that is asked for, and the record itself has them whole", async () => {
  const { url } = await served([done]);
  const text = "x".repeat(5000);
  await ask(url, "/sessions/s/runs", { input: text });
  await untilEnd(url, "s");
  const cut = `${"x".repeat(1000)}… (4000 more characters)`;
  const { records } = (await ask(url, "/sessions/s/records?clip=1000")).body as { records: { text: string }[] };
  expect(records[0]).toMatchObject({ type: "input", text: cut });
  expect((await ask(url, "/sessions/s/records/0")).body).toMatchObject({ type: "input", text });
  const stream = await fetch(new URL("/sessions/s/events?clip=1000", url));
  for await (const piece of stream.body!.pipeThrough(new TextDecoderStream()))
    if (piece.includes("data: ")) {
      expect(piece).toContain(cut);
      break;
    }
});

test.each([
  ["/sessions/s/records/9999", 404, "has no record 9999"],
  ["/sessions/s/records/x", 400, "is no number of a record"],
  ["/sessions/s/prompt/0", 404, "is no reply"],
  ["/sessions/none/prompt/0", 404, "no session none"],
  ["/sessions/s/records/1/more", 404, "nothing at this path"],
])("%s is answered with %i", async (path, status, words) => {
  const { url } = await served([done]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const answer = await ask(url, path);
  expect([answer.status, (answer.body as { error: string }).error]).toEqual([status, expect.stringContaining(words)]);
});

test("the prompt of a reply is the request that the model got", async () => {
  const store = memoryStore();
  const model = scriptedModel([[call("unknown", {})], done]);
  const worker = createAgent({ model, tools: [taskCompletion()] });
  const { url, close } = await serve(createHandler({ agents: { worker }, store }));
  onTestFinished(close);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const replies = records.filter(({ type }) => type === "reply");
  expect(replies.length).toBe(2);
  for (const [at, { seq }] of replies.entries()) {
    const { system, tools, messages } = model.requests[at]!;
    expect((await ask(url, `/sessions/s/prompt/${String(seq)}`)).body).toEqual(
      JSON.parse(JSON.stringify({ system, tools, messages })),
    );
  }
});

test("a fork goes on from a record in another session, and leaves the first as it is", async () => {
  const { url, store } = await served([done, done]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const before = await openSession({ store, id: "s" }).toJSON();
  const reply = before.records.find(({ type }) => type === "reply")!.seq;
  expect(await ask(url, "/sessions/s/fork", { at: "two" })).toMatchObject({ status: 400 });
  expect(await ask(url, "/sessions/none/fork", {})).toMatchObject({ status: 404 });
  const { status, body } = await ask(url, "/sessions/s/fork", { at: reply, to: "copy" });
  expect([status, body]).toEqual([201, { session: "copy" }]);
  expect(await ask(url, "/sessions/s/fork", { to: "copy" })).toMatchObject({ status: 409 });
  expect(await ask(url, "/sessions/copy/resume", {})).toMatchObject({ status: 202 });
  expect((await untilEnd(url, "copy")).at(-1)).toMatchObject({ record: { status: "completed" } });
  expect(await openSession({ store, id: "s" }).toJSON()).toEqual(before);
});

test("the agents are told, and whether the server only shows", async () => {
  const { url } = await served([], { readOnly: true });
  expect((await ask(url, "/agents")).body).toEqual({ agents: ["worker"], readOnly: true, changes: false });
});

test("a damaged session is in the list, and says what is wrong, beside the others", async () => {
  const { url, store } = await served([done]);
  await ask(url, "/sessions/good/runs", { input: "go" });
  await untilEnd(url, "good");
  const lock = await store.lock("bad", { id: "x", host: "h", pid: 1 });
  if ("append" in lock) await lock.append(["no JSON"], false);
  const { sessions } = (await ask(url, "/sessions")).body as { sessions: { id: string; problem?: string }[] };
  expect(sessions.find(({ id }) => id === "bad")).toMatchObject({ status: "damaged", problem: expect.any(String) });
  expect(sessions.find(({ id }) => id === "good")).toMatchObject({ status: "completed" });
});

test("the session of an agent that a call runs is not in the list", async () => {
  const { url, store } = await served([done]);
  const child = "root/life/1/call:1:0";
  await ask(url, `/sessions/root/runs`, { input: "go" });
  await untilEnd(url, "root");
  const lock = await store.lock(child, { id: "x", host: "h", pid: 1 });
  if ("append" in lock) await lock.append((await store.read("root"))!, false);
  const { sessions } = (await ask(url, "/sessions")).body as { sessions: { id: string }[] };
  expect(sessions.map(({ id }) => id)).toEqual(["root"]);
});

test("a session that another program began gets the agent that is found for it", async () => {
  const store = memoryStore();
  const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
  const found: unknown[] = [];
  const host = await hostInProcess({
    agents: {},
    store,
    agentOf: async ({ id, about }) => {
      found.push([id, about]);
      return about["by"] === "us" ? agent : undefined;
    },
  });
  const { url, close } = await serve(createHandler({ host }));
  onTestFinished(close);
  const begin = async (id: string, about: Record<string, string>): Promise<void> => {
    const model = scriptedModel([{ status: 401, message: "no key" }]);
    const first = createAgent({ model, tools: [taskCompletion()] });
    await first.run("go", { session: openSession({ store, id, about }) });
  };
  await begin("ours", { by: "us" });
  await begin("theirs", { by: "them" });
  expect(await ask(url, "/sessions/ours/resume", {})).toMatchObject({ status: 202 });
  expect((await untilEnd(url, "ours")).at(-1)).toMatchObject({ record: { type: "outcome" } });
  expect(await ask(url, "/sessions/theirs/resume", {})).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("no agent for the session theirs: the host has none") },
  });
  expect(found).toEqual([
    ["ours", { by: "us" }],
    ["theirs", { by: "them" }],
  ]);
});
