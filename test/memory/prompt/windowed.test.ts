import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  LastcallError,
  type JournalRecord,
  type Memory,
  type Message,
  type Model,
  type Note,
  type WrittenReply,
} from "../../../src/core/index.js";
import { sizeOf, type RecordBody, type RewriteRecord } from "../../../src/core/internal.js";
import { transcript, windowed } from "../../../src/memory/index.js";
import { assertWellFormedRequest, memoryConformance, scriptedModel } from "../../../src/testing/index.js";
import { drain } from "../../core/drain.js";
import { failed, input, iteration, journal, reply, result } from "../../core/journal.js";
import { recalling } from "../recalling.js";

describe("conformance", () => {
  it.each(memoryConformance(windowed({ window: 10_000 })))("$name", ({ run }) => run());
});

/** A group with one result of so many characters. */
function group(number: number, size: number, id = `g${String(number)}`): readonly RecordBody[] {
  const text = `result of ${id} `.padEnd(size, "x");
  return [
    reply(number, [id]),
    { type: "result", result: { callId: id, name: "look", ok: true, text } },
    iteration(number),
  ];
}

function groups(count: number, size: number): readonly RecordBody[] {
  return Array.from({ length: count }, (_none, index) => group(index + 1, size)).flat();
}

interface Shown {
  readonly messages: readonly Message[];
  readonly reasons: readonly string[];
  readonly steps: readonly JournalRecord[];
}

async function recall(memory: Memory, more: Parameters<typeof recalling>[1] = {}): Promise<Shown> {
  const known = memory.records.length;
  const { events, value } = await drain(memory.recall(recalling(memory, more)));
  return { messages: [...value], reasons: events.map(({ reason }) => reason), steps: memory.records.slice(known) };
}

function add(memory: Memory, ...bodies: readonly RecordBody[]): void {
  for (const record of journal(bodies, memory.records.length)) void memory.append(record);
}

function open(options: Parameters<typeof windowed>[0], ...bodies: readonly RecordBody[]): Memory {
  return windowed(options)({ version: 1, id: "s", records: journal(bodies) });
}

function tokensIn(messages: readonly Message[]): number {
  return Math.ceil(messages.reduce((sum, message) => sum + sizeOf(message), 0) / 3);
}

/** As chat completions have them, for the oracle. */
function bodyOf(messages: readonly Message[]): Parameters<typeof assertWellFormedRequest>[0] {
  const wire = messages.map((message) => {
    if (message.role === "user") return { role: "user", content: message.text };
    if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.text };
    const { text, calls } = message.reply;
    const made = calls.map(({ id, name }) => ({ id, type: "function", function: { name, arguments: "{}" } }));
    return { role: "assistant", content: text === "" ? null : text, ...(made.length > 0 && { tool_calls: made }) };
  });
  return { messages: [{ role: "system", content: "s" }, ...wire] as never };
}

describe("below 60 % of the window", () => {
  it("nothing is left out", async () => {
    const { messages, steps } = await recall(open({ window: 10_000 }, input(1, "Go."), ...groups(10, 1500)));
    expect(steps).toEqual([]);
    expect(messages).toHaveLength(21);
  });
});

