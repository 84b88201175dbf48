import { describe, expect, it } from "vitest";
import {
  noUsage,
  type Call,
  type Json,
  type JsonObject,
  type Message,
  type ModelRequest,
  type ToolDescription,
} from "../../../src/core/index.js";
import { restBytes } from "../../../src/model/wire/body-writer.js";
import { extrasOf } from "../../../src/model/wire/extras.js";
import { nativeWriter, type NativeBody } from "../../../src/model/wire/native.js";
import { idsOf as takenBy } from "../../../src/model/wire/wire-call.js";

const tools: readonly ToolDescription[] = [
  { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
];

function requestOf(messages: readonly Message[]): ModelRequest {
  return { key: "s/1/model:1", system: "Be brief.", messages, tools, needsCall: true };
}

/** The parts of a body, with its messages as they are read from the bytes. */
type WireMessage = Readonly<Record<string, unknown>>;
type Written = Omit<NativeBody, "messages"> & { readonly messages: readonly WireMessage[] };

function read({ messages: bytes, ...body }: NativeBody): Written {
  const text = Buffer.concat(bytes.body(restBytes({}))).toString();
  return { ...body, messages: (JSON.parse(text) as Written).messages };
}

function write(...messages: readonly Message[]): Written {
  return read(nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40))(requestOf(messages)));
}

function callOf(id: string, providerId?: string, input: Json = {}): Call {
  return { type: "call", id, name: "read", input, ...(providerId !== undefined && { providerId }) };
}

function assistant(calls: readonly Call[], text = "", extras?: JsonObject): Message {
  const reply = { text, calls, finish: "complete", usage: noUsage, ...(extras !== undefined && { extras }) } as const;
  return { role: "assistant", reply };
}

function answer(callId: string, text = "result"): Message {
  return { role: "tool", callId, text };
}

/** The wire ids of the calls in a message. */
function idsOf(message: WireMessage | undefined): readonly string[] {
  return ((message?.["tool_calls"] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** The arguments of the first call in a message. */
function argumentsOf(message: WireMessage | undefined): unknown {
  const [call] = message?.["tool_calls"] as readonly { readonly function: { readonly arguments: string } }[];
  return call?.function.arguments;
}

describe("a request", () => {
  it("has the system prompt, the messages in the wire's words and the tools, and asks for a call", () => {
    const call = callOf("s/1/call:1:0", "call_1", { path: "a" });
    expect(
      write({ role: "user", text: "Do it." }, assistant([call], "Now."), answer("s/1/call:1:0", "content")),
    ).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Do it." },
        {
          role: "assistant",
          content: "Now.",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "content" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
        },
      ],
      tool_choice: "required",
    });
  });

  it("has null for the content of a reply that has only calls, and no calls for one that has only text", () => {
    const { messages } = write(assistant([callOf("a", "x")]), answer("a"), assistant([], "Words."));
    expect(messages[1]).toMatchObject({ content: null });
    expect(messages[3]).toEqual({ role: "assistant", content: "Words." });
  });

  it("leaves a reply out that has neither text nor calls", () => {
    const { messages } = write({ role: "user", text: "x" }, assistant([], ""), { role: "user", text: "y" });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "user"]);
  });

  it("gives the provider's extras back verbatim, on the message and on the call", () => {
    const extras = { reasoning_content: "Hm.", reasoning_details: [{ data: "b" }] };
    const call: Call = { ...callOf("a", "x"), extras: { extra_content: { google: { thought_signature: "c2ln" } } } };
    const { messages } = write(assistant([call], "", extras), answer("a"));
    expect(messages[1]).toEqual({
      ...extras,
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "x",
          type: "function",
          function: { name: "read", arguments: "{}" },
          extra_content: { google: { thought_signature: "c2ln" } },
        },
      ],
    });
  });

  it("does not let extras take the place of what a message has", () => {
    const call: Call = { ...callOf("a", "x"), extras: { id: "no", type: "no", function: "no" } };
    const { messages } = write(
      assistant([call], "Words.", { role: "no", content: "no", tool_calls: "no" }),
      answer("a"),
    );
    expect(messages[1]).toMatchObject({
      role: "assistant",
      content: "Words.",
      tool_calls: [{ id: "x", type: "function" }],
    });
  });

  it("repeats arguments exactly as the model wrote them", () => {
    const source = '{ "n": 12345678901234567890, "n": 1.0 }';
    const call: Call = { ...callOf("a", "x", JSON.parse(source) as Json), source };
    expect(argumentsOf(write(assistant([call]), answer("a")).messages[1])).toBe(source);
  });

  it("repeats the arguments of a call that was mended as they were mended", () => {
    const repairs = ["quotes", "a comma"];
    const call: Call = { type: "call", id: "a", name: "read", input: { n: 1 }, source: "{'n': 1,}", repairs };
    expect(argumentsOf(write(assistant([call]), answer("a")).messages[1])).toBe('{"n":1}');
  });

  it("leaves the choice to the model where a reply without a call is a fine answer", () => {
    const request = requestOf([{ role: "user", text: "x" }]);
    expect(nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40))(request).tool_choice).toBe("required");
    expect(nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40))({ ...request, needsCall: false }).tool_choice).toBe(
      "auto",
    );
  });

  it("repeats a call that could not be read with empty arguments and a name that can be sent", () => {
    const broken: Call = {
      type: "unreadable-call",
      kind: "malformed_call",
      id: "a",
      name: "read file!",
      source: '{"path": ',
      problem: "broken",
      providerId: "x",
    };
    const { messages } = write(
      assistant([broken, { ...broken, id: "b", name: "", providerId: "y" }]),
      answer("a"),
      answer("b"),
    );
    expect(messages[1]).toMatchObject({
      tool_calls: [
        { id: "x", function: { name: "read_file_", arguments: "{}" } },
        { id: "y", function: { name: "unreadable", arguments: "{}" } },
      ],
    });
  });

  it("cuts a name that is too long to be sent", () => {
    const { messages } = write(assistant([{ ...callOf("a", "x"), name: "n".repeat(100) }]), answer("a"));
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { name: "n".repeat(64) } }] });
  });
});

