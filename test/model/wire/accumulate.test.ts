import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../../src/core/index.js";
import { accumulator, type AccumulatedMessage } from "../../../src/model/wire/accumulate.js";
import { processorTime } from "../../processor-time.js";

interface Accumulated {
  readonly message: AccumulatedMessage;
  readonly events: readonly ModelEvent[];
}

function accumulate(...chunks: readonly unknown[]): Accumulated {
  const reply = accumulator();
  const events = chunks.flatMap((chunk) => reply.add(chunk));
  const message = reply.message();
  if (message === undefined) throw new Error("no message came");
  return { message, events };
}

/** A chunk with this delta. */
function delta(content: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta: content, finish_reason: finish }] };
}

/** A chunk with these pieces of calls. */
function pieces(...toolCalls: readonly object[]): object {
  return delta({ tool_calls: toolCalls });
}

/** The ids, names and arguments of the calls assembled from these chunks. */
function callsOf(...chunks: readonly unknown[]): readonly (readonly [string, string, string])[] {
  return accumulate(...chunks).message.calls.map((call) => [call.id, call.name, call.arguments]);
}

describe("calls are put together", () => {
  it("by their index, whatever the order of the pieces", () => {
    expect(
      callsOf(
        pieces({ index: 0, id: "a", type: "function", function: { name: "read", arguments: "" } }),
        pieces({ index: 1, id: "b", type: "function", function: { name: "write", arguments: '{"x"' } }),
        pieces({ index: 0, function: { arguments: '{"p":' } }),
        pieces({ index: 1, function: { arguments: ":2}" } }, { index: 0, function: { arguments: "1}" } }),
      ),
    ).toEqual([
      ["a", "read", '{"p":1}'],
      ["b", "write", '{"x":2}'],
    ]);
  });

  it("where the index is missing: a new id is a new call, no id goes on with the latest", () => {
    expect(
      callsOf(
        pieces({ id: "a", function: { name: "read", arguments: "{" } }),
        pieces({ function: { arguments: "}" } }),
        pieces({ id: "b", function: { name: "write", arguments: '{"x":' } }),
        pieces({ function: { arguments: "1}" } }),
      ),
    ).toEqual([
      ["a", "read", "{}"],
      ["b", "write", '{"x":1}'],
    ]);
  });

  it("where every call has the index 0 and an id of its own", () => {
    expect(
      callsOf(
        pieces({ index: 0, id: "a", function: { name: "read", arguments: "{}" } }),
        pieces({ index: 0, id: "b", function: { name: "write", arguments: '{"x":' } }),
        pieces({ index: 0, function: { arguments: "1}" } }),
      ),
    ).toEqual([
      ["a", "read", "{}"],
      ["b", "write", '{"x":1}'],
    ]);
  });

  it("where the indices have holes and do not start at 0: the calls come in the order they began", () => {
    const { message, events } = accumulate(
      pieces({ index: 3, id: "a", function: { name: "read", arguments: "{}" } }),
      pieces({ index: 7, id: "b", function: { name: "write", arguments: "[" } }),
      pieces({ index: 7, function: { arguments: "]" } }),
    );
    expect(message.calls.map(({ name }) => name)).toEqual(["read", "write"]);
    expect(events.map((event) => event.type === "call-delta" && event.index)).toEqual([0, 1, 1]);
  });

  it("where the id is repeated in every piece", () => {
    expect(
      callsOf(
        pieces({ index: 0, id: "a", function: { name: "read", arguments: "{" } }),
        pieces({ index: 1, id: "b", function: { name: "write", arguments: "[" } }),
        pieces({ index: 0, id: "a", function: { arguments: "}" } }),
        pieces({ index: 1, id: "b", function: { arguments: "]" } }),
      ),
    ).toEqual([
      ["a", "read", "{}"],
      ["b", "write", "[]"],
    ]);
  });

  it("where the id comes after the first piece, or is empty, or not at all", () => {
    expect(
      callsOf(
        pieces({ index: 0, function: { name: "read", arguments: "{" } }),
        pieces({ index: 0, id: "a", function: { arguments: "}" } }),
        pieces({ index: 1, id: "", function: { name: "write", arguments: "{}" } }),
        pieces({ index: 2, function: { name: "list", arguments: "{}" } }),
      ),
    ).toEqual([
      ["a", "read", "{}"],
      ["", "write", "{}"],
      ["", "list", "{}"],
    ]);
  });

  it("where the name is repeated in every piece, or comes in pieces", () => {
    expect(
      callsOf(
        pieces({ index: 0, id: "a", function: { name: "read_file", arguments: "{" } }),
        pieces({ index: 0, function: { name: "read_file", arguments: "}" } }),
        pieces({ index: 1, id: "b", function: { name: "write_", arguments: "" } }),
        pieces({ index: 1, function: { name: "file", arguments: "{}" } }),
      ),
    ).toEqual([
      ["a", "read_file", "{}"],
      ["b", "write_file", "{}"],
    ]);
  });

  it("where the arguments are an object instead of its text", () => {
    expect(
      callsOf(pieces({ index: 0, id: "a", function: { name: "read", arguments: { path: "x", n: [1] } } })),
    ).toEqual([["a", "read", '{"path":"x","n":[1]}']]);
  });

  it("where there are no arguments", () => {
    expect(
      callsOf(
        pieces({ index: 0, id: "a", function: { name: "read" } }),
        pieces({ index: 1, id: "b", function: { name: "list", arguments: null } }),
      ),
    ).toEqual([
      ["a", "read", ""],
      ["b", "list", ""],
    ]);
  });

  it("in linear time, of 250,000 pieces", () => {
    const reply = accumulator();
    reply.add(pieces({ index: 0, id: "a", function: { name: "write", arguments: "" } }));
    const spent = processorTime();
    for (let n = 0; n < 250_000; n += 1) reply.add(pieces({ index: 0, function: { arguments: "abcd" } }));
    expect(spent()).toBeLessThan(2000);
    expect(reply.message()?.calls[0]?.arguments.length).toBe(1_000_000);
  });
});