describe("stubs", () => {
  it("stand for all older results at once from 60 % on, and the last groups stay whole", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...groups(14, 1500));
    const { messages, reasons, steps } = await recall(memory);
    expect(reasons).toEqual(["stub"]);
    expect(steps).toMatchObject([{ type: "stub", reader: "read_result", tokens: tokensIn(messages) }]);
    const texts = messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));
    expect(texts[0]).toBe('[result of look, 1500 characters, left out: read_result with call "g1" shows it]');
    expect(texts.map((text) => text.length === 1500)).toEqual([
      ...Array<boolean>(10).fill(false),
      ...Array<boolean>(4).fill(true),
    ]);
  });

  it("name no tool that the agent does not have", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...groups(14, 1500));
    const { messages } = await recall(memory, { reader: undefined });
    expect(messages[2]).toMatchObject({ text: "[result of look, 1500 characters, left out]" });
  });

  it("are not made where they would free less than a tenth of the window", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go.".padEnd(17_000, "!")), ...groups(8, 400));
    expect((await recall(memory)).steps).toEqual([]);
  });

  it("leave the messages around them the same objects", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...groups(12, 1000));
    const { messages: before } = await recall(memory);
    add(memory, ...group(13, 8000));
    const { messages: after } = await recall(memory);
    before.forEach((message, index) => {
      if (message.role !== "tool" || index >= 20) expect(after[index]).toBe(message);
      else expect(after[index]).not.toBe(message);
    });
  });

  it("stand for a result only if they are shorter than it, also when nobody has seen it: hidden characters are shown as less", async () => {
    const hidden: RecordBody[] = [500, 40, 3].flatMap((count, index) => [
      reply(index + 1, [`h${String(count)}`]),
      {
        type: "result",
        result: { callId: `h${String(count)}`, name: "look", ok: true, text: "\uFE00".repeat(count), from: "outside" },
      },
      iteration(index + 1),
    ]);
    const task: RecordBody = { type: "input", run: 1, text: "Go.", nonce: "k3f9x2" };
    const bodies = [task, ...hidden, ...groups(12, 1000), ...group(13, 8000)];
    const memory = open({ window: 10_000 }, ...bodies);
    const { messages, steps } = await recall(memory);
    expect(steps).toMatchObject([{ type: "stub" }]);
    const resultOf = (callId: string): Message | undefined =>
      messages.find((message) => message.role === "tool" && message.callId === callId);
    for (const count of [500, 40, 3])
      expect(resultOf(`h${String(count)}`)).toMatchObject({
        text: expect.stringMatching(/^\[outside k3f9x2/) as string,
      });
    expect(resultOf("g1")).toMatchObject({ text: expect.stringMatching(/^\[result of look/) as string });
    const again = windowed({ window: 10_000 })({ version: 1, id: "s", records: memory.records });
    expect((await recall(again)).messages).toEqual(messages);
  });
});

/** Groups whose replies are long: nothing in them can become a stub. */
function talk(count: number, size: number, first = 1): readonly RecordBody[] {
  return Array.from({ length: count }, (_none, index) => {
    const number = first + index;
    return [
      reply(number, [`t${String(number)}`], `thought ${String(number)} `.padEnd(size, ".")),
      result(`t${String(number)}`),
      iteration(number),
    ];
  }).flat();
}

const asksModel = (model: Model) => ({
  consult: async (_model: Model, asked: { system: string; text: string }): Promise<WrittenReply> => {
    const request = {
      key: "k",
      system: asked.system,
      messages: [{ role: "user", text: asked.text } as const],
      tools: [],
      needsCall: false,
    };
    return (await drain(model.respond(request, new AbortController().signal))).value;
  },
});

