// The sessions that a dead process left, and those that nobody has to go on with.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { hostInProcess } from "../../src/host/index.js";
import { leftIn, readMessage } from "../../src/host/left-sessions.js";
import { forkSession, memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { createHandler } from "../../src/server/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

/** An agent that works twice. With a session in `dies`, its process leaves that session in the first call. */
function worker() {
  const effects: string[] = [];
  const stop = new AbortController();
  const dies = new Set<string>();
  const work = tool({
    name: "work",
    description: "Works",
    input: z.object({}),
    effect: "write",
    run: (_input, { callId }) => {
      effects.push(callId);
      if ([...dies].some((id) => callId.startsWith(`${id}/`))) stop.abort();
      return callId.includes("call:1:") ? "Go." : "Enough.";
    },
  });
  const model = scriptedModel(({ lastText }) =>
    lastText === "Go." ? [call("work")] : [call("task_completion", { result: "done" })],
  );
  const agent = createAgent({ model, tools: [work, taskCompletion()], permission: allowAll() });
  return { effects, dies, suspend: stop.signal, agent };
}

const about = { agent: "worker" };

/** A session that its process left after its first call. */
async function leftSession(store: Store): Promise<ReturnType<typeof worker>> {
  const made = worker();
  made.dies.add("s");
  await made.agent.run("Go.", { session: openSession({ store, id: "s", about }), suspend: made.suspend });
  return made;
}

async function leftIds(store: Store): Promise<readonly string[]> {
  return (await leftIn(store, ["worker"])).map(({ session }) => session);
}

test("a fork in the midst of a run is left by nobody, until somebody has resumed it and died", async () => {
  const store = memoryStore();
  const { dies, agent } = await leftSession(store);
  expect(await leftIds(store)).toEqual(["s"]);
  await forkSession({ store, id: "s", to: "fork" });
  expect(await leftIds(store)).toEqual(["s"]);
  dies.add("fork");
  const { agent: other, suspend, dies: otherDies } = worker();
  otherDies.add("fork");
  await other.resume(openSession({ store, id: "fork" }), { suspend });
  expect(await leftIds(store)).toEqual(["s", "fork"]);
  dies.clear();
  expect(await agent.resume(openSession({ store, id: "fork" }))).toMatchObject({ status: "completed" });
  expect(await leftIds(store)).toEqual(["s"]);
});

test("a fork that got words and whose process died before it took them is left", async () => {
  const store = memoryStore();
  await leftSession(store);
  await forkSession({ store, id: "s", to: "fork" });
  await openSession({ store, id: "fork" }).send({ text: "And more." });
  const left = (await leftIn(store, ["worker"])).filter(({ session }) => session === "fork");
  expect(left.map(({ input }) => input)).toEqual(["And more."]);
});

test("neither a host nor a server that starts goes on with a fork, and both do if they are asked", async () => {
  const store = memoryStore();
  await leftSession(store);
  for (const to of ["one", "two"]) await forkSession({ store, id: "s", to });
  const { agent, effects } = worker();
  await store.delete("s");
  const host = await hostInProcess({ agents: { worker: agent }, store });
  const handler = createHandler({ agents: { worker: agent }, store });
  expect(effects).toEqual([]);
  expect(await (await host.give({ session: "one" })).ended()).toMatchObject({ status: "completed" });
  await handler.host.give({ session: "two" });
  await expect
    .poll(async () => (await openSession({ store, id: "two" }).toJSON()).records.at(-1)?.type)
    .toBe("outcome");
  expect(effects.map((id) => id.split("/")[0])).toEqual(["one", "two"]);
  await Promise.all([host.close(), handler.close()]);
});

/** A store whose reading of the session `last` waits, and the function that ends the wait. `reading` resolves once it waits. */
function slowStore(inner: Store, last: string) {
  let go = (): void => undefined;
  let waits = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const reading = new Promise<void>((resolve) => (waits = resolve));
  const messages: Store["messages"] = async (id) => {
    if (id === last) {
      waits();
      await gate;
    }
    return inner.messages(id);
  };
  return {
    store: { ...inner, list: async () => ["s", last].map((id) => ({ id, updated: 0 })), messages },
    go,
    reading,
  };
}

/** A session with words in its inbox that its process died before it took, beside a session that is read after it. */
async function withWords(): Promise<Store> {
  const store = memoryStore();
  const { agent } = worker();
  for (const id of ["s", "z"]) await agent.run("Go.", { session: openSession({ store, id, about }) });
  await openSession({ store, id: "s" }).send({ id: "i", text: "And more." });
  return store;
}

const inputsOf = async (store: Store): Promise<readonly string[]> =>
  (await openSession({ store, id: "s" }).toJSON()).records.flatMap((record) =>
    record.type === "input" || record.type === "steer" ? [record.text] : [],
  );

test("words that a start finds, and that are withdrawn before their turn, stay out", async () => {
  const store = await withWords();
  const slow = slowStore(store, "z");
  const { agent, effects } = worker();
  const handler = createHandler({ agents: { worker: agent }, store: slow.store });
  await slow.reading;
  expect(await handler.host.abort("s")).toBe(true);
  slow.go();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await inputsOf(store)).toEqual(["Go."]);
  expect(effects).toEqual([]);
  await handler.close();
});

test("words that a start finds, and whose session is deleted before their turn, begin no run", async () => {
  const store = await withWords();
  const slow = slowStore(store, "z");
  const { agent } = worker();
  const handler = createHandler({ agents: { worker: agent }, store: slow.store });
  await slow.reading;
  await store.delete("s");
  slow.go();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await openSession({ store, id: "s" }).toJSON()).records).toEqual([]);
  await handler.close();
});

test("words that a start finds while their run begins in this process are taken once", async () => {
  const store = await withWords();
  const slow = slowStore(store, "z");
  const { agent, effects } = worker();
  const handler = createHandler({ agents: { worker: agent }, store: slow.store });
  await slow.reading;
  // The caller gives the words again, since nobody answered.
  const run = await handler.host.give({ session: "s", input: "And more.", inputId: "i" });
  slow.go();
  expect(await run.ended()).toMatchObject({ status: "completed" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await inputsOf(store)).toEqual(["Go.", "And more."]);
  expect(effects).toEqual([]);
  expect(await store.messages("s")).toEqual([]);
  await handler.close();
});

test("an approval in an inbox is one by its digest, and words that only look like one stay words", () => {
  const inputOf = (text: string, answers?: string) =>
    readMessage({ id: "i", text: JSON.stringify({ text, answers }) }).input;
  const named = '{"allowed":true,"digest":"d"}';
  expect(inputOf(named, "c")).toEqual({ allowed: true, digest: "d" });
  expect(inputOf('{"size":3}', "c")).toEqual({ size: 3 });
  for (const words of ['{"allowed":true}', '{"allowed":false,"digest":3}', "[1]", '"yes"', "yes"])
    expect(inputOf(words, "c")).toBe(words);
  expect(inputOf(named)).toBe(named);
});
