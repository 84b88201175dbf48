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
import { extrasOf } from "../../../src/model/wire/extras.js";
import { restBytes } from "../../../src/model/wire/body-writer.js";
import type { RequestBody } from "../../../src/model/data/request-body.js";
import { nativeWriter } from "../../../src/model/wire/native.js";
import { idsOf as takenBy } from "../../../src/model/wire/wire-call.js";
import { responsesWire } from "../../../src/model/responses/responses.js";
import type { Manner, Wire } from "../../../src/model/wire/wire.js";
import { xmlWriter } from "../../../src/model/wire/xml-dialect.js";
import { assertWellFormedRequest } from "../../../src/testing/index.js";

type Item = Readonly<Record<string, unknown>>;

interface Body {
  readonly input: readonly Item[];
  readonly [key: string]: unknown;
}

const address = "http://127.0.0.1:1/v1";
const tools: readonly ToolDescription[] = [
  { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
];
const user: Message = { role: "user", text: "Do it." };

function requestOf(messages: readonly Message[], needsCall = true): ModelRequest {
  return { key: "s/1/model:1", system: "Be brief.", messages, tools, needsCall };
}

function bodyOf(wire: Wire, request: ModelRequest, manner: Partial<Manner> = {}): Body {
  return JSON.parse(
    textOf(wire.write(request, { forcing: "required", settings: {}, extras: true, takes: ["*"], ...manner })),
  ) as Body;
}

function textOf(body: RequestBody): string {
  return Buffer.concat(body).toString();
}

/** The input items for these messages, for the model m. Asserts that the request with a user message before them is well-formed. */
function write(...messages: readonly Message[]): readonly Item[] {
  const body = bodyOf(responsesWire("m", address), requestOf([user, ...messages]));
  const last = messages.at(-1);
  if (last?.role !== "assistant") assertWellFormedRequest(body);
  return body.input.slice(1);
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

/** The extras of a reply in which the model m wrote these items. */
function storedItems(...items: readonly JsonObject[]): JsonObject {
  return { responses_output: { from: `m ${address}`, items } };
}

const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "c2VjcmV0" };
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "Now.", annotations: [] }],
};
const reading = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  arguments: '{ "path": "a" }',
  call_id: "call_1",
  name: "read",
};
/** The call in the item `reading`. */
const read: Call = { ...callOf("a", "call_1", { path: "a" }), source: reading.arguments };

describe("a request", () => {
  it("has the system prompt, the items in the API's words and flat tools, keeps nothing there and asks for a call", () => {
    const messages = [user, assistant([callOf("a", "call_1", { path: "a" })], "Now."), answer("a", "content")];
    const body = bodyOf(responsesWire("m", address), requestOf(messages));
    expect(body).toEqual({
      model: "m",
      instructions: "Be brief.",
      input: [
        { role: "user", content: "Do it." },
        { role: "assistant", content: "Now." },
        { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "call_1", output: "content" },
      ],
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads.",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
      ],
      tool_choice: "required",
      store: false,
      include: ["reasoning.encrypted_content"],
      stream: true,
    });
    assertWellFormedRequest(body);
  });

  it("says that a call is needed where the server does not see to it, and only where one is", () => {
    const wire = responsesWire("m", address);
    const auto = bodyOf(wire, requestOf([user]), { forcing: "auto" });
    expect(auto["tool_choice"]).toBe("auto");
    expect(auto["instructions"]).toMatch(/^Be brief\.\n\n.*function call/);
    expect(bodyOf(wire, requestOf([user], false), { forcing: "auto" })["instructions"]).toBe("Be brief.");
    expect(bodyOf(wire, requestOf([user], false))["tool_choice"]).toBe("auto");
  });

  it("has three settings by the names of this API, the others as they are, and its own last", () => {
    const wire = responsesWire("m", address);
    const written = (settings: Manner["settings"]): Body => bodyOf(wire, requestOf([user]), { settings });
    expect(written({ max_completion_tokens: 9, reasoning_effort: "low", top_k: 3 })).toMatchObject({
      max_output_tokens: 9,
      reasoning: { effort: "low" },
      top_k: 3,
    });
    expect(written({ max_tokens: 7, reasoning: { summary: "auto" } })).toMatchObject({
      max_output_tokens: 7,
      reasoning: { summary: "auto" },
    });
    expect(written({ reasoning_effort: "low", reasoning: { summary: "auto" } })["reasoning"]).toEqual({
      effort: "low",
      summary: "auto",
    });
    const bold = written({ max_tokens: 7, max_output_tokens: 8, input: "no", store: true, model: "no" });
    expect(bold).toMatchObject({ max_output_tokens: 8, store: false, model: "m" });
    for (const key of ["max_completion_tokens", "max_tokens", "reasoning_effort"]) expect(bold).not.toHaveProperty(key);
    expect(bold.input).toHaveLength(1);
  });

  it("leaves a reply out that has neither text nor calls", () => {
    expect(write(assistant([], ""), user)).toHaveLength(1);
    expect(write(assistant([], "", storedItems(reasoning)), user)).toHaveLength(1);
  });

  it("writes broken calls and impossible names as they can be sent", () => {
    const broken: Call = {
      type: "unreadable-call",
      kind: "malformed_call",
      id: "a",
      name: "read file!",
      source: '{"path": ',
      problem: "broken",
      providerId: "x",
    };
    expect(write(assistant([broken, { ...callOf("b", "y"), name: "n".repeat(99) }]), answer("a"), answer("b"))).toEqual(
      [
        { type: "function_call", call_id: "x", name: "read_file_", arguments: "{}" },
        { type: "function_call", call_id: "y", name: "n".repeat(64), arguments: "{}" },
        { type: "function_call_output", call_id: "x", output: "result" },
        { type: "function_call_output", call_id: "y", output: "result" },
      ],
    );
  });
});

