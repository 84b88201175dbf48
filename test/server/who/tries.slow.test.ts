// Tries: three people in each of two tenants try to list, read, stream, answer, approve, steer, abort, fork and export the sessions of
// others, over HTTP, useChat, AG-UI and MCP. No try succeeds, and no try tells that there is a session.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAgent, tool, type JournalRecord, type Principal } from "../../../src/index.js";
import { mcpHandler } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, serve, type ChangesOf, type Handler, type Server } from "../../../src/server/index.js";
import { changesRoutes } from "../../../src/server/http/changes-routes.js";
import { chatRoutes } from "../../../src/server/http/chat-routes.js";
import { pageRoutes } from "../../../src/server/http/page-routes.js";
import { routes } from "../../../src/server/http/routes.js";
import { statsRoutes } from "../../../src/server/http/stats-routes.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { pay, people } from "./two-tenants.js";

const wait = tool({
  name: "wait",
  description: "Waits until the run is aborted.",
  input: { type: "object", properties: {} },
  effect: "read",
  run: (_input, { signal }) =>
    new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve("aborted");
      });
    }),
});

const agent = createAgent({
  model: scriptedModel(({ lastText }) => {
    if (lastText.includes("wait")) return [call("wait", {})];
    if (lastText.includes("ask")) return [call("ask_question", { question: "Which zebra?" })];
    return lastText.includes("paid") ? [call("task_completion", { result: "done" })] : [call("pay", {})];
  }),
  tools: [pay, wait, askQuestion(), taskCompletion()],
  permission: {
    decide: ({ name }, { approval }) =>
      name !== "pay" ? { allowed: true, reason: "harmless" } : (approval ?? { later: true, reason: "money" }),
  },
});

const store = memoryStore();
const authenticate = (request: Request): Principal | undefined =>
  people[Number(request.headers.get("x-person") ?? "9")];

/** A workspace that every session has changed. */
const changesOf: ChangesOf = () => ({
  changed: () => ["zebra.txt"],
  undone: () => [],
  diff: () => "zebra",
  isAtWork: async () => false,
  undo: async () => ({ zebra: "undone" }) as never,
  redo: async () => ({ zebra: "redone" }) as never,
});

let handler: Handler;
let server: Server;

/** The sessions of each person, in the order of the people. */
let owned: readonly Owned[];

interface Owned {
  readonly parked: string;
  readonly busy: string;
  readonly chat: string;
  readonly thread: string;
  readonly served: string;
  /** The request with which the official client answers the question of `served`, with its signed state. */
  readonly signed: { readonly body: string; readonly headers: Headers };
}

beforeAll(async () => {
  handler = createHandler({ agents: { worker: agent }, store, authenticate, changesOf });
  const mcp = mcpHandler({
    agents: { worker: { description: "Works.", agent } },
    sessions: (id, about) => openSession({ store, id, about }),
    authenticate,
  });
  server = await serve((request) => (new URL(request.url).pathname === "/mcp" ? mcp(request) : handler(request)));
  owned = await Promise.all(people.map((_, person) => begin(person)));
});

