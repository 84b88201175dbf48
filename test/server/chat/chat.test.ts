// Chats: pages of both versions of the AI SDK over real HTTP. What a page has at the end is what the journal says, and what a replay gives.

import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/memory/index.js";
import { call, type Script, type Step } from "../../../src/testing/index.js";
import { openPage, until, versions } from "./page.js";
import { approvalIn, callsOf, chunksOf, done, expectSame, messagesOf, post, serving, textsOf } from "./served.js";

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
    expect(textsOf(page)).toEqual(["Look", "I look at it.|All is well."]);
    expect(callsOf(page)).toMatchObject([
      { toolName: "look", state: "output-available", input: { at: 1 }, output: "saw 1" },
      { toolName: "look", state: "output-error", errorText: expect.stringContaining("nothing below") },
    ]);
    await page.sendMessage({ text: "More" });
    await page.sendMessage({ text: "Well" });
    expect(textsOf(page)).toEqual(["Look", "I look at it.|All is well.", "More", "And now?", "Well", "Fine."]);
    await expectSame(page, served, version);
  });

  test.each([true, false])("answers an approval with %s, and the same message goes on", async (approved) => {
    const script: Script = [{ text: "It is time.", calls: [call("write", { text: "a" })] }, done];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "Write" });
    expect(callsOf(page)[0]).toMatchObject({
      state: "approval-requested",
      input: { text: "a" },
      approval: { descriptor: { why: "it writes" } },
    });
    await expectSame(page, served, version);
    const id = approvalIn(page);
    await page.addToolApprovalResponse({ id, approved, ...(!approved && { reason: "not today" }) });
    await until(() => textsOf(page).at(-1) === "It is time.|All is well." && page.status === "ready", "the end");
    expect(served.ran).toEqual(approved ? ["a"] : []);
    expect(callsOf(page)[0]).toMatchObject(
      approved ? { state: "output-available", output: "wrote a" } : { state: "output-denied" },
    );
    expect(page.messages).toHaveLength(2);
    await expectSame(page, served, version);
  });

  test("answers an approval after a reload and a restart of the server", async () => {
    const store = memoryStore();
    const first = await serving([[call("write", { text: "a" })]], { version, store });
    await openPage(version, first).sendMessage({ text: "Write" });
    await first.host.close();
    const second = await serving([done], { version, store });
    const page = openPage(version, { url: second.url, messages: await messagesOf(second.url) });
    const id = approvalIn(page);
    await page.addToolApprovalResponse({ id, approved: true });
    await until(() => textsOf(page).at(-1) === "All is well." && page.status === "ready", "the end");
    expect(second.ran).toEqual(["a"]);
    await expectSame(page, second, version);
  });

  test("answers a question in its part, and in words", async () => {
    const question = (what: string): Step => [call("ask_question", { question: what })];
    const served = await serving([question("Which?"), question("Sure?"), done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "Paint" });
    expect(callsOf(page)[0]).toMatchObject({ state: "input-available", input: { question: "Which?" } });
    await page.addToolOutput({
      tool: "ask_question",
      toolCallId: String(callsOf(page)[0]!["toolCallId"]),
      output: "blue",
    });
    await until(() => callsOf(page).length === 2, "another question");
    await until(() => page.status === "ready", "the end of the stream");
    expect(page.messages).toHaveLength(2);
    expect(callsOf(page)[0]).toMatchObject({ state: "output-available", output: "blue" });
    await expectSame(page, served, version);
    await page.sendMessage({ text: "Yes, sure" });
    expect(textsOf(page)).toEqual(["Paint", "", "Yes, sure", "All is well."]);
    await expectSame(page, served, version);
  });
});

test("version 7 is shown words and calls while they are written, and nothing is written again if all goes well", async () => {
  const script: Script = [{ text: "I look.", calls: [call("look", { at: 1 })], piece: 3, pause: 1 }, done];
  const served = await serving(script, { version: 7 });
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "go" }] };
  const chunks = await chunksOf(await post(served.url, { id: "c", messages: [message] }));
  const of = (type: string) => chunks.filter((chunk) => chunk["type"] === type);
  expect(of("reset-step")).toEqual([]);
  expect(of("text-delta").map(({ delta }) => delta)).toEqual(["I l", "ook", ".", ...["A", "ll i", "s we", "ll."]]);
  const [started] = of("tool-input-start");
  expect(started).toMatchObject({
    toolName: "look",
    toolCallId: callsOf({ messages: await messagesOf(served.url) })[0]!["toolCallId"],
  });
  expect(
    of("tool-input-delta")
      .map(({ inputTextDelta }) => inputTextDelta)
      .join(""),
  ).toBe('{"at":1}');
  expect(of("tool-input-delta").length).toBeGreaterThan(1);
  expect(of("start-step")).toHaveLength(2);
});

test("version 6 gets no chunk that it does not know, and no words before they count", async () => {
  const script: Script = [{ text: "I look.", calls: [call("look", { at: 1 })], piece: 3, pause: 1 }, done];
  const served = await serving(script, { version: 6 });
  const message = { id: "u1", role: "user", parts: [{ type: "text", text: "go" }] };
  const chunks = await chunksOf(await post(served.url, { id: "c", messages: [message] }));
  const types = new Set(chunks.map(({ type }) => type));
  expect([...types].filter((type) => type === "reset-step" || type === "tool-approval-response")).toEqual([]);
  expect(chunks.flatMap(({ type, delta }) => (type === "text-delta" ? [delta] : []))).toEqual([
    "I look.",
    "All is well.",
  ]);
});
