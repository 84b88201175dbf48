// A host of one process: starts, answers, approvals, aborts, plans, and the sessions that a dead process left.

import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, fourEyes, LastcallError, sharedLimits, tool, type Event } from "../../src/index.js";
import { hostInProcess, type Host } from "../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { askFirst } from "../../src/approval/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../src/tools/index.js";
import { fencePainter } from "../e2e/fence.js";
import { failingStore } from "../memory/failing-store.js";

const done = [call("task_completion", { result: "Done." })];
const pays = [call("pay", { euros: 5 })];

const pay = tool({
  name: "pay",
  description: "Pays",
  effect: "network",
  input: z.object({ euros: z.number() }),
  run: () => "paid",
});
const permission = askFirst(() => ({ later: true, reason: "money" }));

function agentOf(script: Script) {
  return createAgent({ model: scriptedModel(script), tools: [pay, askQuestion(), taskCompletion()], permission });
}

function hostOn(script: Script, store: Store = memoryStore(), onEvent?: (event: Event) => void): Promise<Host> {
  return hostInProcess({ agents: { worker: agentOf(script), other: agentOf([]) }, store, onEvent });
}

async function textOf(store: Store, id = "s"): Promise<string> {
  return JSON.stringify((await openSession({ store, id }).toJSON()).records);
}

test("an input is started once for its id, and its end is told twice", async () => {
  const store = memoryStore();
  const host = await hostOn([done], store);
  const first = await host.give({ session: "s", input: "go", inputId: "1" });
  const second = await host.give({ session: "s", input: "go", inputId: "1" });
  expect(first).toMatchObject({ session: "s", inputId: "1" });
  expect((await Promise.all([first.ended(), second.ended()])).map(({ status }) => status)).toEqual([
    "completed",
    "completed",
  ]);
  expect((await textOf(store)).match(/"type":"input"/g)).toHaveLength(1);
  const other = await host.give({ input: "go" });
  expect(other.session).not.toBe("s");
  expect(await other.ended()).toMatchObject({ status: "failed" });
});

test("a question ends the run, and an answer to it counts once", async () => {
  const host = await hostOn([[call("ask_question", { question: "Which?" })], done]);
  const { waiting } = await (await host.give({ session: "s", input: "go" })).ended();
  const answers = await Promise.all(
    ["this", "that"].map((input) => host.give({ session: "s", answers: waiting!.id, input })),
  );
  const ends = await Promise.all(answers.map((answer) => answer.ended()));
  expect(ends.map(({ status, joined = false }) => [status, joined]).sort()).toEqual([
    ["completed", false],
    ["completed", true],
  ]);
});

test("a call is approved with the digest that was shown, and with no other", async () => {
  const host = await hostOn([pays, pays, done]);
  const { waiting } = await (await host.give({ session: "s", input: "go" })).ended();
  const { id: callId, digest = "" } = waiting!;
  const yes = (shown: string) => host.give({ session: "s", answers: callId, input: { allowed: true, digest: shown } });
  await expect(yes("0".repeat(64))).rejects.toThrow("look at the call");
  await expect(yes("")).rejects.toThrow("look at the call");
  const { waiting: next } = await (await yes(digest)).ended();
  const input = { allowed: false, digest: next!.digest!, reason: "too much" };
  const no = await host.give({ session: "s", answers: next!.id, input });
  expect(await no.ended()).toEqual({ status: "completed" });
});

test("a run at its limit goes on after a yes with its digest, and stops after a no, by a person who may say it", async () => {
  const ends = [];
  for (const allowed of [true, false]) {
    const { agent, painted } = fencePainter({ mayApprove: fourEyes });
    const host = await hostInProcess({ agents: { worker: agent }, store: memoryStore() });
    const by = { id: "ann" };
    const { waiting } = await (await host.give({ session: "s", input: "go", by })).ended();
    expect(waiting).toMatchObject({ by: "raise_limit" });
    const { id: answers, digest = "" } = waiting!;
    const say = (shown: string, who: string) =>
      host.give({ session: "s", answers, input: { allowed, digest: shown }, by: { id: who } });
    await expect(say("0".repeat(64), "ben")).rejects.toThrow("look at the call");
    await expect(say(digest, "ann")).rejects.toThrow("somebody else than the person who asked has to");
    expect(painted).toHaveLength(3);
    ends.push([(await (await say(digest, "ben")).ended()).status, painted.length]);
    await host.close();
  }
  expect(ends).toEqual([
    ["completed", 4],
    ["stopped", 3],
  ]);
});

