import { describe, expect, it } from "vitest";
import { createAgent, type Event } from "../../src/index.js";
import {
  assertPrefixStable,
  assertWellFormedRequest,
  call,
  scriptedModel,
  type ProviderRequest,
} from "../../src/testing/index.js";
import { tools } from "../e2e/agent-on.js";

type Body = Pick<ProviderRequest["body"], "messages" | "tools">;
type Messages = Body["messages"];

const system = { role: "system", content: "Look things up." };
const user = { role: "user", content: "Go." };

function asking(id: string, source = "{}", name = "lookup"): Messages[number] {
  const calls = [{ id, type: "function", function: { name, arguments: source } }];
  return { role: "assistant", content: null, tool_calls: calls };
}

function result(id: string): Messages[number] {
  return { role: "tool", tool_call_id: id, content: "" };
}

function toolsOf(...names: readonly string[]): readonly unknown[] {
  return names.map((name) => ({ type: "function", function: { name, description: "", parameters: {} } }));
}

describe("a request is well-formed", () => {
  it("with every call answered and the tools sorted", () => {
    const messages = [system, user, asking("a"), result("a"), { role: "assistant", content: "Hm." }, user];
    assertWellFormedRequest({ messages, tools: toolsOf("ask", "lookup") });
  });

  it.each<[string, Messages, string]>([
    ["no system message", [user], "does not begin with a system message"],
    ["a system message alone", [system], "not followed by one of the user"],
    ["a second system message", [system, user, system], "Message 2 ('system'): there is no such role here"],
    [
      "a call without a result",
      [system, user, asking("a"), user],
      "Message 3 ('user'): it comes before the result of a",
    ],
    ["a call without a result at its end", [system, user, asking("a")], "has no result for a"],
    ["a result without a call", [system, user, result("a")], "Message 2 ('tool'): a result for 'a'"],
    ["two results of a call", [system, user, asking("a"), result("a"), result("a")], "Message 4 ('tool')"],
    ["one id twice", [system, user, asking("a"), result("a"), asking("a"), result("a")], "two calls have the id a"],
    ["arguments that are no JSON", [system, user, asking("a", "{"), result("a")], "no JSON object as text: '{'"],
    ["arguments that are no object", [system, user, asking("a", "7"), result("a")], "no JSON object as text: '7'"],
    ["a name that can't be sent", [system, user, asking("a", "{}", "look up"), result("a")], "has the name 'look up'"],
    ["an empty assistant message", [system, user, { role: "assistant", content: "" }, user], "neither words nor null"],
    [
      "an assistant message of nothing",
      [system, user, { role: "assistant", content: null }, user],
      "neither words nor calls",
    ],
    ["an empty user message", [system, { role: "user", content: "" }], "it is empty"],
    ["an answer at its end", [system, user, { role: "assistant", content: "Yes." }], "ends with an assistant message"],
  ])("not with %s", (_what, messages, words) => {
    expect(() => {
      assertWellFormedRequest({ messages });
    }).toThrow(words);
  });

  it.each([
    ["unsorted", toolsOf("lookup", "ask")],
    ["named twice", toolsOf("ask", "ask")],
  ])("not with tools that are %s", (_what, listed) => {
    expect(() => {
      assertWellFormedRequest({ messages: [system, user], tools: listed });
    }).toThrow("not sorted by name");
  });
});

describe("a prompt", () => {
  const recovering = [
    "words",
    "more words",
    [call("lookup", { key: "a" })],
    [call("task_completion", { result: "done" })],
  ];

  it("is kept from request to request, and rewritten where an event says so", async () => {
    const model = scriptedModel(recovering);
    const events: Event[] = [];
    await createAgent({ model, tools }).run("Go.", { onEvent: (event) => void events.push(event) });
    expect(assertPrefixStable(model.requests, events)).toEqual({ kept: 2, rewritten: 1 });
    const silent = events.filter(({ type }) => type !== "prompt-rewrite");
    expect(() => assertPrefixStable(model.requests, silent)).toThrow(
      /^Request 4 \(.*\/1\/model:4\) rewrites the prompt from message 1 on, and no prompt-rewrite said so\. It was /,
    );
  });

  it("that changes its system prompt or tools is caught", () => {
    const one = { key: "s/1/model:1", system: "", messages: [], tools: [] };
    const other = { ...one, key: "s/1/model:2", system: "It is noon." };
    expect(() => assertPrefixStable([one, other], [])).toThrow("from its system prompt or tools on");
  });

  it("of nothing is kept", () => {
    expect(assertPrefixStable([], [])).toEqual({ kept: 0, rewritten: 0 });
  });
});
