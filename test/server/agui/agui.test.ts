// AG-UI over real HTTP, with the protocol's own client: text, tools, questions, approvals, ends, retractions.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { call } from "../../../src/testing/index.js";
import { ask } from "../client.js";
import { Client, done, served } from "./agui-client.js";

const look = tool({
  name: "look",
  description: "Looks",
  effect: "read",
  input: z.object({ at: z.number() }),
  run: async function* ({ at }) {
    yield { progress: at };
    return `saw ${String(at)}`;
  },
});

describe("a run", () => {
  test("with text and tools has steps, streamed arguments, results and the claim as text", async () => {
    const server = await served(
      [
        {
          text: "I look first.",
          calls: [call("look", { at: 1 }), call("look", { at: 2 })],
          piece: 4,
          reasoning: "Hm, well.",
        },
        { calls: done, piece: 5 },
      ],
      { tools: [look] },
    );
    const client = await new Client(server).say("u1", "go");
    expect(client.messages.filter(({ role }) => role !== "reasoning")).toMatchObject([
      { id: "u1", role: "user", content: "go" },
      {
        role: "assistant",
        content: "I look first.",
        toolCalls: [{ function: { name: "look", arguments: '{"at":1}' } }, { function: { arguments: '{"at":2}' } }],
      },
      { role: "tool", content: "saw 1" },
      { role: "tool", content: "saw 2" },
      { role: "assistant", content: "Done." },
    ]);
    expect(client.messages.find(({ role }) => role === "reasoning")?.content).toBe("Hm, well.");
    expect(client.types()).not.toContain("MESSAGES_SNAPSHOT");
    expect(client.types().filter((type) => type === "TOOL_CALL_ARGS").length).toBeGreaterThan(2);
    expect(client.custom("progress")).toMatchObject([{ progress: { progress: 1 } }, { progress: { progress: 2 } }]);
    expect(client.events[0]).toMatchObject({ type: "RUN_STARTED", threadId: "t", protocolVersion: "1.0" });
    expect(client.end).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success" },
      result: { by: "task_completion", value: { result: "Done." }, verified: "unchecked" },
      usage: [{ inputTokens: expect.any(Number), totalTokens: expect.any(Number) }],
    });
    expect(client.agent.state).toMatchObject({ lastcall: { session: "t", status: "completed", iteration: 2 } });
    await client.expectReplay();
  });

  test("goes on with the thread, and a client without its messages gets them first, in order", async () => {
    const server = await served([
      done,
      [call("task_completion", { result: "Again." })],
      [call("task_completion", { result: "Third." })],
    ]);
    const first = await new Client(server).say("u1", "go");
    await first.say("u2", "more");
    expect(first.types()).not.toContain("MESSAGES_SNAPSHOT");
    await first.expectReplay();
    const other = await new Client(server).say("u3", "and more");
    expect(other.messages.map(({ content }) => content)).toEqual([
      "go",
      "Done.",
      "more",
      "Again.",
      "and more",
      "Third.",
    ]);
    await other.expectReplay();
  });
});

describe("a question", () => {
  const question = [call("ask_question", { question: "Which colour?" })];

  test("is an interrupt, and its answer goes on to success", async () => {
    const server = await served([question, [call("task_completion", { result: "Blue it is." })]]);
    const client = await new Client(server).say("u1", "paint");
    expect(client.end).toMatchObject({ outcome: { type: "interrupt" } });
    expect(client.agent.pendingInterrupts).toMatchObject([
      { reason: "input_required", message: "Which colour?", responseSchema: { type: "string" } },
    ]);
    await client.expectReplay();
    await client.resume("blue");
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(client.messages.map(({ content }) => content)).toEqual(["paint", "Which colour?", "blue", "Blue it is."]);
    expect(client.agent.pendingInterrupts).toEqual([]);
    await client.expectReplay();
  });

  test("that is cancelled is answered with words that say so", async () => {
    const server = await served([question, done]);
    const client = await new Client(server).say("u1", "paint");
    await client.resume(undefined, "cancelled");
    expect(client.messages.map(({ content }) => content)).toEqual([
      "paint",
      "Which colour?",
      "The user does not answer this question.",
      "Done.",
    ]);
  });
});

describe("an approval", () => {
  const ran: string[] = [];
  const write = tool({
    name: "write",
    description: "Writes",
    effect: "write",
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      ran.push(text);
      return `wrote ${text}`;
    },
  });
  const options = { tools: [write], permission: () => ({ later: true, reason: "it writes" }) };

  test("that is a yes runs the call once, also after a restart and twice", async () => {
    ran.length = 0;
    const store = memoryStore();
    const first = await served([[call("write", { text: "a" })]], { ...options, store });
    const client = await new Client(first).say("u1", "go");
    expect(client.end).toMatchObject({
      outcome: { interrupts: [{ reason: "tool_call", message: "write: it writes", toolCallId: expect.any(String) }] },
    });
    await first.close();
    const second = await served([done], { ...options, store });
    client.agent.url = new URL("agui", second.url).href;
    const { id: interruptId } = client.agent.pendingInterrupts[0]!;
    await client.resume({ approved: true });
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    await client.expectReplay();
    const again = await client.run({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] });
    expect(again.end).toMatchObject({ outcome: { type: "success" } });
    await client.expectReplay();
    expect(ran).toEqual(["a"]);
  });

  test("that is a no, or is cancelled, refuses the call", async () => {
    ran.length = 0;
    for (const [payload, status] of [
      [{ approved: false, reason: "not now" }, "resolved"],
      [undefined, "cancelled"],
    ] as const) {
      const server = await served([[call("write", { text: "b" })], done], options);
      const client = await new Client(server).say("u1", "go");
      await client.resume(payload, status);
      expect(client.messages.at(-2)).toMatchObject({
        role: "tool",
        content: expect.stringContaining(status === "resolved" ? "not now" : "cancelled"),
        metadata: { lastcall: { failure: expect.any(String) } },
      });
      await client.expectReplay();
    }
    expect(ran).toEqual([]);
  });

  test("counts for the call that was shown alone, and words are no answer to it", async () => {
    ran.length = 0;
    const server = await served([[call("write", { text: "c" })], done], options);
    const client = await new Client(server).say("u1", "go");
    const { id } = client.agent.pendingInterrupts[0]!;
    const post = (body: object) => ask(server.url, "/agui", { threadId: "t", runId: "r", messages: [], ...body });
    const stale = id.replace(/@.*/, `@${"0".repeat(64)}`);
    const answer = (interruptId: string, payload: unknown) =>
      post({ resume: [{ interruptId, status: "resolved", payload }] });
    expect(await answer(stale, { approved: true })).toMatchObject({ status: 409, body: { error: /digest/ } });
    expect(await answer(id, { approved: true, editedArgs: {} })).toMatchObject({
      status: 400,
      body: { error: /editedArgs/ },
    });
    expect(await post({ messages: [{ id: "u2", role: "user", content: "yes" }] })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining(id) },
    });
    expect(ran).toEqual([]);
    await client.resume(true);
    expect(ran).toEqual(["c"]);
  });
});
