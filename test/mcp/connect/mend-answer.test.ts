// Answers that break the protocol, and the messages that are made of them.

import { expect, test } from "vitest";
import { brokenAnswer, mendAnswer, mendHandshake } from "../../../src/mcp/connect/mend-answer.js";

test("an answer gets the id of its request, and a null error is none", () => {
  expect(mendAnswer({ id: "7", result: { a: 1 }, error: null }, 7)).toEqual({
    jsonrpc: "2.0",
    id: 7,
    result: { a: 1 },
  });
});

test.each<[unknown, number, RegExp]>([
  [{ code: -5, message: "no" }, -5, /^no$/],
  [{ code: "E5", message: "no" }, -32_603, /^no$/],
  ["no", -32_603, /^no$/],
  [{ code: 1 }, 1, /an error without words: \{"code":1\}/],
  [true, -32_603, /an error without words: true/],
])("an error is told in its words: %j", (error, code, message) => {
  expect(mendAnswer({ error }, 1).error).toEqual({ code, message: expect.stringMatching(message) as string });
});

test.each([{}, { result: null }, { result: "done" }, { result: [1] }])("no answer at all is an error: %j", (sent) => {
  expect(mendAnswer(sent, 1).error).toMatchObject({ code: -32_700 });
});

test("words about a broken answer are an error of its request", () => {
  expect(brokenAnswer("a", "boom")).toEqual({ jsonrpc: "2.0", id: "a", error: { code: -32_700, message: "boom" } });
});

test("a server without a name or with odd capabilities can be greeted", () => {
  const bare = { serverInfo: { name: "", version: "" }, capabilities: {} };
  expect(mendHandshake({ protocolVersion: "1" })).toEqual({ protocolVersion: "1", ...bare });
  expect(mendHandshake({ serverInfo: "me", capabilities: { tools: true, logging: null }, instructions: 5 })).toEqual({
    ...bare,
    capabilities: { tools: {} },
  });
  const whole = { serverInfo: { name: "a", version: "1", title: "A" }, capabilities: { tools: {} }, instructions: "x" };
  expect(mendHandshake(whole)).toEqual(whole);
});
