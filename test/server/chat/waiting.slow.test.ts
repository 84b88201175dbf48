// Calls that wait for the page: approvals and questions of every kind, answered in their part, in words, twice, and too late.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import type { Decision, FrozenCall, Later, Permission } from "../../../src/index.js";
import { openSession } from "../../../src/memory/index.js";
import { openai } from "../../../src/model/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../../src/tools/index.js";
import { fencePainter, mayGoOn } from "../../e2e/fence.js";
import { ask } from "../client.js";
import { openPage, plain, until, versions } from "./page.js";
import {
  approvalIn,
  callsOf,
  chunksOf,
  done,
  expectSame,
  messageOf,
  messagesOf,
  partsOf,
  post,
  serving,
  textsOf,
  toolsOf,
} from "./served.js";

const write = (text: string) => call("write", { text });

describe.each(versions)("a page of version %i", (version) => {
  test("is told of a call that a rule denied, as a request that was answered", async () => {
    const permission = askFirst(() => ({ allowed: false, reason: "nobody writes here" }));
    const served = await serving([[write("a")], done], { version, agent: { permission } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(callsOf(page)).toMatchObject([
      { state: "output-denied", approval: { descriptor: { why: expect.stringContaining("nobody writes here") } } },
    ]);
    if (version === 7) expect(callsOf(page)[0]!["approval"]).toMatchObject({ approved: false, isAutomatic: true });
    expect(served.ran).toEqual([]);
    // The journal has the reason in both versions; version 6 has no chunk for it.
    if (version === 7) await expectSame(page, served, version);
    else
      expect(
        await messageOf(6, await chunksOf(await post(served.url, { id: "c", messages: [page.messages[0]] }))),
      ).toEqual(plain(page.messages)[1]);
  });

  test("answers two approvals of one reply together", async () => {
    const ran: string[] = [];
    const peek = tool({
      name: "peek",
      description: "Peeks",
      effect: "read",
      input: z.object({ at: z.number() }),
      run: ({ at }) => {
        ran.push(String(at));
        return `peeked at ${String(at)}`;
      },
    });
    const permission: Permission<FrozenCall, unknown, Decision | Later> = {
      decide: ({ name }, { approval }) =>
        approval ?? (name === "peek" ? { later: true, reason: "it is private" } : { allowed: true, reason: "" }),
    };
    const agent = { tools: [peek, taskCompletion()], permission };
    const served = await serving([[call("peek", { at: 1 }), call("peek", { at: 2 })], done], {
      version,
      agent,
    });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    const asked = [0, 1].map((place) => approvalIn(page, place));
    await page.addToolApprovalResponse({ id: asked[0]!, approved: true });
    expect([page.status, ran]).toEqual(["ready", []]);
    await page.addToolApprovalResponse({ id: asked[1]!, approved: false });
    await until(() => textsOf(page)[1] === "All is well." && page.status === "ready", "the end");
    expect(ran).toEqual(["1"]);
    expect(callsOf(page)).toMatchObject([{ state: "output-available" }, { state: "output-denied" }]);
    await expectSame(page, served, version);
  });

  test("approves a claim, whose words count then", async () => {
    const permission: Permission<FrozenCall, unknown, Decision | Later> = {
      decide: (_call, { approval }) => approval ?? { later: true, reason: "the boss reads it first" },
    };
    const served = await serving([done], { version, agent: { permission } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    await page.addToolApprovalResponse({ id: approvalIn(page), approved: true });
    await until(() => callsOf(page)[0]?.["state"] === "output-available" && page.status === "ready", "the end");
    expect(textsOf(page)).toEqual(["go", "All is well."]);
    await expectSame(page, served, version);
  });

  test.each([
    ["goes on", true],
    ["stops", false],
  ])("is asked by a run at its limit, which %s after its answer", async (_what, approved) => {
    const { agent, painted } = fencePainter();
    const served = await serving([], { version, handler: { agents: { worker: agent } } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(callsOf(page).at(-1)).toMatchObject({
      toolName: "raise_limit",
      state: "approval-requested",
      input: { limit: "max_iterations", used: 3, allowed: 3, more: 2, cost: 0.4 },
      approval: { descriptor: { why: mayGoOn } },
    });
    await expectSame(page, served, version);
    await page.addToolApprovalResponse({ id: approvalIn(page, 3), approved });
    await until(() => (textsOf(page)[1] ?? "").includes("Painted.") && page.status === "ready", "the end");
    expect(painted).toHaveLength(approved ? 4 : 3);
    const asked = callsOf(page).find(({ toolName }) => toolName === "raise_limit");
    expect(asked).toMatchObject(
      approved ? { state: "output-available", output: "The run goes on." } : { state: "output-denied" },
    );
    const ends = partsOf(page).filter(({ type }) => type === "data-outcome");
    const stopped = { status: "stopped", message: "3 iterations, as many as allowed; it may not go on" };
    expect(ends).toMatchObject(approved ? [] : [{ data: stopped }]);
    await expectSame(page, served, version);
  });

  test("begins anew with words, though a run waits at its limit", async () => {
    const { agent, painted } = fencePainter();
    const served = await serving([], { version, handler: { agents: { worker: agent } } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    await page.sendMessage({ text: "One plank more" });
    expect([textsOf(page).slice(-1), painted.length]).toEqual([["Painted."], 4]);
    await expectSame(page, served, version);
  });

  test("says no in words, which are a message of their own", async () => {
    const served = await serving([[write("a")], done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    await page.sendMessage({ text: "No, wait" });
    expect([textsOf(page), served.ran]).toEqual([["go", "", "No, wait", "All is well."], []]);
    expect(callsOf(page)).toMatchObject([{ toolName: "write", state: "output-denied", input: { text: "a" } }]);
    expect(page.messages[1]!.parts).toContainEqual(expect.objectContaining({ state: "approval-requested" }));
    expect(plain(page.messages)).toEqual(await messagesOf(served.url));
  });

  test("answers the questions of a running call in its part, with a form and in words", async () => {
    const book = tool({
      name: "book",
      description: "Books",
      effect: "none",
      input: z.object({}),
      asks: z.object({ question: z.string() }),
      run: async (_input, context) => {
        const replySchema = { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] };
        const form = await context.ask({ question: "How many?" }, { replySchema: replySchema });
        const name = await context.ask({ question: "Which name?" });
        return { form, name };
      },
    });
    const agent = { tools: [book, taskCompletion()] };
    const served = await serving([[call("book")], done], { version, agent });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(callsOf(page)).toMatchObject([{ state: "input-available", providerExecuted: false }]);
    const questions = () => partsOf(page).flatMap((part) => (part.type === "data-question" ? [part["data"]] : []));
    expect(questions()).toMatchObject([
      { tool: "book", value: { question: "How many?" }, replySchema: { required: ["seats"] } },
    ]);
    const toolCallId = String(callsOf(page)[0]!["toolCallId"]);
    await page.addToolOutput({ tool: "book", toolCallId, output: { seats: 2 } });
    await until(() => questions().length === 2 && page.status === "ready", "the second question");
    expect(callsOf(page)).toMatchObject([{ state: "input-available" }]);
    await expectSame(page, served, version);
    await page.addToolOutput({ tool: "book", toolCallId, output: "Ada" });
    await until(() => textsOf(page)[1] === "All is well." && page.status === "ready", "the end");
    expect(callsOf(page)).toMatchObject([{ state: "output-available", output: '{"form":{"seats":2},"name":"Ada"}' }]);
    await expectSame(page, served, version);
  });

  test("approves a call of an agent below", async () => {
    const ran: string[] = [];
    const below = createAgent({
      model: scriptedModel([
        { text: "I write.", calls: [write("deep")] },
        [call("task_completion", { result: "Written." })],
      ]),
      tools: toolsOf(ran),
      permission: () => ({ later: true, reason: "it writes" }),
    });
    const helper = delegate(below, { name: "helper", description: "Helps" });
    const served = await serving([[call("helper", { task: "write" })], done], {
      version,
      agent: { tools: [helper, taskCompletion()] },
    });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(callsOf(page)).toMatchObject([
      {
        toolName: "helper",
        state: "approval-requested",
        approval: { descriptor: { value: { by: "write", input: { text: "deep" } } } },
      },
    ]);
    await page.addToolApprovalResponse({ id: approvalIn(page), approved: true });
    await until(() => textsOf(page)[1] === "All is well." && page.status === "ready", "the end");
    expect([ran, callsOf(page)]).toMatchObject([
      ["deep"],
      [{ state: "output-available", output: expect.stringContaining("Written.") }],
    ]);
    await expectSame(page, served, version);
  });

  test("takes an answer once, however often it is sent", async () => {
    const served = await serving([[write("a")], done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    const id = approvalIn(page);
    const answered = plain(page.messages).map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === "dynamic-tool"
          ? { ...part, state: "approval-responded", approval: { id, approved: true } }
          : part,
      ),
    }));
    const again = () => post(served.url, { id: "c", messages: answered });
    const [first, second] = await Promise.all([again(), again()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    await Promise.all([first.text(), second.text()]);
    const third = await chunksOf(await again());
    expect([served.ran, third.at(-1)]).toMatchObject([["a"], { type: "finish", finishReason: "stop" }]);
    expect(
      (await openSession({ store: served.store, id: "c" }).toJSON()).records.filter(({ type }) => type === "approval"),
    ).toHaveLength(1);
  });

  test("answers a call that a colleague has answered meanwhile, and gets no words twice", async () => {
    const script: Script = [{ text: "First.", calls: [write("a")] }, { text: "Second.", calls: [write("b")] }, done];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    await page.addToolApprovalResponse({ id: approvalIn(page), approved: true });
    await until(() => callsOf(page).length === 2 && page.status === "ready", "the second call");
    const { waiting } = (await ask(served.url, "/sessions/c")).body as {
      waiting: { id: string; approval: { digest: string } };
    };
    const colleague = { callId: waiting.id, digest: waiting.approval.digest, allowed: true };
    expect(await ask(served.url, "/sessions/c/approvals", colleague)).toMatchObject({ status: 202 });
    await expect.poll(async () => (await ask(served.url, "/sessions/c")).body).toMatchObject({ status: "completed" });
    await page.addToolApprovalResponse({ id: approvalIn(page, 1), approved: true });
    await until(() => page.status === "ready" && textsOf(page)[1]?.includes("All is well.") === true, "the end");
    expect(served.ran).toEqual(["a", "b"]);
    await expectSame(page, served, version);
  });

  test("can't approve another call than the one that it shows", async () => {
    const served = await serving([[write("a")], [write("b")], done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    const id = approvalIn(page);
    const toolCallId = callsOf(page)[0]!["toolCallId"];
    const answer = (approvalId: string, approved: unknown = true) =>
      post(served.url, {
        id: "c",
        messages: [
          {
            id: "x",
            role: "assistant",
            parts: [
              { type: "dynamic-tool", toolCallId, state: "approval-responded", approval: { id: approvalId, approved } },
            ],
          },
        ],
      });
    const [seq = "", digest = ""] = id.split(".");
    expect((await answer(`${seq}.${"0".repeat(64)}`)).status).toBe(409);
    expect((await answer(`${String(Number(seq) - 1)}.${digest}`)).status).toBe(409);
    expect((await answer("yes")).status).toBe(409);
    expect((await answer(id, "yes")).status).toBe(400);
    expect(served.ran).toEqual([]);
    expect(await ask(served.url, "/sessions/c")).toMatchObject({ body: { status: "waiting" } });
  });

  test("says more while a run is at work: its words and the reply to them are messages of their own", async () => {
    const script: Script = [{ calls: [call("look", { at: 1 })], delay: 150 }, done];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    const first = page.sendMessage({ text: "go" });
    await until(() => page.messages.length === 2, "the first message");
    const second = page.sendMessage({ text: "and quickly" });
    await Promise.all([first, second]);
    expect(page.error).toBeUndefined();
    const journal = await messagesOf(served.url);
    expect(textsOf({ messages: journal })).toEqual(["go", "", "and quickly", "All is well."]);
    expect(journal.map(({ id }) => id)).toEqual([...new Set(page.messages.map(({ id }) => id))]);
    expect(plain(page.messages).toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      journal.toSorted((a, b) => a.id.localeCompare(b.id)),
    );
  });

  test("shows the reasoning that the provider gave", async () => {
    await using provider = await scriptedProvider([
      { reasoning: "It is dark, so I look.", text: "I look.", calls: [call("look", { at: 1 })], piece: 4 },
      done,
    ]);
    const model = openai({ baseURL: provider.url, model: "m" });
    const served = await serving([], { version, agent: { model } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(partsOf(page).filter(({ type }) => type === "reasoning")).toMatchObject([
      { text: "It is dark, so I look.", state: "done" },
    ]);
    expect(textsOf(page)).toEqual(["go", "I look.|All is well."]);
    await expectSame(page, served, version);
  });

  test("answers a question with a schema, and learns what is wrong with an answer", async () => {
    const question = askQuestion({ replySchema: z.object({ colour: z.string() }) });
    const served = await serving([[call("ask_question", { question: "Which?" })], done], {
      version,
      agent: { tools: [question, taskCompletion()] },
    });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    const toolCallId = String(callsOf(page)[0]!["toolCallId"]);
    await page.addToolOutput({ tool: "ask_question", toolCallId, output: { color: "blue" } });
    await until(() => page.status === "error", "the refusal");
    expect(page.error?.message).toContain("colour");
    await page.addToolOutput({ tool: "ask_question", toolCallId, output: { colour: "blue" } });
    await until(() => textsOf(page)[1] === "All is well." && page.status === "ready", "the end");
    await expectSame(page, served, version);
  });
});

test("an answer that waits in the inbox goes on with the message that asked, and a late one begins nothing", async () => {
  const served = await serving([[call("write", { text: "a" })], done], { version: 7 });
  const { url, store } = served;
  const page = openPage(7, served);
  await page.sendMessage({ text: "go" });
  const { records } = await openSession({ store, id: "c" }).toJSON();
  const parked = records.find((record) => record.type === "parked")!;
  const sent = (answers: string): string => JSON.stringify({ text: '{"allowed":true}', answers });
  await store.send("c", { id: "late", text: sent("another call") });
  expect((await fetch(new URL("/chat/c/stream", url))).status).toBe(204);
  await store.send("c", { id: "due", text: sent(parked.callId) });
  const response = await fetch(new URL("/chat/c/stream", url));
  expect(response.status).toBe(200);
  let text = "";
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes('"type":"start"')) break;
  }
  expect(text).toContain(page.messages.at(-1)!.id);
});
