// openapi.json beside the handler: each route and each status of the one is in the other, and answers are as the document says.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Validator, type Schema } from "@cfworker/json-schema";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type Agent } from "../../src/index.js";
import { memoryStore, type Store } from "../../src/memory/index.js";
import { createHandler, serve, type HandlerOptions } from "../../src/server/index.js";
import { chatRoutes, chatStreaming } from "../../src/server/http/chat-routes.js";
import { changesRoutes } from "../../src/server/http/changes-routes.js";
import { routes, streaming } from "../../src/server/http/routes.js";
import { pageRoutes } from "../../src/server/http/page-routes.js";
import { statsRoutes } from "../../src/server/http/stats-routes.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion, workspaceChanges } from "../../src/tools/index.js";
import "../dist.js";

type Content = Readonly<Record<string, { readonly schema: Schema; readonly "x-event-data"?: Schema }>>;
interface Answer {
  readonly content?: Content;
}
interface Operation {
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
  readonly parameters?: readonly ({ readonly in: string; readonly name: string } | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
}

const root = resolve(import.meta.dirname, "../..");
const document = JSON.parse(readFileSync(resolve(root, "openapi.json"), "utf8")) as {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** The operations by method and path, such as `GET /sessions/{id}`. */
const operations = new Map<string, Operation>(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
);

/** The value, or the part of the document that it refers to. */
function resolved<Value extends object>(value: Value | { readonly $ref: string }): Value {
  if (!("$ref" in value)) return value;
  const [, , part = "", name = ""] = value.$ref.split("/");
  return document.components[part]?.[name] as Value;
}

function problemsOf(schema: Schema, value: unknown): readonly string[] {
  const { errors } = new Validator({ ...schema, components: document.components }, "2020-12", false).validate(value);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

const answersOf = (name: string): Operation["responses"] => operations.get(name)?.responses ?? {};

/** The statuses that answers have had, such as `GET /sessions/{id} 200`. */
const seen = new Set<string>();

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The query, with its question mark. */
  readonly query?: string;
  /** Reads a stream up to these words. Default: to its end. */
  readonly until?: string;
}

/** Asks, and holds the answer against the document. */
async function ask(url: string, name: string, ids: readonly string[] = [], asked: Asked = {}): Promise<never> {
  const [method = "", path = ""] = name.split(" ");
  const { body, headers = {}, query = "", until } = asked;
  const left = [...ids];
  const address = path.replace(/\{\w+\}/g, () => left.shift() ?? "none") + query;
  const stop = new AbortController();
  const response = await fetch(new URL(address, url), {
    method,
    headers: { ...(method === "POST" && { "content-type": "application/json" }), ...headers },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body ?? {}) }),
    signal: stop.signal,
  });
  const { status } = response;
  const at = `${name} ${String(status)}`;
  seen.add(at);
  const known = answersOf(name)[String(status)];
  const text = await textOf(response, until, stop);
  expect(known, `${at}: ${text.slice(0, 300)}`).toBeDefined();
  const { content } = resolved<Answer>(known ?? {});
  if (content === undefined) {
    expect(text).toBe("");
    return undefined as never;
  }
  const type = response.headers.get("content-type") ?? "";
  const listed = content[type] ?? content[type.replace(/;.*/, "")] ?? content["*/*"];
  expect(listed, `${at} as ${type}`).toBeDefined();
  const request = operations.get(name)?.requestBody?.content["application/json"]?.schema;
  if (request !== undefined && status < 300) expect(problemsOf(request, body ?? {}), `the body of ${at}`).toEqual([]);
  if (type.startsWith("application/json")) {
    const value: unknown = JSON.parse(text);
    expect(problemsOf(listed!.schema, value), `${at}: ${text.slice(0, 300)}`).toEqual([]);
    return value as never;
  }
  const data = listed?.["x-event-data"];
  if (data !== undefined) {
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, event = ""]) => event);
    expect(events.length, at).toBeGreaterThan(0);
    for (const event of events)
      expect(problemsOf(data, event === "[DONE]" ? event : JSON.parse(event)), `${at}: ${event.slice(0, 300)}`).toEqual(
        [],
      );
  }
  return text as never;
}

