import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, ModelEvent } from "../../../src/core/index.js";
import type { RawReply } from "../../../src/model/data/raw-reply.js";
import { responsesWire } from "../../../src/model/responses/responses.js";
import { SseReader } from "../../../src/model/http/sse.js";
import { call } from "../../../src/testing/index.js";
import { eventsOf } from "../../../src/testing/scripted/response-events.js";
import { processorTime } from "../../processor-time.js";

type Frame = JsonObject;

interface Answer {
  readonly events: readonly ModelEvent[];
  readonly reply: RawReply;
}

const address = "http://127.0.0.1:1/v1";

function read(...frames: readonly unknown[]): Answer {
  const reader = responsesWire("m", address).reader();
  const events = frames.flatMap((frame) => reader.add(frame));
  return { events, reply: reader.end(undefined) };
}

/** The frame that ends a stream. */
function completed(output: readonly JsonObject[] = [], more: JsonObject = {}): Frame {
  return { type: "response.completed", response: { object: "response", status: "completed", output, ...more } };
}

function callItem(name: string, args = "", id = name): JsonObject {
  return { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name, arguments: args };
}

function messageItem(text: string): JsonObject {
  return { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] };
}

const added = (index: number, item: JsonObject): Frame => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
const done = (index: number, item: JsonObject): Frame => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
const piece = (index: number, delta: string): Frame => ({
  type: "response.function_call_arguments.delta",
  output_index: index,
  delta,
});
const words = (index: number, delta: string): Frame => ({
  type: "response.output_text.delta",
  output_index: index,
  delta,
});
/** The names and arguments of the calls of the reply. */
const callsOf = ({ reply }: Answer): readonly string[] =>
  reply.calls.map((item) => `${item.name}${"arguments" in item ? String(item.arguments) : "?"}`);
/** The names and arguments of the calls in the events, by their position. */
const shownOf = ({ events }: Answer): readonly string[] => {
  const shown: string[] = [];
  for (const event of events) {
    if (event.type === "call-delta") shown[event.index] = (shown[event.index] ?? event.name) + event.text;
  }
  return shown;
};

