import { describe, expect, it } from "vitest";
import { noUsage, type ToolDescription, type WrittenCall, type WrittenReply } from "../../../src/core/index.js";
import type { RawReply } from "../../../src/model/data/raw-reply.js";
import { readReply } from "../../../src/model/read/read-reply.js";

const tools: readonly ToolDescription[] = [
  {
    name: "read",
    description: "Reads.",
    parameters: { type: "object", properties: { path: { type: "string" }, n: { type: "number" } } },
  },
];
const empty: RawReply = { text: "", refusal: "", calls: [], finish: "complete", usage: noUsage, extras: {} };
const call = { id: "call_1", name: "read", arguments: '{"path":"a"}', extras: {} };

function read(raw: Partial<RawReply>, readsText = false): Promise<WrittenReply> {
  return readReply({ ...empty, ...raw }, tools, readsText);
}

async function readCall(written: Partial<typeof call>): Promise<WrittenCall | undefined> {
  const { calls } = await read({ calls: [{ ...call, ...written }] });
  return calls[0];
}

describe("reading a reply", () => {
  it("gives text, calls, usage and extras", async () => {
    const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 };
    const extras = { reasoning_content: "Hm." };
    expect(await read({ text: "Now.", calls: [call], usage, extras })).toEqual({
      text: "Now.",
      calls: [{ type: "call", name: "read", input: { path: "a" }, providerId: "call_1" }],
      finish: "complete",
      usage,
      extras,
    });
  });

  it("has no empty extras, no empty id and no empty list of repairs", async () => {
    const reply = await read({ calls: [{ ...call, id: "" }] });
    expect(reply).not.toHaveProperty("extras");
    for (const key of ["providerId", "extras", "repairs"]) expect(reply.calls[0]).not.toHaveProperty(key);
  });

  it("keeps the source of arguments where it would be written otherwise", async () => {
    const source = '{ "n": 1.0 }';
    expect(await readCall({ arguments: source })).toMatchObject({ input: { n: 1 }, source });
    expect(await readCall({})).not.toHaveProperty("source");
  });

  it("takes no arguments as none", async () => {
    for (const source of ["", "  \n"]) {
      expect(await readCall({ arguments: source })).toMatchObject({ type: "call", input: {} });
    }
  });

  it("says what it mended, and keeps what the model wrote", async () => {
    const mended = await readCall({ name: "functions.read", arguments: '{"path": "a",}' });
    expect(mended).toMatchObject({ type: "call", name: "read", input: { path: "a" }, source: '{"path": "a",}' });
    expect(mended?.type === "call" && mended.repairs?.length).toBe(2);
  });

  it("gives arguments that can't be read as a call that can't be read, and says why", async () => {
    const source = '{"path" "a"}';
    const { calls } = await read({ calls: [{ ...call, arguments: source, extras: { a: 1 } }] });
    expect(calls[0]).toMatchObject({
      type: "unreadable-call",
      kind: "malformed_call",
      name: "read",
      source,
      providerId: "call_1",
      extras: { a: 1 },
    });
    expect(calls[0]?.type === "unreadable-call" && calls[0].problem).toContain("JSON");
  });

  it("does not read the calls of a reply that was cut, even where they parse", async () => {
    const reply = await read({ text: "Half", calls: [call, { ...call, arguments: '{"pa' }], finish: "cut" });
    expect(reply.finish).toBe("cut");
    expect(reply.calls).toMatchObject([
      { type: "unreadable-call", kind: "truncated", source: '{"path":"a"}' },
      { type: "unreadable-call", kind: "truncated", source: '{"pa' },
    ]);
  });

  it("counts a reply of an unknown end as cut, unless its calls are whole", async () => {
    const ended = { finish: "unknown", finishReason: "rested" } as const;
    expect(await read({ ...ended, text: "Half" })).toMatchObject({ finish: "cut", text: "Half" });
    expect(await read({ ...ended, calls: [call] })).toMatchObject({ finish: "complete", calls: [{ type: "call" }] });
    for (const written of ["", '{"path": "a"', "{'path': 'a'}", '"a"', "[]"]) {
      const calls = [call, { ...call, arguments: written }];
      expect(await read({ ...ended, calls })).toMatchObject({ finish: "cut", calls: [{ kind: "truncated" }, {}] });
    }
    const text = '<tool_call>{"name": "read", "arguments": {"path": "b"}}</tool_call>';
    expect(await read({ ...ended, text }, true)).toMatchObject({ finish: "complete", calls: [{ type: "call" }] });
    expect(await read({ ...ended, refusal: "I can't." })).toMatchObject({ finish: "refused" });
  });

  it("tells a refusal of the filter and one of the model", async () => {
    expect(await read({ text: "Half", finish: "refused" })).toMatchObject({ finish: "refused", text: "Half" });
    expect(await read({ refusal: "I can't." })).toMatchObject({ finish: "refused", text: "I can't." });
  });

  it("goes by the call where the model refuses in words and calls all the same", async () => {
    expect(await read({ refusal: "I can't.", calls: [call] })).toMatchObject({
      finish: "complete",
      calls: [{ type: "call" }],
    });
  });

  it("has a call that can't be read where the provider threw one away", async () => {
    expect((await read({ finish: "malformed" })).calls).toMatchObject([
      { type: "unreadable-call", kind: "malformed_call", problem: expect.stringContaining("malformed") },
    ]);
    expect((await read({ finish: "malformed", calls: [call] })).calls).toMatchObject([
      { type: "call" },
      { type: "unreadable-call", kind: "malformed_call" },
    ]);
  });

  it("finds calls in the text only where that is asked for and there is no other call", async () => {
    const text = '<tool_call>{"name": "read", "arguments": {"path": "b"}}</tool_call>';
    expect((await read({ text }, true)).calls).toMatchObject([{ type: "call", input: { path: "b" } }]);
    expect(await read({ text })).toMatchObject({ text, calls: [] });
    expect((await read({ text, calls: [call] }, true)).calls).toMatchObject([{ type: "call", input: { path: "a" } }]);
  });
});
