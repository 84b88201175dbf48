// Approvals over HTTP: each names its call and its digest, on every path, and nothing else is a yes.

import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Agent } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";
import { ask, untilEnd } from "../client.js";

interface Waiting {
  readonly id: string;
  readonly approval: { readonly digest: string };
}

const done = [call("task_completion", { result: "Done." })];

/** The thing that waits for a yes before the refund. */
type Waits = "a call" | "a run at its limit";

const pays: Script = [[call("refund", { order: "A-7" })], done];

function shopOf(paid: string[], script: Script = pays, waits: Waits = "a call") {
  const refund = tool({
    ...{ name: "refund", description: "Pays back", input: z.object({ order: z.string() }), effect: "write" as const },
    run: ({ order }) => (paid.push(order), "paid"),
  });
  const tools = [refund, taskCompletion()] as const;
  if (waits === "a call") {
    const permission = askFirst(() => ({ later: true, reason: "money" }));
    return createAgent({ model: scriptedModel(script), tools, permission });
  }
  const model = scriptedModel([[call("nothing")], ...(pays as [])]);
  const limits = { maxIterations: 1, ask: { maxIterations: 5 } };
  return createAgent({ model, tools, limits, permission: askFirst(() => ({ allowed: true })) });
}

async function listening(options: HandlerOptions): Promise<string> {
  const handler = createHandler(options);
  const { url, close } = await serve(handler);
  onTestFinished(async () => {
    await handler.close();
    await close();
  });
  return url;
}

/** A server whose session `s` waits for the approval of a refund. */
async function shop(waits: Waits = "a call", store: Store = memoryStore()) {
  const paid: string[] = [];
  const agents = { shop: shopOf(paid, pays, waits) as Agent };
  const url = await listening({ agents, store });
  await ask(url, "/sessions/s/runs", { input: "Pay back." });
  await untilEnd(url, "s");
  return { url, paid, store, waiting: await waitingOf(url) };
}

async function waitingOf(url: string): Promise<Waiting> {
  const { body } = await ask(url, "/sessions/s");
  return (body as { readonly waiting: Waiting }).waiting;
}

const agui = (interruptId: string, payload: unknown, status = "resolved") => ({
  ...{ threadId: "s", runId: "r", messages: [], tools: [], resume: [{ interruptId, status, payload }] },
});

describe.each<Waits>(["a call", "a run at its limit"])("%s that waits", (waits) => {
  const forms = ({ id }: Waiting) =>
    [
      ["/sessions/s/runs", { input: { allowed: true } }],
      ["/sessions/s/runs", { input: { allowed: true }, answers: id }],
      ["/sessions/s/runs", { input: { allowed: true, digest: "f".repeat(64) } }],
      ["/sessions/s/runs", { input: { allowed: true, digest: "f".repeat(64) }, answers: id }],
      ["/sessions/s/runs", { input: { allowed: false } }],
      ["/sessions/s/approvals", { callId: id, allowed: true }],
      ["/agui", agui(id, { allowed: true })],
      ["/agui", agui(id, { approved: true })],
      ["/agui", agui(id, true)],
      ["/agui", agui(id, '{"allowed":true}')],
      ["/agui", agui(id, undefined, "cancelled")],
      ["/chat", { id: "s", messages: [{ id: "m", role: "assistant", parts: [answered(id, { allowed: true })] }] }],
    ] as const;

  test("is neither approved nor refused by anything that names no call and digest", async () => {
    const { url, paid, waiting } = await shop(waits);
    for (const [path, body] of forms(waiting)) {
      const { status } = await ask(url, path, body);
      expect([JSON.stringify(body), [400, 409].includes(status)]).toEqual([JSON.stringify(body), true]);
    }
    expect(paid).toEqual([]);
    expect(await waitingOf(url)).toMatchObject({ id: waiting.id });
  });

  test.each(["/sessions/s/approvals", "/sessions/s/runs"])("is approved over %s by call and digest", async (path) => {
    const { url, paid, waiting } = await shop(waits);
    const { id, approval } = waiting;
    const answer = { allowed: true, digest: approval.digest };
    const body = path.endsWith("runs") ? { input: answer, answers: id } : { callId: id, ...answer };
    expect((await ask(url, path, body)).status).toBe(202);
    await expect.poll(() => paid).toEqual(["A-7"]);
  });
});

function answered(toolCallId: string, output: unknown) {
  return { type: "tool-refund", toolCallId, state: "output-available", input: {}, output };
}

test("words that look like an approval stay words, also if they waited in an inbox over a restart", async () => {
  const { paid, store, waiting } = await shop();
  // The run of another process has the session, so the words wait; then both processes are gone.
  await openSession({ store, id: "s" }).send({ text: '{"allowed":true}', answers: waiting.id });
  await untilEnd(await listening({ agents: { shop: shopOf(paid, [done]) }, store }), "s");
  expect(paid).toEqual([]);
});

test("an answer to a question may have a field that an approval has, if it names the question", async () => {
  const store = memoryStore();
  const consent = tool({
    ...{ name: "consent", description: "Asks", input: z.object({}), isLoopBreaking: true as const },
    ...{ awaitsReply: true as const, replySchema: z.object({ allowed: z.boolean() }) },
  });
  const agent = createAgent({
    model: scriptedModel([[call("consent", {})], done]),
    tools: [consent, taskCompletion()],
  });
  const url = await listening({ agents: { agent }, store });
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const { id } = await waitingOf(url);
  expect((await ask(url, "/sessions/s/runs", { input: { allowed: true } })).status).toBe(400);
  expect((await ask(url, "/sessions/s/runs", { input: { allowed: true }, answers: id })).status).toBe(202);
});

test("the approval of a call of an agent below needs its digest as well", async () => {
  const paid: string[] = [];
  const store = memoryStore();
  const lead = createAgent({
    model: scriptedModel([[call("shop", { task: "Pay back." })], done]),
    tools: [delegate(shopOf(paid) as never, { name: "shop", description: "Pays back" }), taskCompletion()],
    permission: () => ({ later: true, reason: "money" }) as never,
  });
  const url = await listening({ agents: { lead }, store });
  await ask(url, "/sessions/s/runs", { input: "go" });
  await untilEnd(url, "s");
  const waiting = (await waitingOf(url)) as unknown as { readonly id: string; readonly approves: string };
  expect(waiting.approves).toMatch(/^[0-9a-f]{64}$/);
  expect((await ask(url, "/sessions/s/runs", { input: { allowed: true }, answers: waiting.id })).status).toBe(400);
  expect((await ask(url, "/agui", agui(waiting.id, { allowed: true }))).status).toBe(409);
  expect(paid).toEqual([]);
});

test("a copy of a session has no approval of a call that has yet to run", async () => {
  const { url, paid, waiting } = await shop();
  const { id, approval } = waiting;
  await ask(url, "/sessions/s/approvals", { callId: id, digest: approval.digest, allowed: true });
  await expect.poll(async () => ((await ask(url, "/sessions/s")).body as { status: string }).status).toBe("completed");
  const { body } = await ask(url, "/sessions/s/records");
  const { seq } = (body as { records: { type: string; seq: number }[] }).records.find((r) => r.type === "approval")!;
  expect((await ask(url, "/sessions/s/fork", { at: seq + 1, to: "copy" })).status).toBe(201);
  await ask(url, "/sessions/copy/resume", {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(paid).toEqual(["A-7"]);
});
