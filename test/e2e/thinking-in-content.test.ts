// Servers without a parser of reasoning leave `<think>…</think>` in the content: it became a part of answers, summaries and requests.

import { describe, expect, test } from "vitest";
import { createAgent, type Event } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { converse, taskCompletion } from "../../src/tools/index.js";
import { chunk, done, loopback, type Answer } from "../model/loopback.js";

const thought = "They ask for 2+2. I say three? No.";
const contents = [`<think>${thought}</think>\n\nIt is 4.`, `${thought}\n</think>\n\nIt is 4.`];

/** The content as a stream with one character a chunk. */
const streamOf = (content: string): Answer => ({
  body: [...Array.from(content, (text) => chunk({ content: text })), chunk({}, "stop")],
});
const wholeOf = (content: string): Answer => ({
  body: { id: "c", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] },
});
const itemsOf = (content: string): Answer => {
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text: content }],
  };
  const response = { id: "r", status: "completed", output: [message], usage: { input_tokens: 1, output_tokens: 1 } };
  return { body: [{ type: "response.completed", response }] };
};

/** The words and the thinking that watchers have when the reply ends. */
function shownIn(events: readonly Event[]): { words: string; thinking: string } {
  const shown = { words: "", thinking: "" };
  for (const event of events) {
    if (event.type === "reply-retracted") shown.words = shown.thinking = "";
    else if (event.type === "text-delta" && event.tool === undefined) shown.words += event.text;
    else if (event.type === "reasoning-delta") shown.thinking += event.text;
  }
  return shown;
}

describe.each(contents)("%j", (content) => {
  test.each<[string, (content: string) => Answer, OpenAIOptions]>([
    ["a stream", streamOf, { api: "chat" }],
    ["a whole body", wholeOf, { api: "chat" }],
    ["the dialect xml", streamOf, { api: "chat", forcing: "xml" }],
    ["the Responses API", itemsOf, { api: "responses" }],
  ])("over %s: the answer, the watchers and the next request have the words alone", async (_how, answerOf, options) => {
    await using server = await loopback(() => answerOf(content));
    const model = openai({ baseURL: server.url, steady: false, ...options });
    const agent = createAgent({ model, tools: [converse(), taskCompletion()], onText: "converse" });
    const events: Event[] = [];
    const first = await agent.run("2+2?", { onEvent: (event) => void events.push(event) });
    if (first.status !== "waiting") throw new Error(first.status);
    expect(first.value).toMatchObject({ message: "It is 4." });
    expect(shownIn(events)).toEqual({ words: "It is 4.", thinking: expect.stringContaining(thought) as string });
    await agent.run("Sure?", { session: first.session });
    expect(server.requests.at(-1)?.text).toContain("It is 4.");
    expect(server.requests.at(-1)?.text).not.toMatch(/three|think>/);
    // People find the thinking in the journal.
    const reply = first.session.records.find(({ type }) => type === "reply");
    expect(reply).toMatchObject({ reply: { extras: { reasoning_in_content: thought } } });
  });
});

test("no piece of it is shown as words while it comes, with the tag in the content", async () => {
  await using server = await loopback((number) => (number === 1 ? streamOf(contents[0] ?? "") : { body: done }));
  const agent = createAgent({
    model: openai({ baseURL: server.url, steady: false }),
    tools: [taskCompletion()],
    onText: "task_completion",
  });
  const events: Event[] = [];
  await agent.run("2+2?", { onEvent: (event) => void events.push(event) });
  expect(events.some(({ type }) => type === "reply-retracted")).toBe(false);
  const words = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(words.join("")).not.toMatch(/[<>]|They/);
});

test("a call behind the thinking is read, a call within it is not, and a call in thinking without an end is", async () => {
  const call = (result: string): string =>
    `<tool_call>{"name": "task_completion", "arguments": {"result": "${result}"}}</tool_call>`;
  for (const [content, result] of [
    [`<think>${call("rehearsed")}</think>\n${call("meant")}`, "meant"],
    [`${call("rehearsed")}\n</think>\n\n${call("meant")}`, "meant"],
    [`<think>Done.\n${call("meant")}`, "meant"],
  ] as const) {
    await using server = await loopback(() => streamOf(content));
    const model = openai({ baseURL: server.url, steady: false, forcing: "auto" });
    const outcome = await createAgent({ model, tools: [taskCompletion()], limits: { maxIterations: 1 } }).run("go");
    expect(outcome).toMatchObject({ status: "completed", value: { result } });
  }
});

test("an answer about the tags keeps them", async () => {
  const answer = "Write `<think>` first:\n\n```\n<think>\nhm\n</think>\n```\n";
  await using server = await loopback(() => streamOf(answer));
  const agent = createAgent({
    model: openai({ baseURL: server.url, steady: false }),
    tools: [converse()],
    onText: "converse",
  });
  const outcome = await agent.run("How?");
  expect(outcome).toMatchObject({ status: "waiting", value: { message: answer } });
});
