// What a session has changed, over HTTP: seen before it is taken back, never overwritten, and written by one of two who ask.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, type Tool } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion, workspaceChanges, workspaceTools } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

const done: Step = [call("task_completion", { result: "Done." })];
const write = (path: string, content: string): Step => [call("write_file", { path, content })];

/** A server whose agent works in a folder. */
async function served(script: readonly Step[], options: Partial<HandlerOptions> = {}) {
  const place = mkdtempSync(join(tmpdir(), "lastcall-undo-"));
  const root = join(place, "work");
  mkdirSync(root);
  const changes = workspaceChanges({ root, folder: join(place, "changes") });
  const agent = createAgent({
    model: scriptedModel(script),
    tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()] as readonly Tool[],
    hooks: [changes.hook],
    permission: allowAll(),
  });
  const store = memoryStore();
  const handler = createHandler({ agents: { agent }, store, changesOf: () => changes, ...options });
  const server = await serve(handler);
  onTestFinished(async () => {
    await handler.close({ timeout: 100 });
    await server.close();
    rmSync(place, { recursive: true });
  });
  const ran = async (input = "go"): Promise<void> => {
    await ask(server.url, "/sessions/s/runs", { input });
    await untilEnd(server.url, "s");
    // The changes are let go of after the last record.
    await expect.poll(() => changes.isAtWork("s")).toBe(false);
  };
  const at = (path: string): string => join(root, path);
  const post = (what: "undo" | "redo", body: object) =>
    ask(server.url, `/sessions/s/${what}`, body) as Promise<{ status: number; body: Record<string, unknown> }>;
  return { url: server.url, place, root, at, changes, ran, post };
}

test("a dry run says what will be restored, and the post with its plan does that", async () => {
  const { url, at, ran, post } = await served([write("a.txt", "one\n"), write("in/b.txt", "two\n"), done]);
  await ran();
  const seen = await ask(url, "/sessions/s/changes?path=a.txt");
  expect(seen.body).toEqual({
    ...{ paths: ["a.txt", "in", "in/b.txt"], count: 3, undone: [], isAtWork: false, isCut: false },
    diff: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one",
  });
  const planned = await post("undo", { dryRun: true });
  expect(planned).toMatchObject({ status: 200, body: { changed: ["a.txt", "in", "in/b.txt"], conflicts: [] } });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("one\n");
  expect(await post("undo", { plan: planned.body["plan"] })).toEqual(planned);
  expect([existsSync(at("a.txt")), existsSync(at("in"))]).toEqual([false, false]);
  expect((await ask(url, "/sessions/s/changes")).body).toMatchObject({
    paths: [],
    undone: ["a.txt", "in", "in/b.txt"],
  });
  expect(await post("redo", {})).toMatchObject({ status: 200, body: { changed: ["a.txt", "in", "in/b.txt"] } });
  expect(readFileSync(at("in/b.txt"), "utf8")).toBe("two\n");
});

test("a path that somebody else has changed is a conflict before and after, and stays", async () => {
  const { at, ran, post } = await served([write("a.txt", "one"), write("b.txt", "two"), done]);
  await ran();
  writeFileSync(at("b.txt"), "a person's own");
  const conflicts = [{ path: "b.txt", reason: "changed since", why: "it was changed since" }];
  const { body } = await post("undo", { dryRun: true });
  expect(body).toMatchObject({ changed: ["a.txt"], conflicts });
  expect((await post("undo", { plan: body["plan"] })).body).toMatchObject({ changed: ["a.txt"], conflicts });
  expect(readFileSync(at("b.txt"), "utf8")).toBe("a person's own");
});

test("a plan counts for what was seen: a run that came in between is not taken back with it", async () => {
  const { at, ran, post } = await served([write("a.txt", "one"), done, write("b.txt", "two"), done]);
  await ran();
  const { plan } = (await post("undo", { dryRun: true })).body;
  await ran("more");
  expect(await post("undo", { plan })).toMatchObject({ status: 409 });
  expect([existsSync(at("a.txt")), existsSync(at("b.txt"))]).toEqual([true, true]);
  expect((await post("undo", { after: 0 })).body).toMatchObject({ changed: ["b.txt"] });
});