describe("watchers see", () => {
  it("text, reasoning and arguments as they arrive, and the name as far as it is known", () => {
    const { events } = accumulate(
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "Hm." }),
      delta({ reasoning: "So." }),
      delta({ content: "I will " }),
      delta({ content: "read." }),
      pieces({ index: 0, id: "a", function: { name: "read", arguments: "" } }),
      pieces({ index: 0, function: { arguments: '{"p":1}' } }),
      delta({}, "tool_calls"),
    );
    expect(events).toEqual([
      { type: "reasoning-delta", text: "Hm." },
      { type: "reasoning-delta", text: "So." },
      { type: "text-delta", text: "I will " },
      { type: "text-delta", text: "read." },
      { type: "call-delta", index: 0, name: "read", text: '{"p":1}' },
    ]);
  });

  it("nothing of a refusal, of usage, and of what is no chunk", () => {
    const { events, message } = accumulate(
      delta({ refusal: "No." }),
      { choices: [], usage: { prompt_tokens: 1 } },
      null,
      "text",
      {},
      { choices: [null] },
      { choices: [{ delta: null }] },
    );
    expect(events).toEqual([]);
    expect(message.refusal).toBe("No.");
  });
});

describe("the message", () => {
  it("has the whole text, the refusal and the finish reason", () => {
    const { message } = accumulate(
      delta({ content: "All " }),
      delta({ content: "done." }),
      delta({ refusal: "But " }),
      delta({ refusal: "no." }),
      delta({}, "stop"),
    );
    expect(message).toMatchObject({ text: "All done.", refusal: "But no.", finishReason: "stop", calls: [] });
  });

  it("has no finish reason where none came", () => {
    expect(accumulate(delta({ content: "x" })).message.finishReason).toBeUndefined();
  });

  it("keeps what else the provider put on it: reasoning and lists grow, the rest is replaced", () => {
    const details = [{ type: "reasoning.text", text: "a" }];
    const { message } = accumulate(
      delta({ role: "assistant", reasoning_content: "Hm, ", reasoning_details: details, vendor: { a: 1 } }),
      delta({ reasoning_content: "so.", reasoning_details: [{ type: "reasoning.encrypted", data: "b" }] }),
      delta({ reasoning_content: null, vendor: { b: 2 }, content: "Done." }),
    );
    expect(message.extras).toEqual({
      reasoning_content: "Hm, so.",
      reasoning_details: [
        { type: "reasoning.text", text: "a" },
        { type: "reasoning.encrypted", data: "b" },
      ],
      vendor: { b: 2 },
    });
    expect(details).toHaveLength(1);
  });

  it("keeps what else the provider put on a call", () => {
    const { message } = accumulate(
      pieces({
        index: 0,
        id: "a",
        type: "function",
        extra_content: { google: { thought_signature: "c2ln" } },
        function: { name: "read", arguments: "{}" },
      }),
    );
    expect(message.calls[0]?.extras).toEqual({ extra_content: { google: { thought_signature: "c2ln" } } });
    expect(message.extras).toEqual({});
  });

  it("has no extras of what every message has", () => {
    const { message } = accumulate(
      delta({ role: "assistant", content: "x", refusal: null, tool_calls: [], function_call: null, annotations: [] }),
    );
    expect(message.extras).toEqual({});
  });

  it("is the same of a whole completion as of its chunks", () => {
    const whole = accumulate({
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "Reading.",
            reasoning_content: "Hm.",
            tool_calls: [
              { id: "a", type: "function", function: { name: "read", arguments: '{"p":1}' } },
              { id: "b", type: "function", function: { name: "list", arguments: "{}" } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 2 },
    }).message;
    const streamed = accumulate(
      delta({ role: "assistant", reasoning_content: "Hm." }),
      delta({ content: "Reading." }),
      pieces({ id: "a", type: "function", function: { name: "read", arguments: '{"p":' } }),
      pieces({ function: { arguments: "1}" } }),
      pieces({ id: "b", type: "function", function: { name: "list", arguments: "{}" } }),
      delta({}, "tool_calls"),
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } },
    ).message;
    expect(whole).toEqual(streamed);
  });
});