async function textOf({ body }: Response, until: string | undefined, stop: AbortController): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (until !== undefined && text.includes(until)) break;
  }
  stop.abort();
  return text;
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pay = tool({
  name: "pay",
  description: "Pays",
  effect: "write",
  input: z.object({ cents: z.int() }),
  preview: ({ cents }) => `Pays ${String(cents)} cents`,
  run: ({ cents }) => `paid ${String(cents)}`,
});

/** Does as the last words say. */
function agentFor(): Agent {
  const model = scriptedModel(({ lastText }) => {
    if (lastText.includes("ask")) return [call("ask_question", { question: "Which?", suggestions: ["a", "b"] })];
    if (lastText.includes("pay")) return [call("pay", { cents: 900 })];
    if (lastText.includes("fail")) return { status: 401 };
    if (lastText.includes("slow")) return { delay: 60_000, calls: [call("task_completion", { result: "Slow." })] };
    return { text: "I am done.", calls: [call("task_completion", { result: "Done." })] };
  });
  const permission = (): { later: true; reason: string } => ({ later: true, reason: "it pays" });
  return createAgent({ model, tools: [pay, askQuestion(), taskCompletion()], permission }) as Agent;
}

/** A workspace, and the folder of its changes. */
const place = mkdtempSync(join(tmpdir(), "lastcall-openapi-"));
const workspace = mkdtempSync(join(place, "work-"));
const changes = workspaceChanges({ root: workspace, folder: mkdtempSync(join(place, "changes-")) });
afterAll(() => {
  rmSync(place, { recursive: true });
});

async function serving(options: Partial<HandlerOptions> = {}): Promise<{ url: string; close: () => Promise<void> }> {
  const handler = createHandler({
    agents: { worker: agentFor() },
    store: memoryStore(),
    studio: true,
    changesOf: () => changes,
    ...options,
  });
  const server = await serve(handler);
  const close = async (): Promise<void> => {
    await handler.close({ timeout: 100 });
    await server.close();
  };
  return { url: server.url, close };
}

/** A server for one test. */
async function servingHere(options: Partial<HandlerOptions> = {}): Promise<string> {
  const { url, close } = await serving(options);
  onTestFinished(close);
  return url;
}

let url = "";
let close = (): Promise<void> => Promise.resolve();
beforeAll(async () => {
  ({ url, close } = await serving());
});
afterAll(() => close());

/** Gives words to a session, and waits for the end of the run. */
async function say(session: string, input: string): Promise<void> {
  await ask(url, "POST /sessions/{id}/runs", [session], { body: { input } });
  await ask(url, "GET /sessions/{id}/events", [session], { until: '"type":"outcome"' });
}

const wrongId = "a%00b"; // a control character

test("the document has the routes of the handler, and no others", () => {
  const known = [
    ...Object.keys({ ...routes, ...statsRoutes, ...pageRoutes, ...changesRoutes, ...chatRoutes }),
    "GET /health/live",
    "GET /health/ready",
    "GET /studio/",
  ];
  const plain = (name: string): string => name.replace(/:\w+|\{\w+\}/g, "*").replace("/studio/*", "/studio/");
  expect([...operations.keys()].map(plain).sort()).toEqual(known.map(plain).sort());
  const streams = [...operations].filter(([, { responses }]) => {
    const { content = {} } = resolved<Answer>(responses["200"] ?? {});
    return "text/event-stream" in content;
  });
  expect(streams.map(([name]) => plain(name)).sort()).toEqual([...streaming, ...chatStreaming].map(plain).sort());
});

