// The tool's name in another place than a dialect has it, and harmony without its tokens: read, or told by that name.

import { describe, expect, test } from "vitest";
import type { ToolDescription } from "../../../../src/core/index.js";
import { readReply } from "../../../../src/model/read/read-reply.js";
import { noUsage } from "../../../../src/core/index.js";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    n: { type: "integer" },
    deep: { type: "boolean" },
    mode: { type: "string", enum: ["fast", "slow"] },
  },
};
const tools: readonly ToolDescription[] = ["read_file", "look"].map((name) => ({ name, description: "x", parameters }));

async function read(text: string): ReturnType<typeof readReply> {
  return readReply({ text, calls: [], refusal: "", finish: "complete", usage: noUsage, extras: {} }, tools, true);
}

describe("is read", () => {
  test.each([
    ['commentary to=functions.read_file json{"path": "a"}', ""],
    ['commentary to=functions.read_file {"path": "a"}', ""],
    ['assistantcommentary to=functions.read_file code{"path": "a"}<|call|>', ""],
    ['analysisWe read it.assistantcommentary to=functions.read_file json{"path": "a"}', "analysisWe read it."],
    ['<invoke name=read_file><parameter name="path">a</parameter></invoke>', ""],
    ['<tool name="read_file"><arguments><path>a</path></arguments></tool>', ""],
  ])("%j", async (text, words) => {
    expect(await read(text)).toMatchObject({
      text: words,
      calls: [{ type: "call", name: "read_file", input: { path: "a" } }],
    });
  });

  test("white space around numbers, booleans and choices is layout; a free text keeps its own", async () => {
    const text =
      "<tool><tool_name>look</tool_name><arguments><n>\n 5 \n</n><deep> true\n</deep><mode>\n fast </mode><path> a </path></arguments></tool>";
    expect(await read(text)).toMatchObject({ calls: [{ input: { n: 5, deep: true, mode: "fast", path: " a " } }] });
  });
});

describe("is told by the tool's name", () => {
  test.each([
    ["<read_file><path>a</path></read_file>"],
    ["I read it.\n<read_file>\n<path>a</path>\n</read_file>\n"],
    ['<tool name="read_file"><path>a</path></tool>'],
    ["<tool name=read_file>"],
  ])("%j", async (text) => {
    const { calls } = await read(text);
    expect(calls).toMatchObject([{ type: "unreadable-call", kind: "malformed_call", name: "read_file" }]);
    expect(calls[0]).toHaveProperty("problem", expect.stringContaining("<tool_name>read_file</tool_name>"));
  });

  test("a flattened call that was cut", async () => {
    expect(await read('commentary to=functions.look json{"path": "a')).toMatchObject({
      calls: [{ type: "unreadable-call", kind: "truncated", name: "look" }],
    });
  });
});

test.each([
  "Use the <look> button.",
  "<look>",
  "Its markup:\n```\n<look>\n</look>\n```\nIs that all?",
  "The header is commentary to=functions.look and then its arguments.",
  'Write <tool name="look"> here.',
])("is words: %j", async (text) => {
  expect(await read(text)).toMatchObject({ text, calls: [] });
});

test("many unclosed tags are read in linear time", async () => {
  const text = "<look>\n".repeat(100_000);
  expect((await read(text)).calls).toEqual([]);
});