test("words reach a run at work", async () => {
  const store = memoryStore();
  const host = await hostOn([{ calls: [call("nothing")], delay: 100 }, done], store);
  const first = await host.give({ session: "s", input: "go" });
  const said = await host.give({ session: "s", input: "be quick" });
  expect(await said.ended()).toMatchObject({ status: "completed", joined: true });
  expect(await first.ended()).toEqual({ status: "completed" });
  expect(await textOf(store)).toContain('"type":"steer","text":"be quick"');
});

test("an abort ends a run at work, and one that a dead process left", async () => {
  const store = memoryStore();
  const host = await hostOn(
    [
      { calls: done, delay: 60_000 },
      { calls: done, delay: 60_000 },
    ],
    store,
  );
  const one = await host.give({ session: "s", input: "go" });
  expect(await host.abort("s", "no need")).toBe(true);
  expect(await one.ended()).toMatchObject({ status: "aborted", message: expect.stringContaining("no need") });
  expect(await host.abort("s")).toBe(false);
  const two = await host.give({ session: "t", input: "go" });
  expect(await host.close()).toEqual([]);
  expect(await two.ended()).toMatchObject({ status: "aborted", suspended: true });
  const broken: Store = { ...store, list: async () => [] };
  const next = await hostOn([], broken);
  expect(await next.abort("t", "still no need")).toBe(true);
  expect(await textOf(store, "t")).toContain("still no need");
});

test("an abort that does not reach the run of another host is answered with no", async () => {
  const store = memoryStore();
  const first = await hostOn([{ calls: done, delay: 400 }], store);
  const run = await first.give({ session: "s", input: "go" });
  const next = await hostOn([done], store);
  expect(await next.abort("s")).toBe(false);
  // Its words are withdrawn, and the run that it can't reach goes on.
  const words = await next.give({ session: "s", input: "and more" });
  expect(await store.messages("s")).toHaveLength(1);
  expect(await next.abort("s")).toBe(false);
  expect(await store.messages("s")).toEqual([]);
  expect(await run.ended()).toEqual({ status: "completed" });
  expect(await words.ended()).toMatchObject({ status: "aborted" });
  expect(await next.abort("s")).toBe(false);
  expect((await textOf(store)).match(/"type":"(?:input|outcome)"/g)).toHaveLength(2);
});

test("an abort left the words that another program had put into the inbox, for a later run to take", async () => {
  const store = memoryStore();
  const host = await hostOn([done, done], store);
  await (await host.give({ session: "s", input: "go" })).ended();
  await openSession({ store, id: "s" }).send({ text: "and more" });
  expect(await host.abort("s")).toBe(true);
  expect(await store.messages("s")).toEqual([]);
});

test("an input whose agent refuses it is refused to its giver, and nothing of it stays", async () => {
  const store = memoryStore();
  const host = await hostOn([{ calls: done, delay: 200 }], store);
  const file = { bytes: Buffer.from("words"), mediaType: "text/plain" };
  const model = scriptedModel([done]);
  const reader = createAgent({ model: { ...model, attachments: ["image/*"] }, tools: [taskCompletion()] });
  const other = await hostInProcess({ agents: { worker: reader }, store });
  await expect(other.give({ session: "new", input: "go", attachments: [file] })).rejects.toThrow("takes image/* only");
  expect(await store.list()).toEqual([]);
  const run = await host.give({ session: "s", input: "go" });
  await expect(other.give({ session: "s", input: "look", attachments: [file] })).rejects.toThrow("takes image/* only");
  expect(await store.messages("s")).toEqual([]);
  expect(await run.ended()).toEqual({ status: "completed" });
});