describe("usage", () => {
  it("is what the provider reported, cached and reasoning tokens included", () => {
    const { message } = accumulate(delta({ content: "a" }), {
      choices: [],
      usage: {
        prompt_tokens: 1200,
        completion_tokens: 300,
        prompt_tokens_details: { cached_tokens: 1024 },
        completion_tokens_details: { reasoning_tokens: 256 },
      },
    });
    expect(message.usage).toEqual({
      inputTokens: 1200,
      cachedInputTokens: 1024,
      outputTokens: 300,
      reasoningTokens: 256,
    });
  });

  it("had no reasoning of xAI, which counts it beside the completion: it is output", () => {
    const usage = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 354 };
    const { message } = accumulate(delta({ content: "a" }), { choices: [], usage });
    expect(message.usage).toMatchObject({ inputTokens: 12, outputTokens: 342 });
  });

  it("is the last report, not the sum, where it comes with every chunk", () => {
    const { message } = accumulate(
      { ...delta({ content: "a" }), usage: { prompt_tokens: 10, completion_tokens: 1 } },
      { ...delta({ content: "b" }), usage: { prompt_tokens: 10, completion_tokens: 2 } },
      { ...delta({}), usage: null },
    );
    expect(message.usage).toMatchObject({ inputTokens: 10, outputTokens: 2 });
  });

  it("is nothing where none or nonsense was reported", () => {
    const nothing = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
    expect(accumulate(delta({ content: "a" })).message.usage).toEqual(nothing);
    expect(
      accumulate(delta({ content: "a" }), {
        choices: [],
        usage: { prompt_tokens: -5, completion_tokens: "7", prompt_tokens_details: null },
      }).message.usage,
    ).toEqual(nothing);
  });
});