describe("a fold", () => {
  it("puts one summary between the pins and the last groups at 75 %, made by rule without a model", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...talk(12, 2000));
    const { messages, reasons, steps } = await recall(memory);
    expect(reasons).toEqual(["fold"]);
    expect(steps).toMatchObject([{ type: "fold", by: "rule", tokens: tokensIn(messages) }]);
    expect(messages).toHaveLength(2 + 4 * 2);
    expect(messages[1]).toMatchObject({ role: "user", text: expect.stringContaining("I said: thought 8") });
  });

  it("keeps the failures of what it replaces, with their messages", async () => {
    const why = failed("tool_error", "EACCES: permission denied, open 'secret.txt'");
    const memory = open(
      { window: 10_000 },
      input(1, "Go."),
      reply(1, ["a"]),
      result("a", why),
      iteration(1, [why]),
      ...talk(12, 2000, 2),
    );
    const { messages } = await recall(memory);
    expect(messages[1]).toMatchObject({
      text: expect.stringContaining("EACCES: permission denied, open 'secret.txt'"),
    });
  });

  it("asks the model, and shows what it says", async () => {
    const model = scriptedModel(["I read the pages. Dead ends: none."]);
    const memory = open({ window: 10_000, summarize: model }, input(1, "Go."), ...talk(12, 2000));
    const { messages, steps } = await recall(memory, asksModel(model));
    expect(steps).toMatchObject([{ by: "model" }]);
    expect(messages[1]).toMatchObject({ text: expect.stringContaining("Dead ends: none.") });
    const [request] = model.requests;
    expect(request?.system).toContain("Dead ends");
    expect(request?.messages[0]).toMatchObject({ text: expect.stringContaining("thought 1 ") });
  });

  it.each<[string, Parameters<typeof recalling>[1]]>([
    ["says too much", asksModel(scriptedModel(["much ".repeat(3000)]))],
    ["says nothing", asksModel(scriptedModel([""]))],
    ["is cut off", asksModel(scriptedModel([{ text: "I read", finishReason: "length" }]))],
    ["throws", { consult: () => Promise.reject(new LastcallError("provider_unavailable", "down")) }],
    ["is forbidden by a limit", { consult: () => Promise.resolve(undefined) }],
  ])(
    "is made by rule where the model %s, and is not tried again before a tenth of the window is new",
    async (_what, more) => {
      const memory = open({ window: 10_000, summarize: scriptedModel([]) }, input(1, "Go."), ...talk(12, 2000));
      const { messages, steps } = await recall(memory, more);
      expect(steps).toMatchObject([{ type: "fold", by: "rule" }]);
      expect(tokensIn(messages)).toBeLessThan(7500);
      expect((await recall(memory, more)).steps).toEqual([]);
    },
  );

  it("takes an earlier summary up into the next", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...talk(12, 2000));
    await recall(memory);
    add(memory, ...talk(9, 2000, 13));
    const { messages, steps } = await recall(memory);
    expect(steps).toMatchObject([{ type: "fold" }]);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(messages[1]).toMatchObject({ text: expect.stringContaining("thought 8") });
  });

  it("ends with the run's abort, and is made by rule the next time", async () => {
    const abort = new AbortController();
    const memory = open({ window: 10_000, summarize: scriptedModel([]) }, input(1, "Go."), ...talk(12, 2000));
    const consult = (): Promise<never> => {
      abort.abort(new DOMException("enough", "AbortError"));
      return Promise.reject(abort.signal.reason as Error);
    };
    await expect(recall(memory, { consult, signal: abort.signal })).rejects.toThrow("enough");
    expect((await recall(memory, { consult: () => Promise.reject(new Error("not asked")) })).steps).toMatchObject([
      { by: "rule" },
    ]);
  });
});

test("a prompt is not given up as too long before a provider has counted one: its size is a guess", async () => {
  const memory = open({ window: 1000 }, input(1, "Go.".padEnd(9000, "!")), ...groups(1, 10));
  expect((await recall(memory, { measured: false })).messages).toHaveLength(3);
  await expect(recall(memory, { measured: true })).rejects.toThrow(/takes about \d+ tokens of a window of 1000/);
});

describe("a prompt that is wanted short", () => {
  it("is summed up far below the window, and is as it was from then on", async () => {
    const memory = open({ window: 1_000_000 }, input(1, "Go."), ...talk(12, 2000));
    const { messages, steps } = await recall(memory, { compact: true });
    expect(steps.map(({ type }) => type)).toEqual(["fold"]);
    expect(messages).toHaveLength(2 + 4 * 2);
    const again = await recall(memory);
    expect(again).toEqual({ messages, reasons: [], steps: [] });
  });

  it("has stubs for older results, and keeps the last groups and all words that can't be summed up", async () => {
    const memory = open({ window: 1_000_000 }, input(1, "Go."), ...groups(14, 1500));
    const { messages, steps } = await recall(memory, { compact: true });
    expect(steps.map(({ type }) => type)).toEqual(["stub"]);
    expect(messages.filter((message) => message.role === "tool" && message.text.length === 1500)).toHaveLength(4);
  });

  it("stays as it is where nothing can be left out, and prunes nothing", async () => {
    const memory = open({ window: 1_000_000 }, input(1, "Go."), ...groups(2, 1500));
    expect((await recall(memory, { compact: true })).steps).toEqual([]);
    const unknown = transcript({ version: 1, id: "s", records: journal([input(1, "Go."), ...talk(12, 2000)]) });
    expect((await recall(unknown, { compact: true })).steps.map(({ type }) => type)).toEqual(["fold"]);
  });
});

