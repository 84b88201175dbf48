import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  noUsage,
  type Event,
  type Json,
  type ModelEvent,
  type WrittenCall,
  type WrittenReply,
} from "../../../src/core/index.js";
import { narrate } from "../../../src/core/loop/narrate.js";
import { tool } from "../../../src/core/ports/tool.js";
import { toolbox } from "../../../src/core/ports/toolbox.js";
import { compile } from "../../../src/schema/index.js";
import { virtualClock } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const write = tool({
  name: "write_letter",
  description: "Writes a letter",
  input: z.object({ to: z.string(), text: z.string() }),
  streams: "text",
});
const plain = tool({ name: "store", description: "Stores", input: z.object({ data: z.string() }) });
const tools = toolbox([taskCompletion(), write, plain], compile);

const delta = (index: number, name: string, text: string): ModelEvent => ({ type: "call-delta", index, name, text });
const call = (name: string, input: Json): WrittenCall => ({ type: "call", name, input });

/** The calls that the deltas add up to. */
function written(source: readonly (ModelEvent | number)[]): readonly WrittenCall[] {
  const texts: [string, string][] = [];
  for (const event of source) {
    if (typeof event === "number") continue;
    if (event.type === "reply-retracted") texts.length = 0;
    if (event.type === "call-delta") texts[event.index] = [event.name, (texts[event.index]?.[1] ?? "") + event.text];
  }
  return texts.map(([name, text]) => {
    try {
      return call(name, JSON.parse(text) as Json);
    } catch {
      return { type: "unreadable-call", kind: "malformed_call", name, source: text, problem: "It is no JSON." };
    }
  });
}

/** What watchers see besides the events themselves; a number is milliseconds that pass. */
async function seen(
  source: readonly (ModelEvent | number)[],
  reply: Partial<WrittenReply> = {},
): Promise<readonly Event[]> {
  const clock = virtualClock();
  async function* model(): AsyncGenerator<ModelEvent, WrittenReply, void> {
    for (const one of source)
      if (typeof one === "number") await clock.advance(one);
      else yield one;
    return { text: "", calls: written(source), finish: "complete", usage: noUsage, ...reply };
  }
  const events: Event[] = [];
  const { signal } = new AbortController();
  for await (const event of narrate(model(), { tools, runtime: clock, signal }))
    if (!source.includes(event as ModelEvent)) events.push(event);
  return events;
}

