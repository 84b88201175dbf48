import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolDescription } from "../../../../src/core/index.js";
import { fieldReader } from "../../../../src/core/call/json-field.js";
import { findCalls, isCertain, streamCalls, writeCall } from "../../../../src/model/text/index.js";
import { processorTime } from "../../../processor-time.js";

const text = { type: "string" };
const parameters = {
  type: "object",
  properties: {
    message: text,
    suggestions: { type: "array", items: text },
    order: { type: "object", properties: { id: text, lines: { type: "array", items: text } } },
    count: { type: "integer" },
  },
  required: ["message"],
};
const tools: readonly ToolDescription[] = [{ name: "converse", description: "", parameters }];

/** Streams the pieces of a text. Returns the JSON of each call. */
function streamed(pieces: readonly string[]): readonly string[] {
  const stream = streamCalls(tools);
  const texts: string[] = [];
  for (const piece of pieces) {
    for (const delta of stream.write(piece)) {
      expect(delta.name).toBe(stream.names[delta.index]);
      texts[delta.index] = (texts[delta.index] ?? "") + delta.text;
    }
  }
  return texts;
}

function inPieces(whole: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let turn = 0; at < whole.length; turn += 1) {
    const size = Math.max(1, sizes[turn % Math.max(1, sizes.length)] ?? whole.length);
    pieces.push(whole.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function fieldOf(json: string, field = "message"): string {
  return fieldReader(field).write(json);
}

const call = (body: string, name = "converse"): string =>
  `<tool>\n<tool_name>${name}</tool_name>\n<arguments>${body}</arguments>\n</tool>`;

const hostile = [
  ...["<", ">", "&", "]", "\n", " ", '"', "'", "\\", ";", "#"],
  "]]>",
  "<![CDATA[",
  "</message>",
  "<message>",
  "<message/>",
  "</arguments>",
  "</tool>",
  "</suggestions>",
  "<count>",
  "<!--",
  "-->",
  "&amp;",
  "&lt;",
  "&#x1F600;",
  "&#65;",
  "&am",
  "😀",
  "\ud83d",
  "\r\n",
  "é",
  "\u2028",
];
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 5, unit: "grapheme" })), { maxLength: 14 })
  .map((parts) => parts.join("").replaceAll("\0", ""));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 });
const wellFormed = (words: string): string => words.replace(/\p{Surrogate}/gu, "\ufffd");

