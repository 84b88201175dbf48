// A worker asks its engine about the words that its runs take.

import { expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { Worker, type Hold, type StepParts } from "../../src/host/host-parts.js";
import { wordsName, workOf } from "../../src/host/work.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

test("a run asks the engine about words in its inbox by the name of their delivery, and takes no withdrawn words", async () => {
  const store = memoryStore();
  const model = scriptedModel([[call("task_completion", { result: "Done." })]]);
  const worker = new Worker({ store, agents: { main: createAgent({ model, tools: [taskCompletion()] }) } });
  const session = openSession({ store, id: "s" });
  for (const id of ["a/b~1", "wanted"]) await session.send({ id, text: `the words of ${id}` });
  const withdrawn = workOf({ session: "s", agent: "main", input: "the words of a/b~1", inputId: "a/b~1" }).first;
  const asked: string[] = [];
  const parts: StepParts = {
    reasonOf: () => Promise.resolve(undefined),
    isWithdrawn: ({ first, times }) => {
      asked.push(`${first} ${String(times)}`);
      return Promise.resolve(first === withdrawn);
    },
  };
  const hold: Hold = {
    keep: (step) => step(parts),
    give: () => expect.fail("it came again"),
    leave: () => expect.fail("it was left"),
    again: (thrown) => {
      throw thrown;
    },
    isTaken: () => true,
  };
  const work = workOf({ session: "s", agent: "main", input: "go", inputId: "1" });
  expect(await worker.deliver(work, hold)).toMatchObject({ status: "completed" });
  const names = ["a/b~1", "wanted"].map((id) => `${wordsName("s", id)} 0`);
  expect(asked.slice(-2)).toEqual(names);
  expect(asked).toContain(`${work.first} 0`);
  const records = JSON.stringify((await session.toJSON()).records);
  expect(records).toContain("the words of wanted");
  expect(records).not.toContain("the words of a/b~1");
  expect(await store.messages("s")).toEqual([]);
});