describe("what servers do besides", () => {
  const whole = (message: object): object => ({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const fn = (name: string, args: unknown): object => ({ function: { name, arguments: args } });

  it("in a whole completion every call is one of its own, also under one id; the same one twice is one", () => {
    const [a, b] = [
      { id: "x", ...fn("read", '{"p":"a"}') },
      { id: "x", ...fn("read", '{"p":"b"}') },
    ];
    expect(callsOf(whole({ tool_calls: [a, b, a] })).map(([, , args]) => args)).toEqual(['{"p":"a"}', '{"p":"b"}']);
    const nameless = { id: "", ...fn("read", "{}") };
    expect(callsOf(whole({ tool_calls: [nameless, nameless] })).length).toBe(2);
  });

  it("the API's first form is a call, once where it comes beside the new one, whichever comes first", () => {
    const legacy = { name: "read", arguments: "{}" };
    const modern = { index: 0, id: "a", ...fn("read", "{}") };
    expect(callsOf(whole({ function_call: legacy }))).toEqual([["", "read", "{}"]]);
    expect(callsOf(whole({ function_call: legacy, tool_calls: [modern] }))).toEqual([["a", "read", "{}"]]);
    expect(callsOf(delta({ function_call: legacy }), pieces(modern))).toEqual([["a", "read", "{}"]]);
    expect(callsOf(delta({ function_call: { name: "re" } }), delta({ function_call: { name: "ad" } }))).toEqual([
      ["", "read", ""],
    ]);
    expect(callsOf(whole({ function_call: { name: "list", arguments: "{}" }, tool_calls: [modern] })).length).toBe(2);
  });

  it("a number for an id, a call without a function object, `parameters` for `arguments`", () => {
    expect(callsOf(whole({ tool_calls: [{ id: 0, ...fn("read", "{}") }] }))).toEqual([["0", "read", "{}"]]);
    expect(callsOf(whole({ tool_calls: [{ id: "a", name: "read", arguments: "{}" }] }))).toEqual([["a", "read", "{}"]]);
    expect(callsOf(whole({ tool_calls: [{ id: "a", function: { name: "read", parameters: { p: 1 } } }] }))).toEqual([
      ["a", "read", '{"p":1}'],
    ]);
  });

  it("indices of any kind are only compared", () => {
    const names = callsOf(
      pieces({ index: 4294967294, id: "a", ...fn("a", "{}") }),
      pieces({ index: -1, id: "b", ...fn("b", "{}") }),
      pieces({ index: "__proto__", id: "c", ...fn("c", "{}") }),
      pieces({ index: null, ...fn("", " ") }),
    );
    expect(names.map(([, name, args]) => name + args)).toEqual(["a{}", "b{}", "c{} "]);
  });

  it("the pieces of a second choice are no part of the reply", () => {
    const second = { choices: [{ index: 1, delta: { content: "other" }, finish_reason: null }] };
    const { message } = accumulate(second, delta({ content: "one" }), delta({}, "stop"), second, {
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: Infinity },
    });
    expect(message).toMatchObject({ text: "one", finishReason: "stop", usage: { inputTokens: 7, outputTokens: 0 } });
  });

  it("an empty finish reason is none, a part of another kind is no text", () => {
    const { message } = accumulate(
      delta(
        {
          content: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "a" },
          ],
        },
        "",
      ),
      delta({ content: "b" }, "stop"),
    );
    expect(message).toMatchObject({ text: "ab", finishReason: "stop" });
  });

  it("a stream without any choice, and a choice without a message, hold no message", () => {
    for (const chunk of [
      { choices: [] },
      { choices: null },
      { choices: [{ index: 0, finish_reason: "stop" }] },
      "text",
    ]) {
      const reply = accumulator();
      reply.add(chunk);
      expect(reply.message()).toBeUndefined();
    }
    const started = accumulator();
    started.add({ choices: [{ index: 0, delta: null, finish_reason: null }] });
    expect(started.message()).toBeDefined();
  });
});