afterAll(async () => {
  await handler.close({ timeout: 100 });
  await server.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Asks as the person, and reads until the end, or for a while if the answer is a stream without an end. */
async function ask(
  person: number,
  route: string,
  body?: unknown,
  more: Readonly<Record<string, string>> | Headers = {},
): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const headers = new Headers(more);
  headers.set("x-person", String(person));
  headers.set("content-type", "application/json");
  const stop = new AbortController();
  const response = await fetch(new URL(path, server.url), {
    method,
    headers,
    signal: stop.signal,
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body ?? {}) }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const timer = setTimeout(
    () => {
      stop.abort();
    },
    isStream ? 150 : 10_000,
  );
  let text = "";
  try {
    const decoder = new TextDecoder();
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) text += decoder.decode(piece);
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  const { date: _date, ...kept } = Object.fromEntries(response.headers);
  return { status: response.status, headers: kept, text };
}

async function recordsOf(id: string): Promise<readonly JournalRecord[]> {
  return (await openSession({ store, id }).toJSON()).records;
}

async function untilLast(id: string, type: JournalRecord["type"]): Promise<void> {
  await vi.waitUntil(async () => (await recordsOf(id)).at(-1)?.type === type, { timeout: 10_000 });
}

/** Begins a session of each kind. The words have the number of their person. */
async function begin(person: number): Promise<Owned> {
  const words = (what: string): string => `${what} for the zebra of ${String(person)}`;
  const attachments = [{ data: btoa("a zebra"), mediaType: "text/plain", name: "zebra.txt" }];
  const made = async (body: object): Promise<string> =>
    (JSON.parse((await ask(person, "POST /sessions", body)).text) as { session: string }).session;
  const [parked, busy] = [await made({ input: words("pay"), attachments }), await made({ input: words("wait") })];
  const [chat, thread] = [crypto.randomUUID(), crypto.randomUUID()];
  await ask(person, "POST /chat", chatOf(chat, words("pay")));
  await ask(person, "POST /agui", aguiOf(thread, words("pay")));
  const { session: served, ...signed } = await askOverMcp(person, words("ask"));
  const all = (await store.list()).map(({ id }) => id);
  const kept = (name: string): string => all.find((id) => id.endsWith(`.${name}`)) ?? "";
  for (const id of [parked, kept(chat), kept(thread), served]) await untilLast(id, "outcome");
  await vi.waitUntil(async () => (await recordsOf(busy)).some(({ type }) => type === "reply"), { timeout: 10_000 });
  return { parked, busy, chat: kept(chat), thread: kept(thread), served, signed };
}

/** Asks the agent over MCP with the official client, and keeps its answer to the question back. */
async function askOverMcp(person: number, task: string): Promise<Owned["signed"] & { readonly session: string }> {
  const sent: Owned["signed"][] = [];
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", server.url), {
    requestInit: { headers: { "x-person": String(person) } },
    fetch: async (url, init) => {
      const body = typeof init?.body === "string" ? init.body : "";
      if (!body.includes("inputResponses")) return fetch(url, init);
      sent.push({ body, headers: new Headers(init?.headers) });
      throw new Error("kept back");
    },
  });
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler(
    "elicitation/create",
    async () => ({ action: "accept", content: { answer: "pay" } }) as never,
  );
  await client.connect(transport);
  await client.callTool({ name: "worker", arguments: { task } }).catch(() => undefined);
  await client.close();
  const mine = (await store.list()).map(({ id }) => id).filter((id) => id.startsWith("mcp-worker-"));
  for (const session of mine)
    if (JSON.stringify(await recordsOf(session)).includes(task)) return { ...sent[0]!, session };
  throw new Error("The agent asked nothing over MCP.");
}

function chatOf(id: string, text: string): object {
  return { id, messages: [{ id: "m", role: "user", parts: [{ type: "text", text }] }] };
}

function aguiOf(threadId: string, content: string, resume?: object): object {
  const messages = [{ id: "m2", role: "user", content }];
  const rest = { runId: "r", tools: [], context: [], state: {}, forwardedProps: {} };
  return { threadId, ...rest, messages: resume === undefined ? messages : [], ...(resume && { resume: [resume] }) };
}

interface Parked {
  readonly callId: string;
  readonly digest: string;
  readonly seq: number;
}

/** A way to touch a session: a route, the kind of session, and a body that its owner would send. */
interface Way {
  readonly kind: "HTTP" | "useChat" | "AG-UI" | "MCP";
  readonly does: string;
  readonly route: string;
  readonly of: "parked" | "busy" | "chat" | "thread" | "served";
  readonly body?: (id: string, asked: Parked) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const callOver = (session: string, task: string): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "worker", arguments: { task, session } },
});
const plainMcp = { accept: "application/json, text/event-stream" };

