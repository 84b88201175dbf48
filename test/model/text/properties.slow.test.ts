// Properties that hold for any text: round trips, cuts, splits, linear time.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolDescription } from "../../../src/core/index.js";
import { callOpens, findCalls, textGate, writeCall } from "../../../src/model/text/index.js";
import { processorTime } from "../../processor-time.js";

const text = { type: "string" };
const parameters = {
  type: "object",
  properties: {
    path: text,
    content: text,
    empty: { type: "array", items: text },
    edits: {
      type: "array",
      items: { type: "object", properties: { search: text, replace: text, notes: { type: "array", items: text } } },
    },
  },
  required: ["path"],
};
const tools: readonly ToolDescription[] = [{ name: "edit", description: "", parameters }];

const hostile = [
  "</tool>",
  "<tool>",
  "<tool_name>",
  "]]>",
  "<![CDATA[",
  "<thinking>",
  "</think>",
  "&amp;",
  "&",
  "<",
  ">",
  "\r\n",
  "\n",
  " ",
  "👍",
  "\ud83d",
  "</content>",
  "<content>",
  "</arguments>",
  "</edits>",
  "<item>",
  "</item>",
  "</search>",
  "```",
  "`",
  '"',
  "<!--",
  "-->",
  "<!DOCTYPE a>",
  "<tool_call>",
  "<|channel|>",
  "> ",
  "a",
  "\u0007",
  "é",
  "\u200b",
];
const words = fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 4, unit: "grapheme" })), {
  maxLength: 12,
});
const anyText = words.map((parts) => parts.join("").replaceAll("\0", ""));
const input = fc.record(
  {
    path: anyText,
    content: anyText,
    empty: fc.constant([] as string[]),
    edits: fc.array(
      fc.record(
        { search: anyText, replace: anyText, notes: fc.array(anyText, { maxLength: 2 }) },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ["path"] },
);

const call = (fields: unknown): unknown => ({ id: "", name: "edit", arguments: fields, extras: {} });

describe("a call that was written", () => {
  test("is read as it was, alone, several times and among words", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "I go on.\n\n"),
        fc.constantFrom("", "\n\nThen more."),
        async (inputs, before, behind) => {
          const written = inputs.map((one) => writeCall({ name: "edit", input: one })).join("\n");
          const found = await findCalls(before + written + behind, tools);
          expect(found.calls).toEqual(inputs.map(call));
          expect(found.text.split(/\s+/)).toEqual((before + behind).split(/\s+/));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("is the whole call or none, wherever the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(input, async (one) => {
        const written = writeCall({ name: "edit", input: one });
        for (let length = 0; length < written.length; length += 1) {
          const { calls } = await findCalls(written.slice(0, length), tools);
          for (const found of calls) if (!("problem" in found)) expect(found).toEqual(call(one));
        }
      }),
      { numRuns: 25 },
    );
  });

  test("is JSON where elements can't say it", async () => {
    for (const one of [{ "a b": 1 }, { "<x>": "]]>" }, [1], "text", null]) {
      const { calls } = await findCalls(writeCall({ name: "edit", input: one }), tools);
      expect(calls.map((found) => "arguments" in found && (JSON.parse(String(found.arguments)) as unknown))).toEqual([
        one,
      ]);
    }
    expect((await findCalls(writeCall({ name: "edit", input: {} }), tools)).calls).toEqual([call({})]);
    expect((await findCalls(writeCall({ name: "a<b & c", input: {} }), tools)).calls[0]?.name).toBe("a<b & c");
  });
});