describe("pruning", () => {
  it("takes whole groups from the oldest on at 90 %, where a fold was made a moment ago", async () => {
    const moment: RewriteRecord = { type: "fold", before: 1, summary: "I began.", by: "rule", tokens: 8500 };
    const memory = open({ window: 10_000 }, input(1, "Go."), ...talk(13, 2050), moment);
    const { messages, reasons, steps } = await recall(memory);
    expect(reasons).toEqual(["fold", "prune"]);
    expect(steps).toMatchObject([{ type: "prune" }]);
    expect(messages.slice(0, 2)).toMatchObject([{ text: "Go." }, { text: "I began." }]);
    expect(messages.at(-1)).toMatchObject({ role: "tool", callId: "t13" });
    expect(tokensIn(messages)).toBeLessThanOrEqual(7500);
    expect(messages).toContainEqual({
      role: "user",
      text: expect.stringContaining("earlier steps of this run are left out"),
    });
  });
});

/** A call that wrote a note. */
function noting(number: number, note: Note, callId = `note${String(number)}`): readonly RecordBody[] {
  return [
    reply(number, [callId]),
    { type: "result", result: { callId, name: "add_note", ok: true, text: `Noted as ${note.id}.`, notes: [note] } },
    iteration(number),
  ];
}

function noteOf(id: number, text: string, scratched = false): Note {
  return { id: `n${String(id)}`, text, tags: [], scratched };
}

/** What the prompt shows of the notes, line by line, without its heading. */
function notedIn(messages: readonly Message[]): readonly string[] {
  const shown = messages.filter((message) => message.role === "user" && message.text.startsWith("[What you noted"));
  expect(shown.length).toBeLessThanOrEqual(1);
  return shown.flatMap((message) => (message.role === "user" ? message.text.split("\n").slice(1) : []));
}