describe("a reply that came over this API", () => {
  it("goes back word for word, byte for byte, with its ids and in its order", () => {
    const wire = responsesWire("m", address);
    const messages = [user, assistant([read], "Now.", storedItems(reasoning, message, reading)), answer("a")];
    const text = textOf(
      wire.write(requestOf(messages), { forcing: "required", settings: {}, extras: true, takes: ["*"] }),
    );
    expect(text).toContain([reasoning, message, reading].map((item) => JSON.stringify(item)).join(","));
  });

  it("has arguments that parse where the call was mended or could not be read", () => {
    const source = '{ "path": "a", }';
    const item = { ...reading, arguments: source };
    const mended: Call = { ...read, source, repairs: ["a comma too many"] } as Call;
    expect(write(assistant([mended], "", storedItems(reasoning, item)), answer("a")).slice(0, 2)).toEqual([
      reasoning,
      { ...reading, arguments: '{"path":"a"}' },
    ]);
    const broken: Call = { ...read, type: "unreadable-call", kind: "truncated", source, problem: "cut" };
    expect(write(assistant([broken], "", storedItems(item)), answer("a"))[0]).toEqual({ ...reading, arguments: "{}" });
    const none: Call = { type: "call", id: "a", name: "read", input: {}, providerId: "call_1" };
    expect(write(assistant([none], "", storedItems({ ...reading, arguments: "" })), answer("a"))[0]).toMatchObject({
      arguments: "{}",
    });
  });

  it("has another call id where its own was used before, and its result has it, too", () => {
    const items = write(
      assistant([read], "", storedItems(reading)),
      answer("a"),
      assistant([{ ...read, id: "b" }], "", storedItems({ ...reading, id: "fc_2" })),
      answer("b"),
    );
    expect(items[0]).toMatchObject({ call_id: "call_1" });
    expect(items[2]).toMatchObject({ id: "fc_2", call_id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) });
    expect(items[3]?.["call_id"]).toBe(items[2]?.["call_id"]);
  });

  it("is written from its text and calls where another model or server made it, or its calls stood in its text", () => {
    const plain = [
      { role: "assistant", content: "Now." },
      { type: "function_call", call_id: "call_1", name: "read", arguments: reading.arguments },
    ];
    const foreign = { responses_output: { from: "other http://127.0.0.1:1/v1", items: [reasoning, message, reading] } };
    expect(write(assistant([read], "Now.", foreign), answer("a")).slice(0, 2)).toEqual(plain);
    expect(write(assistant([read], "Now.", storedItems(reasoning, message)), answer("a")).slice(0, 2)).toEqual(plain);
    for (const nonsense of ["no", { from: `m ${address}` }, { from: `m ${address}`, items: [7] }] as Json[]) {
      const extras = { responses_output: nonsense };
      expect(write(assistant([read], "Now.", extras), answer("a")).slice(0, 2)).toEqual(plain);
    }
  });

  it("goes back as no server refuses it where a byte of its items was hurt on their way", () => {
    const plain = [
      { role: "assistant", content: "Now." },
      { type: "function_call", call_id: "call_1", name: "read", arguments: reading.arguments },
    ];
    const { type: _type, ...typeless } = message;
    for (const damaged of [typeless, { ...message, id: reasoning["id"] ?? null }]) {
      expect(
        write(assistant([read], "Now.", storedItems(reasoning, damaged, reading)), answer("a")).slice(0, 2),
      ).toEqual(plain);
    }
    const { role: _role, ...roleless } = message;
    for (const damaged of [roleless, { ...message, role: "assiStant" }]) {
      const [, sent] = write(assistant([read], "Now.", storedItems(reasoning, damaged, reading)), answer("a"));
      expect(sent).toEqual(message);
    }
  });

  it("loses reasoning that nothing follows or that is an id alone, and messages without content: servers refuse them", () => {
    const cut = { id: "rs_2", type: "reasoning", summary: [], encrypted_content: "aGFsZg" };
    expect(write(assistant([], "Now.", storedItems(reasoning, message, cut)), user)).toEqual([
      reasoning,
      message,
      { role: "user", content: "Do it." },
    ]);
    const bare = { id: "rs_3", type: "reasoning", summary: [], encrypted_content: null };
    const empty = { ...message, id: "msg_2", content: [] };
    expect(write(assistant([read], "", storedItems(bare, empty, reading)), answer("a"))[0]).toEqual(reading);
  });

  it("has a function call for a call of a kind that was not offered", () => {
    const custom = { id: "ctc_1", type: "custom_tool_call", call_id: "call_1", name: "shell", input: "ls" };
    const broken: Call = {
      type: "unreadable-call",
      kind: "malformed_call",
      id: "a",
      name: "shell",
      source: "",
      problem: "",
    };
    expect(write(assistant([broken], "", storedItems(custom)), answer("a"))[0]).toEqual({
      type: "function_call",
      call_id: expect.stringMatching(/^[A-Za-z0-9]{9}$/),
      name: "shell",
      arguments: "{}",
    });
  });

  it("goes on over chat completions, native and XML, without its items, and a chat's extras stay there", () => {
    const extras = { ...storedItems(reasoning, reading), reasoning_content: "Hm." };
    const request = requestOf([user, assistant([read], "Now.", extras), answer("a")]);
    const native = textOf(nativeWriter(extrasOf("m"), ["*"], takenBy("m", 40))(request).messages.body(restBytes({})));
    const { messages } = JSON.parse(native) as { readonly messages: readonly object[] };
    expect(messages[2]).toMatchObject({ role: "assistant", content: "Now.", reasoning_content: "Hm." });
    expect(JSON.stringify([messages, xmlWriter(extrasOf("m"), ["*"])(request)])).not.toContain("responses_output");
    expect(JSON.stringify(bodyOf(responsesWire("m", address), request))).not.toContain("reasoning_content");
    expect(JSON.stringify(bodyOf(responsesWire("n", address), request))).not.toContain('encrypted_content":');
  });
});

describe("encoding", () => {
  it("is done once for each message, and extends what was sent before byte by byte", () => {
    const wire = responsesWire("m", address);
    const messages: Message[] = [user];
    let before = "";
    for (let n = 0; n < 50; n += 1) {
      const id = `s/1/call:${String(n)}:0`;
      const item = { ...reading, id: `fc_${String(n)}`, call_id: "call_0" };
      messages.push(assistant([{ ...read, id, providerId: "call_0" }], "", storedItems(item)), answer(id));
      const text = textOf(
        wire.write(requestOf(messages), { forcing: "required", settings: {}, extras: true, takes: ["*"] }),
      );
      const input = text.slice(0, text.indexOf('],"'));
      expect(input.startsWith(before)).toBe(true);
      before = input;
      assertWellFormedRequest(JSON.parse(text) as Body);
    }
  });
});
