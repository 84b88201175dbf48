// A hub over a host: its inputs reach the host, refusals come at once, and clients see what they see of runs in one process.

import { expect, onTestFinished, test } from "vitest";
import { createAgent, type Agent } from "../../../src/index.js";
import { hostInProcess, type Host } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { askFirst } from "../../../src/permission/index.js";
import { createHandler, createHub, serve, type Hub } from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { toolsOf } from "../chat/served.js";
import { ask, framesOf, untilEnd, type Seen } from "../client.js";

const done = [call("task_completion", { result: "Done." })];
const asks = [call("ask_question", { question: "Which?" })];

interface Served {
  readonly url: string;
  readonly hub: Hub;
  readonly host: Host;
  readonly store: Store;
  /** Closes the hub and its server; the host goes on. */
  readonly close: () => Promise<void>;
}

/** A server whose hub is over a host with this agent. */
async function serving(script: Script, { ran = [], chat }: { ran?: string[]; chat?: boolean } = {}): Promise<Served> {
  const store = memoryStore();
  const worker = createAgent({
    model: scriptedModel(script),
    tools: [...toolsOf(ran).slice(0, 2), askQuestion({ expiresAfter: 200 }), taskCompletion()],
    permission: askFirst(() => ({ later: true, reason: "it writes" })),
  }) as Agent;
  const host = await hostInProcess({ agents: { worker }, store });
  const hub = createHub({ agents: { worker }, store, host });
  const server = await serve(createHandler({ hub, ...(chat === true && { chat: { version: 7 } }) }));
  const close = async (): Promise<void> => {
    expect(await hub.close()).toEqual([]);
    await server.close();
  };
  onTestFinished(async () => {
    await close();
    await host.close({ grace: 100 });
  });
  return { url: server.url, hub, host, store, close };
}

/** The words of the frames as they were written, before their records. */
const spoken = (frames: readonly Seen[]): string =>
  frames.flatMap((frame) => ("event" in frame && frame.event.type === "text-delta" ? [frame.event.text] : [])).join("");

test("an input that is posted twice runs once, and its frames are its records and its pieces in order", async () => {
  const text = "Now I am done, and I say so in many words.";
  const { url, store } = await serving([{ text, calls: done, piece: 5, pause: 20, delay: 200 }]);
  const reading = untilEnd(url, "s");
  const posts = [1, 2].map(() => ask(url, "/sessions/s/runs", { input: "go", inputId: "a" }));
  expect(await Promise.all(posts)).toMatchObject([1, 2].map(() => ({ status: 202, body: { waits: true } })));
  const frames = await reading;
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(frames.flatMap((frame) => ("record" in frame ? [frame.record] : []))).toEqual(records);
  expect(spoken(frames)).toBe(`${text}Done.`);
  const first = frames.findIndex((frame) => "event" in frame && frame.event.type === "text-delta");
  const reply = frames.findIndex((frame) => "record" in frame && frame.record.type === "reply");
  expect(first).toBeLessThan(reply);
  expect(await ask(url, "/sessions/s")).toMatchObject({ body: { status: "completed", runs: 1 } });
});

test("an answer counts once; one to another call, to none, or too late is refused at once", async () => {
  const ran: string[] = [];
  const { url, hub } = await serving([asks, [call("write", { text: "a" })], asks, done], { ran });
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { waiting } = (await ask(url, "/sessions/s")).body as { waiting: { id: string } };
  const answered = await hub.start({ session: "s", input: "this", answers: waiting.id });
  expect(await answered.outcome).toMatchObject({ status: "waiting", by: "write" });
  const again = await hub.start({ session: "s", input: "that", answers: waiting.id });
  expect(await again.outcome).toMatchObject({ status: "waiting", joined: true });
  const parked = ((await ask(url, "/sessions/s")).body as { waiting: { id: string; approval: { digest: string } } })
    .waiting;
  const yes = { callId: parked.id, digest: parked.approval.digest, allowed: true };
  expect(await ask(url, "/sessions/s/approvals", { ...yes, digest: "0".repeat(64) })).toMatchObject({
    status: 409,
    body: { error: /look at the call/ },
  });
  const no = await ask(url, "/sessions/s/runs", { input: "this", answers: "another" });
  expect(no).toMatchObject({ status: 409, body: { error: /There is no call another/ } });
  const approved = await ask(url, "/sessions/s/approvals", yes);
  expect(approved).toMatchObject({ status: 202 });
  await expect
    .poll(async () => (await ask(url, "/sessions/s")).body)
    .toMatchObject({ waiting: { by: "ask_question" } });
  expect(ran).toEqual(["a"]);
  const due = ((await ask(url, "/sessions/s")).body as { waiting: { id: string } }).waiting;
  await expect.poll(async () => (await ask(url, "/sessions/s")).body, { timeout: 3000 }).not.toHaveProperty("waiting");
  expect(await ask(url, "/sessions/s/runs", { input: "late", answers: due.id })).toMatchObject({
    status: 409,
    body: { error: /does not wait any more/ },
  });
  expect(await ask(url, "/sessions/s/runs", { input: { size: 3 } })).toMatchObject({
    status: 409,
    body: { error: /No call of the session s waits/ },
  });
  expect(await ask(url, "/sessions/s/resume", {})).toMatchObject({ status: 202 });
  await expect.poll(async () => (await ask(url, "/sessions/s")).body).toMatchObject({ status: "completed" });
});

