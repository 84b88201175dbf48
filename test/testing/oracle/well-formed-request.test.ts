import { describe, expect, it } from "vitest";
import { createAgent, type Event } from "../../../src/index.js";
import {
  assertPrefixStable,
  assertWellFormedRequest,
  call,
  scriptedModel,
  type ProviderRequest,
} from "../../../src/testing/index.js";
import { tools } from "../../e2e/agent-on.js";

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

describe("a request of the Responses API is well-formed", () => {
  const instructions = "Look things up.";
  const asks = (id: string, source = "{}", name = "lookup"): Messages[number] => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: source,
  });
  const answers = (id: string): Messages[number] => ({ type: "function_call_output", call_id: id, output: "" });
  const thinks = (id: string): Messages[number] => ({ type: "reasoning", id, summary: [], encrypted_content: "x" });
  const says = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hm." }] };

  it("with every call answered, items of a reply in any order and the tools sorted", () => {
    const flat = ["ask", "lookup"].map((name) => ({ type: "function", name, parameters: {}, strict: false }));
    const first = [thinks("r1"), asks("a"), says, asks("b"), answers("b"), answers("a")];
    const input = [user, ...first, { role: "assistant", content: "Hm." }, user, thinks("r2"), asks("c"), answers("c")];
    assertWellFormedRequest({ input, instructions, tools: flat });
    expect(() => {
      assertWellFormedRequest({ input, instructions, tools: [...flat].reverse() });
    }).toThrow("not sorted by name");
    expect(() => {
      assertWellFormedRequest({ input });
    }).toThrow("no instructions");
  });

  it.each<[string, Messages, string]>([
    ["nothing of the user", [asks("a"), answers("a")], "does not begin with a message of the user"],
    ["a system message", [user, system], "Item 1 ('system'): there is no such role here"],
    ["a call without a result", [user, asks("a"), user], "Item 2 ('user'): it comes before the result of a"],
    ["a reply among results", [user, asks("a"), asks("b"), answers("a"), says], "it comes before the result of b"],
    ["a call without a result at its end", [user, asks("a")], "has no result for a"],
    ["a result without a call", [user, answers("a")], "a result for 'a'"],
    ["two results of a call", [user, asks("a"), answers("a"), answers("a")], "Item 3 ('function_call_output')"],
    ["one call id twice", [user, asks("a"), { ...asks("a"), id: "fc_b" }], "two calls have the id a"],
    ["one item id twice", [user, thinks("r1"), thinks("r1")], "two items have the id 'r1'"],
    ["arguments that are no JSON", [user, asks("a", "{"), answers("a")], "no JSON object as text: '{'"],
    ["a name that can't be sent", [user, asks("a", "{}", "look up"), answers("a")], "has the name 'look up'"],
    ["reasoning that nothing follows", [user, thinks("r1"), user], "comes after reasoning"],
    ["reasoning without an id", [user, { ...thinks("r1"), id: "" }, says, user], "it has no id"],
    ["an empty message", [user, { ...says, content: [] }, user], "it is empty"],
    ["an answer at its end", [user, says], "ends with an item of the model"],
  ])("not with %s", (_what, input, words) => {
    expect(() => {
      assertWellFormedRequest({ input, instructions });
    }).toThrow(words);
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

  it("of the Responses API is held by its instructions, tools and input", () => {
    const asked = (instructions: string, ...input: Messages): ProviderRequest => ({
      path: "/v1/responses",
      headers: {},
      body: { model: "m", messages: [], tools: [], instructions, input },
    });
    expect(assertPrefixStable([asked("a", user), asked("a", user, user)], [])).toEqual({ kept: 1, rewritten: 0 });
    expect(() => assertPrefixStable([asked("a", user), asked("b", user)], [])).toThrow("system prompt or tools");
    expect(() => assertPrefixStable([asked("a", user, user), asked("a", user)], [])).toThrow("message 1");
    const rewrite: Event = { type: "prompt-rewrite", reason: "api" };
    expect(assertPrefixStable([asked("a", user), asked("b", user)], [rewrite])).toEqual({ kept: 0, rewritten: 1 });
  });

  it("of nothing is kept", () => {
    expect(assertPrefixStable([], [])).toEqual({ kept: 0, rewritten: 0 });
  });
});