/** First the ways that begin nothing: afterwards the name of another's session stands for a session of one's own. */
const ways: readonly Way[] = [
  ...["", "/records", "/records/0", "/prompt/1", "/events", "/stats", "/page", "/changes"].map((part): Way => ({
    kind: "HTTP",
    does: `read${part}`,
    route: `GET /sessions/:id${part}`,
    of: "parked",
  })),
  { kind: "HTTP", does: "export a file", route: "GET /sessions/:id/attachments/:digest", of: "parked" },
  { kind: "HTTP", does: "stream a run at work", route: "GET /sessions/:id/events", of: "busy" },
  { kind: "HTTP", does: "read a chat", route: "GET /sessions/:id/records", of: "chat" },
  { kind: "HTTP", does: "read a thread", route: "GET /sessions/:id/records", of: "thread" },
  { kind: "HTTP", does: "read a served session", route: "GET /sessions/:id/records", of: "served" },
  { kind: "HTTP", does: "abort", route: "POST /sessions/:id/abort", of: "busy" },
  { kind: "HTTP", does: "fork", route: "POST /sessions/:id/fork", of: "parked" },
  { kind: "HTTP", does: "fork at a record", route: "POST /sessions/:id/fork", of: "parked", body: () => ({ at: 1 }) },
  { kind: "HTTP", does: "undo", route: "POST /sessions/:id/undo", of: "parked" },
  { kind: "HTTP", does: "redo", route: "POST /sessions/:id/redo", of: "parked" },
  { kind: "HTTP", does: "resume", route: "POST /sessions/:id/resume", of: "busy" },
  {
    ...{ kind: "HTTP", does: "approve", route: "POST /sessions/:id/approvals", of: "parked" },
    body: (_id, { callId, digest }) => ({ callId, digest, allowed: true }),
  },
  {
    ...{ kind: "HTTP", does: "answer", route: "POST /sessions/:id/runs", of: "served" },
    body: (id, { callId }) => ({ input: "pay", answers: `${callId.replace("parked", id)}/ask:0` }),
  },
  { kind: "useChat", does: "read", route: "GET /chat/:id/messages", of: "chat" },
  { kind: "useChat", does: "read another session", route: "GET /chat/:id/messages", of: "parked" },
  { kind: "useChat", does: "stream", route: "GET /chat/:id/stream", of: "busy" },
  { kind: "useChat", does: "stop", route: "POST /chat/:id/stop", of: "busy" },
  {
    ...{ kind: "useChat", does: "approve", route: "POST /chat", of: "chat" },
    body: (id, { callId, digest, seq }) => {
      const approval = { id: `${String(seq)}.${digest}`, approved: true };
      const parts = [{ type: "tool-pay", toolCallId: callId, state: "approval-responded", approval }];
      return { id, messages: [{ id: "reply:m", role: "assistant", parts }] };
    },
  },
  {
    ...{ kind: "useChat", does: "answer", route: "POST /chat", of: "served" },
    body: (id, { callId }) => {
      const parts = [{ type: "tool-ask_question", toolCallId: callId, state: "output-available", output: "pay" }];
      return { id, messages: [{ id: "reply:m", role: "assistant", parts }] };
    },
  },
  {
    ...{ kind: "useChat", does: "go on", route: "POST /chat", of: "busy" },
    body: (id) => ({ id, messages: [], trigger: "regenerate-message" }),
  },
  {
    ...{ kind: "AG-UI", does: "approve", route: "POST /agui", of: "thread" },
    body: (id, { callId, digest }) =>
      aguiOf(id, "", { interruptId: `${callId}@${digest}`, status: "resolved", payload: { approved: true } }),
  },
  {
    ...{ kind: "AG-UI", does: "refuse", route: "POST /agui/worker", of: "parked" },
    body: (id, { callId, digest }) => aguiOf(id, "", { interruptId: `${callId}@${digest}`, status: "cancelled" }),
  },
  ...(["parked", "busy", "chat", "thread", "served"] as const).map((of): Way => ({
    ...{ kind: "MCP", does: `go on with ${of}`, route: "POST /mcp", of },
    body: (id) => callOver(id, "pay"),
    headers: plainMcp,
  })),
  { kind: "HTTP", does: "steer", route: "POST /sessions/:id/runs", of: "busy", body: () => ({ input: "pay" }) },
  { kind: "HTTP", does: "give words", route: "POST /sessions/:id/runs", of: "parked", body: () => ({ input: "pay" }) },
  { kind: "useChat", does: "say", route: "POST /chat", of: "chat", body: (id) => chatOf(id, "pay") },
  { kind: "AG-UI", does: "say", route: "POST /agui", of: "thread", body: (id) => aguiOf(id, "pay") },
  { kind: "AG-UI", does: "steer", route: "POST /agui/worker", of: "served", body: (id) => aguiOf(id, "pay") },
];

