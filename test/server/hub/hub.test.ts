// The hub: inputs reach the host with the terms of their session, refusals come at once, and clients see the runs of the host while it closes too.

import { expect, onTestFinished, test } from "vitest";
import { createAgent, LastcallError, type Agent, type JournalRecord } from "../../../src/index.js";
import { hostInProcess, type Delivery, type Host, type RunEnd } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { createHandler, serve, watchSession, type Handler } from "../../../src/server/index.js";
import { Hub } from "../../../src/server/hub/hub.js";
import { call, scriptedModel, type Script, type Step } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { toolsOf } from "../chat/served.js";
import { ask, framesOf, untilEnd, type Seen } from "../client.js";

const done = [call("task_completion", { result: "Done." })];
const asks = [call("ask_question", { question: "Which?" })];

interface Served {
  readonly url: string;
  readonly handler: Handler;
  readonly host: Host;
  readonly store: Store;
}

/** A server over a host with this agent. */
async function serving(script: Script, { ran = [], store = memoryStore() }: Partial<{ ran: string[]; store: Store }>) {
  const worker = createAgent({
    model: scriptedModel(script),
    tools: [...toolsOf(ran).slice(0, 2), askQuestion({ expiresAfter: 2500 }), taskCompletion()],
    permission: () => ({ later: true, reason: "it writes" }),
  }) as Agent;
  const host = await hostInProcess({ agents: { worker }, store });
  const handler = createHandler({ host, authenticate: () => true });
  const server = await serve(handler);
  onTestFinished(async () => {
    expect(await handler.close()).toEqual([]);
    await server.close();
    await host.close({ timeout: 100 });
  });
  return { url: server.url, handler, host, store } satisfies Served;
}

/** A post whose answer is a stream. */
function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) });
}
const agui = { threadId: "s", runId: "r", tools: [], messages: [{ id: "u1", role: "user", content: "go" }] };
const chat = { id: "s", messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "go" }] }] };

const recordsOf = async (store: Store): Promise<readonly JournalRecord[]> =>
  (await openSession({ store, id: "s" }).toJSON()).records;
const recordsIn = (frames: readonly Seen[]): readonly JournalRecord[] =>
  frames.flatMap((frame) => ("record" in frame ? [frame.record] : []));
/** The pieces of text of the frames as they were written, before their records. */
const piecesIn = (frames: readonly Seen[]): readonly string[] =>
  frames.flatMap((frame) => ("event" in frame && frame.event.type === "text-delta" ? [frame.event.text] : []));

test("an input that is posted twice runs once, and its frames are its records and its pieces in order", async () => {
  const text = "Now I am done, and I say so in many words.";
  const { url, store } = await serving([{ text, calls: done, piece: 5, pause: 20, delay: 200 }], {});
  const reading = untilEnd(url, "s");
  const posts = [1, 2].map(() => ask(url, "/sessions/s/runs", { input: "go", inputId: "a" }));
  expect(await Promise.all(posts)).toMatchObject([1, 2].map(() => ({ status: 202, body: { inputId: "a" } })));
  const frames = await reading;
  expect(recordsIn(frames)).toEqual(await recordsOf(store));
  expect(piecesIn(frames).join("")).toBe(`${text}Done.`);
  const first = frames.findIndex((frame) => "event" in frame && frame.event.type === "text-delta");
  const reply = frames.findIndex((frame) => "record" in frame && frame.record.type === "reply");
  expect(first).toBeLessThan(reply);
  expect(await ask(url, "/sessions/s")).toMatchObject({ body: { status: "completed", runs: 1 } });
});

