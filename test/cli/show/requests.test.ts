import { expect, test } from "vitest";
import { requestLog } from "../../../src/cli/show/requests.js";
import { plain } from "../../../src/cli/display/quantities.js";
import { noUsage, type Message, type ModelRequest } from "../../../src/index.js";

test("each request shows its new messages, long texts cut; system prompt and tools are shown once", () => {
  const lines = requestLog(plain);
  const tools = [{ name: "look", description: "", parameters: {} }];
  const request = (messages: readonly Message[]): ModelRequest => ({
    key: "k",
    system: "Be kind.\n\u001b",
    messages,
    tools,
    needsCall: true,
  });
  const user: Message = { role: "user", text: "x".repeat(4003) };
  const call = { type: "call", id: "1", name: "look", input: { at: "a" } } as const;
  const reply: Message = {
    role: "assistant",
    reply: { text: "Hm.", calls: [call], finish: "complete", usage: noUsage },
  };
  const result: Message = { role: "tool", callId: "1", text: "1\n2\n3\n4\n5\n6\n7\n8" };
  const indent = "      | ";
  expect(lines(request([user]))).toEqual([
    `${indent}system: Be kind.`,
    `${indent}\\u{1b}`,
    `${indent}tools: look`,
    `${indent}user: ${"x".repeat(4000)} [... 3 more characters]`,
  ]);
  expect(lines(request([user, reply, result]))).toEqual([
    `${indent}assistant: Hm.`,
    `${indent}calls look {"at":"a"}`,
    `${indent}tool: 1`,
    ...["2", "3", "4", "5", "6", "[... 2 more lines]"].map((line) => indent + line),
  ]);
  expect(lines(request([user, reply, result]))).toEqual([]);
});
