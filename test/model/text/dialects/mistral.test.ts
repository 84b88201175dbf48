// Tests of calls in Mistral's format.

import { expect, test } from "vitest";
import { findCalls } from "../../../../src/model/text/index.js";
import type { ToolDescription } from "../../../../src/core/index.js";

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
const tools: readonly ToolDescription[] = ["read_file", "read it all"].map((name) => ({
  name,
  description: "",
  parameters,
}));

async function names(reply: string): Promise<readonly string[]> {
  const { calls } = await findCalls(reply, tools);
  return calls.map((call) => ("problem" in call ? `${call.kind} ${call.name}` : call.name));
}

test.each([
  ["a list of calls", '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]'],
  ["one call as an object", '[TOOL_CALLS]{"name": "read_file", "arguments": {"path": "a"}}'],
  ["a name and its arguments", '[TOOL_CALLS]read_file{"path": "a"}'],
  ["a name, a call id and its arguments", '[TOOL_CALLS]read_file[CALL_ID]abc123xyz[ARGS]{"path": "a"}'],
  ["arguments in a fence on the next line", '[TOOL_CALLS]read_file\n```json\n{"path": "a"}\n```'],
  ["arguments in a fence directly after the name", '[TOOL_CALLS]read_file```json\n{"path": "a"}\n```'],
  ["arguments in a fence after a space", '[TOOL_CALLS]read_file ```json\n{"path": "a"}\n```'],
])("a call is read from %s", async (_form, reply) => {
  expect(await names(reply)).toEqual(["read_file"]);
});

test.each(["[ARGS", "[CALL_ID", "[", '[ARGS]{"path": "'])(
  "a reply that is cut at %s is told as a cut call, not as prose",
  async (end) => {
    expect(await names(`[TOOL_CALLS]read_file${end}`)).toEqual(["truncated read_file"]);
  },
);

test("a fence without an object is told as malformed, a fence that is not closed as cut", async () => {
  expect(await names("[TOOL_CALLS]read_file ```\npath: a\n```")).toEqual(["malformed_call read_file"]);
  expect(await names("[TOOL_CALLS]read_file ```\npath: a\n")).toEqual(["truncated read_file"]);
  expect(await names('[TOOL_CALLS]read_file ```json\n{"path": "```')).toEqual(["truncated read_file"]);
});

test("several words are a call only if a tool has that name", async () => {
  expect(await names('[TOOL_CALLS]read it all{"path": "a"}')).toEqual(["read it all"]);
  expect(await names('[TOOL_CALLS] is what it writes {"path": "a"}')).toEqual([]);
});

test("a marker before other brackets is prose", async () => {
  expect(await names("[TOOL_CALLS]read_file[FOO")).toEqual([]);
});