/** For each owner, somebody of the same tenant and somebody of the other. */
const pairs = people.flatMap((_, owner) =>
  [people[owner]!.tenant, undefined].map((tenant) => {
    const others = [1, 2, 3, 4, 5].map((step) => (owner + step) % people.length);
    const isSame = (other: number): boolean => people[other]!.tenant === people[owner]!.tenant;
    return { owner, other: others.find((other) => isSame(other) === (tenant !== undefined))! };
  }),
);

test("the table has each route about a session, and 200 tries or more", () => {
  const known = [routes, statsRoutes, pageRoutes, changesRoutes, chatRoutes].flatMap((group) => Object.keys(group));
  const tried = new Set(ways.map(({ route }) => shapeOf(route)));
  const untold = ["GET /agents", "GET /sessions", "POST /sessions", "GET /stats"];
  expect(known.filter((route) => !tried.has(shapeOf(route)) && !untold.includes(route))).toEqual([]);
  expect(ways.length * pairs.length).toBeGreaterThanOrEqual(200);
  expect(new Set(ways.map(({ kind }) => kind)).size).toBe(4);
});

function shapeOf(route: string): string {
  return route.replace(/:digest|:seq|(?<=records\/|prompt\/)\d+/, ":seq").replace("/agui/worker", "/agui/:id");
}

const digestOfFile = /"digest":"([0-9a-f]{64})"/;

/** One way against one session, with the body that its owner would send, for this id. */
async function tried(way: Way, { by, session, id }: { by: number; session: string; id: string }): Promise<Answer> {
  const records = await recordsOf(session);
  const asked = records.findLast(({ type }) => type === "parked" || type === "question");
  const { callId = "none", digest = "0".repeat(64), seq = 0 } = (asked ?? {}) as Partial<Parked>;
  const body = way.body?.(id, { callId: callId.replaceAll(session, id), digest, seq });
  const file = digestOfFile.exec(JSON.stringify(records[0]))?.[1] ?? "0".repeat(64);
  const path = way.route.replace(":id", encodeURIComponent(id)).replace(":digest", file);
  return ask(by, path, body, way.headers);
}

/** A name of no session, of the form that the session's name has. */
function noneLike(session: string): string {
  return session.replace(/[0-9a-f]{8}-[0-9a-f-]{27}$/, crypto.randomUUID());
}