test("a run at work refuses the undo of its own session, and says so in what it shows", async () => {
  const { url, at, changes, post } = await served([write("a.txt", "one"), { delay: 60_000, calls: [] }]);
  await ask(url, "/sessions/s/runs", { input: "go" });
  await expect.poll(async () => (await changes.isAtWork("s")) && existsSync(at("a.txt"))).toBe(true);
  expect((await ask(url, "/sessions/s/changes")).body).toMatchObject({ isAtWork: true });
  for (const body of [{}, { dryRun: true }])
    expect(await post("undo", body)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("is at work in this workspace") },
    });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("one");
});

test("of two who press at once, one writes", async () => {
  const { at, ran, post } = await served([
    ...Array.from({ length: 30 }, (_, number) => write(`f${String(number)}.txt`, "mine")),
    done,
  ]);
  await ran();
  const { plan } = (await post("undo", { dryRun: true })).body;
  const statuses = (await Promise.all([post("undo", { plan }), post("undo", { plan })])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 409]);
  expect(existsSync(at("f0.txt"))).toBe(false);
});

test("the record of changes leads to no path outside of the workspace", async () => {
  const { url, place, at, ran, post } = await served([write("in/a.txt", "mine"), write("b.txt", "mine"), done]);
  await ran();
  const [record = ""] = readdirSync(join(place, "changes"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /sessions.*\.jsonl$/.test(name),
  );
  const file = join(place, "changes", record);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll('"path":"b.txt"', '"path":"../b.txt"'));
  writeFileSync(join(place, "b.txt"), "mine");
  mkdirSync(join(place, "in"));
  writeFileSync(join(place, "in/a.txt"), "mine");
  rmSync(at("in"), { recursive: true });
  symlinkSync("../in", at("in"));
  expect((await post("undo", {})).body).toMatchObject({ changed: [] });
  expect([readFileSync(join(place, "b.txt"), "utf8"), readFileSync(join(place, "in/a.txt"), "utf8")]).toEqual([
    "mine",
    "mine",
  ]);
  expect((await ask(url, "/sessions/s/changes?path=../../../../etc/passwd")).body).toMatchObject({ diff: "" });
});

test("a secret in a diff is not shown", async () => {
  const key = `sk-ant-api03-${"aB3dE5gH7j".repeat(9)}AA`;
  const { url, ran } = await served([write("a.txt", `key = ${key}\n`), done]);
  await ran();
  const { diff } = (await ask(url, "/sessions/s/changes?path=a.txt")).body as { diff: string };
  expect(diff).toContain("[redacted");
  expect(diff).not.toContain(key);
});

test("who may not write takes nothing back: no token, another origin, a form, a server that only shows", async () => {
  const { at, changes, url, ran } = await served([write("a.txt", "one"), done]);
  await ran();
  const guarded = async (options: Partial<HandlerOptions>, headers: Readonly<Record<string, string>>) => {
    const agents = { idle: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };
    const handler = createHandler({ agents, store: memoryStore(), changesOf: () => changes, ...options });
    const server = await serve(handler);
    onTestFinished(() => server.close());
    const { status } = await fetch(new URL("/sessions/s/undo", server.url), { method: "POST", headers, body: "{}" });
    return status;
  };
  const json = { "content-type": "application/json" };
  expect(await guarded({ token: "a-token-that-nobody-guesses" }, json)).toBe(401);
  expect(await guarded({}, { ...json, origin: "https://elsewhere.example" })).toBe(403);
  expect(await guarded({}, { "content-type": "text/plain" })).toBe(415);
  expect(await guarded({ readOnly: true }, json)).toBe(403);
  expect(existsSync(at("a.txt"))).toBe(true);
  expect((await ask(url, "/sessions/s/undo", {})).status).toBe(200);
});

test("without the option there is nothing, and a session whose folder is not known has no changes", async () => {
  const without = await served([done], { changesOf: undefined });
  await without.ran();
  for (const [path, body] of [["changes"], ["undo", {}], ["redo", {}]] as const)
    expect(await ask(without.url, `/sessions/s/${path}`, body)).toEqual({
      status: 404,
      body: { error: "There is nothing at this path." },
    });
  expect((await ask(without.url, "/agents")).body).toMatchObject({ changes: false });
  const asked: unknown[] = [];
  const { url, ran } = await served([done], { changesOf: (session) => void asked.push(session) });
  await ran();
  expect(await ask(url, "/sessions/s/undo", {})).toMatchObject({
    status: 404,
    body: { error: "The folder in which s worked is not known here." },
  });
  expect(asked).toEqual([{ id: "s", about: { agent: "agent" } }]);
});
