// Aborts over an engine: whatever the process dies between, somebody ends the run.

import { expect, test } from "vitest";
import { abortOver, type LiveDelivery } from "../../src/host/abort-over.js";
import type { JournalRecord } from "../../src/core/index.js";
import { deliveryState } from "../../src/host/delivery/delivery-state.js";
import type { Work } from "../../src/host/delivery/delivery.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";

const aborted = { session: "s", reason: "enough" };
const delivery: LiveDelivery = { name: "s/i:1", agent: "worker" };

/** A store whose session has a run without an end. */
async function openRun(): Promise<Store> {
  const store = memoryStore();
  const lease = (await openSession({ store, id: "s", about: { agent: "worker" } }).lease())!;
  await lease.append({ type: "input", run: 1, text: "go", life: "a", seq: 0, at: 1 });
  await lease.release();
  return store;
}

test("the delivery that ends the run is given before anything is withdrawn: a process may die in between", async () => {
  const given: Work[] = [];
  const dies = abortOver(await openRun(), aborted, {
    live: () => Promise.resolve([delivery]),
    give: (stop) => Promise.resolve(void given.push(stop)),
    withdraw: () => Promise.reject(new Error("the process died")),
  });
  await expect(dies).rejects.toThrow("the process died");
  expect(given).toMatchObject([{ session: "s", agent: "worker", stop: "enough", before: 1 }]);
});

test("a run that a withdrawn delivery has begun meanwhile is ended, too", async () => {
  const store = memoryStore();
  const given: Work[] = [];
  const isThere = await abortOver(store, aborted, {
    live: () => Promise.resolve([delivery]),
    give: (stop) => Promise.resolve(void given.push(stop)),
    withdraw: async () => {
      const lease = (await openSession({ store, id: "s" }).lease())!;
      await lease.append({ type: "input", run: 1, text: "go", life: "a", seq: 0, at: 1 });
      await lease.release();
    },
  });
  expect(isThere).toBe(true);
  expect(given.map(({ before, agent }) => [before, agent])).toEqual([
    [0, "worker"],
    [1, "worker"],
  ]);
});

test("a run that a withdrawn delivery began is ended also if the process that aborts died behind the withdrawal", async () => {
  const store = memoryStore();
  const given: Work[] = [];
  const dies = abortOver(store, aborted, {
    live: () =>
      Promise.resolve([
        { name: "s/i%3Aone~2", agent: "worker" },
        { ...delivery, name: "s/a%3A0f" },
      ]),
    give: (stop) => Promise.resolve(void given.push(stop)),
    withdraw: async () => {
      const lease = (await openSession({ store, id: "s" }).lease())!;
      await lease.append({ type: "input", run: 1, text: "go", sent: "one", life: "a", seq: 0, at: 1 });
      await lease.release();
      throw new Error("the process died");
    },
  });
  await expect(dies).rejects.toThrow("the process died");
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(given.map((stop) => [stop.inputs, deliveryState(records, stop).kind])).toEqual([[["one", "a:0f"], "open"]]);
  const later: JournalRecord = { type: "input", run: 2, text: "more", sent: "two", life: "b", seq: 2, at: 3 };
  const end: JournalRecord = { type: "outcome", status: "completed", seq: 1, at: 2 };
  expect(deliveryState([...records, end, later], given[0]!).kind).toBe("ended");
});

test("deliveries that end runs are not withdrawn, and where nothing is live or open, nothing is given", async () => {
  const withdrawn: string[] = [];
  const engine = (live: readonly LiveDelivery[]) => ({
    live: () => Promise.resolve(live),
    give: () => Promise.resolve(),
    withdraw: (deliveries: readonly LiveDelivery[]) =>
      Promise.resolve(void withdrawn.push(...deliveries.map(({ name }) => name))),
  });
  const stop = { name: "s/stop:1", agent: "worker" };
  expect(await abortOver(memoryStore(), aborted, engine([stop]))).toBe(false);
  expect(await abortOver(await openRun(), aborted, engine([stop, delivery]))).toBe(true);
  expect(withdrawn).toEqual(["s/i:1"]);
});

test("an attempt that was given while the abort looked went on, and its words were taken: now it is withdrawn with the others", async () => {
  const withdrawn: string[] = [];
  const lists = [
    ["s/i%3Aone~2", "s/i%3Atwo"],
    // The second attempt ended, and the third followed. Words that came after the abort are no part of it.
    ["s/i%3Aone~3", "s/i%3Alater"],
    // An engine may show for a while what it is about to withdraw.
    ["s/i%3Aone~3", "s/i%3Aone~4", "s/i%3Alater"],
    ["s/i%3Aone~3", "s/i%3Alater"],
  ];
  await abortOver(memoryStore(), aborted, {
    live: () => Promise.resolve((lists.shift() ?? []).map((name) => ({ name, agent: "worker" }))),
    give: () => Promise.resolve(),
    withdraw: (deliveries) => Promise.resolve(void withdrawn.push(...deliveries.map(({ name }) => name))),
  });
  expect(withdrawn).toEqual(["s/i%3Aone~2", "s/i%3Atwo", "s/i%3Aone~3", "s/i%3Aone~4"]);
  expect(lists).toEqual([]);
});
