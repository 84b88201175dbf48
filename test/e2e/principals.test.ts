// Principals from an input to the calls that follow from it.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AnyOutcome, type Principal } from "../../src/index.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../src/tools/index.js";

const ada: Principal = { id: "ada", name: "Ada", tenant: "acme", roles: ["admin"] };
const bob: Principal = { id: "bob", tenant: "acme" };

/** An agent whose tool `who` notes the principals of its calls. */
function noting(
  steps: readonly Step[],
  seen: (Principal | undefined)[],
  more: Partial<Parameters<typeof createAgent>[0]> = {},
) {
  return createAgent({
    model: scriptedModel(steps),
    tools: [whoTool(seen), askQuestion(), taskCompletion()],
    permission: allowAll(),
    ...more,
  });
}

const done = [call("task_completion", { result: "done" })];
const who = [call("who", {})];

/** The types of the records that say who gave them, with the ids. */
async function byIn(store: Store, id: string): Promise<readonly string[]> {
  const { records } = await openSession({ store, id }).toJSON();
  return records.flatMap((record) =>
    "by" in record && typeof record.by === "object" ? [`${record.type} ${record.by.id}`] : [],
  );
}

test("the journal says who gave an input, and a call sees them, also in another process", async () => {
  const seen: (Principal | undefined)[] = [];
  const store = memoryStore();
  const first = noting([who, [call("ask_question", { question: "Which?" })]], seen);
  await first.run("go", { session: openSession({ store, id: "s" }), by: ada });
  const second = noting([who, done], seen);
  await second.run("this one", { session: openSession({ store, id: "s" }), by: bob });
  expect(seen).toEqual([ada, bob]);
  expect(await byIn(store, "s")).toEqual(["input ada", "input bob"]);
});

test("a run that goes on without words follows from the words before, whoever resumes it", async () => {
  const seen: (Principal | undefined)[] = [];
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const stop = new AbortController();
  const agent = noting([who, who, done], seen);
  const stream = agent.stream("go", { session, by: ada, signal: stop.signal });
  for await (const event of stream) if (event.type === "iteration-end") stop.abort();
  await noting([who, done], seen).resume(session, { by: bob });
  expect(seen).toEqual([ada, ada]);
  expect(await byIn(store, "s")).toEqual(["input ada", "input bob"]);
});

test("who wishes that a run goes on stands in the journal, and its calls stay who asked for them", async () => {
  const seen: (Principal | undefined)[] = [];
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const leave = new AbortController();
  const stream = noting([who, who, done], seen).stream("go", { session, by: ada, suspend: leave.signal });
  for await (const event of stream) if (event.type === "iteration-end") leave.abort();
  await noting([who, done], seen).resume(session, { by: bob });
  expect(seen).toEqual([ada, ada]);
  expect(await byIn(store, "s")).toEqual(["input ada", "resume bob"]);
});

test("words during a run change whose calls follow, and words of nobody are nobody's", async () => {
  const seen: (Principal | undefined)[] = [];
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const agent = noting([who, who, who, done], seen);
  const words: (Principal | undefined)[] = [bob, undefined];
  const stream = agent.stream("go", { session, by: ada });
  for await (const event of stream) {
    if (event.type !== "call-end" || words.length === 0) continue;
    const by = words.shift();
    await session.send({ text: "also this", ...(by && { by }) });
  }
  expect((await stream.outcome).status).toBe("completed");
  expect(seen).toEqual([ada, bob, undefined]);
  expect(await byIn(store, "s")).toEqual(["input ada", "steer bob"]);
});

test("who approves does not become who asks, and permission sees both", async () => {
  const seen: (Principal | undefined)[] = [];
  const judged: unknown[] = [];
  const permission = {
    decide(
      one: { name: string; principal?: Principal },
      { approval }: { approval?: { by?: Principal; allowed: boolean } },
    ) {
      if (one.name !== "who") return { allowed: true, reason: "an ending" };
      judged.push([one.principal?.id, approval?.by?.id]);
      return approval === undefined
        ? ({ later: true, reason: "ask" } as const)
        : { allowed: approval.allowed && approval.by?.id !== one.principal?.id, reason: "four eyes" };
    },
  };
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const waiting = await noting([who], seen, { permission } as never).run("go", { session, by: ada });
  expect(waiting.status).toBe("waiting");
  await noting([who, done], seen, { permission } as never).run({ allowed: true }, { session, by: ada });
  expect(seen).toEqual([]);
  await noting([done], seen, { permission } as never).run({ allowed: true }, { session, by: bob });
  expect(seen).toEqual([ada]);
  expect(judged).toEqual([
    ["ada", undefined],
    ["ada", "ada"],
    ["ada", undefined],
    ["ada", "bob"],
  ]);
  expect(await byIn(store, "s")).toEqual(["input ada", "approval ada", "approval bob"]);
});

test("a call that asked goes on as who asked for it, and what follows from the answer is the answerer's", async () => {
  const seen: (Principal | undefined)[] = [];
  const asking = tool({
    name: "asking",
    description: "Asks.",
    input: z.object({}),
    asks: z.object({ question: z.string() }),
    run: async (_input, { ask, principal }) => {
      const answer = await ask({ question: "Sure?" });
      seen.push(principal);
      return answer;
    },
  });
  const made = (steps: readonly Step[]) => noting(steps, seen, { tools: [asking, whoTool(seen), taskCompletion()] });
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const asked: AnyOutcome = await made([[call("asking", {})]]).run("go", { session, by: ada });
  expect(asked.status).toBe("waiting");
  await made([who, done]).run("yes", { session, by: bob });
  expect(seen).toEqual([ada, bob]);
  expect(await byIn(store, "s")).toEqual(["input ada", "answer bob"]);
});

test("an agent that a call runs has the principal of the call", async () => {
  const seen: (Principal | undefined)[] = [];
  const below = noting([who, done], seen);
  const above = createAgent({
    model: scriptedModel([[call("explore", { task: "look" })], done]),
    tools: [delegate(below, { name: "explore", description: "Explores." }), taskCompletion()],
    permission: allowAll(),
  });
  await above.run("go", { by: ada });
  expect(seen).toEqual([ada]);
});

test("a principal that is none is refused before anything runs", async () => {
  await expect(noting([done], []).run("go", { by: { id: "" } })).rejects.toThrow("by has no usable id");
});

function whoTool(seen: (Principal | undefined)[]) {
  return tool({
    name: "who",
    description: "Notes who asks.",
    input: z.object({}),
    effect: "write",
    run: (_input, { principal }) => {
      seen.push(principal);
      return "noted";
    },
  });
}