describe("a streamed response", () => {
  it("has an item once whose events came twice", () => {
    const item = callItem("save");
    const whole = callItem("save", '{"a":1}');
    const answer = read(
      ...[added(0, item), added(0, item), piece(0, '{"a":1}'), done(0, whole), done(0, whole)],
      completed([whole]),
    );
    expect(callsOf(answer)).toEqual(['save{"a":1}']);
  });

  const scripted = eventsOf(
    {
      reasoning: "Let me see.",
      text: "Looking – 👀.",
      calls: [call("read", { path: "å" }), call("list", '{ "n": 1 }', "mine")],
      usage: { inputTokens: 12, cachedInputTokens: 8, outputTokens: 5, reasoningTokens: 2 },
      piece: 3,
    },
    1,
  );
  const frames = [...scripted.content, ...scripted.finish];
  const bytes = Buffer.from(frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(""));
  const whole = read(...frames);

  /** Reads the stream from these chunks of bytes. */
  function readBytes(pieces: readonly Uint8Array[]): Answer {
    const reader = responsesWire("m", address).reader();
    const sse = new SseReader();
    const frames = [...pieces.flatMap((bytes) => sse.write(bytes)), ...sse.end()];
    const events = frames.flatMap(({ data }) => reader.add(JSON.parse(data)));
    return { events, reply: reader.end(undefined) };
  }

  it("gives words, calls, usage, and every item to be sent back", () => {
    const items = whole.reply.extras["responses_output"] as JsonObject;
    expect(whole.reply).toMatchObject({
      text: "Looking – 👀.",
      refusal: "",
      calls: [
        { id: "call_1_0", name: "read", arguments: '{"path":"å"}', extras: {} },
        { id: "mine", name: "list", arguments: '{ "n": 1 }', extras: {} },
      ],
      finish: "complete",
      usage: { inputTokens: 12, cachedInputTokens: 8, outputTokens: 5, reasoningTokens: 2 },
    });
    expect(items).toEqual({
      from: `m ${address}`,
      items: (scripted.finish[0]?.["response"] as { readonly output: unknown }).output,
    });
  });

  it("shows words, reasoning and arguments piece by piece, and nothing twice", () => {
    const shown = (type: string): string =>
      whole.events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
    expect(shown("text-delta")).toBe("Looking – 👀.");
    expect(shown("reasoning-delta")).toBe("Let me see.");
    expect(shownOf(whole)).toEqual(['read{"path":"å"}', 'list{ "n": 1 }']);
    expect(whole.events.length).toBeGreaterThan(10);
  });

  it("is the same however its bytes are split", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
        expect(readBytes(pieces)).toEqual(whole);
      }),
      { numRuns: 100 },
    );
    expect(readBytes([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("is no reply where it was cut, at whichever byte", () => {
    const reader = responsesWire("m", address).reader();
    for (const frame of scripted.content) reader.add(frame);
    expect(() => reader.end("marker")).toThrow("before the reply's end");
    // The last event counts even if the empty line after it is missing.
    for (let length = 0; length < bytes.length - 2; length += 1) {
      expect(() => readBytes([bytes.subarray(0, length)])).toThrow();
    }
    expect(readBytes([bytes.subarray(0, -2)])).toEqual(whole);
  });

  it("is the same as the whole response in one body", () => {
    const { reply, events } = read(scripted.finish[0]?.["response"]);
    expect(reply).toEqual(whole.reply);
    expect(shownOf({ reply, events })).toEqual(shownOf(whole));
  });
});

describe("items are put together", () => {
  it("in the order of their output_index, whatever the order they come in", () => {
    const answer = read(
      added(0, callItem("a")),
      added(2, callItem("c")),
      piece(2, '{"c":'),
      added(1, callItem("b")),
      piece(0, "{}"),
      piece(2, "1}"),
      piece(1, "[]"),
      done(2, callItem("c", '{"c":1}')),
      done(1, callItem("b", "[]")),
      done(0, callItem("a", "{}")),
      completed(),
    );
    expect(callsOf(answer)).toEqual(["a{}", "b[]", 'c{"c":1}']);
    expect(shownOf(answer)).toEqual(callsOf(answer));
  });

  it("of `.done` events alone, with arguments shown whole", () => {
    const whole = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"p":1}' };
    const answer = read(added(0, callItem("a")), whole, completed());
    expect(callsOf(answer)).toEqual(['a{"p":1}']);
    expect(answer.events).toEqual([{ type: "call-delta", index: 0, name: "a", text: '{"p":1}' }]);
    const items = read(done(0, messageItem("Hi.")), done(1, callItem("a", "{}")), completed());
    expect(items.events).toEqual([
      { type: "text-delta", text: "Hi." },
      { type: "call-delta", index: 0, name: "a", text: "{}" },
    ]);
    expect(items.reply.text).toBe("Hi.");
  });

  it("of the output at the end, where items are missing; of the stream, where that is empty", () => {
    const output = [messageItem("Hi."), callItem("a", "{}"), callItem("b", "[]")];
    const missing = read(added(0, messageItem("")), words(0, "H"), completed(output));
    expect(missing.reply.text).toBe("Hi.");
    expect(callsOf(missing)).toEqual(["a{}", "b[]"]);
    expect(shownOf(missing)).toEqual(["a{}", "b[]"]);
    expect(missing.events.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", text: "H" },
      { type: "text-delta", text: "i." },
    ]);
    const empty = read(
      added(0, messageItem("")),
      words(0, "Hi."),
      added(1, callItem("a")),
      piece(1, "{}"),
      completed(),
    );
    expect([empty.reply.text, ...callsOf(empty)]).toEqual(["Hi.", "a{}"]);
    const [message, item] = (empty.reply.extras["responses_output"] as unknown as { items: JsonObject[] }).items;
    expect(message).toMatchObject({ content: [{ type: "output_text", text: "Hi." }] });
    expect(item).toEqual(callItem("a", "{}"));
  });

  it.each(["", "{}", "null", '"{}"'])(
    "and the empty arguments %j at the end do not take the place of the streamed arguments",
    (empty) => {
      const whole = { type: "response.function_call_arguments.done", output_index: 0, arguments: empty };
      const streamed = [added(0, callItem("a")), piece(0, '{"older"'), piece(0, ":30}")];
      for (const ends of [
        [whole, done(0, callItem("a", empty)), completed()],
        [done(0, callItem("a", empty)), completed([callItem("a", empty)])],
        [whole, completed([callItem("a", empty)])],
        [completed([{ ...callItem("a", empty), id: "fc_other", call_id: "call_other" }])],
        [completed([messageItem(""), { ...callItem("a", empty), id: "fc_other", call_id: "call_other" }])],
      ]) {
        const answer = read(...streamed, ...ends);
        expect(callsOf(answer)).toEqual(['a{"older":30}']);
        expect(shownOf(answer)).toEqual(['a{"older":30}']);
        const { items } = answer.reply.extras["responses_output"] as unknown as { items: JsonObject[] };
        expect(items.filter(({ type }) => type === "function_call")).toMatchObject([{ arguments: '{"older":30}' }]);
      }
    },
  );

  it("calls that streamed in stay if the output at the end does not have them", () => {
    const streamed = [added(0, callItem("a")), piece(0, "{}"), added(1, callItem("b")), piece(1, "[]")];
    for (const output of [[messageItem("")], [messageItem(""), callItem("b", "[]")], [callItem("b", "[]")]])
      expect(callsOf(read(...streamed, completed(output)))).toEqual(["a{}", "b[]"].sort());
    const more = read(...streamed, completed([callItem("a", "{}"), callItem("b", "[]"), callItem("c", "{}")]));
    expect(callsOf(more)).toEqual(["a{}", "b[]", "c{}"]);
    const words_ = read(added(0, messageItem("")), words(0, "Hi."), completed([messageItem("")]));
    expect(words_.reply.text).toBe("Hi.");
  });

  it("one call stays one call if its ids are other ids at the end", () => {
    const other = { ...callItem("a", '{"p":1}'), id: "x", call_id: "y" };
    for (const output of [[other], [messageItem("So."), other]])
      expect(callsOf(read(added(0, callItem("a")), piece(0, '{"p":1}'), completed(output)))).toEqual(['a{"p":1}']);
  });

  it("where the ids change from event to event, by the index", () => {
    const answer = read(
      added(0, callItem("a", "", "1")),
      { ...piece(0, "{"), item_id: "other" },
      { ...piece(0, "}"), item_id: "another" },
      done(0, callItem("a", "{}", "2")),
      completed(),
    );
    expect(callsOf(answer)).toEqual(["a{}"]);
    expect(answer.reply.calls[0]).toMatchObject({ id: "call_2" });
  });

  it("where there is no index, by the id, else as the latest", () => {
    const bare = ({ output_index: _index, ...frame }: Frame, id?: string): Frame => ({
      ...frame,
      ...(id !== undefined && { item_id: id }),
    });
    const answer = read(
      bare(added(0, callItem("a"))),
      bare(added(1, callItem("b"))),
      bare(piece(0, "{}"), "fc_a"),
      bare(piece(1, "[]")),
      bare(done(0, callItem("a", "{}"))),
      bare(done(1, callItem("b", "[]"))),
      bare(done(2, callItem("c", "{ }"))),
      completed(),
    );
    expect(callsOf(answer)).toEqual(["a{}", "b[]", "c{ }"]);
    expect(shownOf(answer)).toEqual(callsOf(answer));
  });

  it("where the indices do not begin at 0: calls are shown at the end, in their places", () => {
    const answer = read(added(4, callItem("a")), piece(4, "{}"), added(9, callItem("b")), piece(9, "[]"), completed());
    expect(callsOf(answer)).toEqual(["a{}", "b[]"]);
    expect(shownOf(answer)).toEqual(callsOf(answer));
  });

  it("in linear time, of 250,000 pieces", () => {
    const reader = responsesWire("m", address).reader();
    reader.add(added(0, callItem("a")));
    const spent = processorTime();
    for (let n = 0; n < 250_000; n += 1) reader.add(piece(0, "abcd"));
    reader.add(completed());
    expect(spent()).toBeLessThan(2000);
    expect(reader.end(undefined).calls[0]).toMatchObject({ arguments: "abcd".repeat(250_000) });
  });
});