describe("what is easily taken for something else", () => {
  const types = (...chunks: readonly unknown[]): readonly string[] =>
    accumulate(...chunks).message.calls.map(({ type }) => type);

  it("a call is a function where nothing says otherwise, and what it says it is where it does", () => {
    expect(types(pieces({ index: 0, function: { name: "a" } }))).toEqual(["function"]);
    expect(types(pieces({ index: 0, type: "", function: { name: "a" } }))).toEqual(["function"]);
    expect(types(pieces({ index: 0, type: 7, function: { name: "a" } }))).toEqual(["function"]);
    expect(types(pieces({ index: 0, type: "custom", custom: { name: "a" } }))).toEqual(["custom"]);
  });

  it("an id goes on with its call wherever that is, unless the index says that it is another", () => {
    const [a, b] = [
      { id: "a", index: 0, function: { name: "a", arguments: "{" } },
      { id: "b", index: 1, function: { name: "b", arguments: "{}" } },
    ];
    expect(callsOf(pieces(a), pieces(b), pieces({ id: "a", function: { arguments: "}" } }))).toEqual([
      ["a", "a", "{}"],
      ["b", "b", "{}"],
    ]);
    const again = { id: "a", index: 2, function: { name: "c", arguments: "{}" } };
    expect(callsOf(pieces(a), pieces(b), pieces(again)).map(([, name]) => name)).toEqual(["a", "b", "c"]);
  });

  it("the old form is another call where its arguments are others", () => {
    const legacy = { name: "read", arguments: '{"p":1}' };
    const modern = { index: 0, id: "a", function: { name: "read", arguments: "{}" } };
    expect(callsOf(delta({ function_call: legacy, tool_calls: [modern] })).length).toBe(2);
    expect(callsOf(delta({ function_call: legacy }), pieces({ function: { arguments: " " } })).length).toBe(1);
  });

  it("what is no text is not shown as reasoning, and what is not called reasoning neither", () => {
    const { events, message } = accumulate(
      delta({
        reasoning_content: "a",
        reasoning: "",
        reasoning_details: [1],
        verdict: "b",
        refusal: null,
        more: undefined,
      }),
    );
    expect(events).toEqual([{ type: "reasoning-delta", text: "a" }]);
    expect(message.extras).toEqual({ reasoning_content: "a", reasoning: "", reasoning_details: [1], verdict: "b" });
    expect(message.refusal).toBe("");
  });

  it("junk among pieces, choices and parts is passed over", () => {
    const { message } = accumulate({
      choices: [
        null,
        7,
        {
          delta: {
            content: ["x", null, { type: "output_text", text: "a" }, { text: "b" }, { type: "text", text: 7 }],
            tool_calls: [null, 7],
          },
        },
      ],
    });
    expect(message).toMatchObject({ text: "ab", calls: [] });
  });

  it("a number that follows a text takes its place", () => {
    const { message } = accumulate(
      delta({ extra: "a" }),
      delta({ extra: 7 }),
      delta({ extra: "b" }),
      delta({ extra: "c" }),
    );
    expect(message.extras).toEqual({ extra: "c" });
  });
});

describe("a call is not split", () => {
  const start = (id: string, args = "", index: number | undefined = 0): object => ({
    ...(index !== undefined && { index }),
    id,
    function: { name: "find", arguments: args },
  });
  const rest = (id: string, args: string, index: number | undefined = 0): object => ({
    ...(index !== undefined && { index }),
    id,
    function: { arguments: args },
  });

  it.each<[string, readonly object[]]>([
    ["has another id", [start("a"), rest("b", '{"q":'), rest("c", '"y"}')]],
    ["has another id and no index", [start("a", '{"q":', undefined), rest("b", '"y"}', undefined)]],
    [
      "has another id and an empty name",
      [start("a"), { ...rest("b", '{"q":"y"}'), function: { name: "", arguments: '{"q":"y"}' } }],
    ],
    ["has another id and the name again", [start("a", '{"q":'), start("b", '"y"}')]],
    ["has another id and the name again, and no arguments came before", [start("a"), start("b", '{"q":"y"}')]],
    ["has its id and another index", [start("a"), rest("a", '{"q":"y"}', 1)]],
    ["has its id, the name and another index", [start("a"), start("a", '{"q":', 1), start("a", '"y"}', 2)]],
    ["has another index and no id", [start("a"), rest("", '{"q":', 1), rest("", '"y"}', 2)]],
  ])("if a piece %s", (_what, given) => {
    expect(callsOf(...given.map((piece) => pieces(piece)))).toEqual([["a", "find", '{"q":"y"}']]);
  });

  it("and an id that came late is known afterwards", () => {
    expect(
      callsOf(
        pieces(start("a", "{")),
        pieces(start("z", "{}", 1)),
        pieces(rest("b", '"q":')),
        pieces({ id: "b", function: { arguments: '"y"}' } }),
      ),
    ).toEqual([
      ["a", "find", '{"q":"y"}'],
      ["z", "find", "{}"],
    ]);
  });
});