describe("any text", () => {
  const pieces = [
    ...hostile,
    "<tool_call>{",
    '{"name": "a", "arguments": {',
    "}}",
    "<function=a>",
    "<parameter=b>",
    "</parameter>",
    "</function>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "</tool_call>",
    '<invoke name="a">',
    '<parameter name="b">',
    "</invoke>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "<|tool_call_begin|>",
    "<|python_tag|>",
    "<|message|>",
    "<|start|>",
    "to=functions.a",
    "<|call|>",
    "<think>",
    "<tool_result>",
  ];
  const wild = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 25 })
    .map((parts) => parts.join(""));

  test("is read without a fault, and stays as it is where no call and no token is in it", async () => {
    await fc.assert(
      fc.asyncProperty(wild, async (reply) => {
        const found = await findCalls(reply, tools);
        if (found.calls.length === 0 && !reply.includes("<|")) expect(found.text).toBe(reply);
        for (const one of found.calls) if ("problem" in one) expect(one.problem).not.toBe("");
      }),
      { numRuns: 5000 },
    );
  });

  test("shows the same through the gate however it is split, and no call that is found", async () => {
    await fc.assert(
      fc.asyncProperty(wild, fc.array(fc.nat({ max: 6 })), async (reply, sizes) => {
        const gate = textGate();
        let shown = "";
        let behind = "";
        let at = 0;
        for (const size of [...sizes, reply.length]) {
          const written = gate.write(reply.slice(at, at + size));
          shown += written.shown;
          behind += written.fromCall;
          at += size;
          expect(shown).toBe(reply.slice(0, callOpens(reply.slice(0, at))));
        }
        expect(shown + behind).toBe(behind === "" ? shown : reply);
        expect(shown).toBe(reply.slice(0, callOpens(reply)));
        const found = await findCalls(reply, tools);
        if (found.calls.length > 0)
          expect([
            found.text === "" ? shown.trim() : found.text.startsWith(shown),
            callOpens(reply) < reply.length,
          ]).toEqual([found.text === "" ? "" : true, true]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("the gate", () => {
  test.each([
    ["Words only, a < b and `code`.", 29],
    ["Look: <tool>\n", 6],
    ["Look: <to", 6],
    ["Look: <too much", 15],
    ["Look: <tool_call>", 6],
    ['{"name"', 0],
    ["  ```json", 2],
    ["Say ```json", 11],
    ["<think>a</think>\n[", 17],
    ["<think>a</think>\n``", 17],
    ["", 0],
  ])("opens for %j until %i", (reply, offset) => {
    expect(callOpens(reply)).toBe(offset);
  });
});

describe("a long text", () => {
  const long = (unit: string): string => unit.repeat(Math.ceil(120_000 / unit.length));
  const units = [
    "<tool>",
    "<tool>\n<tool_name>",
    "<tool><tool_name>a</tool_name><arguments>",
    "<tool_call>",
    "<tool_call>{",
    '<tool_call>{"',
    "<think>",
    "</think>",
    "`",
    "` ``",
    "``` a\n",
    "{",
    '{"name": ',
    "[",
    "[{",
    "<tool_result>",
    "a<tool_result>",
    "<function=a>",
    "<function=a><parameter=b>",
    '<invoke name="a">',
    "<arg_key>a</arg_key><arg_value>",
    "<tool_call>a<arg_key>a</arg_key>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁begin｜>a<｜tool▁sep｜>{",
    "[TOOL_CALLS]",
    "[TOOL_CALLS]a{",
    "<|channel|>",
    "<|message|>",
    "<|start|>assistant",
    "<|python_tag|>",
    "<!--",
    "<![CDATA[",
    " ",
    "\n",
    "> ",
    "'",
    '"<tool>',
    "</a>",
    "</a> ",
  ];

  test.each(units)("is read in linear time: %j", async (unit) => {
    const heads = [
      "",
      "<tool><tool_name>edit</tool_name><arguments><content>",
      "<tool><tool_name>edit</tool_name><arguments>",
      "<tool_call>edit<arg_key>path</arg_key><arg_value>",
      "<function=edit>\n<parameter=path>",
    ];
    for (const head of heads) {
      const reply = head + long(unit);
      const spent = processorTime();
      await findCalls(reply, tools);
      expect([head, spent() < 900]).toEqual([head, true]);
      const gate = textGate();
      for (let at = 0; at < reply.length; at += 7) gate.write(reply.slice(at, at + 7));
      expect([head, spent() < 1800]).toEqual([head, true]);
    }
  });

  test("may have a leaf of a megabyte", async () => {
    for (const unit of ["x", "</content> <content> ", "]]>", "&amp;"]) {
      const content = unit.repeat(1_000_000 / unit.length);
      const spent = processorTime();
      const { calls } = await findCalls(writeCall({ name: "edit", input: { path: "a", content } }), tools);
      expect([unit, spent() < 1000]).toEqual([unit, true]);
      expect(
        calls.map(
          (one) => "arguments" in one && typeof one.arguments === "object" && one.arguments["content"] === content,
        ),
      ).toEqual([true]);
    }
  });
});
