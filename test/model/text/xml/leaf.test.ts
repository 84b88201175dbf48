import { describe, expect, it } from "vitest";
import { findCalls } from "../../../../src/model/text/index.js";

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

/** A call without a body. */
const callWithoutBody = "<tool>\n<tool_name>put</tool_name>\n<arguments>\n<path>a</path>\n</arguments>\n</tool>";

/** The decoded body; the problem if it can't be read. */
async function read(body: string): Promise<unknown> {
  const { calls } = await findCalls(call(body), tools);
  expect(calls.length).toBe(1);
  const [only] = calls;
  if (only === undefined || "problem" in only) return only?.problem;
  return (only.arguments as Readonly<Record<string, unknown>>)["body"];
}

describe("the text of an argument", () => {
  it.each([
    ["&#65;&#x42;&#x1F44B;", "AB👋"],
    ["&#0;&#xD800;&#xDFFF;&#x110000;&#99999999999;", "&#0;&#xD800;&#xDFFF;&#x110000;&#99999999999;"],
    ["&#xD7FF;&#xE000;", "\ud7ff\ue000"],
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
    ["]]&gt; <![CDATA[<b>]]> ]]&gt;", "]]> <b> ]]>"],
  ])("is verbatim in CDATA, and decoded around it: %j", async (body, text) => {
    expect(await read(body)).toBe(text);
  });

  it.each([
    ["<b>bold</b> and <br/>", "<b>bold</b> and <br/>"],
    ["<body>inner</body>", "<body>inner</body>"],
    ["<body/>", "<body/>"],
    ["a < b && c > d", "a < b && c > d"],
    ["<tool> <b>bold</b>", "<tool> <b>bold</b>"],
    ["<!-- a comment -->", "<!-- a comment -->"],
    ["an end of CDATA: ]]> alone", "an end of CDATA: ]]> alone"],
    [" \n ", " \n "],
  ])("may be markup, also of its own name where that is balanced: %j", async (body, text) => {
    expect(await read(body)).toBe(text);
  });

  it.each([
    ["<![CDATA[open", "The CDATA section in <body> is not closed"],
    ["<![CDATA[a]]> ]]> <![CDATA[b]]>", "ends before its text does"],
    ["a ]]> b <![CDATA[c]]>", "ends before its text does"],
    ["x</bodies>", "body"],
    [`see ${call("x")} above`, "More than one closing tag could end the element body."],
  ])("that has two readings or none is told: %j", async (body, words) => {
    const only = await findCalls(call(body).replace("x</bodies></body>", "x</bodies>"), tools);
    expect(only.calls.some((one) => "problem" in one && one.problem.includes(words))).toBe(true);
    expect(only.calls.filter((one) => "arguments" in one)).toEqual([]);
  });

  it("is cut where the reply ends in it, and what is told says in which", async () => {
    const whole = call("some words");
    const begun = whole.slice(0, whole.indexOf("words"));
    const { calls } = await findCalls(`I put it.\n${begun}`, tools);
    const problem = expect.stringContaining("<body>") as unknown;
    expect(calls).toEqual([{ kind: "truncated", name: "put", source: begun, problem }]);
  });

  it.each([
    ["quotes a call", `As in:\n${callWithoutBody}`],
    ["opens its own element again", "As in:\n<body>x\n</arguments>\n</tool>"],
  ])("that is not closed and %s gives none of the calls behind it", async (_what, body) => {
    const open = `${call("").replace(/<\/body>.*$/s, "")}${body}\nAnd:\n${callWithoutBody}\n${callWithoutBody}`;
    const { calls } = await findCalls(`I put it.\n${open}`, tools);
    const problem = expect.stringContaining("body is not closed with </body>") as unknown;
    expect(calls).toEqual([{ kind: "malformed_call", name: "put", source: open, problem }]);
  });

  it("may stand in an element of any name", async () => {
    const written = "<file-path>a</file-path><a.b>b</a.b><c><![CDATA[1 <c ]]></c>";
    const { calls } = await findCalls(callWithoutBody.replace("<path>a</path>", written), []);
    expect(calls).toMatchObject([{ arguments: { "file-path": "a", "a.b": "b", c: "1 <c " } }]);
  });

  it("comments and white space between fields are nothing, a comment without an end is told", async () => {
    const between = call("x").replace("<body>", "<!-- <body>no</body> -->\n  <body>");
    expect((await findCalls(between, tools)).calls).toMatchObject([{ arguments: { path: "a", body: "x" } }]);
    const several = call("x").replace("<body>", "<!-- a --><!-- b --> <!----> <!--> --><body>");
    expect((await findCalls(several, tools)).calls).toMatchObject([{ arguments: { path: "a", body: "x" } }]);
    const open = call("x").replace("<path>", "<!-- <path>");
    const problem = expect.stringContaining('where "<!-- <path>a') as unknown;
    expect((await findCalls(open, tools)).calls).toMatchObject([{ kind: "malformed_call", problem }]);
  });
});
