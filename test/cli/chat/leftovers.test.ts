import { expect, test } from "vitest";
import { z } from "zod";
import { askedIn, takeBack } from "../../../src/cli/chat/leftovers.js";
import { createAgent, tool } from "../../../src/index.js";
import { memoryStore, openSession, removeAttachment } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const bytes = Buffer.from("%PDF-1.4\n%%EOF\n");

test("messages that no run has read come back with their files, and are gone from the inbox", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const { id } = await session.send({ text: "read this", attachments: [{ bytes, name: "paper.pdf" }] });
  await session.send({ text: "from another terminal" });
  const { texts, files } = await takeBack(session, [id]);
  expect(texts).toEqual(["read this"]);
  expect(files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) }))).toEqual([
    { bytes, mediaType: "application/pdf", name: "paper.pdf" },
  ]);
  expect(await takeBack(session, [id])).toEqual({ texts: [], files: [] });
});

test("a file whose bytes are gone is left out, and the words come back", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const { id, attachments } = await session.send({ text: "read this", attachments: [{ bytes }] });
  await removeAttachment({ store, id: "s", digest: attachments![0]!.digest });
  expect(await takeBack(session, [id])).toEqual({ texts: ["read this"], files: [] });
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
