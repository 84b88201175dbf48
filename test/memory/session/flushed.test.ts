// The flushes that a store is asked for: a loss of power must not lose a record that an effect outside follows from.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type AnyPermission, type JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

/** Each append of a run, in order: the types of its records, or `header`, and `flushed` if the store was told to flush it. */
async function appendsOf(runs: (store: Store) => Promise<unknown>): Promise<readonly string[]> {
  const appends: string[] = [];
  const store = memoryStore();
  const watched: Store = {
    ...store,
    async lock(...taken) {
      const lock = await store.lock(...taken);
      if (!("append" in lock)) return lock;
      return {
        ...lock,
        append(lines, flush) {
          const types = lines.map((line) => (JSON.parse(line) as Partial<JournalRecord>).type ?? "header");
          appends.push(`${types.join("+")}${flush ? " flushed" : ""}`);
          return lock.append(lines, flush);
        },
      };
    },
  };
  await runs(watched);
  return appends;
}

test("an iteration is two writes, and an intent is flushed before its effect; inputs, claims and outcomes are flushed, too", async () => {
  const appends: string[] = [];
  const effects: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: z.object({}),
    effect: "network",
    run: () => void effects.push("paid"),
  });
  appends.push(
    ...(await appendsOf(async (store) => {
      const model = scriptedModel([
        [call("pay")],
        "words",
        [call("ask_question", { question: "?" })],
        [call("task_completion", { result: "done" })],
      ]);
      const agent = createAgent({ model, tools: [pay, askQuestion(), taskCompletion()], permission: allowAll() });
      await agent.run("Go", { session: openSession({ store, id: "s" }) });
      await agent.run("Yes", { session: openSession({ store, id: "s" }) });
    })),
  );
  expect(effects).toEqual(["paid"]);
  const paid = ["reply+decision+intent flushed", "result+iteration"];
  const words = ["reply+error-context+iteration"];
  const asked = ["reply+decision", "claim flushed", "iteration+outcome flushed"];
  const answered = ["input flushed", ...asked];
  expect(appends).toEqual(["header", "input flushed", ...paid, ...words, ...asked, ...answered]);
});

test("a parked call and its answer are flushed: the person who was asked, and the one who answered, were told that it counts", async () => {
  const pay = tool({ name: "pay", description: "Pays", input: z.object({}), effect: "network", run: () => "paid" });
  const permission: AnyPermission = {
    decide: ({ name }, { approval }) =>
      name === "pay" ? (approval ?? { later: true, reason: "money" }) : { allowed: true, reason: "fine" },
  };
  const model = scriptedModel([[call("pay")], [call("task_completion", { result: "done" })]]);
  const appends = await appendsOf(async (store) => {
    const agent = createAgent({ model, tools: [pay, taskCompletion()], permission });
    await agent.run("Go", { session: openSession({ store, id: "s" }) });
    await agent.run({ allowed: true }, { session: openSession({ store, id: "s" }) });
  });
  // A digest is made meanwhile, which may take a turn.
  const asked = ["header", "input flushed", "reply", "parked flushed", "outcome flushed"];
  const types = appends.join(",").replaceAll("reply+parked", "reply,parked").split(",");
  expect(types.slice(0, 7)).toEqual([...asked, "approval flushed", "decision+intent flushed"]);
});

/** A store whose appends are told, and fail while `isFull`. */
function watchedStore(): { readonly store: Store; readonly appends: string[]; isFull: boolean } {
  const inner = memoryStore();
  const watched = {
    appends: [] as string[],
    isFull: false,
    store: {
      ...inner,
      async lock(...taken: Parameters<Store["lock"]>) {
        const lock = await inner.lock(...taken);
        if (!("append" in lock)) return lock;
        return {
          ...lock,
          async append(lines: readonly string[], flush: boolean) {
            watched.appends.push(lines.map((line) => (JSON.parse(line) as Partial<JournalRecord>).type).join("+"));
            if (watched.isFull) throw new LastcallError("store", "the disk is full");
            await lock.append(lines, flush);
          },
        };
      },
    },
  };
  return watched;
}

const notice = (seq: number) => ({ type: "notice", about: "check", text: String(seq), seq, at: 1 }) as const;
const steer = (seq: number) => ({ type: "steer", text: "more", sent: String(seq), seq, at: 1 }) as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a record that need not survive a loss of power", () => {
  test("is stored at the end of the turn, together with its neighbours", async () => {
    const { store, appends } = watchedStore();
    const session = openSession({ store, id: "s" });
    const lease = (await session.lease())!;
    await lease.append(notice(0));
    await lease.append(notice(1));
    expect((await session.toJSON()).records).toEqual([]);
    await turn();
    expect((await session.toJSON()).records).toEqual([notice(0), notice(1)]);
    expect(appends.slice(1)).toEqual(["notice+notice"]);
  });

  test("is stored when that is asked for, and when the lease is given back", async () => {
    const { store, appends } = watchedStore();
    const session = openSession({ store, id: "s" });
    const lease = (await session.lease())!;
    await lease.append(notice(0));
    await lease.stored();
    expect((await session.toJSON()).records).toEqual([notice(0)]);
    await lease.append(notice(1));
    await lease.release();
    expect((await session.toJSON()).records).toEqual([notice(0), notice(1)]);
    expect(appends.slice(1)).toEqual(["notice", "notice"]);
  });

  test("is stored with the next one that is flushed; if that can't be, both can be later", async () => {
    const watched = watchedStore();
    const session = openSession({ store: watched.store, id: "s" });
    const lease = (await session.lease())!;
    watched.isFull = true;
    await lease.append(notice(0));
    await expect(lease.append(steer(1))).rejects.toThrow("the disk is full");
    watched.isFull = false;
    await lease.append(steer(1));
    expect((await session.toJSON()).records).toEqual([notice(0), steer(1)]);
    expect(watched.appends.slice(1)).toEqual(["notice+steer", "notice+steer"]);
  });

  test("that can't be stored at the end of the turn ends the lease, with the reason", async () => {
    const watched = watchedStore();
    const lease = (await openSession({ store: watched.store, id: "s" }).lease())!;
    watched.isFull = true;
    await lease.append(notice(0));
    await turn();
    expect(lease.signal.reason).toMatchObject({ code: "store", message: expect.stringContaining("the disk is full") });
    await expect(lease.append(notice(1))).rejects.toThrow("the disk is full");
    await lease.release();
  });
});

test("a tool that only reads begins once the reply and its decision are stored", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const kept: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    effect: "read",
    run: async () => void kept.push(...(await session.toJSON()).records.map(({ type }) => type)),
  });
  const model = scriptedModel([[call("look")], [call("task_completion", { result: "done" })]]);
  await createAgent({ model, tools: [look, taskCompletion()] }).run("Go", { session });
  expect(kept).toEqual(["input", "reply", "decision"]);
});

test("a run whose records can't be stored any more ends, and says why", async () => {
  const watched = watchedStore();
  const look = tool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    effect: "read",
    run: () => {
      watched.isFull = true;
    },
  });
  const model = scriptedModel([[call("look")], [call("look")], [call("task_completion", { result: "done" })]]);
  const agent = createAgent({ model, tools: [look, taskCompletion()] });
  const outcome = await agent.run("Go", { session: openSession({ store: watched.store, id: "s" }) });
  expect(outcome).toMatchObject({
    status: "failed",
    fault: { code: "store" },
    message: expect.stringContaining("full"),
  });
  expect(model.requests.length).toBeLessThanOrEqual(2);
});