test("pieces of text come as the model sent them, and events may be longer than a notice of Postgres", async () => {
  const pieces = Array.from({ length: 12 }, (_none, number) => `piece ${String(number)} `);
  const long = "x".repeat(20_000);
  const model = scriptedModel([]);
  const worker = createAgent({
    model: {
      ...model,
      async *respond() {
        for (const text of [...pieces, long]) yield { type: "text-delta" as const, text };
        const calls = [{ type: "call" as const, name: "task_completion", input: { result: "Done." } }];
        const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 };
        return { text: `${pieces.join("")}${long}`, calls, finish: "complete" as const, usage };
      },
    },
    tools: [taskCompletion()],
  });
  const handler = createHandler({ agents: { worker }, store: memoryStore() });
  const { url, close } = await serve(handler);
  onTestFinished(close);
  const reading = untilEnd(url, "s");
  expect(await ask(url, "/sessions/s/runs", { input: "go" })).toMatchObject({ status: 202, body: { waits: false } });
  expect(piecesIn(await reading).slice(0, 13)).toEqual([...pieces, long]);
});

test("an answer counts once; one to another call, to none, or too late is refused at once", async () => {
  const ran: string[] = [];
  const { url, host } = await serving([asks, [call("write", { text: "a" })], asks, done], { ran });
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { waiting } = (await ask(url, "/sessions/s")).body as { waiting: { id: string } };
  const said = await ask(url, "/sessions/s/runs", { input: "this", answers: waiting.id });
  expect(said).toEqual({ status: 202, body: { session: "s", waits: false } });
  const again = await host.give({ session: "s", answers: waiting.id, input: "that" });
  expect(await again.ended()).toMatchObject({ status: "waiting", waiting: { by: "write" }, joined: true });
  const parked = ((await ask(url, "/sessions/s")).body as { waiting: { id: string; approval: { digest: string } } })
    .waiting;
  const yes = { callId: parked.id, digest: parked.approval.digest, allowed: true };
  expect(await ask(url, "/sessions/s/approvals", { ...yes, digest: "0".repeat(64) })).toMatchObject({
    status: 409,
    body: { error: /look at the call/ },
  });
  const no = await ask(url, "/sessions/s/runs", { input: "this", answers: "another" });
  expect(no).toMatchObject({ status: 409, body: { error: /There is no call another/ } });
  expect(await ask(url, "/sessions/s/approvals", yes)).toMatchObject({ status: 202 });
  await expect
    .poll(async () => (await ask(url, "/sessions/s")).body)
    .toMatchObject({ waiting: { by: "ask_question" } });
  expect(ran).toEqual(["a"]);
  const due = ((await ask(url, "/sessions/s")).body as { waiting: { id: string } }).waiting;
  await expect
    .poll(async () => (await ask(url, "/sessions/s")).body, { timeout: 20_000 })
    .not.toHaveProperty("waiting");
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

test("an agent that nobody knows, and another one than the session has, are refused before anything is kept", async () => {
  const { url, store } = await serving([done], {});
  for (const path of ["/sessions/s/runs", "/sessions"])
    expect(await ask(url, path, { input: "go", agent: "other" })).toMatchObject({
      status: 409,
      body: { error: /There is no agent other/ },
    });
  expect((await ask(url, "/agui/other", agui)).status).toBe(404);
  expect(await store.list()).toEqual([]);
  const lease = await openSession({ store, id: "s", about: { agent: "shop" } }).lease();
  await lease!.append({ type: "steer", text: "words", seq: 0, at: 1 } as JournalRecord);
  await lease!.release();
  expect(await ask(url, "/sessions/s/runs", { input: "go", agent: "worker" })).toMatchObject({ status: 409 });
  expect([(await recordsOf(store)).length, await store.messages("s")]).toEqual([1, []]);
});

test("words reach a run at work, and an abort ends it", async () => {
  const { url, store } = await serving(
    [
      // The words have to come before this reply ends.
      { calls: [call("look", { at: 1 })], delay: 2000 },
      { calls: done, delay: 60_000 },
    ],
    {},
  );
  await ask(url, "/sessions/s/runs", { input: "go" });
  for await (const frame of framesOf(url, "s")) if ("record" in frame) break;
  expect(await ask(url, "/sessions/s/runs", { input: "be quick" })).toMatchObject({ status: 202 });
  await expect.poll(async () => JSON.stringify(await recordsOf(store))).toContain('"type":"steer","text":"be quick"');
  expect(await ask(url, "/sessions/s/abort", { reason: "no need" })).toMatchObject({ status: 202 });
  const frames = await untilEnd(url, "s");
  expect(frames.at(-1)).toMatchObject({ record: { status: "aborted", message: expect.stringContaining("no need") } });
  expect(await ask(url, "/sessions/s/abort", {})).toMatchObject({ status: 409 });
});

test("an abort of a run of another process is refused, and of a run that a dead process left ends it", async () => {
  const { url, store } = await serving([], {});
  const elsewhere = createAgent({ model: scriptedModel([{ delay: 60_000, calls: done }]), tools: [taskCompletion()] });
  const suspend = new AbortController();
  const session = openSession({ store, id: "s", about: { agent: "worker" } });
  const running = elsewhere.run("go", { session, suspend: suspend.signal });
  await expect.poll(async () => (await recordsOf(store)).length).toBeGreaterThan(0);
  expect(await ask(url, "/sessions/s/abort", {})).toMatchObject({
    status: 409,
    body: { error: /No run that this server can reach/ },
  });
  suspend.abort();
  await running;
  expect(await ask(url, "/sessions/s/abort", { reason: "it is dead" })).toMatchObject({ status: 202 });
  expect((await recordsOf(store)).at(-1)).toMatchObject({
    status: "aborted",
    message: expect.stringContaining("it is dead"),
  });
});

test("a chat learns that its words were withdrawn before any run took them", async () => {
  const { url, store } = await serving([done], {});
  // Another process has the session, so the words lie in the inbox.
  const lease = await openSession({ store, id: "s" }).lease();
  const answered = post(url, "/chat", chat);
  await expect.poll(async () => (await store.messages("s")).length).toBe(1);
  expect(await ask(url, "/chat/s/stop", {})).toMatchObject({ status: 200, body: { stopped: true } });
  expect(await (await answered).text()).toContain("stopped by the user");
  expect(await store.messages("s")).toEqual([]);
  await lease!.release();
});

/** A store that keeps nothing while it is broken. */
function breakable() {
  const whole = memoryStore();
  const state = { isBroken: false };
  const store: Store = {
    ...whole,
    async lock(...args) {
      const lock = await whole.lock(...args);
      if (!("append" in lock)) return lock;
      const append: typeof lock.append = (...lines) =>
        state.isBroken
          ? Promise.reject(new LastcallError("store", "The disk is full: /var/lib/own.jsonl."))
          : lock.append(...lines);
      return { ...lock, append };
    },
  };
  return { store, state };
}

test("a store that fails in a run is told to every client at once, and the host makes the run again", async () => {
  const { store, state } = breakable();
  const breaking = (): Step => {
    state.isBroken = true;
    return { calls: done };
  };
  const { url } = await serving([{ calls: [call("look", { at: 1 })], delay: 100 }, breaking, done], { store });
  const events = untilEnd(url, "s").then(
    () => "whole",
    () => "ended",
  );
  const [thread, page] = await Promise.all([post(url, "/agui", agui), post(url, "/chat", chat)]);
  const [told, shown] = await Promise.all([thread.text(), page.text()]);
  expect(await events).toBe("ended");
  for (const text of [told, shown]) {
    expect(text).toContain("The disk is full");
    expect(text).not.toContain("/var/lib");
  }
  expect(told).toMatch(/"type":"RUN_ERROR".*"code":"store"|"code":"store".*"type":"RUN_ERROR"/);
  expect(shown).toContain('"type":"error"');
  expect(shown.trimEnd().endsWith("data: [DONE]")).toBe(true);
  state.isBroken = false;
  await expect.poll(async () => (await recordsOf(store)).at(-1)).toMatchObject({ status: "completed" });
  // Whoever posts the same words again sees the end.
  expect(await (await post(url, "/agui", agui)).text()).toContain("RUN_FINISHED");
  expect(await (await post(url, "/chat", chat)).text()).toContain('"type":"finish"');
});

test("a store that can't keep the input is a 503, and nothing is promised", async () => {
  const { store, state } = breakable();
  const { url } = await serving([done], { store });
  state.isBroken = true;
  expect(await ask(url, "/sessions/s/runs", { input: "go" })).toMatchObject({
    status: 503,
    body: { error: /The disk is full/ },
  });
  state.isBroken = false;
  expect(await ask(url, "/sessions/s/runs", { input: "go" })).toMatchObject({ status: 202 });
  await untilEnd(url, "s");
  expect(await ask(url, "/sessions/s")).toMatchObject({ body: { runs: 1, status: "completed" } });
});

test("a handler that closes ends its streams and takes nothing more, and the host goes on", async () => {
  const { url, handler, host, store } = await serving([{ text: "Slowly.", calls: done, delay: 300 }], {});
  const response = await post(url, "/agui", agui);
  const text = response.text();
  const late = lateBody();
  const posting = handler(new Request(`${url}sessions/s/runs`, late.request));
  await late.begun;
  expect(await handler.close()).toEqual([]);
  late.end();
  expect((await posting).status).toBe(503);
  expect(await text).toContain('"code":"suspended"');
  expect((await ask(url, "/sessions/s/runs", { input: "more" })).status).toBe(503);
  expect(host.isClosed).toBe(false);
  await expect.poll(async () => (await recordsOf(store)).at(-1)).toMatchObject({ status: "completed" });
  expect(await (await host.give({ session: "s" })).ended()).toMatchObject({ status: "completed" });
});

test("a post while the host closes is a 503, whenever its body comes, and a chat that is open ends", async () => {
  const { url, handler, host } = await serving([{ text: "Slowly.", calls: done, delay: 60_000 }], {});
  const page = await post(url, "/chat", chat);
  const late = lateBody();
  const posting = handler(new Request(`${url}sessions/s/runs`, late.request));
  await late.begun;
  await host.close();
  late.end();
  expect((await posting).status).toBe(503);
  expect((await ask(url, "/sessions/s/runs", { input: "more" })).status).toBe(503);
  // The page connects again, to the next server.
  await expect(page.text()).rejects.toThrow();
});

/** A request whose body ends when it is told to. */
function lateBody() {
  let end = (): void => undefined;
  let read = (): void => undefined;
  /** Once the body is being read. */
  const begun = new Promise<void>((resolve) => (read = resolve));
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"input":'));
      end = () => {
        controller.enqueue(new TextEncoder().encode('"more"}'));
        controller.close();
      };
    },
    pull: () => {
      read();
    },
  });
  const headers = { "content-type": "application/json", host: "127.0.0.1" };
  const request = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  return {
    ...{ request, begun },
    end: () => {
      end();
    },
  };
}

