import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atRest, bottomOf, type View } from "../../../../src/cli/chat/screen/bottom.js";
import { emptyEditor, withText } from "../../../../src/cli/chat/screen/editor.js";
import { plainLook } from "../../../../src/cli/chat/style/look.js";
import { silence, talkAfter } from "../../../../src/cli/chat/screen/talk.js";
import { widthOf } from "../../../../src/cli/display/width.js";
import { noUsage, type Call, type Event } from "../../../../src/core/index.js";

const quiet: View = { ...atRest, model: "m", window: undefined };
const frame = { columns: 60, rows: 24, look: plainLook, now: 5000 };
const reads: Call = { type: "call", id: "c", name: "read_file", input: { path: "a.txt" } };

function shown(view: Partial<View>, more: Partial<typeof frame> = {}): readonly string[] {
  return bottomOf({ ...quiet, ...view }, { ...frame, ...more }).lines;
}

test("the quiet bottom is the model and the input", () => {
  expect(shown({})).toEqual(["", "m", "> "]);
});

test("tokens and context stand after the model, if they are known", () => {
  const usage = { ...noUsage, inputTokens: 12_345, outputTokens: 678 };
  const talk = { ...silence, usage, context: 9876, cost: 0.012345 };
  expect(shown({ talk, window: 128_000, since: 1000, hint: "so" }, { columns: 100 })[1]).toBe(
    "so · m · context 9.9k (8 % of 128k) · 12k in, 678 out · cost 0.0123 · 4 s",
  );
  expect(shown({ talk })[1]).toBe("m · context 9.9k · 12k in, 678 out · cost 0.0123");
});

test("the seconds of the run were cut off in a narrow terminal; the tokens are left out there, and then the share", () => {
  const usage = { ...noUsage, inputTokens: 12_345, outputTokens: 678 };
  const view = { talk: { ...silence, usage, context: 9876 }, window: 128_000, since: 1000 };
  expect(shown(view, { columns: 40 })[1]).toBe("m · context 9.9k (8 % of 128k) · 4 s");
  expect(shown(view, { columns: 30 })[1]).toBe("m · context 9.9k · 4 s");
  expect(shown({ since: 1000, window: 128_000 })[1]).toBe("m · 4 s");
});

test("choices keep the joiners of words", () => {
  expect(shown({ choices: ["👩\u200d👧", "pay\u200cpal"] })).toEqual(
    expect.arrayContaining(["  1. 👩\u200d👧", "  2. pay\\u{200c}pal"]),
  );
});

test("a choice longer than a line was cut, and could not be read", () => {
  const long = `${"words ".repeat(15)}end`;
  const choices = [long, "no"];
  expect(shown({ choices, chosen: 0 })).toEqual([
    `❯ 1. ${"words ".repeat(9).trim()}`,
    `     ${"words ".repeat(6)}end`,
    "  2. no",
    "",
    "m",
    "> ",
  ]);
  expect(shown({ choices }, { rows: 5 })).toEqual([`  1. ${"words ".repeat(8)}words…`, "  2. no", "m", "> "]);
});

test("a question without room on the screen is shown by its beginning", () => {
  const lines = shown({ prompt: "Allow it? [y/N, a = always]", choices: ["one"] }, { rows: 3, columns: 12 });
  expect(lines).toEqual(["Allow it?", "> "]);
});

test("each running call is a line, and none is shown during a question", () => {
  const talk = {
    ...silence,
    calls: [reads],
    check: "npm test",
    writing: { tool: "write_file", characters: 12_000 },
    isThinking: true,
  };
  const lines = ["⠋ read_file a.txt", "⠋ check npm test", "⠋ writes write_file, 12,000 characters", "⠋ thinks"];
  expect(shown({ talk }).slice(0, 4)).toEqual(lines);
  expect(shown({ talk, prompt: "Allow it? [y/N] " })).toEqual(["", "m", "Allow it? [y/N]", "> "]);
});

test("words before their acceptance stand above it; of long ones, the end", () => {
  const words = Array.from({ length: 100 }, (_none, index) => `Line ${String(index)}.\n`).join("\n");
  const lines = shown({ talk: { ...silence, words } }, { rows: 12 });
  expect(lines).toHaveLength(11);
  expect(lines).toContain("Line 99.");
  expect(lines).not.toContain("Line 0.");
});

test("the end of a long code block is code", () => {
  const talk = { ...silence, words: `\`\`\`\n${"x = [1](2)\n".repeat(2000)}` };
  expect(shown({ talk }).filter((line) => line.includes("x ="))[3]).toBe("  x = [1](2)");
});

