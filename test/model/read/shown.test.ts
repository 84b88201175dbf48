import { describe, expect, test } from "vitest";
import type { ModelEvent, ToolDescription, WrittenReply } from "../../../src/core/index.js";
import { noUsage } from "../../../src/core/index.js";
import { showing } from "../../../src/model/read/shown.js";

const parameters = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };
const tools: readonly ToolDescription[] = [{ name: "converse", description: "", parameters }];

const hello = "<tool>\n<tool_name>converse</tool_name>\n<arguments><message>Hello.</message></arguments>\n</tool>";

/** The events shown for a text that arrives in pieces of three characters, including those at its end. */
function shown(text: string, reply: Partial<WrittenReply>): readonly ModelEvent[] {
  const show = showing(tools);
  const events: ModelEvent[] = [];
  for (let at = 0; at < text.length; at += 3)
    events.push(...show.now({ type: "text-delta", text: text.slice(at, at + 3) }));
  events.push(...show.last({ text: "", calls: [], finish: "complete", usage: noUsage, ...reply }));
  return events;
}

function textOf(events: readonly ModelEvent[], type: "text-delta" | "call-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

const called: Partial<WrittenReply> = { calls: [{ type: "call", name: "converse", input: { message: "Hello." } }] };

describe("what is shown of a text in which calls may stand", () => {
  test("is what stands before the first call, and its arguments as JSON", () => {
    const events = shown(`I say hello.\n${hello}`, { text: "I say hello.\n", ...called });
    expect(textOf(events, "text-delta")).toBe("I say hello.\n");
    expect(textOf(events, "call-delta")).toBe('{"message":"Hello."}');
    expect(events.filter(({ type }) => type === "call-delta").length).toBeGreaterThan(2);
  });

  test("is no call in code, but in the end the words", () => {
    const text = `So:\n\`\`\`\n${hello}\n\`\`\``;
    const events = shown(text, { text });
    expect(textOf(events, "text-delta")).toBe(text);
    expect(textOf(events, "call-delta")).toBe("");
    expect(events.some(({ type }) => type === "reply-retracted")).toBe(false);
  });

  test("is taken back where what looked like a call is none, and shown as words", () => {
    const events = shown(hello, { text: hello });
    expect(events.map(({ type }) => type).slice(-2)).toEqual(["reply-retracted", "text-delta"]);
    expect(textOf(events, "text-delta")).toBe(hello);
  });

  test("stands where the name of the tool was mended", () => {
    const mended: WrittenReply["calls"] = [{ type: "call", name: "talk", input: {}, repairs: ["the name"] }];
    expect(shown(hello, { calls: mended }).some(({ type }) => type === "reply-retracted")).toBe(false);
  });

  test("is everything as it comes where no text is read", () => {
    const event: ModelEvent = { type: "text-delta", text: hello };
    expect(showing(undefined).now(event)).toEqual([event]);
  });
});