test("the host gets the terms of each session, and a session of nobody is refused", async () => {
  const given: Delivery[] = [];
  const store = memoryStore();
  const worker = createAgent({ model: scriptedModel([asks, done]), tools: [askQuestion(), taskCompletion()] });
  const inner = await hostInProcess({ agents: { worker }, store });
  /** Notes the terms of a delivery, which the host of one process would refuse. */
  const host: Host = {
    ...{ agents: inner.agents, store, isClosed: false },
    give: ({ tenant, priority, ...delivery }) => {
      given.push({ tenant, priority });
      return inner.give(delivery);
    },
    abort: (session, reason) => inner.abort(session, reason),
    schedule: (plan) => inner.schedule(plan),
    watch: (watcher) => inner.watch(watcher),
    close: (options) => inner.close(options),
  };
  onTestFinished(async () => {
    await host.close({ timeout: 100 });
  });
  const termsOf = (session: string) => {
    const [tenant = "", rest] = session.split("/");
    if (rest === undefined) throw new LastcallError("configuration", "A session is called tenant/number.");
    return { tenant, priority: 3 };
  };
  const hub = new Hub(host, termsOf);
  const asked = await hub.endOf(await hub.give({ session: "acme/1", input: "go" }));
  const answers = asked.waiting!.id;
  expect(await hub.endOf(await hub.give({ session: "acme/1", input: "this", answers }))).toEqual({
    status: "completed",
  });
  await hub.give({ session: "acme/1" });
  expect(given).toEqual(Array.from({ length: 3 }, () => ({ tenant: "acme", priority: 3 })));
  const { url, close } = await serve(createHandler({ host, termsOf }));
  onTestFinished(close);
  expect(await ask(url, "/sessions/nobody/runs", { input: "go" })).toMatchObject({
    status: 409,
    body: { error: /tenant\/number/ },
  });
  expect(given).toHaveLength(3);
});