test("its version is the package's, and each parameter of a path is described", () => {
  const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as { version: string };
  expect(document.info.version).toBe(version);
  for (const [name, { parameters = [] }] of operations) {
    const named = parameters.map((one) => resolved<{ readonly in: string; readonly name: string }>(one));
    const inPath = named.filter((one) => one.in === "path").map((one) => `{${one.name}}`);
    expect(inPath, name).toEqual(name.match(/\{\w+\}/g) ?? []);
  }
});

describe("sessions", () => {
  test("agents and the list", async () => {
    expect(await ask(url, "GET /agents")).toEqual({ agents: ["worker"], readOnly: false, changes: true });
    await ask(url, "POST /sessions", [], { body: { input: "go", inputId: "one", agent: "worker" } });
    await ask(url, "POST /sessions", [], { body: { input: " " } });
    await ask(url, "POST /sessions", [], { body: { input: "go", agent: "nobody" } });
    await ask(url, "GET /sessions", [], { query: "?limit=2" });
    await ask(url, "GET /sessions", [], { query: "?limit=201" });
  });

  test("a session, its records, prompts, files and frames", async () => {
    const image = { data: png, mediaType: "image/png", name: "dot.png" };
    await ask(url, "POST /sessions/{id}/runs", ["file"], { body: { input: "look", attachments: [image] } });
    await ask(url, "GET /sessions/{id}/events", ["file"], { until: '"type":"outcome"', query: "?clip=20" });
    for (const id of ["file", "none", wrongId]) await ask(url, "GET /sessions/{id}", [id]);
    const listed = "GET /sessions/{id}/records";
    const { records }: { records: { type: string; attachments?: { digest: string }[] }[] } = await ask(url, listed, [
      "file",
    ]);
    for (const query of ["?last=2", "?from=1&limit=1&clip=10", "?from=x"]) await ask(url, listed, ["file"], { query });
    for (const id of ["none", wrongId]) await ask(url, listed, [id]);
    for (const seq of ["0", "x", "999"]) await ask(url, "GET /sessions/{id}/records/{seq}", ["file", seq]);
    const reply = String(records.findIndex(({ type }) => type === "reply"));
    for (const seq of [reply, "x", "0"]) await ask(url, "GET /sessions/{id}/prompt/{seq}", ["file", seq]);
    const digest = records[0]?.attachments?.[0]?.digest ?? "";
    for (const ids of [
      ["file", digest],
      ["file", "0"],
      [wrongId, "0"],
    ])
      await ask(url, "GET /sessions/{id}/attachments/{digest}", ids);
    await ask(url, "GET /sessions/{id}/events", ["file"], { query: "?after=nothing" });
  });

  test("a question and an approval", async () => {
    await say("asks", "ask me");
    const { waiting }: { waiting: { id: string } } = await ask(url, "GET /sessions/{id}", ["asks"]);
    await ask(url, "POST /sessions/{id}/runs", ["asks"], { body: { input: "b", answers: waiting.id } });
    await ask(url, "POST /sessions/{id}/runs", ["asks"], { body: { input: "b", answers: "other" } });
    await ask(url, "POST /sessions/{id}/runs", ["asks"], { body: { input: "b", colour: "red" } });
    await say("pays", "pay me");
    await ask(url, "POST /sessions/{id}/resume", ["pays"]);
    const parked: { waiting: { id: string; approval: { digest: string } } } = await ask(url, "GET /sessions/{id}", [
      "pays",
    ]);
    const { id: callId, approval } = parked.waiting;
    const answer = { callId, digest: approval.digest, allowed: true, reason: "It is due.", always: false };
    const name = "POST /sessions/{id}/approvals";
    for (const body of [{ callId }, { ...answer, digest: "0".repeat(64) }, answer])
      await ask(url, name, ["pays"], { body });
  });

  test("going on, aborting, copying", async () => {
    await say("fails", "fail");
    for (const id of ["none", "fails"]) await ask(url, "POST /sessions/{id}/resume", [id]);
    await ask(url, "POST /sessions/{id}/resume", ["fails"], { body: { x: 1 } });
    await say("done", "go");
    await ask(url, "POST /sessions/{id}/resume", ["done"]);
    await ask(url, "POST /sessions/{id}/abort", ["done"]);
    await ask(url, "POST /sessions/{id}/abort", ["done"], { body: { reason: 1 } });
    await ask(url, "POST /sessions/{id}/runs", ["slow"], { body: { input: "slow" } });
    await ask(url, "GET /sessions/{id}/events", ["slow"], { until: '"type":"input"' });
    await ask(url, "POST /sessions/{id}/abort", ["slow"], { body: { reason: "too slow" } });
    const fork = "POST /sessions/{id}/fork";
    for (const body of [{ at: 0, to: "copy" }, { at: -1 }, { to: "copy" }]) await ask(url, fork, ["done"], { body });
    await ask(url, fork, ["none"]);
  });
});

