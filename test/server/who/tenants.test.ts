// Two tenants with three people each: nobody meets a session of another, on any route, and nobody learns that it exists.

import { expect, test } from "vitest";
import { createAgent, tool, type Principal } from "../../../src/index.js";
import { stopReason, stopText } from "../../../src/host/delivery/stop-text.js";
import { newHolder } from "../../../src/lock/index.js";
import { recordWords } from "../../../src/core/internal.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, type HandlerOptions } from "../../../src/server/index.js";
import { chatRoutes } from "../../../src/server/http/chat-routes.js";
import { changesRoutes } from "../../../src/server/http/changes-routes.js";
import { routes } from "../../../src/server/http/routes.js";
import { pageRoutes } from "../../../src/server/http/page-routes.js";
import { statsRoutes } from "../../../src/server/http/stats-routes.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { pay, people } from "./two-tenants.js";

/** A server that knows a caller by a header, and the ways to ask it. */
function made(steps: readonly Step[], options: Partial<HandlerOptions> = {}) {
  const store = memoryStore();
  const agent = createAgent({
    model: scriptedModel(steps),
    tools: [pay, taskCompletion()],
    permission: {
      decide: ({ name }, { approval }) =>
        name !== "pay" ? { allowed: true, reason: "an ending" } : (approval ?? { later: true, reason: "money" }),
    },
  });
  const handler = createHandler({
    agents: { worker: agent },
    store,
    changesOf: () => undefined,
    authenticate: (request) => people[Number(request.headers.get("x-person") ?? "-1")],
    ...options,
  });
  const ask = async (person: number, route: string, body?: unknown) => {
    const [method = "", path = ""] = route.split(" ");
    const response = await handler(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "x-person": String(person), host: "localhost", "content-type": "application/json" },
        ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
        signal: AbortSignal.timeout(300),
      }),
    );
    const text = await response.text().catch(() => "a stream without an end");
    return { status: response.status, text };
  };
  const own = async (person: number, input = "feed the zebra"): Promise<string> => {
    const { text } = await ask(person, "POST /sessions", { input });
    return (JSON.parse(text) as { session: string }).session;
  };
  return { store, ask, own };
}

/** A request to each route about a session, with a body that the route takes. */
const requests = [routes, statsRoutes, pageRoutes, changesRoutes, chatRoutes].flatMap(Object.keys).flatMap((route) => {
  const bodies: Readonly<Record<string, (id: string) => unknown>> = {
    "POST /sessions/:id/runs": () => ({ input: "more" }),
    "POST /sessions/:id/approvals": () => ({ callId: "c", digest: "d", allowed: true }),
    "POST /chat": (id) => ({ id, messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }] }),
    "POST /agui": (id) => agui(id),
    "POST /agui/:id": (id) => agui(id),
  };
  if (["GET /agents", "GET /sessions", "POST /sessions", "GET /stats"].includes(route)) return [];
  const path = (id: string): string =>
    route.replace(":id", route.includes("agui") ? "worker" : encodeURIComponent(id)).replace(":seq", "0");
  return [{ route, path, body: bodies[route] ?? (() => ({})) }];
});

function agui(threadId: string): unknown {
  return {
    ...{ threadId, runId: "r", tools: [], context: [], state: {}, forwardedProps: {} },
    messages: [{ id: "m", role: "user", content: "hi" }],
  };
}

test("each route about a session was tried", () => {
  expect(requests.length).toBeGreaterThanOrEqual(22);
});

test.each(requests)("$route answers about another's session as about none", async ({ path, body }) => {
  for (const [owner, other] of [
    [0, 1],
    [0, 3],
    [4, 2],
  ] as const) {
    const { store, ask, own } = made([[call("pay", {})], [call("pay", {})], [call("pay", {})]]);
    const session = await own(owner);
    await expect
      .poll(async () => (await openSession({ store, id: session }).toJSON()).records.at(-1)?.type)
      .toBe("outcome");
    const before = await openSession({ store, id: session }).toJSON();
    const none = crypto.randomUUID();
    const [about, aboutNone] = [
      await ask(other, path(session), body(session)),
      await ask(other, path(none), body(none)),
    ];
    expect(plain(about, session)).toEqual(plain(aboutNone, none));
    expect(about.text).not.toContain("zebra");
    expect(await openSession({ store, id: session }).toJSON()).toEqual(before);
  }
});