test("a host that gives a delivery up has an end for those who wait, and a hub that closes lets them go", async () => {
  const host = await hostInProcess({
    agents: { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) },
    store: memoryStore(),
  });
  const hub = new Hub(host);
  const run = { session: "s", inputId: "a", waits: true };
  const fault = new LastcallError("store", "The disk is full.");
  expect(await hub.endOf({ ...run, ended: () => Promise.reject(fault) })).toEqual({
    status: "failed",
    reason: "store",
    message: "The disk is full.",
  });
  const waiting = hub.endOf({ ...run, ended: () => new Promise(() => undefined) });
  hub.close();
  expect(await waiting).toMatchObject({ status: "aborted", suspended: true });
});

test("a handler takes a host, or agents and a store, and says which it lacks", async () => {
  const store = memoryStore();
  const agents = { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };
  const host = await hostInProcess({ agents, store });
  expect(() => createHandler({ host, agents })).toThrow("a host, or agents and a store");
  expect(() => createHandler({ host, store })).toThrow("a host, or agents and a store");
  expect(() => createHandler({ agents })).toThrow("needs a host, or agents and a store");
  expect(() => createHandler({})).toThrow("needs a host, or agents and a store");
  expect(() => createHandler({ agents: {}, store })).toThrow("needs an agent");
  expect(() => createHandler({ agents, store, termsOf: () => ({}) })).toThrow("termsOf with a host only");
  expect(createHandler({ host }).host).toBe(host);
});

