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
import { sourceOf } from "../../../src/core/time/stage.js";

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

/** The calls that the deltas form together. */
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

/** The events that `narrate` adds to those of the model. A number in the source lets that many milliseconds pass. */
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
  for await (const event of sourceOf(narrate(model(), { tools, runtime: clock, signal, early: undefined })))
    if (!source.includes(event as ModelEvent)) events.push(event);
  return events;
}

describe("a streamed field", () => {
  test("is marked as part of a claim for a loop-breaking tool, and only with its tool's name for another tool", async () => {
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

  test("is read from its start again after the reply was retracted", async () => {
    const events = await seen([
      delta(0, "task_completion", '{"result":"Half a'),
      { type: "reply-retracted", reason: "It broke off." },
      delta(0, "task_completion", '{"result":"Whole"}'),
    ]);
    expect(events.map((event) => event.type === "text-delta" && event.text)).toEqual(["Half a", "Whole"]);
  });

  test("adds up to its JSON value, however the arguments are split", async () => {
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

describe("when the reply is whole", () => {
  const claim = (text: string): Event => ({ type: "text-delta", text, tool: "task_completion", index: 0, claim: true });
  const retracted = expect.objectContaining({ type: "reply-retracted" }) as Event;
  const done = call("task_completion", { result: "Done." });

  test.each([
    [
      "nothing more of a field that they have seen",
      [delta(0, "task_completion", '{"result":"Done."}')],
      [claim("Done.")],
    ],
    ["the rest of a field", [delta(0, "task_completion", '{"result":"Do')], [claim("Do"), claim("ne.")]],
    ["a field that they have not seen", [], [claim("Done.")]],
    [
      "a field whose tool had another name in its first chunk",
      [delta(0, "taskcompletion", '{"result":"Done."}')],
      [claim("Done.")],
    ],
    ["a field in a wrapper", [delta(0, "task_completion", '{"input":{"result":"Done."}}')], [claim("Done.")]],
  ])("watchers see %s", async (_what, source, events) => {
    expect(await seen(source, { calls: [done] })).toEqual(events);
  });

  test.each([
    ["does not continue like the field", [delta(0, "task_completion", '{"result":"Dome')], [done]],
    ["is longer than the field", [delta(0, "task_completion", '{"result":"Done. Not.')], [done]],
    ["belongs to another tool", [delta(0, "write_letter", '{"text":"Done."}')], [done]],
    [
      "belongs to a repeated call that counts once",
      [0, 1].map((at) => delta(at, "task_completion", '{"result":"Done."}')),
      [done],
    ],
  ])("watchers see all of it again if the text they saw %s", async (_what, source, calls) => {
    const letter = call("write_letter", { to: "you", text: "Dear you" });
    const events = await seen(source, { text: "So.", calls: [...calls, letter] });
    expect(events.slice(-4)).toEqual([
      retracted,
      { type: "text-delta", text: "So." },
      claim("Done."),
      { type: "text-delta", text: "Dear you", tool: "write_letter", index: 1 },
    ]);
  });

  test("watchers see nothing more of an unreadable call, or of a reply whose calls will not run", async () => {
    const begun = delta(0, "task_completion", '{"result":"Do');
    expect(await seen([begun])).toEqual([claim("Do")]);
    expect(await seen([begun], { calls: [done], finish: "refused" })).toEqual([claim("Do")]);
  });

  test("watchers see nothing of a field that is not text, or of arguments that are not an object", async () => {
    const calls = [
      call("task_completion", { result: 1 }),
      call("task_completion", "Done."),
      call("store", { data: "x" }),
    ];
    expect(await seen([], { calls })).toEqual([]);
  });

  test("a lone surrogate is one U+FFFD, as everywhere", async () => {
    expect(
      await seen([delta(0, "task_completion", '{"result":"a\\ud83d')], {
        calls: [call("task_completion", { result: "a\ud83d" })],
      }),
    ).toEqual([claim("a"), claim("\ufffd")]);
  });
});

describe("arguments without shown text", () => {
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

  test("give no sign of life while text is shown", async () => {
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
