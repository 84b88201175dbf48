// Bodies of AG-UI: what is read of them, and what is refused over HTTP with what to do.

import { describe, expect, test } from "vitest";
import { readAguiInput } from "../../../src/server/index.js";
import { ask } from "../client.js";
import { Client, done, served } from "./agui-client.js";

const said = { type: "text", text: "Look." };
const message = { id: "u1", role: "user", content: "go" };
const body = { threadId: "t", runId: "r", messages: [message], tools: [], context: [], state: {}, forwardedProps: {} };
const digest = "a".repeat(64);
const resume = (entry: object) => ({
  messages: [],
  resume: [{ interruptId: "c", status: "resolved", payload: "x", ...entry }],
});

test("the answer to a question that looks like an approval is text, which approves nothing", () => {
  const body = { threadId: "t", runId: "r", messages: [], tools: [] };
  const read = (payload: unknown) =>
    readAguiInput({ ...body, resume: [{ interruptId: "c", status: "resolved", payload }] }).answer?.input;
  expect(read({ allowed: true })).toBe('{"allowed":true}');
  expect(read({ colour: "blue" })).toEqual({ colour: "blue" });
});

describe("a body", () => {
  test("has the thread, the last words of the user, and an answer", () => {
    const parts = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    const input = readAguiInput({
      ...body,
      messages: [message, { id: "a", role: "assistant" }, { id: "u2", role: "user", content: parts }],
      later: "a field of a later version",
    });
    expect(input).toMatchObject({ threadId: "t", runId: "r", words: { id: "u2", text: "one\ntwo", isLast: true } });
    expect(input.messages.map(({ id }) => id)).toEqual(["u1", "a", "u2"]);
    const answered = readAguiInput({
      ...body,
      ...resume({ interruptId: `c@${digest}`, payload: { approved: true, always: true } }),
    });
    expect(answered.answer).toEqual({ answers: "c", digest, input: { allowed: true, always: true, digest } });
    expect(readAguiInput({ ...body, ...resume({ interruptId: `c@${digest}`, payload: false }) }).answer?.input).toEqual(
      {
        allowed: false,
        digest,
      },
    );
    expect(readAguiInput({ ...body, ...resume({ status: "cancelled" }) }).answer).toEqual({
      answers: "c",
      digest: undefined,
      input: undefined,
    });
  });

  test.each([
    ["no object", [], /no JSON object/],
    ["no thread", { threadId: "" }, /threadId/],
    ["a thread that can't be a session", { threadId: "x".repeat(300) }, /can't be the id of a session/],
    ["no run", { runId: 7 }, /runId/],
    ["messages that are none", { messages: {} }, /messages is no array/],
    ["nobody's words", { messages: [{ id: "a", role: "assistant", content: "hm" }] }, /no message of the user/],
    ["a message without an id", { messages: [{ role: "user", content: "go" }] }, /no id/],
    ["an id that is too long", { messages: [{ ...message, id: "x".repeat(201) }] }, /no id/],
    ["empty words", { messages: [{ ...message, content: "  " }] }, /has no text/],
    ["a picture alone", { messages: [{ ...message, content: [{ type: "image" }] }] }, /has no text/],
    ["a picture without bytes", { messages: [{ ...message, content: [said, { type: "image" }] }] }, /fetches none/],
    [
      "a part that is none",
      { messages: [{ ...message, content: [said, { type: "poll" }] }] },
      /a part of the type "poll"/,
    ],
    ["a tool that no model can be sent", { tools: [{ name: "a b" }] }, /can't be sent/],
    ["tools that are none", { tools: 1 }, /tools is no array/],
    ["answers that are none", { resume: {} }, /resume is no array/],
    ["two answers", { resume: [{}, {}] }, /one thing at a time/],
    ["an answer that is none", { resume: ["yes"] }, /no object/],
    ["an answer to nothing", resume({ interruptId: undefined }), /interruptId/],
    ["another status", resume({ status: "done" }), /neither resolved nor cancelled/],
    ["no payload", resume({ payload: undefined }), /neither a text nor an object/],
    ["an approval in words", resume({ interruptId: `c@${digest}`, payload: "yes" }), /approved: true/],
    [
      "an approval with other arguments",
      resume({ interruptId: `c@${digest}`, payload: { approved: true, editedArgs: {} } }),
      /editedArgs/,
    ],
    [
      "an approval without a yes or no",
      resume({ interruptId: `c@${digest}`, payload: { approved: "yes" } }),
      /neither true nor false/,
    ],
    [
      "a reason that is none",
      resume({ interruptId: `c@${digest}`, payload: { approved: false, reason: 1 } }),
      /reason is no text/,
    ],
    [
      "an always that is none",
      resume({ interruptId: `c@${digest}`, payload: { approved: true, always: 1 } }),
      /always is neither/,
    ],
  ])("with %s is refused", async (_name, fields, why) => {
    const server = await served([done]);
    const sent = Array.isArray(fields) ? fields : { ...body, ...fields };
    expect(await ask(server.url, "/agui", sent)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(why) },
    });
    expect(await server.store.list()).toEqual([]);
  });
});

describe("the route", () => {
  test("keeps the guard, the limit of a body, and a server that only shows", async () => {
    const cases = [
      [{ readOnly: true }, {}, 403],
      [{ maxBody: 20 }, {}, 413],
      [{ token: "t" }, {}, 401],
      [{}, { origin: "https://evil.example" }, 403],
      [{}, { "content-type": "text/plain" }, 415],
    ] as const;
    for (const [handler, headers, status] of cases) {
      const server = await served([done], { handler });
      const response = await fetch(new URL("/agui", server.url), {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(status);
      expect(await server.store.list()).toEqual([]);
    }
  });

  test("names the agent of a new thread, if there is one of that name", async () => {
    const server = await served([done]);
    const client = await new Client(server, "t", "agui/worker").say("u1", "go");
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    expect(await ask(server.url, "/agui/nobody", body)).toMatchObject({
      status: 404,
      body: { error: /no agent nobody/ },
    });
  });

  test("refuses an answer that nothing waits for, and keeps nothing of it", async () => {
    const server = await served([done]);
    expect(await ask(server.url, "/agui", { ...body, ...resume({}) })).toMatchObject({
      status: 409,
      body: { error: /does not wait for an answer to c/ },
    });
  });
});

test("the state of the client stays, beside ours", async () => {
  const server = await served([done]);
  const client = new Client(server);
  client.agent.setState({ theme: "dark" });
  await client.say("u1", "go");
  expect(client.agent.state).toMatchObject({ theme: "dark", lastcall: { session: "t", status: "completed" } });
});