describe("notes", () => {
  const noted = [...noting(1, noteOf(1, "The port is 8443.")), ...noting(2, noteOf(2, "Bun can't run it."))];

  it("stand between the pins and the summary after a fold, without those that were scratched, the latest first", async () => {
    const scratched = noting(3, noteOf(1, "The port is 8443.", true));
    const third = noting(4, noteOf(3, "A dead end."));
    const memory = open({ window: 10_000 }, input(1, "Go."), ...noted, ...scratched, ...third, ...talk(12, 2000, 5));
    const { messages, steps } = await recall(memory);
    expect(steps).toMatchObject([{ type: "fold", tokens: tokensIn(messages) }]);
    expect(messages[0]).toMatchObject({ text: "Go." });
    expect(notedIn(messages.slice(1, 2))).toEqual(["n3: A dead end.", "n2: Bun can't run it."]);
    expect(messages[2]).toMatchObject({ text: expect.stringContaining("What you did before this point") });
  });

  it("are not shown before a fold, stay as they are between two, and are as they stand after the next", async () => {
    const memory = open({ window: 10_000 }, input(1, "Go."), ...noted, ...talk(5, 2000, 3));
    expect(notedIn((await recall(memory)).messages)).toEqual([]);
    add(memory, ...talk(6, 2000, 8));
    const { messages } = await recall(memory);
    expect(notedIn(messages)).toHaveLength(2);
    add(memory, ...noting(14, noteOf(3, "Later.")), ...noting(15, noteOf(2, "Bun can't run it.", true)));
    const after = await recall(memory);
    expect(after.reasons).toEqual([]);
    expect(after.messages.slice(0, messages.length)).toEqual(messages);
    add(memory, ...talk(9, 2000, 16));
    const last = await recall(memory);
    expect(last.reasons).toEqual(["fold"]);
    expect(notedIn(last.messages)).toEqual(["n3: Later.", "n1: The port is 8443."]);
  });

  it("have no message where all of them were scratched", async () => {
    const all = [1, 2].flatMap((id) => noting(20 + id, noteOf(id, "x", true)));
    const memory = open({ window: 10_000 }, input(1, "Go."), ...noted, ...talk(12, 2000, 3));
    expect(notedIn((await recall(memory)).messages)).toHaveLength(2);
    add(memory, ...all, ...talk(9, 2000, 30));
    const { messages, steps } = await recall(memory);
    expect(steps).toMatchObject([{ type: "fold", tokens: tokensIn(messages) }]);
    expect(steps[0]).not.toHaveProperty("notes");
    expect(notedIn(messages)).toEqual([]);
  });

  it("are shown after a prune as well", async () => {
    const moment: RewriteRecord = { type: "fold", before: 1, summary: "I began.", by: "rule", tokens: 8500 };
    const memory = open({ window: 10_000 }, input(1, "Go."), ...talk(13, 2050), ...noted, moment);
    const { messages, steps } = await recall(memory);
    expect(steps.at(-1)).toMatchObject({ type: "prune" });
    expect(messages[0]).toMatchObject({ text: "Go." });
    expect(notedIn(messages.slice(1, 2))).toEqual(["n2: Bun can't run it.", "n1: The port is 8443."]);
    expect(messages[2]).toMatchObject({ text: "I began." });
  });

  it.each([
    [10_000, 3000],
    [100_000, 4000],
  ])("take a tenth of a window of %i tokens at most, and never more than %i characters", async (window, room) => {
    const many = Array.from({ length: 60 }, (_none, index) =>
      noting(index + 1, noteOf(index + 1, `fact ${String(index + 1)} `.padEnd(100, "."))),
    ).flat();
    const memory = open({ window }, input(1, "Go."), ...many, ...talk(12, window / 5, 61));
    const { messages } = await recall(memory);
    const lines = notedIn(messages);
    const text = messages[1]!.role === "user" ? messages[1]!.text : "";
    expect(text.length).toBeLessThanOrEqual(room);
    expect(text.length).toBeGreaterThan(room - 250);
    expect(lines[0]).toMatch(/^n60: fact 60/);
    expect(lines.at(-1)).toBe(`[${String(60 - lines.length + 1)} older ones are left out.]`);
  });

  it("of another session stand behind the input that brought them, and are renewed by a fold", async () => {
    const first: RecordBody = {
      type: "input",
      run: 1,
      text: "Go.",
      notes: [noteOf(4, "Known before.")],
    };
    const memory = open({ window: 10_000 }, first, ...noting(1, noteOf(5, "New.")));
    const { messages } = await recall(memory);
    expect(notedIn(messages.slice(1, 2))).toEqual(["n4: Known before."]);
    add(memory, ...talk(12, 2000, 2));
    const folded = await recall(memory);
    expect(folded.steps).toMatchObject([{ type: "fold", tokens: tokensIn(folded.messages) }]);
    expect(notedIn(folded.messages.slice(1, 2))).toEqual(["n5: New.", "n4: Known before."]);
  });
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("group" as const),
      size: fc.integer({ min: 10, max: 4000 }),
      calls: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "mistake" as const,
        "fact" as const,
        "check" as const,
        "notice" as const,
        "steer" as const,
        "talk" as const,
      ),
      size: fc.integer({ min: 1, max: 3000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("note" as const),
      size: fc.integer({ min: 10, max: 400 }),
      id: fc.integer({ min: 1, max: 9 }),
      scratched: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("input" as const, "question" as const, "refused" as const),
      size: fc.integer({ min: 1, max: 500 }),
    }),
  },
);

