import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { forkSession, memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { assertWellFormed, call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

/** A session in which one reply made two calls, and everybody who works in it. */
async function place() {
  const keys: string[] = [];
  const work = tool({
    name: "work",
    description: "Works",
    input: z.object({}),
    effect: "write",
    run: (_input, { callId }) => void keys.push(callId),
  });
  const tools = [work, taskCompletion()];
  const make = () => {
    const model = scriptedModel(({ lastText }) =>
      lastText === "Go." ? [call("work"), call("work")] : [call("task_completion", { result: "done" })],
    );
    return createAgent({ model, tools, permission: allowAll() });
  };
  const store = memoryStore();
  const { session } = await make().run("Go.", { session: openSession({ store, id: "one", about: { task: "work" } }) });
  return { keys, tools, make, store, records: session.records };
}

/** The life of the only run. */
function lifeOf(records: readonly JournalRecord[]): string {
  const [first] = records;
  return first?.type === "input" ? String(first.life) : "";
}

test("a fork in the midst of a reply runs what is left of it under keys of its own", async () => {
  const { keys, tools, make, store, records } = await place();
  const at = records.findIndex(({ type }) => type === "result") + 1;
  const to = await forkSession({ store, id: "one", at, to: "two" });
  const outcome = await make().resume(openSession({ store, id: to }));
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records, { tools });
  const [life, own] = [lifeOf(records), lifeOf(outcome.session.records)];
  expect(own).not.toBe(life);
  expect(keys).toEqual([`one/${life}/1/call:1:0`, `one/${life}/1/call:1:1`, `two/${own}/1/call:1:1`]);
  expect(outcome.session.records[0]).toEqual({ ...records[0], life: own });
});

test("a fork of a run in a later life keeps that life in the ids of the open reply", async () => {
  const { tools, make, store } = await place();
  const suspend = new AbortController();
  const stream = make().stream("Go.", { session: openSession({ store, id: "later" }), suspend: suspend.signal });
  for await (const { type } of stream) if (type === "iteration-start") suspend.abort();
  const { session } = await make().resume(openSession({ store, id: "later" }));
  const at = session.records.findIndex(({ type }) => type === "result") + 1;
  const later = session.records.find((record) => record.type === "resume")?.life;
  const to = await forkSession({ store, id: "later", at, to: "fork" });
  const { records } = await openSession({ store, id: to }).toJSON();
  assertWellFormed(records, { tools, ended: false });
  const reply = records.find((record) => record.type === "reply");
  expect(reply?.reply.calls.map(({ id }) => id)).toEqual(
    [0, 1].map((index) => `fork/${lifeOf(records)}/1/call:1:${String(index)}:${String(later)}`),
  );
});

test("a fork in the midst of a run says so in its last record, and in that of its own fork", async () => {
  const { store, records, tools } = await place();
  const at = records.findIndex(({ type }) => type === "reply") + 1;
  await forkSession({ store, id: "one", at, to: "two" });
  await forkSession({ store, id: "two", to: "three" });
  const ends = await Promise.all(
    ["two", "three"].map(async (id) => (await openSession({ store, id }).toJSON()).records),
  );
  expect(ends.map((fork) => fork.at(-1))).toMatchObject([
    { type: "fork", from: `one@${String(at)}`, seq: at },
    { type: "fork", from: `two@${String(at + 1)}`, seq: at + 1 },
  ]);
  for (const fork of ends) assertWellFormed(fork, { tools, ended: false });
});

test("a call that the original was about to run is of unknown outcome in the fork", async () => {
  const { keys, make, store, records } = await place();
  const at = records.findIndex(({ type }) => type === "intent") + 1;
  const to = await forkSession({ store, id: "one", at, to: "two" });
  const outcome = await make().resume(openSession({ store, id: to }));
  const [life, own] = [lifeOf(records), lifeOf(outcome.session.records)];
  const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(results.map(({ callId, ok }) => [callId, ok])).toEqual([
    [`two/${own}/1/call:1:0`, false],
    [`two/${own}/1/call:1:1`, true],
  ]);
  expect(keys).toEqual([`one/${life}/1/call:1:0`, `one/${life}/1/call:1:1`, `two/${own}/1/call:1:1`]);
});

test("a fork at the end of an iteration has the records as they are, and what the host said of the session", async () => {
  const { store, records } = await place();
  const to = await forkSession({ store, id: "one", to: "two" });
  const fork = openSession({ store, id: to });
  expect((await fork.toJSON()).records).toEqual(records);
  expect(await fork.about()).toEqual({ task: "work" });
});

test("an approval counts for the call of the original alone: the call of a fork waits for its own", async () => {
  const paid: string[] = [];
  const pay = tool({
    ...{ name: "pay", description: "Pays", input: z.object({}), effect: "write" as const },
    run: (_input, { callId }) => void paid.push(callId),
  });
  const tools = [pay, taskCompletion()];
  const permission = askFirst(() => ({ later: true, reason: "money" }));
  const make = (script: Script) => createAgent({ model: scriptedModel(script), tools, permission });
  const store = memoryStore();
  const done = [call("task_completion", { result: "done" })];
  const session = openSession({ store, id: "one" });
  await make([[call("pay")]]).run("Go.", { session });
  const first = await make([done]).run({ allowed: true }, { session });
  const after = (name: string): number => first.session.records.findIndex(({ type }) => type === name) + 1;
  for (const at of [after("approval"), after("intent")]) {
    const to = await forkSession({ store, id: "one", at });
    expect(await make([done]).waiting(openSession({ store, id: to }))).toMatchObject({ by: "pay", approval: {} });
    const { records } = await openSession({ store, id: to }).toJSON();
    assertWellFormed(records, { tools });
    const outcome = await make([done]).run({ allowed: true }, { session: openSession({ store, id: to }) });
    expect(outcome.status).toBe("completed");
  }
  expect(paid).toHaveLength(3);
  // Behind its result, the approval is a part of the past.
  const whole = await openSession({ store, id: await forkSession({ store, id: "one" }) }).toJSON();
  expect(whole.records.map(({ type }) => type)).toContain("approval");
});

test("a yes to a call that still needs more people is not copied, though another call got its yes later and has run", async () => {
  const ran: string[] = [];
  const read = (name: string): ReturnType<typeof tool> =>
    tool({ name, description: name, input: z.object({}), effect: "read", run: () => void ran.push(name) });
  const tools = [read("secret"), read("open"), taskCompletion()];
  const make = (script: Script) =>
    createAgent({
      model: scriptedModel(script),
      tools,
      permission: {
        decide: ({ name }, { approval }) =>
          approval ??
          (name === "task_completion" ? { allowed: true, reason: "an end" } : { later: true, reason: "private" }),
      },
      approvals: { quorum: ({ name }) => (name === "secret" ? 2 : 1) },
    });
  const store = memoryStore();
  const session = openSession({ store, id: "one" });
  const first = await make([[call("secret"), call("open")]]).run("Go.", { session });
  const [secret, open] = first.session.records.flatMap((record) => (record.type === "parked" ? [record.callId] : []));
  await make([]).run({ allowed: true }, { session, answers: secret, by: { id: "ann" } });
  await make([]).run({ allowed: true }, { session, answers: open, by: { id: "bob" } });
  expect(ran).toEqual(["open"]);
  const to = await forkSession({ store, id: "one" });
  const waiting = await make([]).waiting(openSession({ store, id: to }));
  expect(waiting).toMatchObject({ by: "secret", approval: { quorum: { needed: 2, missing: 2 } } });
});
