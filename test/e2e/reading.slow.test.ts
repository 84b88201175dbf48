// Reading models, over real bytes: what holds however they are split, cut or written, in every dialect and API.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event } from "../../src/index.js";
import type { OpenAIOptions } from "../../src/model/index.js";
import { writeCall } from "../../src/model/text/index.js";
import { allowAll } from "../../src/permission/index.js";
import {
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedModel,
  type ScriptedReply,
  type Step,
} from "../../src/testing/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../src/tools/index.js";
import { processorTime } from "../processor-time.js";
import { agentOn, tools } from "./agent-on.js";

interface Manner {
  readonly name: string;
  readonly reach: OpenAIOptions;
  /** A reply that makes these calls. */
  readonly say: (calls: readonly (readonly [string, object])[], more?: Partial<ScriptedReply>) => ScriptedReply;
}

const natively: Manner["say"] = (calls, more) => ({ calls: calls.map(([name, input]) => call(name, input)), ...more });
const asText: Manner["say"] = (calls, more) => {
  const written = calls.map(([name, input]) => writeCall({ name, input: input as never }));
  return { ...more, text: [more?.text ?? "", ...written].join("\n") };
};

const manners: readonly Manner[] = [
  { name: "native, over chat", reach: { forcing: "required", api: "chat" }, say: natively },
  { name: "native, over responses", reach: { forcing: "required", api: "responses" }, say: natively },
  { name: "XML", reach: { forcing: "xml" }, say: asText },
];

/** A tool that keeps what it was called with. */
function keeper(): { readonly seen: unknown[]; readonly save: typeof save } {
  const seen: unknown[] = [];
  const save = tool({
    name: "save",
    description: "Saves a text",
    input: z.object({
      path: z.string(),
      content: z.string(),
      edits: z.array(z.object({ search: z.string() })).optional(),
    }),
    run: (input) => {
      seen.push(input);
      return "saved";
    },
  });
  return { seen, save };
}