test("a run is watched from its lease to its end, and a fault of its store is told at once", async () => {
  let isBroken = false;
  const store = failingStore(() => (isBroken ? new LastcallError("store", "The disk is full.") : undefined));
  const host = await hostOn(
    [{ text: "One two three.", calls: done, piece: 4 }, { calls: done, delay: 50 }, done, done],
    store,
  );
  const told: string[] = [];
  const unwatch = host.watch({
    begin(session) {
      told.push(`begin ${session}`);
      return {
        hold: (last) => told.push(`behind ${String(last?.seq)}`),
        record: ({ type }) => (type === "outcome" ? told.push(type) : undefined),
        event: (event) => event.type === "text-delta" && told.push(event.text),
        release: () => told.push("released"),
        end: (fault) => told.push(`end ${fault?.message ?? ""}`),
      };
    },
  });
  await (await host.give({ session: "s", input: "go" })).ended();
  expect(told).toEqual([
    "begin s",
    "behind undefined",
    "One ",
    "two ",
    "thre",
    "e.",
    "D",
    "one.",
    "outcome",
    "released",
    "end ",
  ]);
  told.length = 0;
  const run = await host.give({ session: "s", input: "more" });
  isBroken = true;
  await vi.waitFor(() => {
    expect(told.at(-1)).toContain("The disk is full.");
  }, 20_000);
  isBroken = false;
  expect(await run.ended()).toEqual({ status: "completed" });
  unwatch();
});

test("the next host goes on with a run that the store broke off", async () => {
  const store = memoryStore();
  const lease = await openSession({ store, id: "s", about: { agent: "worker" } }).lease();
  await lease?.append({ type: "input", run: 1, text: "go", seq: 0, at: 1 });
  await lease?.append({ type: "outcome", status: "failed", reason: "store", message: "away", seq: 1, at: 2 });
  await lease?.release();
  const next = await hostOn([done], store);
  await expect.poll(() => textOf(store)).toContain('"status":"completed"');
  await next.close();
});

test("the next host goes on with a suspended run, and tells a definition that differs", async () => {
  const store = memoryStore();
  const first = await hostOn([{ calls: done, delay: 60_000 }], store);
  await first.give({ session: "s", input: "go", agent: "worker" });
  await first.close({ timeout: 1000 });
  await expect(first.give({ input: "more" })).rejects.toThrow("The host closes");
  const events: Event[] = [];
  const worker = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()], instructions: "New ones." });
  await hostInProcess({ agents: { worker }, store, onEvent: (event) => void events.push(event) });
  await vi.waitFor(() => {
    expect(events.at(-1)?.type).toBe("run-end");
  }, 20_000);
  expect(events.find(({ type }) => type === "definition-drift")).toMatchObject({ changes: expect.any(Array) });
});

test("an answer that comes before its question waits for it", async () => {
  const store = memoryStore();
  const host = await hostOn([{ calls: [call("ask_question", { question: "Which?" })], delay: 200 }, done], store);
  const first = await host.give({ session: "s", input: "go" });
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const life = records[0]?.type === "input" ? records[0].life : "";
  const early = await host.give({ session: "s", answers: `s/${life!}/1/call:1:0`, input: "this" });
  expect(await first.ended()).toMatchObject({ status: "waiting" });
  expect(await early.ended()).toEqual({ status: "completed" });
});

test("a session goes on without words after a fault, and after a question that nobody answered in time", async () => {
  const store = memoryStore();
  const ask = askQuestion({ expiresAfter: 30 });
  const model = scriptedModel([{ status: 401 }, [call("ask_question", { question: "Which?" })], done]);
  const worker = createAgent({ model, tools: [ask, taskCompletion()] });
  const host = await hostInProcess({ agents: { worker }, store });
  const first = await host.give({ session: "s", input: "go" });
  expect(await first.ended()).toMatchObject({ status: "failed", reason: "authentication" });
  const resumed = await Promise.all([host.give({ session: "s" }), host.give({ session: "s" })]);
  const ends = await Promise.all(resumed.map((run) => run.ended()));
  expect(ends.map(({ status, joined = false }) => [status, joined]).sort()).toEqual([
    ["waiting", false],
    ["waiting", true],
  ]);
  await vi.waitFor(async () => {
    expect(await openSession({ store, id: "s" }).waiting()).toBeUndefined();
  }, 20_000);
  expect(await (await host.give({ session: "s" })).ended()).toEqual({ status: "completed" });
  expect(await textOf(store)).toContain('"lapses":"s/');
  expect(await (await host.give({ session: "s" })).ended()).toMatchObject({ status: "completed" });
  expect(model.requests).toHaveLength(3);
});

