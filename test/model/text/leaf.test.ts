import { describe, expect, it } from "vitest";
import { findCalls } from "../../../src/model/text/index.js";

const tools = [
  {
    name: "put",
    description: "",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, body: { type: "string" } },
      required: ["path"],
    },
  },
] as const;

function call(body: string): string {
  return `<tool>\n<tool_name>put</tool_name>\n<arguments>\n<path>a</path>\n<body>${body}</body>\n</arguments>\n</tool>`;
}

/** What a body is read as; for one that can't be read, what is said of it. */
async function read(body: string): Promise<unknown> {
  const { calls } = await findCalls(call(body), tools);
  expect(calls.length).toBe(1);
  const [found] = calls;
  if (found === undefined || "problem" in found) return found?.problem;
  return (found.arguments as Readonly<Record<string, unknown>>)["body"];
}

describe("the text of an argument", () => {
  it.each([
    ["&#65;&#x42;&#x1F44B;", "AB👋"],
    ["&#0;&#xD800;&#x110000;&#99999999999;", "&#0;&#xD800;&#x110000;&#99999999999;"],
    ["&#x10FFFF;", "\u{10ffff}"],
    ["&lt;&gt;&amp;&quot;&apos;&nbsp;&", "<>&\"'&nbsp;&"],
    ["&amp;lt;", "&lt;"],
  ])("has its references read once, and those that are none kept: %s", async (body, text) => {
    expect(await read(body)).toBe(text);
  });

  it.each([
    ["a &amp; <![CDATA[&amp; <b>]]> c", "a & &amp; <b> c"],
    [" \n<![CDATA[ x ]]>\n ", " x "],
    ["<![CDATA[a]]>\n<![CDATA[b]]>", "ab"],
    ["<![CDATA[]]>", ""],
    ["<![CDATA[</body></arguments></tool>]]>", "</body></arguments></tool>"],
  ])("is verbatim in CDATA, and decoded around it: %j", async (body, text) => {
    expect(await read(body)).toBe(text);
  });

  it.each([
    ["<b>bold</b> and <br/>", "<b>bold</b> and <br/>"],
    ["<body>inner</body>", "<body>inner</body>"],
    ["<body/>", "<body/>"],
    ["a < b && c > d", "a < b && c > d"],
    ["<!-- a comment -->", "<!-- a comment -->"],
  ])("may be markup, also of its own name where that is balanced: %j", async (body, text) => {
    expect(await read(body)).toBe(text);
  });

  it.each([
    ["<![CDATA[open", "CDATA"],
    ["x</bodies>", "body"],
    [`see ${call("x")} above`, "CDATA"],
  ])("that has two readings or none is told: %j", async (body, words) => {
    const found = await findCalls(call(body).replace("x</bodies></body>", "x</bodies>"), tools);
    expect(found.calls.some((one) => "problem" in one && one.problem.includes(words))).toBe(true);
    expect(found.calls.filter((one) => "arguments" in one)).toEqual([]);
  });

  it("is cut where the reply ends in it, and what is told says in which", async () => {
    const whole = call("some words");
    const { calls } = await findCalls(whole.slice(0, whole.indexOf("words")), tools);
    expect(calls).toMatchObject([{ kind: "truncated", name: "put", problem: expect.stringContaining("<body>") }]);
    expect(calls[0] !== undefined && "source" in calls[0] && calls[0].source.startsWith("<tool>")).toBe(true);
  });

  it("comments and white space between fields are nothing, a comment without an end is told", async () => {
    const between = call("x").replace("<body>", "<!-- <body>no</body> -->\n  <body>");
    expect((await findCalls(between, tools)).calls).toMatchObject([{ arguments: { path: "a", body: "x" } }]);
    const open = call("x").replace("<body>", "<!-- <body>");
    expect((await findCalls(open, tools)).calls.every((one) => "problem" in one)).toBe(true);
  });
});
