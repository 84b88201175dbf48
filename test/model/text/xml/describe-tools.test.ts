// Tests of the prompt that explains the XML dialect, and of writing the dialect.

import { expect, test } from "vitest";
import type { ToolDescription } from "../../../../src/core/index.js";
import { describeTools, findCalls, writeCall } from "../../../../src/model/text/index.js";

const node = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
  required: ["name", "children"],
};
const tools: readonly ToolDescription[] = [
  {
    name: "write_file",
    description: "Writes a file.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "where" },
        mode: { enum: ["a", "w"] },
        edits: {
          type: "array",
          items: { type: "object", properties: { search: { type: "string" } }, required: ["search"] },
        },
        limit: { anyOf: [{ type: "integer", minimum: 3 }, { type: "null" }] },
      },
      required: ["path", "edits", "limit"],
    },
  },
  {
    name: "grow",
    description: "",
    parameters: { type: "object", properties: { root: { $ref: "#/$defs/node" } }, required: ["root"], $defs: { node } },
  },
  { name: "done", description: "", parameters: { type: "object", properties: {} } },
];

test("the description names every tool and argument, in the order given, and is always the same", () => {
  const words = describeTools(tools);
  expect(describeTools(structuredClone(tools))).toBe(words);
  expect(words.indexOf("## write_file")).toBeLessThan(words.indexOf("## grow"));
  expect(words).toContain("Writes a file.");
  expect(words).toContain("- path (string, required): where");
  expect(words).toContain('- mode (one of "a", "w", optional)');
  expect(words).toContain("- edits (list of object, required)\n  - search (string, required)");
  expect(words).toContain("- limit (integer, required)");
  expect(words).toContain("## done\nNo arguments.");
  for (const phrase of ["<![CDATA[", "]]]]><![CDATA[>", "<tool_result>", "Several calls", "Never write a call"])
    expect(words).toContain(phrase);
});

test("the examples are calls that can be read", async () => {
  for (const tool of tools) {
    const [, example = ""] = describeTools([tool]).split("Example:\n");
    const { calls } = await findCalls(example, tools);
    expect(calls.map((call) => ("problem" in call ? call.problem : call.name))).toEqual([tool.name]);
  }
});

test("a call is written in one form: texts with markup or outer white space in CDATA, others plain", () => {
  expect(writeCall({ name: "a", input: { b: "x", c: " y", d: "a < b ]]> c", e: [{ f: 1 }], g: [], h: null } })).toBe(
    `<tool>
<tool_name>a</tool_name>
<arguments>
  <b>x</b>
  <c><![CDATA[ y]]></c>
  <d><![CDATA[a < b ]]]]><![CDATA[> c]]></d>
  <e>
    <item>
      <f>1</f>
    </item>
  </e>
  <g></g>
  <h>null</h>
</arguments>
</tool>`,
  );
});

test("fields beside alternatives, in references with percent signs and beside a reference to another document are told", () => {
  const list = { type: "array", items: { type: "string" } };
  const words = describeTools([
    {
      name: "get",
      description: "",
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, url: { type: "string" }, tags: { $ref: "#/$defs/List%3Cstring%3E" } },
        anyOf: [{ required: ["path"] }, { required: ["url"] }],
        $defs: { "List<string>": list },
      },
    },
    {
      name: "all",
      description: "",
      parameters: {
        type: "object",
        allOf: [{ properties: { one: list } }],
        oneOf: [{ properties: { two: { type: "string" } } }, { properties: { three: { type: "string" } } }],
      },
    },
    { name: "away", description: "", parameters: { type: "object", properties: { at: { $ref: "other.json" } } } },
  ]);
  expect(words.match(/^- .*$/gm)?.slice(-7)).toEqual([
    "- path (string, required in one form)",
    "- url (string, required in one form)",
    "- tags (list of string, optional)",
    "- one (list of string, optional)",
    "- two (string, optional)",
    "- three (string, optional)",
    "- at (any, optional)",
  ]);
});

test("a list behind a reference with percent signs is read as a list", async () => {
  const { calls } = await findCalls(
    "<tool><tool_name>get</tool_name><arguments><path>a</path><tags><item>x</item></tags></arguments></tool>",
    [
      {
        name: "get",
        description: "",
        parameters: {
          type: "object",
          properties: { path: { type: "string" }, tags: { $ref: "#/$defs/List%3Cstring%3E" } },
          anyOf: [{ required: ["path"] }, { required: ["tags"] }],
          $defs: { "List<string>": { type: "array", items: { type: "string" } } },
        },
      },
    ],
  );
  expect(calls).toMatchObject([{ arguments: { path: "a", tags: ["x"] } }]);
});