test("a session that waits or has no run is not resumed", async () => {
  const host = await hostOn([[call("ask_question", { question: "Which?" })]]);
  await expect(host.give({ session: "s" })).rejects.toThrow("no run yet");
  const { waiting } = await (await host.give({ session: "s", input: "go" })).ended();
  await expect(host.give({ session: "s" })).rejects.toThrow(`waits for an answer to the call ${waiting!.id}`);
  await expect(host.give({ session: "s", priority: 1 })).rejects.toThrow();
});

test("a plan gives its input at its time, once for all who state it", async () => {
  const store = memoryStore();
  const host = await hostOn([done, done, done, done], store);
  const at = Date.now() + 50;
  await host.schedule({ name: "once", at, input: "go", session: "s" });
  await host.schedule({ name: "once", at, input: "go", session: "s" });
  await vi.waitFor(async () => {
    expect(await textOf(store)).toContain('"type":"outcome"');
  }, 20_000);
  expect((await textOf(store)).match(/"type":"input"/g)).toHaveLength(1);
  const end = await host.schedule({ name: "often", every: 1000, input: "go" });
  await vi.waitFor(
    async () => {
      expect((await store.list()).map(({ id }) => id).join()).toMatch(/often@\d{4}-\d\d-\d\dT[\d:]+\.000Z/);
    },
    { timeout: 3000 },
  );
  end();
  await expect(host.schedule({ name: "none", input: "go" })).rejects.toThrow("needs at or every");
  await expect(host.schedule({ name: "fast", every: 10, input: "go" })).rejects.toThrow("at least 1000");
});

test("a plan whose time has not come begins nothing when the host closes", async () => {
  const store = memoryStore();
  const host = await hostOn([done], store);
  await host.schedule({ name: "later", at: Date.now() + 60_000, session: "s", input: "go" });
  await host.close({ timeout: 100 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await store.list()).toEqual([]);
});

test("a host that is closed twice closes once, and both learn of the sessions that are at work", async () => {
  const slow = tool({
    name: "pay",
    description: "Pays",
    effect: "network",
    input: z.object({ euros: z.number() }),
    run: () => new Promise<string>((resolve) => setTimeout(resolve, 500, "paid")),
  });
  const worker = createAgent({
    model: scriptedModel([pays, done]),
    tools: [slow, taskCompletion()],
    permission: () => ({ allowed: true }),
  });
  const host = await hostInProcess({ agents: { worker }, store: memoryStore() });
  await host.give({ session: "s", input: "go" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await Promise.all([host.close({ timeout: 50 }), host.close()])).toEqual([["s"], ["s"]]);
});

test("what the host does not have is refused at once", async () => {
  const host = await hostOn([]);
  await expect(host.give({ input: "go", priority: 1 })).rejects.toThrow("hostInProcess has no priority");
  await expect(host.give({ input: "go", tenant: "a" })).rejects.toThrow("hostInProcess has no tenant");
  await expect(host.give({ input: "go", agent: "nobody" })).rejects.toThrow("There is no agent nobody");
  await expect(host.give({ input: "go", session: "" })).rejects.toThrow();
  await expect(hostInProcess({ agents: {}, store: memoryStore() })).rejects.toThrow("needs an agent");
});

test("limits of each person hold for all runs of a host, with the agents that their calls run, and after a restart", async () => {
  const store = memoryStore();
  const budget = sharedLimits({ maxIterations: 3, per: "principal" });
  const tools = [
    delegate(
      agentOf(() => done),
      { name: "look", description: "Looks." },
    ),
    taskCompletion(),
  ];
  const model = () => scriptedModel([[call("look", { task: "look" })], done]);
  const [ann, ben] = ["ann", "ben"].map((id) => ({ id, tenant: "acme" }));
  const told: unknown[] = [];
  for (const [session, by] of [
    ["a", ann],
    ["b", ann],
    ["b", ben],
  ] as const) {
    const host = await hostInProcess({ agents: { worker: createAgent({ model: model(), tools }) }, store, budget });
    const { status, message = "" } = await (await host.give({ session, input: "go", by })).ended();
    told.push([status, message.slice(0, 36)]);
    await host.close();
  }
  expect(told).toEqual([
    ["completed", ""],
    ["stopped", "the limit of the principal that aske"],
    ["completed", ""],
  ]);
  expect([ann, ben].map((who) => budget.spentBy(who).iterations)).toEqual([3, 3]);
});
