// The numbers of sessions over HTTP: of one, and of the sessions that were used last, with bounded work.

import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { createHandler, serve } from "../../../src/server/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";
import { ask } from "../client.js";

const done: Step = [call("task_completion", { result: "Done." })];

async function ran(store: Store, id: string): Promise<void> {
  const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
  await agent.run("go", { session: openSession({ store, id }) });
}

/** A store that counts the logs that are read. */
function counting(store: Store): { store: Store; read: () => readonly string[] } {
  let read: string[] = [];
  const counted: Store = {
    ...store,
    read: (id, from) => {
      read.push(id);
      return store.read(id, from);
    },
  };
  return {
    store: counted,
    read: () => {
      const since = [...new Set(read)].toSorted();
      read = [];
      return since;
    },
  };
}

async function served(store: Store): Promise<string> {
  const host = await hostInProcess({
    agents: { idle: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) },
    store,
  });
  const server = await serve(createHandler({ host }));
  onTestFinished(async () => {
    await host.close();
    await server.close();
  });
  return server.url;
}

test("one session has its numbers, with the agents that its calls ran", async () => {
  const store = memoryStore();
  const helper = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
  const lead = createAgent({
    model: scriptedModel([[call("look", { task: "Look" })], done]),
    tools: [delegate(helper, { name: "look", description: "Looks" }), taskCompletion()],
  });
  await lead.run("go", { session: openSession({ store, id: "lead" }) });
  await ran(store, "leader");
  const url = await served(store);
  expect((await ask(url, "/sessions/lead/stats")).body).toMatchObject({
    ...{ read: 1, of: 1, unreadable: 0 },
    stats: {
      ...{ sessions: 1, runs: { completed: 1 }, circuitOpenings: 0, failures: {} },
      models: [{ replies: 3 }],
      tools: expect.arrayContaining([expect.objectContaining({ name: "look", times: 1, failed: 0 })]),
    },
  });
  expect((await ask(url, "/stats")).body).toMatchObject({ read: 2, of: 2, stats: { sessions: 2 } });
  expect(await ask(url, "/sessions/nobody/stats")).toMatchObject({ status: 404 });
});

test("all sessions are the newest, which are read once until one of them is used again; the others are only counted", async () => {
  const { store, read } = counting(memoryStore());
  for (const id of ["a", "b", "c"]) {
    await ran(store, id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const url = await served(store);
  read();
  expect((await ask(url, "/stats?limit=2")).body).toMatchObject({ read: 2, of: 3, stats: { sessions: 2 } });
  expect(read()).toEqual(["b", "c"]);
  await Promise.all([ask(url, "/stats?limit=2"), ask(url, "/stats?limit=2")]);
  expect(read()).toEqual([]);
  await ran(store, "a");
  read();
  expect((await ask(url, "/stats?limit=2")).body).toMatchObject({ read: 2, of: 3 });
  expect(read()).toEqual(["a", "c"]);
  expect(await ask(url, "/stats?limit=1001")).toMatchObject({ status: 400 });
});

test("a session that can't be read is named by its number, and hides no other", async () => {
  const whole = memoryStore();
  await ran(whole, "good");
  await ran(whole, "bad");
  const store: Store = {
    ...whole,
    read: async (id, from) => {
      const lines = await whole.read(id, from);
      return id === "bad" ? lines?.map((line, at) => (at === 2 ? "{" : line)) : lines;
    },
  };
  const url = await served(store);
  expect((await ask(url, "/stats")).body).toMatchObject({ read: 2, of: 2, unreadable: 1, stats: { sessions: 1 } });
});

test("10,000 sessions do not hold up other requests", { timeout: 60_000 }, async () => {
  const one = memoryStore();
  await ran(one, "s");
  const lines = (await one.read("s")) ?? [];
  const store: Store = {
    ...one,
    list: () => Promise.resolve(Array.from({ length: 10_000 }, (_, at) => ({ id: `s${String(at)}`, updated: at }))),
    read: (_id, from = 0) => Promise.resolve(lines.slice(from)),
  };
  const url = await served(store);
  let slowest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    slowest = Math.max(slowest, performance.now() - last);
    last = performance.now();
  }, 1);
  const { body } = await ask(url, "/stats?limit=1000");
  clearInterval(timer);
  expect(body).toMatchObject({ read: 1000, of: 10_000 });
  expect(slowest).toBeLessThan(500);
});