/** The events with neighbouring deltas of one kind joined, and without ids, times and the signs of life that come by the clock. */
function merged(events: readonly Event[], session: string): string {
  const whole: object[] = [];
  for (const event of events.filter(({ type }) => type !== "call-writing")) {
    const last = whole.at(-1) as Partial<Event> | undefined;
    const isMore = event.type.endsWith("-delta") && last?.type === event.type && "text" in event;
    if (isMore && indexOf(last as Event) === indexOf(event))
      Object.assign(last as object, { text: `${(last as { text: string }).text}${event.text}` });
    else whole.push({ ...event });
  }
  const timeless = new Set(["asked", "at", "duration", "elapsed"]);
  return JSON.stringify(whole, (key, value: unknown) => (timeless.has(key) ? 0 : value))
    .replaceAll(session, "id")
    .replaceAll(/"id\/[a-z0-9]{6}\//g, '"id/life/')
    .replaceAll(/127\.0\.0\.1:\d+/g, "host");
}

function indexOf(event: Event): number {
  return event.type === "call-delta" ? event.index : -1;
}

describe.each(manners)("$name:", ({ reach, say }) => {
  const done = say([["task_completion", { result: "ok" }]]);
  const hostile = {
    path: "a</path>.ts",
    content:
      "if (a < b && c) {\r\n  x = '</tool>]]>&amp;<thinking>no</thinking></content></arguments>'; // 👋 \t\"\\\n}\n",
    edits: [{ search: "]]>" }, { search: "  <edit>&lt;\n" }],
  };

  async function run(steps: readonly Step[]): Promise<{
    readonly seen: unknown[];
    readonly events: Event[];
    readonly status: string;
    readonly session: string;
  }> {
    const { seen, save } = keeper();
    await using stage = await agentOn(steps, { tools: [save, taskCompletion()], permission: allowAll() }, reach);
    const { status, session } = await stage.agent.run("go", { onEvent: stage.onEvent });
    return { seen, events: stage.events, status, session: session.id };
  }

  test("hostile arguments arrive byte for byte, several calls in one reply", async () => {
    const { seen, status } = await run([
      say([
        ["save", hostile],
        ["save", { path: "b", content: "" }],
      ]),
      done,
    ]);
    expect(status).toBe("completed");
    expect(seen).toEqual([hostile, { path: "b", content: "" }]);
  });

  test("any arguments arrive as they were written", async () => {
    const parts = fc.constantFrom(
      "</tool>",
      "]]>",
      "<![CDATA[",
      "&amp;",
      "&",
      "<",
      "\r\n",
      "👋",
      "</content>",
      "```",
      "<think>",
      '"',
      "\\",
      " ",
      "a",
    );
    const text = fc.array(parts, { maxLength: 12 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(fc.record({ path: text, content: text }), async (input) => {
        const { seen } = await run([say([["save", input]]), done]);
        expect(seen).toEqual([input]);
      }),
      { numRuns: 25 },
    );
  });

  test("any split of the bytes gives the same events and the same result", async () => {
    const reply = say(
      [
        ["save", hostile],
        ["save", { path: "b", content: "ü" }],
      ],
      { text: "Grüße 👋 & more." },
    );
    const all = new Set<string>();
    for (const split of [1, 2, 3, 5, 16, 100_000]) {
      const { events, session } = await run([{ ...reply, split, piece: 3 }, done]);
      all.add(merged(events, session));
    }
    for (const piece of [1, 4, 1000]) {
      const { events, session } = await run([{ ...reply, piece }, done]);
      all.add(merged(events, session));
    }
    expect(all.size).toBe(1);
  });

  test("a reply that hit the length limit runs nothing, wherever it was cut", async () => {
    const { text = "", calls = [] } = say([["save", { path: "a", content: "x" }]]);
    const [source] = calls.map(({ input }) => JSON.stringify(input));
    for (const part of [0.3, 0.6, 0.9, 1]) {
      const short = (from: string): string => from.slice(0, Math.ceil(from.length * part));
      const cut: ScriptedReply =
        source === undefined
          ? { text: short(text), finishReason: "length" }
          : { calls: [call("save", short(source))], finishReason: "length" };
      const { seen, status, events } = await run([cut, done]);
      expect([seen, status]).toEqual([[], "completed"]);
      expect(events.find(({ type }) => type === "circuit-failure")).toBeDefined();
    }
  });

  test("a megabyte of arguments in pieces of sixteen characters takes linear time", async () => {
    const content = "abcd".repeat(262_144);
    const spent = processorTime();
    // Many chunks in one write: what is measured is the reading of them.
    const { seen } = await run([{ ...say([["save", { path: "a", content }]]), piece: 16, split: 65_536 }, done]);
    expect((seen[0] as { content: string }).content === content).toBe(true);
    expect(spent()).toBeLessThan(10_000);
  }, 60_000);

  test("ten thousand calls in one reply take linear time, and all but the first 128 are refused", async () => {
    const timeOf = async (length: number): Promise<number> => {
      const calls = Array.from({ length }, (_none, index) => ["save", { path: "a", content: String(index) }] as const);
      const spent = processorTime();
      const { seen, status } = await run([say(calls), done]);
      expect([seen.length, status]).toEqual([128, "completed"]);
      return spent();
    };
    await timeOf(1000);
    // Four times as many: twice that is for the collector of garbage and for a busy machine, and sixteen would be a square.
    const few = await timeOf(2500);
    const many = await timeOf(10_000);
    const first = many / few;
    const least = async (before: number, length: number): Promise<number> => Math.min(before, await timeOf(length));
    expect(first < 8 ? first : (await least(many, 10_000)) / (await least(few, 2500))).toBeLessThan(8);
  }, 60_000);

  test("120 kB of openers that are never closed take linear time and run nothing", async () => {
    for (const opener of ["<tool>", '{"path":', "[", "<tool_call>", "<think>"]) {
      const text = opener.repeat(120_000 / opener.length);
      const spent = processorTime();
      const { seen, status } = await run([{ text, calls: [], piece: 64 }, done, done]);
      expect([seen, status]).toEqual([[], "completed"]);
      expect(spent()).toBeLessThan(3000);
    }
  }, 60_000);
});

test("whatever a model does, every call has exactly one result and every request can be sent", async () => {
  const steps: fc.Arbitrary<Step> = fc.constantFrom<Step>(
    "words",
    "",
    [call("lookup", { key: "a" })],
    [call("lookup", { key: "none" })],
    [call("lookup", '{"key"'), call("nope", {}), call("lookup", { key: "b" })],
    [call("submit_report", { findings: [], grade: 1 }), call("give_up", { reason: "x" })],
    [call("lookup", {}), call("task_completion", { result: "done" })],
    { calls: [call("lookup", { key: "a" }, "same"), call("lookup", { key: "b" }, "same")] },
    { calls: [call("lookup", { key: "c" })], finishReason: "length" },
    { text: "no", finishReason: "content_filter", calls: [call("lookup", { key: "a" })] },
    { status: 503 },
    [call("ask_question", { question: "Which?" })],
    [call("task_completion", { result: "done" })],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), fc.boolean(), async (script, isAllowed) => {
      const more = isAllowed ? { permission: allowAll() } : {};
      const reach: OpenAIOptions = { forcing: "required", steady: { firstDelay: 1, circuit: { identical: 1000 } } };
      await using stage = await agentOn([...script, [call("give_up", { reason: "over" })]], more, reach);
      const first = await stage.agent.run("go");
      const second = await stage.agent.run("on", { session: first.session });
      for (const { body } of stage.provider.requests) assertWellFormedRequest(body);
      assertWellFormed(second.session.records, { tools });
    }),
    { numRuns: 40 },
  );
}, 60_000);

