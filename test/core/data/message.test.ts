import { describe, expect, test } from "vitest";
import { noUsage, type Attachment, type Message } from "../../../src/core/index.js";
import { soundMessage } from "../../../src/core/data/message.js";

const chart: Attachment = { mediaType: "image/png", digest: "d", size: 1, tokens: 1 };
const said = (text: string): Message => ({
  role: "assistant",
  reply: { text, calls: [], finish: "complete", usage: noUsage },
});

describe("a message", () => {
  test.each<Message>([
    { role: "user", text: "go" },
    { role: "user", text: "", attachments: [chart] },
    { role: "tool", callId: "c", text: "  done" },
    said(""),
    said("\n\nWell."),
  ])("that every provider takes is the same object: %j", (message) => {
    expect(soundMessage(message)).toBe(message);
  });

  test.each<[Message, object]>([
    [{ role: "user", text: " \n" }, { text: "(no text)" }],
    [{ role: "user", text: " \n", attachments: [chart] }, { text: "" }],
    [{ role: "tool", callId: "c", text: "\t" }, { text: "(no text)" }],
    [{ role: "tool", callId: "c", text: "", attachments: [chart] }, { text: "(no text)" }],
    [said("\n\n"), { reply: { text: "" } }],
    [said("a\ud83d"), { reply: { text: "a\ufffd" } }],
  ])("%j is mended", (message, mended) => {
    expect(soundMessage(message)).toMatchObject(mended);
  });
});
