// Chats: pages of both versions of the AI SDK over real HTTP. What a page has at the end is what the journal says, and what a replay gives.

import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Agent } from "../../../src/index.js";
import { memoryStore, type Store } from "../../../src/memory/index.js";
import { askFirst } from "../../../src/permission/index.js";
import { createHandler, createHub, serve, type ChatUiMessage, type Hub } from "../../../src/server/index.js";
import { call, scriptedModel, type Script, type Step } from "../../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../../src/tools/index.js";
import { ask } from "../client.js";
import { openPage, plain, until, versions, type Page, type Version } from "./page.js";

const done: Step = { calls: [call("task_completion", { result: "All is well." })], piece: 4 };

function tools(ran: string[]) {
  return [
    tool({
      name: "write",
      description: "Writes",
      effect: "write",
      input: z.object({ text: z.string() }),
      run: ({ text }) => {
        ran.push(text);
        return `wrote ${text}`;
      },
    }),
    tool({
      name: "look",
      description: "Looks",
      effect: "read",
      input: z.object({ at: z.number() }),
      run: ({ at }) => {
        if (at < 0) throw new Error("There is nothing below.");
        return `saw ${String(at)}`;
      },
    }),
    askQuestion(),
    converse(),
    taskCompletion(),
  ] as const;
}

interface Served {
  readonly url: string;
  readonly hub: Hub;
  readonly store: Store;
  readonly ran: string[];
}

interface ServeOptions {
  readonly version: Version;
  readonly store?: Store;
  readonly ran?: string[];
  readonly agent?: object;
}

/** A server with an agent that has this script. */
async function serving(script: Script, options: ServeOptions): Promise<Served> {
  const { version, store = memoryStore(), ran = [], agent = {} } = options;
  const worker = createAgent({
    model: scriptedModel(script),
    tools: tools(ran),
    permission: askFirst(() => ({ later: true, reason: "it writes" })),
    ...agent,
  }) as Agent;
  const hub = createHub({ agents: { worker }, store });
  const { url, close } = await serve(createHandler({ hub, chat: { version } }));
  onTestFinished(async () => {
    await hub.close({ grace: 100 });
    await close();
  });
  return { url, hub, store, ran };
}

async function messagesOf(url: string, id = "c"): Promise<readonly ChatUiMessage[]> {
  return ((await ask(url, `/chat/${id}/messages`)).body as { messages: readonly ChatUiMessage[] }).messages;
}

/** The page, the journal and a page that comes later have the same messages. */
async function expectSame(page: Page, { url }: Served, version: Version): Promise<void> {
  const journal = await messagesOf(url);
  expect(plain(page.messages)).toEqual(journal);
  // A page that loads while nothing runs gets the messages, and no stream.
  const later = openPage(version, { url, messages: journal });
  await later.resumeStream();
  expect([later.status, plain(later.messages)]).toEqual(["ready", journal]);
}

const partsOf = (page: Page): readonly { type: string }[] => page.messages.at(-1)?.parts ?? [];
const texts = (page: Page): readonly unknown[] =>
  page.messages.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part["text"]] : [])).join("|"));
const toolPart = (page: Page): Record<string, unknown> =>
  partsOf(page).find(({ type }) => type === "dynamic-tool") as unknown as Record<string, unknown>;

describe.each(versions)("a page of version %i", (version) => {
  test("shows words, calls and the end, and says the next words", async () => {
    const script: Script = [
      { text: "I look at it.", calls: [call("look", { at: 1 })], piece: 3 },
      [call("look", { at: -1 })],
      done,
      [call("converse", { message: "And now?" })],
      [call("converse", { message: "Fine." })],
    ];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "Look" });
    expect(page.error).toBeUndefined();
    expect(texts(page)).toEqual(["Look", "I look at it.|All is well."]);
    expect(partsOf(page).filter(({ type }) => type === "dynamic-tool")).toMatchObject([
      { toolName: "look", state: "output-available", input: { at: 1 }, output: "saw 1" },
      { toolName: "look", state: "output-error", errorText: expect.stringContaining("nothing below") },
    ]);
    await page.sendMessage({ text: "More" });
    await page.sendMessage({ text: "Well" });
    expect(texts(page)).toEqual(["Look", "I look at it.|All is well.", "More", "And now?", "Well", "Fine."]);
    await expectSame(page, served, version);
  });

  test.each([true, false])("answers an approval with %s, and the same message goes on", async (approved) => {
    const script: Script = [{ text: "It is time.", calls: [call("write", { text: "a" })] }, done];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "Write" });
    expect(toolPart(page)).toMatchObject({
      state: "approval-requested",
      input: { text: "a" },
      approval: { descriptor: { why: "it writes" } },
    });
    await expectSame(page, served, version);
    const { id } = toolPart(page)["approval"] as { id: string };
    await page.addToolApprovalResponse({ id, approved, ...(!approved && { reason: "not today" }) });
    await until(() => texts(page).at(-1) === "It is time.|All is well." && page.status === "ready", "the end");
    expect(served.ran).toEqual(approved ? ["a"] : []);
    expect(toolPart(page)).toMatchObject(
      approved ? { state: "output-available", output: "wrote a" } : { state: "output-denied" },
    );
    expect(page.messages).toHaveLength(2);
    await expectSame(page, served, version);
  });

  test("answers an approval after a reload and a restart of the server", async () => {
    const store = memoryStore();
    const first = await serving([[call("write", { text: "a" })]], { version, store });
    await openPage(version, first).sendMessage({ text: "Write" });
    await first.hub.close();
    const second = await serving([done], { version, store });
    const page = openPage(version, { url: second.url, messages: await messagesOf(second.url) });
    const { id } = toolPart(page)["approval"] as { id: string };
    await page.addToolApprovalResponse({ id, approved: true });
    await until(() => texts(page).at(-1) === "All is well." && page.status === "ready", "the end");
    expect(second.ran).toEqual(["a"]);
    await expectSame(page, second, version);
  });

  test("answers a question in its part, and in words", async () => {
    const question = (what: string): Step => [call("ask_question", { question: what })];
    const served = await serving([question("Which?"), question("Sure?"), done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "Paint" });
    expect(toolPart(page)).toMatchObject({ state: "input-available", input: { question: "Which?" } });
    await page.addToolOutput({
      tool: "ask_question",
      toolCallId: String(toolPart(page)["toolCallId"]),
      output: "blue",
    });
    await until(() => partsOf(page).filter(({ type }) => type === "dynamic-tool").length === 2, "another question");
    await until(() => page.status === "ready", "the end of the stream");
    expect(page.messages).toHaveLength(2);
    expect(toolPart(page)).toMatchObject({ state: "output-available", output: "blue" });
    await expectSame(page, served, version);
    await page.sendMessage({ text: "Yes, sure" });
    expect(texts(page)).toEqual(["Paint", "", "Yes, sure", "All is well."]);
    await expectSame(page, served, version);
  });
});