test("the harness never names a tool that the agent does not have", async () => {
  const shipped = ["task_completion", "ask_question", "converse", "give_up", "read_file", "run_command", "lookup"];
  const submit = tool({
    name: "submit",
    description: "Ends",
    input: z.object({ a: z.string() }),
    isLoopBreaking: true,
  });
  const wrong: readonly Step[] = [
    "words",
    "words",
    "words",
    "words",
    [call("nope", {})],
    [call("nope", {})],
    [call("nope", {})],
    [call("submit", { a: 1 })],
    [call("submit", '{"a"')],
  ];
  const model = scriptedModel([...wrong, [call("submit", { a: "b" })]]);
  const agent = createAgent({ model, tools: [submit], circuit: { identical: 100, inARow: 100 } });
  expect((await agent.run("go")).status).toBe("completed");
  const said = JSON.stringify(model.requests);
  expect(shipped.filter((name) => said.includes(name))).toEqual([]);
});

test("the system prompt is the same byte for byte in every request, in every dialect", async () => {
  for (const { reach, say } of manners) {
    const steps = [
      say([["lookup", { key: "a" }]]),
      say([["lookup", { key: "none" }]]),
      say([["task_completion", { result: "x" }]]),
    ];
    await using stage = await agentOn(steps, {}, reach);
    await stage.agent.run("go");
    const systems = stage.provider.requests.map(({ body }) =>
      JSON.stringify([body.messages[0], body["instructions"], body.tools]),
    );
    expect(new Set(systems.map((system) => system.replace(/^\[undefined/, "["))).size).toBe(1);
    expect(systems[0]!.length).toBeGreaterThan(200);
  }
});

test("the order in which tools are given changes nothing in a request", async () => {
  const all = [taskCompletion(), askQuestion(), giveUp()];
  const systems = await Promise.all(
    [all, all.toReversed()].map(async (given) => {
      const model = scriptedModel([[call("give_up", { reason: "x" })]]);
      await createAgent({ model, tools: given }).run("go");
      const [{ system, tools: described } = { system: "", tools: [] }] = model.requests;
      return JSON.stringify([system, described]);
    }),
  );
  expect(systems[0]).toBe(systems[1]);
});
