// What a store is told to flush: a loss of power must not lose a record that an effect outside follows from.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AnyPermission, type JournalRecord } from "../../../src/index.js";
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

test("an intent is flushed before its effect, with its decision, and so are inputs, claims and outcomes; nothing else waits for the disk", async () => {
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
  const paid = ["reply", "decision+intent flushed", "result", "iteration"];
  const words = ["reply", "error-context", "iteration"];
  const asked = ["reply", "decision", "claim flushed", "iteration", "outcome flushed"];
  const answered = ["input flushed", "reply", "decision", "claim flushed", "iteration", "outcome flushed"];
  expect(appends).toEqual(["header flushed", "input flushed", ...paid, ...words, ...asked, ...answered]);
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
  const asked = ["header flushed", "input flushed", "reply", "parked flushed", "outcome flushed"];
  expect(appends.slice(0, 7)).toEqual([...asked, "approval flushed", "decision+intent flushed"]);
});