/** An answer without the id that was asked for, and without times and random ids. */
function plain({ status, text }: { status: number; text: string }, id: string): unknown {
  const words = text.replaceAll(id, "ID").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID");
  const keys = words.replace(/\/[0-9a-z]+\/(?=\d+\/)/g, "/LIFE/");
  return { status, text: keys.replace(/\d{13}/g, "TIME").replace(/"cursor":"[^"]*"|^id: .*$/gm, "CURSOR") };
}

test("a list has one's own sessions, and the owner stands in the session", async () => {
  const { store, ask, own } = made([[call("pay", {})], [call("pay", {})], [call("pay", {})]]);
  const sessions = [await own(0), await own(1), await own(3)];
  for (const [index, person] of [0, 1, 3].entries()) {
    const { text } = await ask(person, "GET /sessions");
    const listed = (JSON.parse(text) as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
    expect(listed).toEqual([sessions[index]]);
  }
  expect(await openSession({ store, id: sessions[2]! }).about()).toEqual({
    agent: "worker",
    owner: { id: "ann", tenant: "initech" },
  });
});

test("numbers over all sessions are of one's own sessions", async () => {
  const { ask, own } = made([[call("pay", {})], [call("pay", {})], [call("pay", {})]]);
  for (const person of [0, 0, 3]) await own(person);
  for (const [person, number] of [
    [0, 2],
    [1, 0],
    [3, 1],
  ] as const)
    expect(JSON.parse((await ask(person, "GET /stats")).text)).toMatchObject({ of: number });
});

test("who asks and who approves stand in the journal", async () => {
  const { store, ask, own } = made([[call("pay", {})], [call("task_completion", { result: "paid" })]]);
  const session = await own(0);
  const records = async () => (await openSession({ store, id: session }).toJSON()).records;
  await expect.poll(async () => (await records()).at(-1)?.type).toBe("outcome");
  const parked = (await records()).find((record) => record.type === "parked")!;
  const { callId, digest } = parked as { callId: string; digest: string };
  const yes = await ask(0, `POST /sessions/${session}/approvals`, { callId, digest, allowed: true });
  expect(yes.status).toBe(202);
  await expect.poll(async () => (await records()).at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  expect((await records()).flatMap((record) => ("by" in record ? [[record.type, record.by]] : []))).toEqual([
    ["input", people[0]],
    ["approval", people[0]],
    ["claim", "task_completion"],
  ]);
});

test("two who choose one name for a chat have two sessions", async () => {
  const { store, ask } = made([[call("task_completion", { result: "a" })], [call("task_completion", { result: "b" })]]);
  const chat = { id: "my-chat", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "mine" }] }] };
  await Promise.all([ask(0, "POST /chat", chat), ask(1, "POST /chat", chat)]);
  expect(await store.list()).toHaveLength(2);
  for (const person of [0, 1]) expect((await ask(person, "GET /chat/my-chat/messages")).text).toContain("mine");
  expect((await ask(2, "GET /chat/my-chat/messages")).text).not.toContain("mine");
});

test("two tabs of one person begin one session", async () => {
  const { store, ask } = made([[call("task_completion", { result: "a" })], [call("task_completion", { result: "b" })]]);
  const posts = ["one", "two", "three"].map((input) => ask(0, "POST /sessions/mine/runs", { input, inputId: input }));
  expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(await store.list()).toHaveLength(1);
});

test("a session without an owner belongs to the role that is named, and to nobody without one", async () => {
  const operator: Principal = { id: "op", roles: ["operator"] };
  for (const unowned of ["operator", undefined]) {
    const { store, ask } = made([[call("task_completion", { result: "a" })]], {
      authenticate: () => operator,
      unowned,
    });
    const agent = createAgent({
      model: scriptedModel([[call("task_completion", { result: "alone" })]]),
      tools: [taskCompletion()],
    });
    await agent.run("by the command", { session: openSession({ store, id: "old" }) });
    expect((await ask(0, "GET /sessions/old")).status).toBe(unowned === undefined ? 404 : 200);
    expect((await ask(0, "GET /sessions")).text.includes("by the command")).toBe(unowned !== undefined);
  }
});

test("an agent that nobody knows is refused before anything is kept", async () => {
  const { store, ask } = made([]);
  const posts = ["POST /sessions", "POST /sessions/mine/runs"];
  for (const route of posts) expect((await ask(0, route, { input: "go", agent: "nobody" })).status).toBe(409);
  expect(await store.list()).toEqual([]);
});