test("changes, an undo and a redo", async () => {
  await say("changes", "go");
  const names = ["a.txt", "b.txt"];
  await changes.record("changes", names, async () => {
    for (const name of names) writeFileSync(join(workspace, name), "mine\n");
  });
  writeFileSync(join(workspace, "b.txt"), "theirs\n");
  const get = "GET /sessions/{id}/changes";
  for (const id of ["changes", "none", wrongId]) await ask(url, get, [id], { query: "?after=0&path=a.txt" });
  for (const query of ["", "?after=x"]) await ask(url, get, ["changes"], { query });
  for (const turn of ["undo", "redo"]) {
    const post = `POST /sessions/{id}/${turn}`;
    const { plan }: { plan: string } = await ask(url, post, ["changes"], { body: { dryRun: true } });
    for (const body of [{ plan: "other" }, { dryRun: "yes" }, { plan }]) await ask(url, post, ["changes"], { body });
    for (const id of ["none", wrongId]) await ask(url, post, [id]);
  }
  await ask(url, "POST /sessions/{id}/undo", ["changes"], { body: { after: -1 } });
});

test("numbers", async () => {
  await say("counted", "go");
  for (const id of ["counted", "none", wrongId]) await ask(url, "GET /sessions/{id}/stats", [id]);
  for (const id of ["counted", "none", wrongId]) await ask(url, "GET /sessions/{id}/page", [id]);
  for (const query of ["", "?limit=1", "?limit=1001"]) await ask(url, "GET /stats", [], { query });
});

test("chats", async () => {
  const message = (text: string): object => ({ id: "m1", role: "user", parts: [{ type: "text", text }] });
  const post = (id: string, text: string): Promise<never> =>
    ask(url, "POST /chat", [], { body: { id, messages: [message(text)] }, until: "[DONE]" });
  await post("chat", "go");
  await post("chat", "go, with other words");
  await ask(url, "POST /chat", [], { body: { id: "chat", messages: [] } });
  for (const id of ["chat", wrongId]) await ask(url, "GET /chat/{id}/messages", [id]);
  for (const id of ["chat", wrongId]) await ask(url, "GET /chat/{id}/stream", [id]);
  await ask(url, "POST /sessions/{id}/runs", ["slow-chat"], { body: { input: "slow" } });
  await ask(url, "GET /sessions/{id}/events", ["slow-chat"], { until: '"type":"input"' });
  await ask(url, "GET /chat/{id}/stream", ["slow-chat"], { until: "data:" });
  await ask(url, "POST /chat/{id}/stop", ["slow-chat"]);
  await ask(url, "POST /chat/{id}/stop", ["slow-chat"], { body: "[]" });
});

test("AG-UI", async () => {
  const messages = [{ id: "m1", role: "user", content: "go" }];
  await ask(url, "POST /agui", [], { body: { threadId: "agui", runId: "r1", messages, tools: [] } });
  await ask(url, "POST /agui", [], { body: {} });
  await ask(url, "POST /agui/{agent}", ["worker"], { body: { threadId: "agui-2", runId: "r1", messages } });
  await ask(url, "POST /agui/{agent}", ["worker"], { body: {} });
  await ask(url, "POST /agui/{agent}", ["nobody"], { body: {} });
});

