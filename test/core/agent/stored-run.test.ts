import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { addUsage, createAgent, noUsage, tool, type Lease, type Session } from "../../../src/index.js";
import type { RunInput } from "../../../src/core/agent/answer.js";
import { runStored } from "../../../src/core/agent/stored-run.js";
import { fileStore, memoryStore, openSession, type StoredSessionHandle } from "../../../src/memory/index.js";
import {
  assertWellFormed,
  call,
  scriptedModel,
  virtualClock,
  type Script,
  type ScriptedCall,
} from "../../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../../src/tools/index.js";
import { failingStore } from "../../memory/failing-store.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { drain } from "../drain.js";
import { openRun } from "../open-run.js";

const done = [call("task_completion", { result: "Done." })];

/** Runs on the session, on a clock that jumps to whatever is waited for. */
function running(session: StoredSessionHandle, start: RunInput, script: Script = [done]) {
  const runtime = virtualClock({ auto: true });
  const abort = new AbortController();
  const open = ({ records }: Session, lease: Lease) =>
    openRun({ model: scriptedModel(script), runtime }, records, { lease }).run;
  const events = runStored(session, start, { signal: abort.signal, runtime, open });
  return { events, abort, runtime };
}

/** Reads so many events, in turns of the event loop, until this holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it did not come to that");
}

describe("a run on a session that is free", () => {
  test("keeps its records in the store, and gives the session back", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const { value } = await drain(running(session, { input: "go" }).events);
    expect(value.status).toBe("completed");
    expect((await session.toJSON()).records.map(({ type }) => type)).toContain("outcome");
    expect(await session.lease()).toBeDefined();
  });

  test("goes on from the records that are kept", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    await drain(running(session, { input: "go" }).events);
    const { value } = await drain(running(session, { input: "more" }).events);
    expect(value.session.records.flatMap((record) => (record.type === "input" ? record.run : []))).toEqual([1, 2]);
  });

  test("has given the session back when its outcome is there", async () => {
    await using folder = await temporaryFolder();
    const session = openSession({ store: fileStore(folder.path), id: "s" });
    await drain(running(session, { input: "go" }).events);
    expect(await session.lease()).toBeDefined();
  });

  test("that can't give it back is over all the same, and a person is told", async () => {
    const inner = memoryStore();
    const session = openSession({ store: inner, id: "s" });
    const failing: StoredSessionHandle = {
      ...session,
      async lease() {
        const lease = await session.lease();
        return lease && { ...lease, release: () => Promise.reject(new Error("no disk")) };
      },
    };
    const { events, runtime } = running(failing, { input: "go" });
    expect((await drain(events)).value.status).toBe("completed");
    expect(runtime.warnings).toMatchObject([{ code: "store", message: expect.stringContaining("no disk") }]);
  });
});

describe("an input to a session that is busy", () => {
  test.each<[string, RunInput]>([
    ["words", { input: "faster" }],
    ["an answer", { input: "blue", answers: "s/1/call:1:0" }],
  ])("that is %s is sent to whoever is busy, once", async (_what, start) => {
    const store = memoryStore();
    const session = openSession({ store, id: "s" });
    const lease = (await session.lease())!;
    const { events, abort } = running(session, start);
    const drained = drain(events);
    await until(async () => (await lease.inbox()).length > 0);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const { input: text, ...answers } = start;
    expect(await lease.inbox()).toMatchObject([{ text, ...answers }]);
    expect(await lease.inbox()).toHaveLength(1);
    abort.abort(new Error("enough"));
    await drained;
    await lease.release();
  });

  test("starts its own run once the session is free, and leaves the inbox", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const lease = (await session.lease())!;
    const drained = drain(running(session, { input: "go" }).events);
    await until(async () => (await lease.inbox()).length > 0);
    await lease.release();
    const { value } = await drained;
    expect(value).toMatchObject({ status: "completed" });
    expect(value.session.records[0]).toMatchObject({ type: "input", text: "go", sent: expect.any(String) });
    expect(await (await session.lease())?.inbox()).toEqual([]);
  });

  test("is waited with no longer than until an abort, and then nothing has run", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const lease = (await session.lease())!;
    const { events, abort } = running(session, { input: "go" });
    abort.abort(new DOMException("ctrl-c", "AbortError"));
    const { value } = await drain(events);
    expect(value).toMatchObject({ status: "aborted", iterations: 0, session: { id: "s", records: [] } });
    await lease.release();
  });

  test("is none where a run only goes on: then nothing is sent", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const lease = (await session.lease())!;
    const { events, abort } = running(session, { input: undefined });
    const drained = drain(events);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await lease.inbox()).toEqual([]);
    abort.abort(new Error("enough"));
    await drained;
    await lease.release();
  });
});

test("a store that can't be read is a fault in the outcome, not one that is thrown", async () => {
  await using folder = await temporaryFolder();
  const session = openSession({ store: fileStore(join(folder.path, "file")), id: "s" });
  await drain(running(session, { input: "go" }).events);
  await rm(join(folder.path, "file/s/lock"), { recursive: true });
  const { writeFile } = await import("node:fs/promises");
  await writeFile(join(folder.path, "file/s/lock"), "");
  const { value } = await drain(running(session, { input: "more" }).events);
  expect(value).toMatchObject({ status: "failed", fault: { code: "store" } });
});

describe("two callers of a session of whom one took the words of both", () => {
  const look = tool({ name: "look", description: "x", input: z.object({ n: z.int() }), run: () => "ok" });
  const spending = { ...noUsage, inputTokens: 90, outputTokens: 10 };

  test("got the same outcome without a mark, so that it was posted and counted twice: now one of them joined", async () => {
    const store = memoryStore();
    const model = scriptedModel(({ number, lastText }) => ({
      calls: number < 3 ? [call("look", { n: number })] : [call("converse", { message: lastText })],
      delay: 100,
      usage: spending,
    }));
    const limits = { prices: { scripted: { input: 1, output: 1 } } };
    const agent = createAgent({ model, tools: [look, converse()], limits });
    const run = (words: string) => agent.run(words, { session: openSession({ store, id: "u" }) });
    const first = run("first");
    await new Promise((resolve) => setTimeout(resolve, 30));
    const [owner, guest] = await Promise.all([first, run("second")]);
    if (owner.status !== "waiting" || guest.status !== "waiting") throw new Error("it did not answer");
    expect(guest.value).toEqual(owner.value);
    expect([owner.joined, guest.joined]).toEqual([undefined, true]);
    expect(owner.inputs).toEqual(["first", "second"]);
    expect(guest.inputs).toEqual(["first", "second"]);
    expect(addUsage(owner.usage, guest.usage)).toEqual({ ...noUsage, inputTokens: 270, outputTokens: 30 });
    expect([owner.iterations, guest.iterations, guest.cost]).toEqual([3, 0, 0]);
    expect(owner.cost).toBeGreaterThan(0);
    const next = await run("third");
    expect(next).toMatchObject({ inputs: ["third"] });
    expect(next).not.toHaveProperty("joined");
  });

  test("with the same answer are counted once as well: the later one joined", async () => {
    const store = memoryStore();
    const model = scriptedModel([
      [call("ask_question", { question: "Which?" })],
      { calls: [call("task_completion", { result: "blue" })], usage: spending },
    ]);
    const agent = createAgent({ model, tools: [askQuestion(), taskCompletion()] });
    const session = openSession({ store, id: "u" });
    const asked = await agent.run("paint", { session });
    if (asked.status !== "waiting") throw new Error(asked.status);
    const done = await agent.run("blue", { session, answers: asked.id });
    const again = await agent.run("red", { session, answers: asked.id });
    expect(done).toMatchObject({ inputs: ["blue"], usage: spending });
    expect(done).not.toHaveProperty("joined");
    expect(again).toMatchObject({ status: "completed", joined: true, inputs: ["blue"], usage: noUsage, iterations: 0 });
  });
});

test("an input that came again after the store broke off its run got that fault for ever: now the run goes on", async () => {
  const store = memoryStore();
  const lease = (await openSession({ store, id: "u" }).lease())!;
  await lease.append({ type: "input", run: 1, text: "look", sent: "one", life: "a", seq: 0, at: 1 });
  await lease.append({ type: "outcome", status: "failed", reason: "store", message: "it was lost", seq: 1, at: 2 });
  await lease.release();
  const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
  const give = () => agent.run("look", { session: openSession({ store, id: "u" }), inputId: "one" });
  const ended = await give();
  expect(ended).toMatchObject({ status: "completed" });
  expect(ended).not.toHaveProperty("joined");
  expect(await give()).toMatchObject({ status: "completed", joined: true });
});

test("a run whose end could not be stored told its amounts, and so did the one that went on: now they are told once", async () => {
  let isBroken = true;
  const isEnd = (line: string): boolean => line.includes('"type":"outcome"');
  const store = failingStore((lines) => (isBroken && lines.some(isEnd) ? new Error("the disk is full") : undefined));
  const usage = { ...noUsage, inputTokens: 90, outputTokens: 10 };
  const prices = { scripted: { input: 1, output: 1 } };
  const model = scriptedModel([{ calls: [call("task_completion", { result: "Done." })], usage }]);
  const agent = createAgent({ model, tools: [taskCompletion()], limits: { prices } });
  const session = openSession({ store, id: "s" });
  const broken = await agent.run("go", { session });
  isBroken = false;
  const done = await agent.resume(session);
  expect(broken).toMatchObject({ status: "failed", fault: { code: "store" }, usage: noUsage, cost: 0, iterations: 0 });
  expect(done).toMatchObject({ status: "completed", usage, iterations: 1 });
  expect(done.cost).toBeGreaterThan(0);
});

test("a question of a process whose clock is behind had expired as it was asked: now it counts from its record on", async () => {
  const session = openSession({ store: memoryStore(), id: "s" });
  const tools = [askQuestion({ expiresAfter: 1000 }), taskCompletion()];
  const agentAt = (start: number, calls: readonly ScriptedCall[]) =>
    createAgent({ model: scriptedModel([calls]), tools, runtime: virtualClock({ start }) });
  await agentAt(60_000, done).run("go", { session });
  const asked = await agentAt(0, [call("ask_question", { question: "Which?" })]).run("more", { session });
  if (asked.status !== "waiting") throw new Error(asked.status);
  expect(asked.expiresAt).toBe(61_000);
  const answered = await agentAt(60_500, done).run("blue", { session, answers: asked.id });
  expect(answered).toMatchObject({ status: "completed", inputs: ["blue"] });
  const { records } = await session.toJSON();
  expect(() => {
    assertWellFormed(records, { tools });
  }).not.toThrow();
});