test("a damaged session is nobody's, and hides no other session of a list", async () => {
  const { store, ask, own } = made([[call("pay", {})]]);
  const session = await own(0);
  const lock = await store.lock("damaged", newHolder());
  if (!("append" in lock)) throw new Error("held");
  await lock.append(["{no header", "and no record"], true);
  await lock.release();
  const { status, text } = await ask(0, "GET /sessions");
  expect([status, text.includes(session), text.includes("damaged")]).toEqual([200, true, false]);
  expect((await ask(0, "GET /sessions/damaged")).status).toBe(404);
});

test("a reader looks and forks, and uses nothing", async () => {
  const { store, ask, own } = made([[call("pay", {})]], {
    mayRead: ({ tenant }, { owner }) => tenant === owner.tenant,
  });
  const session = await own(0);
  await expect
    .poll(async () => (await openSession({ store, id: session }).toJSON()).records.at(-1)?.type)
    .toBe("outcome");
  expect((await ask(1, `GET /sessions/${session}`)).status).toBe(200);
  expect((await ask(3, `GET /sessions/${session}`)).status).toBe(404);
  for (const [route, body] of [
    ["runs", { input: "more" }],
    ["approvals", { callId: "c", digest: "d", allowed: true }],
    ["resume", {}],
    ["abort", {}],
  ] as const)
    expect((await ask(1, `POST /sessions/${session}/${route}`, body)).status).toBe(403);
  const { status, text } = await ask(1, `POST /sessions/${session}/fork`, {});
  expect(status).toBe(201);
  const copy = (JSON.parse(text) as { session: string }).session;
  expect(await openSession({ store, id: copy }).about()).toMatchObject({ owner: { id: "ben", tenant: "acme" } });
  const chat = { id: session, messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }] };
  expect((await ask(1, "POST /chat", chat)).status).toBe(409);
});

test("a caller that authenticate does not know, or names wrongly, gets nothing", async () => {
  const { ask } = made([]);
  expect((await ask(17, "GET /sessions")).status).toBe(401);
  const wrong = made([], { authenticate: () => ({ id: "" }) });
  await expect(wrong.ask(0, "GET /sessions")).rejects.toThrow(
    "The principal that authenticate returned has no usable id",
  );
});

test("who aborts stands in the journal", async () => {
  const waits = tool({
    name: "waits",
    description: "Waits for the end of the run.",
    input: { type: "object", properties: {} },
    effect: "write",
    run: (_input, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          resolve("over");
        });
      }),
  });
  const agent = createAgent({
    model: scriptedModel([[call("waits", {})]]),
    tools: [waits, taskCompletion()],
    permission: () => true,
  });
  const { store, ask, own } = made([], { agents: { worker: agent } });
  const session = await own(0);
  const records = async () => (await openSession({ store, id: session }).toJSON()).records;
  await expect.poll(async () => (await records()).at(-1)?.type).toBe("intent");
  expect((await ask(0, `POST /sessions/${session}/abort`, { reason: "enough\u001f{}" })).status).toBe(202);
  await expect.poll(async () => (await records()).at(-1)?.type).toBe("outcome");
  const last = (await records()).at(-1)!;
  expect(last).toMatchObject({ status: "aborted", by: people[0] });
  expect(recordWords(last)).toMatchObject({ label: "aborted by ann of acme" });
});

test("an abort of a run whose process died has its giver, over any engine that keeps texts", async () => {
  const reason = stopReason(stopText("enough", people[1]));
  expect([reason.message, (reason as { by?: unknown }).by]).toEqual(["enough", people[1]]);
  const cut = stopReason(stopText("enough", people[1]).slice(0, 12));
  expect([cut.message, "by" in cut]).toEqual(["enough", false]);
  expect("by" in stopReason(stopText('enough\u001f{"id":"eve"}', undefined))).toBe(false);
  const { store, own } = made([[call("pay", {})]]);
  const session = await own(0);
  await expect
    .poll(async () => (await openSession({ store, id: session }).toJSON()).records.at(-1)?.type)
    .toBe("outcome");
  const left = await openSession({ store, id: session }).lease();
  const { seq } = left!.records.at(-1)!;
  await left!.append({ type: "resume", seq: seq + 1, at: Date.now() });
  await left!.release();
  const agents = { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };
  const { host } = createHandler({ agents, store, readOnly: true });
  expect(await host.abort(session, "gone", people[1])).toBe(true);
  expect((await openSession({ store, id: session }).toJSON()).records.at(-1)).toMatchObject({
    ...{ type: "outcome", status: "aborted", by: people[1] },
  });
});
