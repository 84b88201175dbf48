// Questions and approvals over AG-UI: those of running calls, several at once, with a schema, too late, of agents below.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { openSession } from "../../../src/memory/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../../src/tools/index.js";
import { fencePainter, mayGoOn } from "../../e2e/fence.js";
import { ask } from "../client.js";
import { Client, done, served } from "./agui-client.js";

const ran: string[] = [];
const write = tool({
  name: "write",
  description: "Writes",
  effect: "write",
  input: z.object({ text: z.string() }),
  preview: ({ text }) => `+ ${text}`,
  run: ({ text }) => {
    ran.push(text);
    return `wrote ${text}`;
  },
});
const permission = (expiresAfter?: number) =>
  askFirst(() => ({ later: true, reason: "it writes", ...(expiresAfter !== undefined && { expiresAfter }) }));
const book = tool({
  name: "book",
  description: "Books",
  effect: "none",
  input: z.object({}),
  asks: z.object({ question: z.string() }),
  run: async (_input, { ask: askUser }) => `booked for ${JSON.stringify(await askUser({ question: "Which day?" }))}`,
});

describe("in a thread that asks,", () => {
  test("a question of a running call is about its tool call, which gets its result behind the answer", async () => {
    const server = await served([[call("book")], done], { tools: [book] });
    const client = await new Client(server).say("u1", "book");
    const [interrupt] = client.agent.pendingInterrupts;
    const [, proposal] = client.messages as readonly { readonly toolCalls?: readonly { readonly id: string }[] }[];
    expect(interrupt).toMatchObject({ reason: "input_required", message: "Which day?" });
    expect(interrupt!.toolCallId).toBe(proposal!.toolCalls![0]!.id);
    await client.expectReplay();
    await client.resume("Monday");
    expect(client.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "book"],
      ["assistant", undefined],
      ["tool", 'booked for "Monday"'],
      ["user", "Monday"],
      ["assistant", "Done."],
    ]);
    await client.expectReplay();
  });

  test("a reply with a schema is checked, and the thread waits on", async () => {
    const replySchema = z.object({ day: z.string() });
    const question = [call("ask_question", { question: "Which day?" })];
    const asking = { ...askQuestion({ replySchema }), name: "ask_day" } as never;
    const server = await served([[call("ask_day", { question: "Which day?" })], question, done], {
      tools: [asking],
    });
    const client = await new Client(server).say("u1", "book");
    const { id, responseSchema } = client.agent.pendingInterrupts[0]!;
    expect(responseSchema).toMatchObject({ type: "object", properties: { day: { type: "string" } } });
    const said = (payload: unknown) => ({
      ...{ threadId: "t", runId: "r" },
      resume: [{ interruptId: id, status: "resolved", payload }],
    });
    const post = (payload: unknown) => ask(server.url, "/agui", said(payload));
    expect(await post({ date: "Monday" })).toMatchObject({
      status: 409,
      body: { error: /does not fit what ask_day asked/ },
    });
    expect(await post(7)).toMatchObject({ status: 400, body: { error: /neither a text nor an object/ } });
    await client.resume({ day: "Monday" });
    expect(client.end).toMatchObject({ outcome: { type: "interrupt" } });
    await client.expectReplay();
  });

  test("plain words of a client that lost the interrupt answer a question", async () => {
    const server = await served([[call("ask_question", { question: "Which?" })], done]);
    await new Client(server).say("u1", "go");
    const client = await new Client(server).say("u2", "this");
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(client.messages.map(({ content }) => content)).toEqual(["go", "Which?", "this", "Done."]);
    await client.expectReplay();
  });

  test("calls that wait side by side are asked about one after the other", async () => {
    ran.length = 0;
    const server = await served([[call("write", { text: "a" }), call("write", { text: "b" })], done], {
      tools: [write],
      permission: permission(),
    });
    const client = await new Client(server).say("u1", "go");
    expect(client.agent.pendingInterrupts).toMatchObject([
      { metadata: { lastcall: { preview: "+ a", input: { text: "a" } } } },
    ]);
    await client.resume({ approved: true });
    expect(client.agent.pendingInterrupts).toMatchObject([{ metadata: { lastcall: { preview: "+ b" } } }]);
    await client.expectReplay();
    await client.resume({ approved: false });
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(ran).toEqual(["a"]);
    await client.expectReplay();
  });

  test.each<[string, boolean, "resolved" | "cancelled", object]>([
    ["goes on after a yes", true, "resolved", { outcome: { type: "success" } }],
    ["stops after a no", false, "resolved", { type: "RUN_ERROR", code: "max_iterations" }],
    ["stops if it is cancelled", false, "cancelled", { type: "RUN_ERROR", code: "max_iterations" }],
  ])("a run at its limit asks in its own words, about no call, and %s", async (_what, approved, status, end) => {
    const { agent, painted } = fencePainter();
    const server = await served([], { handler: { agents: { worker: agent } } });
    const client = await new Client(server).say("u1", "go");
    const [interrupt] = client.agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      ...{ reason: "confirmation", message: mayGoOn },
      metadata: { lastcall: { tool: "raise_limit", input: { used: 3, more: 2, cost: 0.4 } } },
    });
    expect(interrupt).not.toHaveProperty("toolCallId");
    expect(Object.keys((interrupt!.responseSchema as { properties: object }).properties)).toEqual([
      "approved",
      "reason",
    ]);
    await client.expectReplay();
    await client.resume({ approved }, status);
    expect(client.end).toMatchObject(end);
    expect(painted).toHaveLength(approved ? 4 : 3);
    await client.expectReplay();
  });

  test("an approval that came too late lets the thread go on when it is cancelled", async () => {
    ran.length = 0;
    for (const words of [undefined, "never mind"]) {
      const server = await served([[call("write", { text: "a" })], done], {
        tools: [write],
        permission: permission(30),
      });
      const client = await new Client(server).say("u1", "go");
      const { expiresAt, id } = client.agent.pendingInterrupts[0]!;
      expect(new Date(expiresAt!).toISOString()).toBe(expiresAt);
      await new Promise((resolve) => setTimeout(resolve, 60));
      const late = {
        threadId: "t",
        runId: "r",
        resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }],
      };
      expect(await ask(server.url, "/agui", late)).toMatchObject({ status: 409 });
      if (words !== undefined) client.agent.addMessage({ id: "u2", role: "user", content: words });
      await client.resume(undefined, "cancelled");
      expect(client.end).toMatchObject({ outcome: { type: "success" } });
      expect(client.messages.some(({ content }) => content === "never mind")).toBe(words !== undefined);
      await client.expectReplay();
    }
    expect(ran).toEqual([]);
  });

  test("the approval of a call of an agent below is one with a digest", async () => {
    ran.length = 0;
    const below = createAgent({
      model: scriptedModel([[call("write", { text: "below" })], [call("task_completion", { result: "Written." })]]),
      tools: [write, taskCompletion()],
      permission: permission(),
    });
    const server = await served([[call("helper", { task: "write" })], done], {
      tools: [delegate(below as never, { name: "helper", description: "Helps" })],
      permission: permission(),
    });
    const client = await new Client(server).say("u1", "go");
    expect(client.agent.pendingInterrupts).toMatchObject([
      { reason: "tool_call", id: expect.stringMatching(/@[0-9a-f]{64}$/) },
    ]);
    await client.resume({ approved: true });
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(ran).toEqual(["below"]);
    await client.expectReplay();
  });

  test("a run that failed behind an approval does not block the thread for a client that still has the interrupt", async () => {
    ran.length = 0;
    const server = await served([[call("write", { text: "a" })], { status: 401, message: "no key" }, done], {
      tools: [write],
      permission: permission(),
    });
    const client = await new Client(server).say("u1", "go");
    await client.resume({ approved: true });
    expect(client.end).toMatchObject({ type: "RUN_ERROR", code: "authentication" });
    expect(client.agent.pendingInterrupts).toHaveLength(1);
    client.agent.addMessage({ id: "u2", role: "user", content: "try again" });
    await client.resume(undefined, "cancelled");
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(ran).toEqual(["a"]);
    const { records } = await openSession({ store: server.store, id: "t" }).toJSON();
    expect(records.filter(({ type }) => type === "input")).toHaveLength(2);
    await client.expectReplay();
  });
});
