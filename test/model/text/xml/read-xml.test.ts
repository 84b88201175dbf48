// Tests of one XML call: its beginning, the problems of broken calls, and the position at which the reply continues.

import { describe, expect, it } from "vitest";
import { findCalls } from "../../../../src/model/text/index.js";

const text = { type: "string" };
const tools = [
  { name: "put", description: "", parameters: { type: "object", properties: { path: text, body: text } } },
] as const;
const name = "<tool_name>put</tool_name>";
const fields = "<arguments><path>a</path></arguments>";
const whole = `<tool>\n${name}\n${fields}\n</tool>`;
const read = { name: "put", arguments: { path: "a" } };

/** Matches a broken call whose problem contains these words. */
function brokenCall(kind: "malformed_call" | "truncated", called: string, source: string, words: string): object {
  return { kind, name: called, source, problem: expect.stringContaining(words) as unknown };
}

describe("a call's beginning", () => {
  it.each(["<tool>", "<tool>\n ", "<tool>\n<!-", "<tool><", "<tool>\n<tool_na"])(
    "is a cut call where the reply ends in it: %j",
    async (begun) => {
      const { calls } = await findCalls(`I put it.\n${begun}`, tools);
      expect(calls).toEqual([brokenCall("truncated", "", begun, "cut off at its beginning")]);
      expect((await findCalls(begun, tools)).calls).toEqual(calls);
    },
  );

  it.each([
    "The tag is <tool>",
    "The tag is <tool>\n",
    "<tool> is the tag.",
    "A line.\n<tool>\nis the tag.",
    "<tool></tool>",
    `One writes <tool>${name} and then the arguments.`,
    `One writes <tool>${name}\nand then the arguments.${" And so on.".repeat(30)}`,
    `One writes <tool><tool_name>put\nand then <b>more</b>.${" And so on.".repeat(30)}`,
  ])("is words where it is spoken of: %j", async (reply) => {
    expect(await findCalls(reply, tools)).toEqual({ text: reply, calls: [] });
    expect((await findCalls(`${reply}\n${whole}`, tools)).calls).toMatchObject([read]);
  });
});

describe("of a call that is cut, it is told where:", () => {
  it.each([
    [`<tool>\n${name}\n`, "put", "before <arguments>"],
    [`<tool>\n${name}\n<argu`, "put", "before <arguments>"],
    ["<tool>\n<server_name>lo", "", "inside <server_name>"],
    [`<tool>\n${name}\n<server_name>local</server`, "put", "inside <server_name>"],
    ["<tool>\n<arguments><path>a", "", "inside <path>, before </path>"],
    [`<tool>\n${name}\n<arguments><body><![CDATA[a`, "put", "inside <body>, in a CDATA section"],
    [`<tool>\n${name}\n<arguments>{"path": "a`, "put", "inside <arguments>, before </arguments>"],
  ])("%j", async (source, called, where) => {
    const { calls } = await findCalls(`I put it.\n${source}`, tools);
    expect(calls).toEqual([brokenCall("truncated", called, source, `cut off ${where}, so`)]);
  });
});

describe("a call is refused as a whole, and the one behind it read, for", () => {
  it.each([
    ["two names", `<tool>\n${name}\n${name}\n${fields}\n</tool>`, "put", "tool_name is given twice"],
    [
      "two servers",
      `<tool><server_name>local</server_name>${name}<server_name>local</server_name>${fields}</tool>`,
      "put",
      "server_name is given twice",
    ],
    ["arguments twice", `<tool>\n${name}\n${fields}\n${fields}\n</tool>`, "put", "arguments is given twice"],
    ["JSON arguments twice", `<tool>${name}<arguments>{}</arguments>${fields}</tool>`, "put", "given twice"],
    ["a name behind the arguments", `<tool>\n${fields}\n${name}\n</tool>`, "put", "required, before <arguments>"],
    ["no name and no arguments", "<tool><server_name>local</server_name></tool>", "", "tool_name is missing"],
    ["an empty name", `<tool>\n<tool_name/>\n${fields}\n</tool>`, "", "tool_name is empty"],
    ["an empty server", `<tool><server_name/>${name}${fields}</tool>`, "put", 'server "" is not connected'],
    [
      "a section in JSON arguments that ends in its text",
      `<tool>\n${name}\n<arguments><![CDATA[{"path": "a ]]> b"}]]></arguments>\n</tool>`,
      "put",
      "CDATA section in arguments ends too early",
    ],
    [
      "a text that is not closed",
      `<tool>\n${name}\n<arguments><body>a</bodies></arguments>\n</tool>`,
      "put",
      "body is not closed with </body>",
    ],
  ])("%s", async (_what, source, called, words) => {
    const { calls, text: left } = await findCalls(`I put it.\n${source}\n${whole}`, tools);
    expect(calls).toMatchObject([brokenCall("malformed_call", called, source, words), read]);
    expect(left.trim()).toBe("I put it.");
  });
});