test("words reach a run at work, and an abort ends it", async () => {
  const { url, store } = await serving([
    { calls: [call("look", { at: 1 })], delay: 100 },
    { calls: done, delay: 60_000 },
  ]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  for await (const frame of framesOf(url, "s")) if ("record" in frame) break;
  expect(await ask(url, "/sessions/s/runs", { input: "be quick" })).toMatchObject({ status: 202 });
  await expect
    .poll(async () => JSON.stringify(await openSession({ store, id: "s" }).toJSON()))
    .toContain('"type":"steer","text":"be quick"');
  expect(await ask(url, "/sessions/s/abort", { reason: "no need" })).toMatchObject({ status: 202 });
  const frames = await untilEnd(url, "s");
  expect(frames.at(-1)).toMatchObject({ record: { status: "aborted", message: expect.stringContaining("no need") } });
  expect(await ask(url, "/sessions/s/abort", {})).toMatchObject({ status: 409 });
});

test("a chat learns that its words were withdrawn before any run took them", async () => {
  const { url, store } = await serving([done], { chat: true });
  // Another process has the session, so the words lie in the inbox.
  const lease = await openSession({ store, id: "c" }).lease();
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "go" }] };
  const headers = { "content-type": "application/json" };
  const answer = fetch(new URL("/chat", url), {
    method: "POST",
    headers,
    body: JSON.stringify({ id: "c", messages: [message] }),
  });
  await expect.poll(async () => (await store.messages("c")).length).toBe(1);
  expect(await ask(url, "/chat/c/stop", {})).toMatchObject({ status: 200, body: { stopped: true } });
  expect(await (await answer).text()).toContain("stopped by the user");
  expect(await store.messages("c")).toEqual([]);
  await lease!.release();
});

test("a hub that closes ends its streams and takes nothing more, and the host goes on", async () => {
  const { url, hub, host, store, close } = await serving([{ text: "Slowly.", calls: done, delay: 300 }]);
  const body = { threadId: "s", runId: "r", messages: [{ id: "u1", role: "user", content: "go" }] };
  const response = await fetch(new URL("/agui", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(hub.isClosed).toBe(false);
  const text = response.text();
  await hub.close();
  expect(await text).toContain('"code":"suspended"');
  await expect(hub.start({ input: "more" })).rejects.toThrow("The hub closes");
  await expect(hub.resume("s")).rejects.toThrow("The hub closes");
  expect(await hub.resumeLeft()).toEqual([]);
  await close();
  await expect.poll(async () => JSON.stringify(await openSession({ store, id: "s" }).toJSON())).toContain("completed");
  expect(await (await host.resume("s")).ended()).toMatchObject({ status: "completed" });
});

test("the host gets the tenant of each input, and a session of nobody is refused", async () => {
  const given: [string, unknown][] = [];
  const { store } = await serving([]);
  const worker = createAgent({ model: scriptedModel([asks, done]), tools: [askQuestion(), taskCompletion()] });
  const inner = await hostInProcess({ agents: { worker }, store });
  onTestFinished(async () => {
    await inner.close({ grace: 100 });
  });
  /** Notes the terms of an order, which the host of one process would refuse. */
  const noting = <Order extends { tenant?: string | undefined; priority?: number | undefined }>(
    name: string,
    order: Order,
  ) => {
    const { tenant, priority, ...rest } = order;
    given.push([name, { tenant, priority }]);
    return rest;
  };
  const host: Host = {
    start: (input) => inner.start(noting("start", input)),
    answer: (answer) => inner.answer(noting("answer", answer)),
    approve: (approval) => inner.approve(noting("approve", approval)),
    steer: (words) => inner.steer(noting("steer", words)),
    resume: (session, terms = {}) => inner.resume(session, noting("resume", terms)),
    abort: (session, reason) => inner.abort(session, reason),
    schedule: (plan) => inner.schedule(plan),
    close: (options) => inner.close(options),
  };
  const termsOf = (session: string) => {
    const [tenant = "", rest] = session.split("/");
    if (rest === undefined) throw new Error("A session is called tenant/number.");
    return { tenant, priority: 3 };
  };
  const hub = createHub({ agents: { worker }, store, host, termsOf });
  const asked = await (await hub.start({ session: "acme/1", input: "go" })).outcome;
  expect(asked.status).toBe("waiting");
  const answered = await hub.start({
    session: "acme/1",
    input: "this",
    answers: asked.status === "waiting" ? asked.id : "",
  });
  expect((await answered.outcome).status).toBe("completed");
  expect((await (await hub.resume("acme/1")).outcome).status).toBe("completed");
  const acme = { tenant: "acme", priority: 3 };
  expect(given).toEqual([
    ["start", acme],
    ["answer", acme],
    ["resume", acme],
  ]);
  await expect(hub.start({ session: "nobody", input: "go" })).rejects.toThrow("tenant/number");
  expect(() => createHub({ agents: { worker }, store, termsOf })).toThrow("termsOf with a host only");
});

test("a host finds its agents by name, so agentOf is refused beside it", async () => {
  const { host, store } = await serving([]);
  const worker = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const agentOf = async (): Promise<undefined> => undefined;
  expect(() => createHub({ agents: { worker }, store, host, agentOf })).toThrow("a host or agentOf");
  expect(() => createHub({ agents: {}, store, host })).toThrow("needs an agent");
});