describe("a field that is streamed", () => {
  test("of a claim is marked as a claim, of a tool that works as words of that tool", async () => {
    const events = await seen([
      delta(0, "write_letter", '{"to":"you","text":"Dear'),
      delta(1, "task_completion", '{"result":"Do'),
      delta(0, "write_letter", ' you,"}'),
      delta(1, "task_completion", 'ne"}'),
    ]);
    expect(events).toEqual([
      { type: "text-delta", text: "Dear", tool: "write_letter", index: 0 },
      { type: "text-delta", text: "Do", tool: "task_completion", index: 1, claim: true },
      { type: "text-delta", text: " you,", tool: "write_letter", index: 0 },
      { type: "text-delta", text: "ne", tool: "task_completion", index: 1, claim: true },
    ]);
  });

  test("is read anew where the reply was taken back", async () => {
    const events = await seen([
      delta(0, "task_completion", '{"result":"Half a'),
      { type: "reply-retracted", reason: "It broke off." },
      delta(0, "task_completion", '{"result":"Whole"}'),
    ]);
    expect(events.map((event) => event.type === "text-delta" && event.text)).toEqual(["Half a", "Whole"]);
  });

  test("adds up to what JSON says of it, however the arguments are split", async () => {
    const words = fc.string({
      unit: fc.oneof(fc.constantFrom("\\", '"', "\n", "😀", "\u2028", "{"), fc.string({ unit: "grapheme" })),
    });
    const given = fc
      .record({ to: words, text: words })
      .chain((input) =>
        fc.constantFrom(["to", "text"], ["text", "to"]).map((order) => JSON.stringify(input, [...order])),
      );
    await fc.assert(
      fc.asyncProperty(given, fc.integer({ min: 1, max: 8 }), async (json, size) => {
        const pieces = json.match(new RegExp(`[^]{1,${String(size)}}`, "g")) ?? [];
        const events = await seen(pieces.map((piece) => delta(0, "write_letter", piece)));
        const shown = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
        expect(shown).toBe((JSON.parse(json) as { readonly text: string }).text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("of a reply that is whole", () => {
  const claim = (text: string): Event => ({ type: "text-delta", text, tool: "task_completion", index: 0, claim: true });
  const retracted = expect.objectContaining({ type: "reply-retracted" }) as Event;
  const done = call("task_completion", { result: "Done." });

  test.each([
    ["nothing more of a field that was seen", [delta(0, "task_completion", '{"result":"Done."}')], [claim("Done.")]],
    ["the rest of a field", [delta(0, "task_completion", '{"result":"Do')], [claim("Do"), claim("ne.")]],
    ["a field of which nothing was seen", [], [claim("Done.")]],
    ["a field whose tool was named otherwise", [delta(0, "taskcompletion", '{"result":"Done."}')], [claim("Done.")]],
    ["a field in a wrapper", [delta(0, "task_completion", '{"input":{"result":"Done."}}')], [claim("Done.")]],
  ])("watchers see %s", async (_what, source, events) => {
    expect(await seen(source, { calls: [done] })).toEqual(events);
  });

  test.each([
    ["goes on otherwise", [delta(0, "task_completion", '{"result":"Dome')], [done]],
    ["is longer than the field", [delta(0, "task_completion", '{"result":"Done. Not.')], [done]],
    ["is of another tool", [delta(0, "write_letter", '{"text":"Done."}')], [done]],
    [
      "is of a call that was taken once",
      [0, 1].map((at) => delta(at, "task_completion", '{"result":"Done."}')),
      [done],
    ],
  ])("all of it is seen anew where what was seen %s", async (_what, source, calls) => {
    const letter = call("write_letter", { to: "you", text: "Dear you" });
    const events = await seen(source, { text: "So.", calls: [...calls, letter] });
    expect(events.slice(-4)).toEqual([
      retracted,
      { type: "text-delta", text: "So." },
      claim("Done."),
      { type: "text-delta", text: "Dear you", tool: "write_letter", index: 1 },
    ]);
  });

  test("nothing more is seen of a call that can't be read, nor where none will run", async () => {
    const begun = delta(0, "task_completion", '{"result":"Do');
    expect(await seen([begun])).toEqual([claim("Do")]);
    expect(await seen([begun], { calls: [done], finish: "refused" })).toEqual([claim("Do")]);
  });

  test("nothing is seen of a field that is no text, or of arguments that are no object", async () => {
    const calls = [
      call("task_completion", { result: 1 }),
      call("task_completion", "Done."),
      call("store", { data: "x" }),
    ];
    expect(await seen([], { calls })).toEqual([]);
  });

  test("a half of a pair is one sign, as everywhere", async () => {
    expect(
      await seen([delta(0, "task_completion", '{"result":"a\\ud83d')], {
        calls: [call("task_completion", { result: "a\ud83d" })],
      }),
    ).toEqual([claim("a"), claim("\ufffd")]);
  });
});

describe("arguments of which nothing is shown", () => {
  test("give a sign of life every second", async () => {
    const piece = delta(0, "store", '{"data":"x');
    const events = await seen([
      piece,
      600,
      delta(0, "store", "yy"),
      600,
      delta(0, "store", "z"),
      900,
      delta(0, "store", "."),
      100,
      delta(0, "store", '"}'),
    ]);
    expect(events).toEqual([
      { type: "call-writing", index: 0, name: "store", characters: 13 },
      { type: "call-writing", index: 0, name: "store", characters: 16 },
    ]);
  });

  test("give none while words are shown", async () => {
    const pieces = [
      delta(0, "task_completion", '{"result":"'),
      900,
      delta(0, "task_completion", "a"),
      900,
      delta(0, "task_completion", '"'),
    ];
    expect((await seen(pieces)).map(({ type }) => type)).toEqual(["text-delta"]);
  });
});