describe("arguments that are still being written in XML", () => {
  test("are told as JSON, wherever the text is split", () => {
    const input = fc.record(
      {
        suggestions: fc.array(anyText, { maxLength: 3 }),
        order: fc.record({ id: anyText, lines: fc.array(anyText, { maxLength: 2 }) }, { requiredKeys: ["id"] }),
        message: anyText,
        count: fc.nat().map(String),
      },
      { requiredKeys: ["message"] },
    );
    fc.assert(
      fc.property(input, sizes, (given, cuts) => {
        const [json = "", ...others] = streamed(inPieces(writeCall({ name: "converse", input: given }), cuts));
        expect(others).toEqual([]);
        expect(JSON.parse(json)).toEqual(given);
        expect(fieldOf(json)).toBe(wellFormed(given.message));
      }),
      { numRuns: 1000 },
    );
  });

  test("say of a text what the whole reply will say, or the beginning of it", async () => {
    const body = fc.array(
      fc.oneof(
        anyText,
        anyText.map((words) => `<message>${words}</message>`),
        anyText.map((words) => `<message><![CDATA[${words.replaceAll("]]>", "")}]]></message>`),
        anyText.map(
          (words) => `<message>${words.replace(/[<&]/g, (sign) => (sign === "<" ? "&lt;" : "&amp;"))}</message>`,
        ),
        anyText.map((words) => `<suggestions><item>${words}</item></suggestions>`),
        fc.constantFrom("<count>1</count>", " ", "\n", "<other>x</other>", "<!-- note -->"),
      ),
      { maxLength: 4 },
    );
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          body.map((parts) => call(parts.join(""))),
          { minLength: 1, maxLength: 2 },
        ),
        sizes,
        async (calls, cuts) => {
          const reply = calls.join("\n");
          const found = await findCalls(reply, tools);
          const texts = streamed(inPieces(reply, cuts));
          expect(texts).toEqual(streamed(inPieces(reply, [1])));
          for (const [index, json] of texts.entries()) {
            const one = found.calls[index];
            expect(one?.name).toBe("converse");
            if (one === undefined || "problem" in one || typeof one.arguments === "string") continue;
            const { message } = one.arguments;
            if (typeof message !== "string") continue;
            const shown = fieldOf(json);
            expect(wellFormed(message).startsWith(shown)).toBe(true);
            if (shown.length === message.length) whole += 1;
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(whole).toBeGreaterThan(200);
  });

  test("come as soon as they are certain", () => {
    const stream = streamCalls(tools);
    const shown = (piece: string): string =>
      stream
        .write(piece)
        .map((delta) => delta.text)
        .join("");
    expect(shown("<tool>\n<tool_name>conv")).toBe("");
    expect(shown("erse</tool_name>\n<arguments>\n  <mess")).toBe("{");
    expect(shown("age>")).toBe('"message":"');
    expect(shown("H")).toBe("H");
    expect(shown("i & b")).toBe("i & b");
    expect(shown("&l")).toBe("");
    expect(shown("t; <b>")).toBe("< <b>");
    expect(shown("</mess")).toBe("");
    expect(shown("age>")).toBe("");
    expect(shown(" no end")).toBe("</message> no end");
    expect(shown("</message>\n</arg")).toBe("");
    expect(shown("uments>")).toBe('"}');
    expect(shown("\n</tool>\n<tool><tool_name>converse</tool_name><arguments><message>2")).toBe('{"message":"2');
    expect(stream.names).toEqual(["converse", "converse"]);
  });

  test("are told of a tool that nobody knows as well, and of arguments that are JSON", () => {
    expect(streamed([call("<a>1</a><b></b>", "unknown")])).toEqual(['{"a":"1","b":""}']);
    expect(streamed(inPieces(call('<![CDATA[{"message": "a < b"}]]>'), [3]))).toEqual(['{"message": "a < b"}']);
    expect(streamed([call(' {"message": "x &lt; y"} ')])).toEqual(['{"message": "x < y"} ']);
  });

  test.each([
    ["an element that the schema does not know follows", "<message>a</message><strange>b</strange>", '{"message":"a'],
    ["the text is not closed", "<message>a", '{"message":"a'],
    ["a field is given twice", "<message>a</message><message>b</message>", '{"message":"a"'],
    ["attributes stand in a tag", '<message lang="en">a</message>', "{"],
    ["a tag of its own name is open in the text", "<message>a<message>b</message>", '{"message":"a<message>b'],
  ])("are told no further where %s", (_what, body, json) => {
    expect(streamed([call(body)])).toEqual([json]);
  });

  test("take linear time, whatever they are made of", () => {
    const units = ["x", "é😀", "a < b ", "&amp;", "<message>", "</message> ", "</arguments> ", "<!-- ", "</mes", "\n"];
    const bodies = [...units.map((unit) => unit.repeat(500_000 / unit.length)), `<![CDATA[${"]] ".repeat(300_000)}]]>`];
    for (const body of bodies) {
      const reply = call(`<message>${body}</message>`);
      const spent = processorTime();
      const stream = streamCalls(tools);
      for (let at = 0; at < reply.length; at += 4) stream.write(reply.slice(at, at + 4));
      expect([body.slice(0, 20), spent() < 1500]).toEqual([body.slice(0, 20), true]);
    }
  });
});

describe("a call is certain", () => {
  test.each(["", "Words.\n", "Words.\n\n  ", "<think>what?</think>", "<think>a</think>\n", "`code` and ```\nx\n```\n"])(
    "behind %j",
    (before) => {
      expect(isCertain(before)).toBe(true);
    },
  );

  test.each(["A call looks so: ", "```\n", "`", "> ", "<think>\n", "~~~\n", '"', "<tool_result>\n", "a </think> b "])(
    "not behind %j",
    (before) => {
      expect(isCertain(before)).toBe(false);
    },
  );
});
