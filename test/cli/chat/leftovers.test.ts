import { expect, test } from "vitest";
import { z } from "zod";
import { askedIn, hasRead, queuedIn, unreadOf } from "../../../src/cli/chat/leftovers.js";
import { createAgent, tool } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

test("messages that no run has read are found in their order, and stay in the inbox", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const first = await session.send({ text: "read this", attachments: [{ bytes: Buffer.from("%PDF-1.4\n%%EOF\n") }] });
  await session.send({ text: "from another terminal" });
  const second = await session.send({ text: "and this" });
  for (let time = 1; time <= 2; time += 1)
    expect(await unreadOf([first, second], { store, session })).toEqual([first, second]);
  await store.drop("s", [first.id]);
  expect(await unreadOf([first, second], { store, session })).toEqual([second]);
  expect(await unreadOf([], { store, session })).toEqual([]);
});

test("the words in the inbox are found whoever sent them, but no answers to calls, and none that a run has read", async () => {
  const store = { ...memoryStore(), drop: () => Promise.reject(new Error("The disk is full.")) };
  const session = openSession({ store, id: "s" });
  const read = await session.send({ text: "one" });
  await session.send({ text: "two", answers: "a call" });
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  expect(await queuedIn(await session.toJSON(), { store })).toEqual([read]);
  await agent.run("one", { session, inputId: read.id });
  const left = await session.send({ text: "three" });
  expect(await queuedIn(await session.toJSON(), { store })).toEqual([left]);
});

test("a message that a run has read and could not drop counts as read", async () => {
  const store = { ...memoryStore(), drop: () => Promise.reject(new Error("The disk is full.")) };
  const session = openSession({ store, id: "s" });
  const [first, second] = [await session.send({ text: "one" }), await session.send({ text: "two" })];
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const { status } = await agent.run("one", { session, inputId: first.id });
  expect(status).toBe("failed");
  const kept = await session.toJSON();
  expect([hasRead(kept, first.id), hasRead(kept, second.id), hasRead(kept, "none")]).toEqual([true, true, false]);
  expect(await store.messages("s")).toHaveLength(2);
  expect(await unreadOf([first, second], { store, session })).toEqual([]);
});

test("the open question is found, whether a claim or a running call asked it, and a question that expired is none", async () => {
  const question = { question: "Which?", suggestions: ["a", "b"] };
  const book = tool({
    name: "book",
    description: "Books.",
    input: z.object({}),
    asks: z.object({ question: z.string(), suggestions: z.array(z.string()) }),
    run: async (_input, context) => `booked ${JSON.stringify(await context.ask(question))}`,
  });
  const waiting = async (script: Parameters<typeof scriptedModel>[0], expiresAfter?: number): Promise<unknown> => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const tools = [book, askQuestion({ expiresAfter }), taskCompletion()];
    const { status } = await createAgent({ model: scriptedModel(script), tools }).run("Go.", { session });
    expect(status).toBe("waiting");
    await new Promise((resolve) => setTimeout(resolve, 5));
    return askedIn(await session.toJSON());
  };
  expect(await waiting([[call("ask_question", question)]])).toEqual(question);
  expect(await waiting([[call("book", {})]])).toEqual(question);
  expect(await waiting([[call("ask_question", question)]], 1)).toBeUndefined();
});