test("frames of a session come from any host over its store, and end with their signal", async () => {
  const { host, store, url } = await serving([done], {});
  const other = await hostInProcess({
    agents: { idle: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) },
    store,
  });
  const stop = new AbortController();
  const seen: JournalRecord[] = [];
  const reading = (async () => {
    for await (const frame of watchSession({ host: other, id: "s", signal: stop.signal })) {
      if ("record" in frame) seen.push(frame.record);
      if (seen.at(-1)?.type === "outcome") stop.abort();
    }
  })();
  await (await host.give({ session: "s", input: "go" })).ended();
  await reading;
  expect(seen).toEqual(recordsIn(await untilEnd(url, "s")));
  expect(() => watchSession({ host, id: "s", after: "no cursor", signal: stop.signal })).toThrow("no cursor");
});

test("the end of a run that was aborted is told once the journal has it", async () => {
  const store = memoryStore();
  const { host } = await serving([], { store });
  const hub = new Hub(host);
  const lease = (await openSession({ store, id: "s" }).lease())!;
  await lease.append({ type: "input", run: 1, text: "go", seq: 0, at: 1 });
  let isOver = false;
  const ended = (): Promise<RunEnd> => Promise.resolve({ status: "aborted", message: "no need" });
  const end = hub.endOf({ session: "s", inputId: "1", waits: false, ended }).finally(() => (isOver = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isOver).toBe(false);
  await lease.append({ type: "outcome", status: "aborted", message: "no need", seq: 1, at: 2 });
  await lease.release();
  expect(await end).toEqual({ status: "aborted", message: "no need" });
});
