import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { memoryStore, openSession, pruneSessions, rootOf } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const day = 24 * 3_600_000;

/** A store with a session that ended on each of these days. */
async function storeWith(days: readonly number[]) {
  let time = 0;
  const store = memoryStore(() => time);
  for (const each of days) {
    time = each * day;
    const model = scriptedModel([[call("task_completion", { result: "done" })]]);
    const session = openSession({ store, id: `day-${String(each)}` });
    await createAgent({ model, tools: [taskCompletion()] }).run("Go.", { session });
  }
  return store;
}

test("the sessions that are older are deleted, the oldest first, and the others stay", async () => {
  const store = await storeWith([5, 1, 9]);
  expect(await pruneSessions({ store, olderThan: 3 * day, now: () => 10 * day })).toEqual(["day-1", "day-5"]);
  expect(await store.list()).toMatchObject([{ id: "day-9" }]);
});

test("one that is being written stays, however old", async () => {
  const store = await storeWith([1, 2]);
  const lease = await openSession({ store, id: "day-1" }).lease();
  expect(await pruneSessions({ store, olderThan: day, now: () => 90 * day })).toEqual(["day-2"]);
  expect(lease?.records.length).toBeGreaterThan(0);
  await lease?.release();
  expect(await pruneSessions({ store, olderThan: day, now: () => 90 * day })).toEqual(["day-1"]);
});

test("a store that can't delete is a fault, not silence", async () => {
  const store = { ...(await storeWith([1])), delete: () => Promise.reject(new Error("EROFS")) };
  await expect(pruneSessions({ store, olderThan: 0, now: () => 90 * day })).rejects.toThrow("EROFS");
});

test("an age that is no time is refused", async () => {
  await expect(pruneSessions({ store: memoryStore(), olderThan: Number.NaN })).rejects.toThrow("olderThan is NaN");
});

test("a session and those of the agents that its calls run stay and go together", async () => {
  const store = await storeWith([1, 9]);
  const model = scriptedModel([[call("task_completion", { result: "done" })]]);
  const agent = createAgent({ model, tools: [taskCompletion()] });
  const child = "day-9/k3/1/call:1:0";
  await agent.run("Go.", { session: openSession({ store, id: child }) });
  expect(rootOf(`${child}/a0/1/call:2:1`)).toBe("day-9");
  const early = {
    ...store,
    list: async () => (await store.list()).map((one) => (one.id === child ? { ...one, updated: 0 } : one)),
  };
  expect(await pruneSessions({ store: early, olderThan: 3 * day, now: () => 10 * day })).toEqual(["day-1"]);
  expect(await pruneSessions({ store: early, olderThan: 3 * day, now: () => 20 * day })).toEqual([child, "day-9"]);
});