test("health and the studio", async () => {
  await ask(url, "GET /health/live");
  await ask(url, "GET /health/ready");
  await ask(await servingHere({ store: failing(memoryStore()), readOnly: true }), "GET /health/ready");
  for (const file of ["index.html", "app.js", "app.css", "other.js"]) await ask(url, "GET /studio/{file}", [file]);
});

/** A store that does not answer. */
function failing(store: Store): Store {
  const fail = (): Promise<never> => Promise.reject(new LastcallError("store", "The store is away."));
  return { ...store, read: fail, list: fail, messages: fail, send: fail, append: fail, lock: fail } as unknown as Store;
}

const names = [...operations.keys()];
const posts = names.filter((name) => name.startsWith("POST"));

describe("refusals that many routes have", () => {
  const withStatus = (status: string): readonly string[] => names.filter((name) => status in answersOf(name));
  /** Asks each of these routes, which all refuse with the status. */
  async function refused(at: string, status: string, asked: readonly string[], how: Asked = {}): Promise<void> {
    expect(asked.length).toBeGreaterThan(0);
    for (const name of asked) {
      await ask(at, name, name.includes("{agent}") ? ["worker"] : [], how);
      expect([name, seen.has(`${name} ${status}`)]).toEqual([name, true]);
    }
  }

  test("401 without the token", async () => {
    await refused(await servingHere({ token: "secret" }), "401", withStatus("401"));
  });

  test("403 behind a proxy without a token, and for inputs of a server that only shows", async () => {
    await refused(url, "403", withStatus("403"), { headers: { "x-forwarded-for": "10.0.0.1" } });
    await refused(await servingHere({ readOnly: true }), "403", posts);
  });

  test("413, 415 and 429 for bodies that are too long, of another type, too many", async () => {
    await refused(await servingHere({ maxBody: 100 }), "413", posts, { body: { input: "x".repeat(200) } });
    await refused(url, "415", posts, { headers: { "content-type": "text/plain" } });
    const busy = await servingHere({ maxRequests: 1 });
    await ask(busy, "POST /sessions", [], { body: {} });
    await refused(busy, "429", posts);
  });

  test("503 while the server closes, while its store fails, and beyond the streams that it takes", async () => {
    const closing = createHandler({
      ...{ agents: { worker: agentFor() }, store: memoryStore() },
      changesOf: () => changes,
    });
    const server = await serve(closing);
    onTestFinished(() => server.close());
    await closing.close();
    await refused(server.url, "503", posts);
    const isStream = (name: string): boolean => name === "GET /sessions/{id}/events";
    const gets = withStatus("503").filter((name) => name.startsWith("GET") && !isStream(name));
    await refused(
      await servingHere({ store: failing(memoryStore()), readOnly: true }),
      "503",
      gets.filter((name) => name !== "GET /health/ready"),
    );
    const full = await servingHere({ maxStreams: 1 });
    const stop = new AbortController();
    await fetch(new URL("/sessions/s/events", full), { signal: stop.signal });
    await refused(full, "503", names.filter(isStream));
    stop.abort();
  });
});

test("a body with a field that the document does not have is refused, unless the document says that others are passed over", async () => {
  for (const name of posts) {
    const { schema } = operations.get(name)!.requestBody!.content["application/json"]!;
    const isClosed = problemsOf(schema, { zebra: 1 }).some((problem) => problem.includes("zebra"));
    const { error = "" }: { error?: string } = await ask(url, name, [], { body: { zebra: 1 } });
    expect([name, error.includes("There is no field zebra")]).toEqual([name, isClosed]);
  }
});

test("every status of the document was seen, and so was no other", () => {
  const documented = [...operations].flatMap(([name, { responses }]) =>
    Object.keys(responses).map((status) => `${name} ${status}`),
  );
  expect(documented.filter((one) => !seen.has(one))).toEqual([]);
  expect([...seen].filter((one) => !documented.includes(one))).toEqual([]);
});