describe("the end of a response", () => {
  const ended = (response: JsonObject): Frame => ({ type: "response.incomplete", response });

  it("is cut by the limit and refused by the filter, whatever the event is called", () => {
    const by = (reason: string): JsonObject => ({ status: "incomplete", incomplete_details: { reason } });
    expect(read(ended(by("max_output_tokens"))).reply.finish).toBe("cut");
    expect(read(ended(by("content_filter"))).reply.finish).toBe("refused");
    expect(read(ended(by("something new"))).reply.finish).toBe("cut");
    expect(read(completed([], by("max_output_tokens"))).reply.finish).toBe("cut");
    expect(read({ object: "response", ...by("max_output_tokens"), output: [] }).reply.finish).toBe("cut");
    expect(read(completed([], { incomplete_details: null })).reply.finish).toBe("complete");
    expect(read(completed([], { status: "rested" })).reply).toMatchObject({
      finish: "unknown",
      finishReason: "rested",
    });
  });

  it.each([{ status: "cancelled" }, { status: "incomplete", incomplete_details: { reason: "network_error" } }])(
    "is none if the server gave the reply up: %j",
    (response) => {
      for (const frame of [completed([], response), { object: "response", output: [], ...response }])
        expect(() => read(frame)).toThrow(expect.objectContaining({ code: "provider_unavailable" }));
    },
  );

  it("keeps what the model said instead of an answer", () => {
    const refusal = { ...messageItem(""), content: [{ type: "refusal", refusal: "I can't." }] };
    expect(read(done(0, refusal), completed()).reply).toMatchObject({ text: "", refusal: "I can't." });
    const delta = { type: "response.refusal.delta", output_index: 0, delta: "No." };
    const pieces = read(added(0, messageItem("")), delta, delta, completed());
    expect(pieces.reply).toMatchObject({ text: "", refusal: "No.No." });
    expect(pieces.events).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    [
      "response.failed",
      { type: "response.failed", response: { error: { message: "overload" } } },
      "provider_unavailable",
      "overload",
    ],
    ["an event `error`", { type: "error", code: "server_error", message: "broken" }, "provider_unavailable", "broken"],
    [
      "an error under `error`",
      { type: "error", error: { message: "slow down", code: 429 } },
      "provider_unavailable",
      "slow down",
    ],
    [
      "an error without a type",
      { error: { message: "no window", code: "context_length_exceeded" } },
      "context_overflow",
      "no window",
    ],
    [
      "a body that failed",
      { object: "response", status: "failed", error: { message: "oh" } },
      "provider_unavailable",
      "oh",
    ],
    [
      "a refusal of the prompt",
      { type: "response.failed", response: { error: { code: "invalid_prompt", message: "policy" } } },
      "provider_rejected",
      "policy",
    ],
    ["a refusal of an image", { type: "error", code: "invalid_image", message: "bad" }, "provider_rejected", "bad"],
    ["a failure without words", { type: "response.failed" }, "provider_unavailable", "failed"],
  ])("is a fault by %s", (_what, frame, code, message) => {
    expect(() => read(frame)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it("is none by an end marker, a response on its way, or nothing", () => {
    for (const frame of [undefined, { object: "response", status: "in_progress" }, { type: "response.in_progress" }]) {
      const reader = responsesWire("m", address).reader();
      reader.add(frame);
      expect(() => reader.end("marker")).toThrow(expect.objectContaining({ code: "provider_unavailable" }));
    }
  });

  it("takes no unknown event for one, and nothing that comes after it", () => {
    const late = [added(0, callItem("late", "{}")), { type: "error", message: "late" }];
    const unknown = [{ type: "response.web_search_call.searching" }, { type: "keepalive" }, null, 7, [], {}];
    expect(read(...unknown, completed([messageItem("Hi.")]), ...late).reply).toMatchObject({ text: "Hi.", calls: [] });
  });

  it("counts no tokens where none or nonsense was reported", () => {
    const usage = { input_tokens: -5, output_tokens: "7", input_tokens_details: null };
    expect(read(completed([], { usage })).reply.usage).toEqual(read(completed()).reply.usage);
  });

  it("has calls of a kind that was not offered as calls that can't be read", () => {
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "shell", input: "ls" };
    expect(read(completed([custom])).reply.calls).toEqual([
      {
        kind: "malformed_call",
        name: "shell",
        id: "call_1",
        source: JSON.stringify(custom),
        problem: expect.stringContaining('"custom_tool_call"'),
      },
    ]);
  });
});

it("names the model that was served and the id of the response, from the event that ends it", () => {
  const { reply } = read(completed([messageItem("Hi.")], { id: "resp_1", model: "gpt-5-2026-01-02" }));
  expect(reply.served).toEqual({ model: "gpt-5-2026-01-02", id: "resp_1" });
  expect(read(completed([messageItem("Hi.")], { id: "", model: 5 })).reply.served).toBeUndefined();
});