describe("a call is refused as far as it got, and the reply goes on there, for", () => {
  it.each([
    [
      "an element that it does not have",
      `<tool>\n${name}\n`,
      '<args>{"path": "some/long/path"}</args>\n</tool>\n',
      "put",
      'must come where "<args>{\\"path\\": \\"some/long/path\\"}</args>\\n" stands',
    ],
    [
      "no element but a comment",
      "<tool>\n<server_name>local</server_name>\n<!-- ? -->",
      "<b>\n",
      "",
      "must come where",
    ],
    ["words in the place of an element", `<tool>\n${name}\n`, "then nothing.\n", "put", "must come where"],
    ["words behind an empty name", "<tool>\n<tool_name/>", `put</tool_name>\n${fields}\n`, "", "must come where"],
    ["an indented one", `<tool>\n  ${name}\n  `, "<args/>\n", "put", "must come where"],
    [
      "a name that is not closed",
      "<tool>\n<tool_name>put\n",
      `${fields}\n</tool>\n`,
      "",
      "not closed with </tool_name>",
    ],
    [
      "a server that another tag closes",
      `<tool>\n${name}\n<server_name>local`,
      `</tool_name>\n${fields}\n</tool>\n`,
      "put",
      "server_name is not closed with </server_name>",
    ],
  ])("%s", async (_what, source, rest, called, words) => {
    const { calls, text: left } = await findCalls(`I put it, and more.\n  ${source}${rest}${whole}`, tools);
    expect(calls).toMatchObject([brokenCall("malformed_call", called, source, words), read]);
    expect(left).toContain(rest);
  });
});

describe("a DOCTYPE or an ENTITY", () => {
  it.each([
    `<tool>\n${name}\n<!DOCTYPE a>\n${fields}\n</tool>`,
    `<tool>\n${name}\n<!ENTITY b "c">\n${fields}\n</tool>`,
    `<tool>\n${name}\n${fields}\n<!DOCTYPE a>\n</tool>`,
  ])("in a call refuses the rest of the reply: %j", async (call) => {
    const source = `${call}\n${whole}`;
    const { calls } = await findCalls(`I put it.\n${source}`, tools);
    expect(calls).toEqual([brokenCall("malformed_call", "put", source, "is refused")]);
  });
});

describe("arguments as JSON", () => {
  it.each([
    ['<arguments>{"body": "in </arguments> it"}</arguments></tool>', '{"body": "in </arguments> it"}'],
    ['<arguments>\n<![CDATA[{"body": "</arguments>"}]]>\n</arguments></tool>', '{"body": "</arguments>"}'],
    ['<arguments>{"path": "a"}</arguments>', '{"path": "a"}'],
    ["<arguments><![CDATA[]]></arguments></tool>", {}],
    ["<arguments><![CDATA[ ]]></arguments></tool>", {}],
    ["<arguments> \n </arguments></tool>", {}],
  ])("are the text, whatever it holds: %s", async (written, wanted) => {
    const { calls } = await findCalls(`<tool>${name}${written}`, tools);
    expect(calls).toEqual([{ id: "", name: "put", arguments: wanted, extras: {} }]);
  });
});