test("whatever happens, every call has one result, pins and notes stay, each step shrinks the prompt, and it is the same opened anew", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60 }),
      fc.constantFrom(3000, 6000),
      fc.constantFrom(1, 4),
      async (steps, window, keep) => {
        const make = windowed({ window, keep });
        const memory = make({ version: 1, id: "s", records: journal([input(1, "The task.")]) });
        let [run, number, latest, refused] = [1, 0, "The task.", ""];
        /** The notes, the one written last at the end; and what the last fold or prune has to show of them. */
        const noted = new Map<string, Note>();
        let pinned: readonly string[] = [];
        for (const [index, { kind, size, ...more }] of steps.entries()) {
          const id = `c${String(index)}`;
          number += 1;
          const text = `${id} `.padEnd(size, "y");
          switch (kind) {
            case "group": {
              const ids = Array.from(
                { length: "calls" in more ? more.calls : 1 },
                (_none, place) => `${id}-${String(place)}`,
              );
              add(
                memory,
                reply(number, ids),
                ...ids.map((callId): RecordBody => ({
                  type: "result",
                  result: { callId, name: "look", ok: true, text },
                })),
                iteration(number),
              );
              break;
            }
            case "note": {
              const { id: noteId, scratched } = more as { readonly id: number; readonly scratched: boolean };
              const note = noteOf(noteId, text, scratched);
              noted.delete(note.id);
              noted.set(note.id, note);
              add(memory, ...noting(number, note, id));
              break;
            }
            case "talk":
              add(memory, reply(number, [id], text), result(id), iteration(number));
              break;
            case "mistake": {
              const why = failed("no_tool_call", text);
              add(
                memory,
                reply(number, [], "words"),
                { type: "error-context", failure: why },
                iteration(number, [why], true),
              );
              break;
            }
            case "fact": {
              const why = failed("denied", text);
              add(memory, reply(number, [id]), result(id, why), iteration(number, [why]));
              break;
            }
            case "check": {
              const why = failed("check_failed", text);
              add(memory, reply(number, [id]), result(id, why), iteration(number, [why]));
              refused = id;
              break;
            }
            case "steer":
              latest = text;
              add(memory, { type: "steer", text, sent: id });
              break;
            case "notice":
              add(memory, { type: "notice", about: "check", text });
              break;
            case "refused":
              break;
            case "input":
            case "question": {
              const claim: RecordBody = {
                type: "claim",
                callId: id,
                by: "ask",
                ending: "waiting",
                value: "?",
                receipts: [],
              };
              if (kind === "question") add(memory, reply(number, [id]), claim, iteration(number));
              latest = `answer ${id}`;
              run += 1;
              number = 0;
              add(
                memory,
                { type: "outcome", status: "aborted" },
                input(run, latest, kind === "question" ? id : undefined),
              );
            }
          }
          let sizeBefore = Infinity;
          try {
            const known = memory.records.length;
            const { messages, reasons, steps: made } = await recall(memory, { overflowed: kind === "refused" });
            assertWellFormedRequest(bodyOf(messages));
            expect(tokensIn(messages)).toBeLessThanOrEqual(window * 0.9);
            expect(messages[0]).toMatchObject({ text: "The task." });
            expect(messages.some((message) => message.role !== "assistant" && message.text === latest)).toBe(true);
            expect(
              messages.some(
                ({ role, ...rest }) => role === "tool" && "text" in rest && rest.text === `failure of ${refused}`,
              ),
            ).toBe(refused !== "");
            expect(reasons.filter((reason) => reason !== "recovered" && reason !== "input")).toEqual(
              made.map(({ type }) => type),
            );
            for (const record of memory.records.slice(known)) {
              const { tokens } = record as RewriteRecord;
              expect(tokens).toBeLessThan(sizeBefore);
              sizeBefore = tokens;
            }
            if (made.some(({ type }) => type !== "stub")) {
              pinned = [...noted.values()]
                .flatMap((one) => (one.scratched ? [] : [`${one.id}: ${one.text}`]))
                .reverse();
            }
            const lines = notedIn(messages);
            const whole = lines.filter((line) => !line.startsWith("["));
            const left = pinned.length - whole.length;
            expect(lines).toEqual([
              ...pinned.slice(0, whole.length),
              ...(left > 0 ? [`[${String(left)} older ${left === 1 ? "one is" : "ones are"} left out.]`] : []),
            ]);
            const wasRefused = steps.slice(0, index + 1).some((one) => one.kind === "refused");
            if (!wasRefused && pinned.join("\n").length < window * 0.3 - 200) expect(left).toBe(0);
            const anew = transcript({ version: 1, id: "s", records: structuredClone(memory.records) });
            expect((await recall(anew)).messages).toEqual(messages);
          } catch (thrown) {
            if (!(thrown instanceof LastcallError && thrown.code === "context_overflow")) throw thrown;
            return;
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

test.each([
  [{ window: 999 }, "window is 999"],
  [{ window: 1000, keep: 0 }, "keep is 0"],
  [{ window: 1000, timeout: 0.5 }, "timeout is 0.5"],
  [{ window: 1000, summarize: {} as Model }, "summarize of windowed is an object: give a model"],
])("%j is refused", (options, words) => {
  expect(() => windowed(options)).toThrow(words);
});