describe("the id of a call on the wire", () => {
  it("is the provider's where it is unique", () => {
    const { messages } = write(assistant([callOf("a", "call_1"), callOf("b", "call_2")]), answer("a"), answer("b"));
    expect(idsOf(messages[1])).toEqual(["call_1", "call_2"]);
    expect(messages.slice(2).map((message) => message["tool_call_id"])).toEqual(["call_1", "call_2"]);
  });

  it("is nine characters [A-Za-z0-9] where the provider gave none, the same for call and result", () => {
    for (const given of [undefined, ""]) {
      const { messages } = write(assistant([callOf("s/1/call:1:0", given)]), answer("s/1/call:1:0"));
      const [id] = idsOf(messages[1]);
      expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
      expect(messages[2]?.["tool_call_id"]).toBe(id);
    }
  });

  it("is the same in every process: it depends on our id alone", () => {
    const idFor = (id: string): string | undefined => idsOf(write(assistant([callOf(id)]), answer(id)).messages[1])[0];
    expect(idFor("s/1/call:1:0")).toBe(idFor("s/1/call:1:0"));
    expect(idFor("s/1/call:1:0")).not.toBe(idFor("s/1/call:1:1"));
  });

  it("is another where the provider's was used before, in the same reply or in an earlier one", () => {
    const { messages } = write(
      assistant([callOf("a", "call_0"), callOf("b", "call_0")]),
      answer("b", "of b"),
      answer("a", "of a"),
      assistant([callOf("c", "call_0")]),
      answer("c", "of c"),
    );
    const [a, b] = idsOf(messages[1]);
    const [c] = idsOf(messages[4]);
    expect(a).toBe("call_0");
    expect(b).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(c).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set([a, b, c]).size).toBe(3);
    const results = messages.filter(({ role }) => role === "tool");
    expect(results.map((message) => [message["tool_call_id"], message["content"]])).toEqual([
      [b, "of b"],
      [a, "of a"],
      [c, "of c"],
    ]);
  });

  it("is unique in a long session of a provider that always gives the same one, and stays as it was", () => {
    const writer = nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40));
    const messages: Message[] = [];
    let before: readonly WireMessage[] = [];
    for (let n = 0; n < 200; n += 1) {
      messages.push(assistant([callOf(`s/1/call:${String(n)}:0`, "call_0")]), answer(`s/1/call:${String(n)}:0`));
      const wire = read(writer(requestOf(messages))).messages;
      expect(wire.slice(0, before.length)).toEqual(before);
      before = wire;
    }
    const ids = before.flatMap(idsOf);
    expect(new Set(ids).size).toBe(200);
    expect(before.filter(({ role }) => role === "tool").map((message) => message["tool_call_id"])).toEqual(ids);
  });
});

describe("encoding", () => {
  it("is done once for each message: two requests share the same bytes", () => {
    const writer = nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40));
    const messages: readonly Message[] = [{ role: "user", text: "x" }, assistant([callOf("a", "call_1")]), answer("a")];
    const first = writer(requestOf(messages));
    const [firstBytes] = first.messages.body(restBytes({}));
    const second = writer(requestOf([...messages, assistant([callOf("b", "call_1")]), answer("b")]));
    const [secondBytes] = second.messages.body(restBytes({}));
    expect(secondBytes?.buffer).toBe(firstBytes?.buffer);
    expect(Buffer.from(secondBytes!.subarray(0, firstBytes!.length)).equals(firstBytes!)).toBe(true);
    expect(second.tools).toBe(first.tools);
    const wire = read(second).messages;
    expect(idsOf(wire[4])).not.toEqual(["call_1"]);
    expect(wire[5]?.["tool_call_id"]).toBe(idsOf(wire[4])[0]);
  });

  it("keeps the ids of calls, and frees those of calls that are gone, where the conversation was rewritten", () => {
    const writer = nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40));
    const [user, a, b] = [
      { role: "user", text: "x" } as const,
      assistant([callOf("a", "call_0")]),
      assistant([callOf("b", "call_1")]),
    ];
    writer(requestOf([user, a, answer("a"), b, answer("b")]));
    const wire = read(writer(requestOf([user, a, answer("a", "shorter"), b, answer("b")]))).messages;
    expect(wire.flatMap(idsOf)).toEqual(["call_0", "call_1"]);
    expect(wire.map(({ content }) => content)).toEqual(["Be brief.", "x", null, "shorter", null, "result"]);
  });

  it("of tools is done anew for other tools", () => {
    const writer = nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40));
    writer(requestOf([]));
    const other = writer({
      ...requestOf([]),
      tools: [{ name: "list", description: "", parameters: { type: "object", properties: {} } }],
    });
    expect(other.tools).toEqual([
      { type: "function", function: { name: "list", description: "", parameters: { type: "object", properties: {} } } },
    ]);
  });
});