describe("calls without ids are told apart", () => {
  const [x, y] = ['{"at":"x"}', '{"at":"y"}'];
  const look = (args: string, name = "look"): object => ({ function: { name, arguments: args } });
  const at0 = (piece: object): object => ({ index: 0, ...piece });
  const argumentsOf = (...given: readonly object[]): readonly string[] =>
    callsOf(...given).map(([, name, args]) => name + args);

  it.each<[string, readonly object[], readonly string[]]>([
    ["whole calls at one index", [pieces(at0(look(x))), pieces(at0(look("{}", "find")))], [`look${x}`, "find{}"]],
    ["whole calls of one tool at one index", [pieces(at0(look(x))), pieces(at0(look(y)))], [`look${x}`, `look${y}`]],
    ["whole calls without an index", [pieces(look(x)), pieces(look(y))], [`look${x}`, `look${y}`]],
    ["whole calls in one chunk", [pieces(look(x), look(y, "find"))], [`look${x}`, `find${y}`]],
    ["calls without arguments in one chunk", [pieces(look("", "list"), look(y))], ["list", `look${y}`]],
    [
      "calls side by side in pieces",
      [
        pieces(look('{"at"'), look('{"at":', "find")),
        pieces({ function: { arguments: ':"x"}' } }, { function: { arguments: '"y"}' } }),
      ],
      [`look${x}`, `find${y}`],
    ],
    [
      "calls of one tool in pieces at one index",
      [at0(look("")), at0({ function: { arguments: x } }), at0(look("")), at0({ function: { arguments: y } })].map(
        (piece) => pieces(piece),
      ),
      [`look${x}`, `look${y}`],
    ],
    [
      "one call whose name comes with each piece",
      [at0(look('{"at"')), at0(look(':"x"}')), at0(look(""))].map((piece) => pieces(piece)),
      [`look${x}`],
    ],
    ["one call that is written twice", [pieces(at0(look(x))), pieces(at0(look(x)))], [`look${x}`]],
    [
      "numbers of many digits that differ at the end",
      ['{"id":9007199254740993}', '{"id":9007199254740992}'].map((args) => pieces(at0(look(args)))),
      ['look{"id":9007199254740993}', 'look{"id":9007199254740992}'],
    ],
  ])("%s", (_what, given, expected) => {
    expect(argumentsOf(...given)).toEqual(expected);
  });

  it("and an object in a text is not the end of the arguments", () => {
    const nested = String.raw`{"at":"}\"{","deep":[{"a":{}}]}`;
    const cuts = nested.split(/(?:)/u).map((character) => pieces(at0(look(character))));
    expect(argumentsOf(...cuts, pieces(at0(look(y))))).toEqual([`look${nested}`, `look${y}`]);
  });
});

describe("what a server repeats of the arguments adds nothing", () => {
  const written = '{"at": "x", "n": [1]}';
  const call = (args: unknown): object => pieces({ index: 0, id: "a", function: { name: "look", arguments: args } });

  it.each<[string, unknown]>([
    ["encoded as a text", JSON.stringify(written)],
    ["encoded twice", JSON.stringify(JSON.stringify(written))],
    ["as they are", written],
    ["with other white space", ' {"n":[1],"at":"x"} '],
    ["as an object", { at: "x", n: [1] }],
    ["as an empty object", "{}"],
    ["as an empty text in a text", '""'],
    ["as null", "null"],
  ])("%s", (_how, again) => {
    const { events } = accumulate(call(written.slice(0, 5)), call(written.slice(5)), call(again));
    expect(callsOf(call(written.slice(0, 5)), call(written.slice(5)), call(again))).toEqual([["a", "look", written]]);
    expect(events.length).toBe(2);
  });

  it("but other arguments in their place are kept, so that nothing is chosen", () => {
    for (const other of ['{"at":"y"}', JSON.stringify('{"at":"y"}')])
      expect(callsOf(call(written), call(other))).toEqual([["a", "look", written + other]]);
  });

  it("and is found in linear time", () => {
    const reply = accumulator();
    const spent = processorTime();
    reply.add(call(`{"at":"${"x".repeat(1_000_000)}"}`));
    for (let n = 0; n < 100_000; n += 1) reply.add(call("{}"));
    for (let n = 0; n < 100_000; n += 1) reply.add(call('{"a":1}'));
    expect(spent()).toBeLessThan(3000);
  });
});