/** An answer without the id that was asked for, and without random ids and times. */
function plain({ status, headers, text }: Answer, id: string): unknown {
  const words = text.replaceAll(id, "ID").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID");
  const keys = words.replace(/\/[0-9a-z]+\/(?=\d+\/)/g, "/LIFE/").replace(/\d{13}/g, "TIME");
  const { "content-length": _length, ...rest } = headers;
  return { status, headers: rest, text: keys.replace(/"cursor":"[^"]*"|^id: .*$/gm, "CURSOR") };
}

describe.each(pairs)("person $other at the sessions of person $owner", ({ owner, other }) => {
  const nones: Record<string, string> = {};
  test.each(ways)("$kind: $does", async (way) => {
    const session = owned[owner]![way.of];
    const before = [await openSession({ store, id: session }).toJSON(), await store.messages(session)];
    const none = (nones[way.of] ??= noneLike(session));
    const about = await tried(way, { by: other, session, id: session });
    const aboutNone = await tried(way, { by: other, session, id: none });
    expect(plain(about, session)).toEqual(plain(aboutNone, none));
    expect(about.text).not.toContain("zebra");
    expect([await openSession({ store, id: session }).toJSON(), await store.messages(session)]).toEqual(before);
  });

  test("MCP: answer with the signed state of another's question", async () => {
    const { served, signed } = owned[owner]!;
    const before = await openSession({ store, id: served }).toJSON();
    const { status, text } = await ask(other, "POST /mcp", signed.body, signed.headers);
    expect([status, text.includes("There is no session"), text.includes("zebra")]).toEqual([200, true, false]);
    expect(await openSession({ store, id: served }).toJSON()).toEqual(before);
  });

  test("HTTP: a list and the numbers have nothing of another's", async () => {
    for (const route of ["GET /sessions?limit=200", "GET /stats"]) {
      const { status, text } = await ask(other, route);
      expect([status, text.includes(`zebra of ${String(owner)}`)]).toEqual([200, false]);
      for (const id of Object.values(owned[owner]!)) expect(text).not.toContain(`"id":"${String(id)}"`);
    }
  });
});

test("a look at another's session is as much work for the store as a look at none", async () => {
  const counted = { calls: 0 };
  const counting = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        counted.calls += 1;
        return (value as (...given: unknown[]) => unknown).apply(target, given);
      };
    },
  });
  const own = createHandler({ agents: { worker: agent }, store: counting, authenticate, readOnly: true });
  const look = async (path: string): Promise<number> => {
    counted.calls = 0;
    const headers = { "x-person": "1", host: "localhost" };
    await (await own(new Request(`http://localhost${path}`, { headers }))).text();
    return counted.calls;
  };
  const { parked } = owned[0]!;
  await look("/sessions");
  for (const part of ["", "/records", "/stats", "/page", "/prompt/1"]) {
    const [about, aboutNone] = [
      await look(`/sessions/${parked}${part}`),
      await look(`/sessions/${crypto.randomUUID()}${part}`),
    ];
    expect(Math.abs(about - aboutNone)).toBeLessThanOrEqual(1);
  }
  await own.close();
});

test("the owner succeeds with what others tried", async () => {
  const failed: string[] = [];
  for (const way of ways.filter(({ route }) => route.startsWith("GET"))) {
    const session = owned[0]![way.of];
    const { status, text } = await tried(way, { by: 0, session, id: session });
    if (status !== 200 || text === "") failed.push(`${way.route} ${String(status)} ${text}`);
  }
  expect(failed).toEqual([]);
  const { signed, parked, busy, chat, thread, served } = owned[0]!;
  const answered = await ask(0, "POST /mcp", signed.body, signed.headers);
  expect([answered.status, answered.text.includes(served)]).toEqual([200, true]);
  const inputs = (await recordsOf(served)).filter((record) => record.type === "input");
  expect(inputs.map(({ by }) => by)).toEqual([people[0], people[0]]);
  for (const [does, kind, session] of [
    ["approve", "HTTP", parked],
    ["approve", "useChat", chat],
    ["approve", "AG-UI", thread],
    ["steer", "HTTP", busy],
    ["abort", "HTTP", busy],
    ["fork", "HTTP", busy],
  ]) {
    const way = ways.find((one) => one.does === does && one.kind === kind)!;
    const { status } = await tried(way, { by: 0, session: session!, id: session! });
    expect([does, kind, Math.floor(status / 100)]).toEqual([does, kind, 2]);
  }
  for (const session of [parked, chat, thread])
    await expect.poll(async () => (await recordsOf(session)).at(-1)).toMatchObject({ status: "completed" });
});