test("any bottom fits the screen, and the cursor is on it", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("日", "\n", "`", "*", "- ", "| "), fc.string({ minLength: 1, maxLength: 1 })),
    maxLength: 300,
  });
  const view = fc.record({
    talk: fc.record({
      words: text,
      calls: fc.constantFrom([], [reads]),
      check: fc.option(text, { nil: undefined }),
      isThinking: fc.boolean(),
    }),
    typed: text,
    prompt: fc.constantFrom("> ", "Allow it? [y/N, a = always in this session, e = explain] "),
    choices: fc.array(text, { maxLength: 4 }),
    waiting: fc.array(text, { maxLength: 30 }),
    hint: text,
    model: text,
  });
  fc.assert(
    fc.property(
      view,
      fc.integer({ min: 12, max: 100 }),
      fc.integer({ min: 2, max: 40 }),
      ({ talk, typed, ...rest }, columns, rows) => {
        const { lines, cursor } = bottomOf(
          { ...quiet, ...rest, talk: { ...silence, ...talk }, editor: withText(emptyEditor(), typed) },
          { ...frame, columns, rows },
        );
        expect(lines.length).toBeLessThan(rows);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(cursor?.row).toBeLessThan(lines.length);
        expect(cursor?.column).toBeLessThan(columns);
      },
    ),
    { numRuns: 500 },
  );
});

describe("the talk", () => {
  const after = (...events: readonly Event[]): typeof silence => events.reduce(talkAfter, silence);
  const says = (text: string): Event => ({ type: "text-delta", text, tool: "converse", claim: true });
  const why = { kind: "check_failed", message: "no" } as never;

  test("has the words until they are accepted or retracted", () => {
    expect(after(says("a"), says("b")).words).toBe("ab");
    expect(after(says("a"), { type: "claim-accepted", tool: "converse", value: {} }).words).toBe("");
    expect(after(says("a"), { type: "claim-retracted", callId: "c", tool: "converse", failure: why }).words).toBe("");
    expect(after(says("a"), { type: "reply-retracted", reason: "" }, says("b")).words).toBe("b");
  });

  test("has calls from their start to their end, and adds up the usage", () => {
    const usage = { ...noUsage, inputTokens: 10, outputTokens: 2 };
    const reply = { text: "", calls: [], finish: "complete" as const, usage };
    const talk = after({ type: "reply-end", reply }, { type: "reply-end", reply }, { type: "call-start", call: reads });
    expect([talk.calls, talk.usage.inputTokens, talk.context]).toEqual([[reads], 20, 12]);
    const ended = talkAfter(talk, { type: "call-end", result: { callId: "c", name: "read_file", ok: true, text: "" } });
    expect(ended.calls).toEqual([]);
  });
});

test("a running call was hidden if its reply had words; a claim that says them is", () => {
  const words = (tool?: string): Event =>
    tool === undefined
      ? { type: "text-delta", text: "I look." }
      : { type: "text-delta", text: "I look.", tool, index: 0, claim: true };
  const reply = { text: "I look.", calls: [reads], finish: "complete" as const, usage: noUsage };
  const start: Event = { type: "call-start", call: reads };
  const late = [words(), { type: "reply-end", reply } as const, start].reduce(talkAfter, silence);
  expect(late.words).toBe("");
  expect(shown({ talk: late })[0]).toMatch(/^\S read_file/);
  // A call may begin before the reply ends.
  const early = [words(), start].reduce(talkAfter, silence);
  expect(shown({ talk: early })[2]).toMatch(/^\S read_file/);
  const claim = [words("converse"), { type: "reply-end", reply } as const, start].reduce(talkAfter, silence);
  expect(claim.words).toBe("I look.");
  expect(shown({ talk: claim }).join("\n")).not.toContain("read_file");
});

test("the line of a running call has the number of calls that its agents have made", () => {
  const below = (type: "call-start" | "call-asking"): Event =>
    type === "call-start"
      ? { type: "child-event", path: ["c"], event: { type, call: reads } }
      : { type: "child-event", path: ["c"], event: { type, callId: "d", name: "read_file", why: "" } as Event };
  const start: Event = {
    type: "call-start",
    call: { type: "call", id: "c", name: "explore", input: { task: "Find it." } },
  };
  const talk = [start, below("call-start"), below("call-asking"), below("call-start")].reduce(talkAfter, silence);
  expect(shown({ talk })[0]).toMatch(/^\S 2 calls: explore Find it\.$/);
  expect(shown({ talk: talkAfter(silence, start) })[0]).toMatch(/^\S explore Find it\.$/);
});