describe("a finish reason that comes early ends nothing", () => {
  const named = (name: string, index = 0): object => pieces({ index, id: name, function: { name, arguments: "{}" } });

  it("calls and words after it count", () => {
    const early = delta({ reasoning_content: "hm" }, "stop");
    expect(
      callsOf(early, named("a"), delta({}, "stop"), named("b", 1), delta({}, "tool_calls")).map(([id]) => id),
    ).toEqual(["a", "b"]);
    const { message } = accumulate(delta({ content: "one " }, "stop"), delta({ content: "two" }, "stop"));
    expect(message.text).toBe("one two");
  });

  it.each([
    [["stop", "length"], "length"],
    [["length", "stop"], "length"],
    [["tool_calls", "abort"], "abort"],
    [["content_filter", "stop"], "content_filter"],
    [["rested", "stop"], "rested"],
    [["stop", "tool_calls"], "tool_calls"],
    [["length", "error"], "length"],
  ])("of the reasons %j the reply has %j", (reasons, reason) => {
    expect(accumulate(...reasons.map((each) => delta({ content: "a" }, each))).message.finishReason).toBe(reason);
  });

  it("a whole message at the end adds only what its pieces did not have", () => {
    const whole = (message: object): object => ({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    const calls = ["a", "b"].map((name) => ({ id: name, function: { name, arguments: "{}" } }));
    const { message, events } = accumulate(
      delta({ content: "One", reasoning_content: "hm" }, "stop"),
      named("a"),
      whole({ role: "assistant", content: "One two", reasoning_content: "hm", tool_calls: calls, more: 1 }),
    );
    expect(message).toMatchObject({ text: "One two", extras: { reasoning_content: "hm", more: 1 } });
    expect(message.calls.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(events.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", text: "One" },
      { type: "text-delta", text: " two" },
    ]);
    const half = pieces({ index: 0, id: "a", function: { name: "a", arguments: '{"p":' } });
    const full = { id: "a", function: { name: "a", arguments: '{"p":1}' } };
    expect(callsOf(half, whole({ tool_calls: [full] }))).toEqual([["a", "a", '{"p":1}']]);
    expect(accumulate(delta({ content: "One" }), whole({ content: "Other" })).message.text).toBe("One");
  });

  it("a finish reason may be an object or a number", () => {
    const by = (reason: unknown): string | undefined =>
      accumulate({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }).message.finishReason;
    expect([by({ type: "abort" }), by(7), by(0), by(" "), by(false)]).toEqual([
      "abort",
      "7",
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("usage counts wherever a server puts it", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 500, cached_tokens: 200 };
  const tokens = { inputTokens: 1000, cachedInputTokens: 200, outputTokens: 500 };
  const choice = { index: 0, delta: {}, finish_reason: "stop" };

  it.each<[string, object]>([
    ["in the choice", { choices: [{ ...choice, usage }] }],
    ["in the delta", { choices: [{ ...choice, delta: { usage } }] }],
    ["under a key of Groq", { choices: [choice], x_groq: { id: "r", usage } }],
    ["in the message", { choices: [{ index: 0, message: { content: "a", usage }, finish_reason: "stop" }] }],
    [
      "in the words of the Responses API",
      {
        choices: [choice],
        usage: { input_tokens: 1000, output_tokens: 500, input_tokens_details: { cached_tokens: 200 } },
      },
    ],
    [
      "as a count of cache hits",
      { choices: [choice], usage: { ...usage, cached_tokens: undefined, prompt_cache_hit_tokens: 200 } },
    ],
  ])("%s", (_where, chunk) => {
    expect(accumulate(chunk).message.usage).toMatchObject(tokens);
    expect(accumulate(chunk).message.extras).toEqual({});
  });

  it("and zeros at the end do not take its place", () => {
    const zeros = { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } };
    expect(accumulate({ choices: [{ ...choice, usage }] }, zeros).message.usage).toMatchObject(tokens);
  });
});
