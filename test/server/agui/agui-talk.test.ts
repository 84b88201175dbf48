// An agent that talks, over AG-UI: its words are answers, and the next words of the user go on.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool } from "../../../src/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { call, type Script } from "../../../src/testing/index.js";
import { converse } from "../../../src/tools/index.js";
import { Client, done, served, write } from "./agui-client.js";

const echo: Script = ({ lastText }) => [call("converse", { message: `You said: ${lastText}` })];
const talking = { tools: [converse()] };

describe("an agent that talks", () => {
  test("answers words with words, as the protocol's own client sends them", async () => {
    const client = new Client(await served(echo, talking));
    for (const words of ["hello", "how are you", "bye"]) {
      await client.say(words, words);
      expect(client.end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
      expect(client.messages.at(-1)).toMatchObject({ role: "assistant", content: `You said: ${words}` });
      expect(client.agent.pendingInterrupts).toEqual([]);
      await client.expectReplay();
    }
    expect(client.end["result"]).toEqual({ by: "converse", value: { message: "You said: bye" } });
    expect(client.agent.state).toMatchObject({ lastcall: { status: "waiting" } });
  });

  test("talks also if its words come without a call", async () => {
    const client = new Client(
      await served([{ text: "Hello." }, { text: "Fine." }], { ...talking, onText: "converse" }),
    );
    await client.say("u1", "hello");
    await client.say("u2", "how are you");
    expect(client.messages.map(({ content }) => content)).toEqual(["hello", "Hello.", "how are you", "Fine."]);
    await client.expectReplay();
  });

  test("goes on for a page that was reloaded, and after words whose wait has ended", async () => {
    const server = await served(echo, { tools: [converse({ expiresAfter: 1 })] });
    await new Client(server).say("u1", "hello");
    await new Promise((resolve) => setTimeout(resolve, 5));
    const client = await new Client(server).say("u2", "again");
    expect(client.messages.map(({ content }) => content)).toEqual([
      "hello",
      "You said: hello",
      "again",
      "You said: again",
    ]);
  });

  test("talks with a tool of one's own, if the handler is told of it", async () => {
    const reply = tool({
      name: "reply",
      description: "Replies",
      input: z.object({ text: z.string() }),
      isLoopBreaking: true,
      awaitsReply: true,
    });
    const script: Script = [[call("reply", { text: "One." })], [call("reply", { text: "Two." })]];
    const told = await served(script, { tools: [reply], handler: { chat: { words: { reply: "text" } } } });
    const client = await new Client(told).say("u1", "go");
    expect(client.types()).not.toContain("TOOL_CALL_START");
    await client.say("u2", "on");
    expect(client.messages.map(({ content }) => content)).toEqual(["go", "One.", "on", "Two."]);
    const untold = await new Client(await served(script, { tools: [reply] })).say("u1", "go");
    expect(untold.end).toMatchObject({ outcome: { type: "interrupt" } });
  });

  test("asks with a question, and with words that want an object", async () => {
    const asking = await new Client(await served([[call("ask_question", { question: "Which?" })]])).say("u1", "go");
    expect(asking.end).toMatchObject({ outcome: { type: "interrupt", interrupts: [{ message: "Which?" }] } });
    const form = { tools: [converse({ replySchema: z.object({ day: z.string() }) })] };
    const wanting = await new Client(await served(echo, form)).say("u1", "go");
    expect(wanting.end).toMatchObject({ outcome: { interrupts: [{ responseSchema: { required: ["day"] } }] } });
  });
});

describe("an answer that is given again is no fault of the server:", () => {
  const question = tool({
    name: "book",
    description: "Books",
    effect: "none",
    input: z.object({}),
    asks: z.string(),
    run: async (_input, { ask: asked }) => `booked for ${JSON.stringify(await asked("Which day?"))}`,
  });
  const permission = askFirst(() => ({ later: true, reason: "it writes" }));
  const cases = {
    "an approval": { calls: [call("write")], tools: [write], payload: { approved: true } },
    "a refusal": { calls: [call("write")], tools: [write], payload: { approved: false } },
    "the answer to a running call": { calls: [call("book")], tools: [question], payload: "Monday" },
    "the answer to a question": { calls: [call("ask_question", { question: "Which?" })], tools: [], payload: "this" },
    "a cancelled question": { calls: [call("ask_question", { question: "Which?" })], tools: [], payload: undefined },
  };
  const later: Readonly<Record<string, unknown>> = {
    failed: { status: 500, message: "down" },
    "is at work": { text: "A long story.", pause: 100, piece: 4, calls: done },
    ended: done,
  };
  const both = Object.entries(cases).flatMap(([name, one]) =>
    Object.keys(later).map((run) => [name, run, one] as const),
  );

  test.each(both)("%s whose run %s", async (_name, run, { calls, tools, payload }) => {
    const server = await served([calls, later[run], done] as unknown as Script, { tools, permission });
    const client = await new Client(server).say("u1", "go");
    const { id: interruptId } = client.agent.pendingInterrupts[0]!;
    const answer = payload === undefined ? { status: "cancelled" } : { status: "resolved", payload };
    const body = JSON.stringify({ threadId: "t", runId: "r", resume: [{ interruptId, ...answer }] });
    const headers = { "content-type": "application/json" };
    const post = () => fetch(new URL("/agui", server.url), { method: "POST", headers, body });
    const first = await post();
    if (run !== "is at work") await first.text();
    const second = await post();
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toContain(run === "failed" ? "RUN_ERROR" : '"outcome":{"type":"success"}');
    if (run === "is at work") expect(await first.text()).toContain('"outcome":{"type":"success"}');
  });
});
