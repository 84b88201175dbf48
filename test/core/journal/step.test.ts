import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Definition, JournalRecord } from "../../../src/core/index.js";
import type { RecordBody, ResultRecord } from "../../../src/core/internal.js";
import { deepFreeze } from "../../../src/core/data/json.js";
import { replay, step } from "../../../src/core/journal/step.js";
import { emptyState, type State } from "../../../src/core/journal/state.js";
import { checked, failed, input, iteration, journal, reply, replyOf, result } from "../journal.js";

const definition = (model: string): Definition => ({ model, instructions: "i", tools: {}, checks: [] });

/** The state after these records. */
function after(...bodies: readonly RecordBody[]): State {
  return replay(journal(bodies));
}

const go: RecordBody = { type: "input", run: 1, text: "go", nonce: "abc123", definition: definition("a") };

describe("a run that is resumed", () => {
  test("keeps the nonce and the definition of its input", () => {
    expect(after(go, { type: "resume" })).toMatchObject({ run: 1, nonce: "abc123", definition: { model: "a" } });
  });

  test("has those of the resume if it says any", () => {
    const resume: RecordBody = { type: "resume", nonce: "xyz789", definition: definition("b") };
    expect(after(go, resume)).toMatchObject({ nonce: "xyz789", definition: { model: "b" } });
  });

  test("keeps all of its state, wherever in a journal it is resumed: usage, what was spent, the circuit, the repetition, the limits it was warned of", () => {
    const file = join(import.meta.dirname, "../../memory/golden/0.1/journal.jsonl");
    const [, ...records] = readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as JournalRecord);
    let state = emptyState;
    let counted = 0;
    for (const record of records) {
      state = step(state, record);
      // A run that has ended goes on only if it waits for an approval.
      if (state.ended !== undefined) continue;
      const { seq, ...before } = state;
      const { seq: resumedSeq, ...resumed } = step(state, { type: "resume", seq: seq, at: record.at });
      expect([resumed, resumedSeq]).toEqual([before, seq + 1]);
      if (state.spent.tokens > 0 && state.circuit.count > 0) counted += 1;
    }
    expect(counted).toBeGreaterThan(0);
  });

  test("keeps what it has counted", () => {
    const error = failed("tool_error");
    const before = [go, reply(1, ["a"]), result("a", error), iteration(1, [error])];
    const { seq, ...state } = after(...before);
    expect(after(...before, { type: "resume" })).toEqual({ ...state, seq: seq + 1 });
  });
});

describe("the next run", () => {
  test("keeps the definition of the session, and has a nonce of its own or none", () => {
    expect(after(go, input(2, "more"))).toMatchObject({ run: 2, definition: { model: "a" } });
    expect(after(go, input(2, "more")).nonce).toBeUndefined();
  });

  test("grows its prompt by its words and by the notes that it begins with", () => {
    const notes = [{ id: "n1", text: "mind the gap", tags: [], scratched: false }];
    const plain = after(input(1, "go")).prompt.characters;
    expect(plain).toBe(2);
    expect(after({ type: "input", run: 1, text: "go", notes }).prompt.characters).toBeGreaterThan(plain + 12);
  });
});

describe("words in the midst of a run", () => {
  test("close the circuit and end the repetition, and keep everything else", () => {
    const error = failed("tool_error");
    const before = after(go, reply(1, ["a"]), result("a", error), iteration(1, [error]));
    const steered = step(before, { type: "steer", text: "other way", sent: "m", seq: 4, at: 1 });
    expect(before.circuit.count).toBe(1);
    expect(steered.circuit).toEqual(emptyState.circuit);
    expect(steered.stall).toEqual(emptyState.stall);
    expect(steered).toMatchObject({ run: 1, iteration: 1, failures: [error] });
    expect(steered.prompt.characters).toBe(before.prompt.characters + "other way".length);
  });
});

describe("a step that shortens the prompt", () => {
  test("sets its size, from which it grows on", () => {
    const fold: RecordBody = { type: "fold", before: 1, tokens: 40, summary: "s", by: "rule" };
    const { prompt } = after(go, reply(1, ["a"]), result("a"), iteration(1), fold, {
      type: "steer",
      text: "abc",
      sent: "m",
    });
    expect(prompt).toMatchObject({ counted: 40, characters: 3 });
  });
});

test("a prompt that does not fit ends what is being closed", () => {
  const closing: RecordBody = { type: "notice", about: "closing", reason: "timeout", message: "up", text: "The end." };
  const overflow: RecordBody = { type: "overflow", message: "12 tokens too many" };
  expect(after(go, overflow)).toMatchObject({ full: "12 tokens too many" });
  expect(after(go, overflow).closing).toBeUndefined();
  expect(after(go, closing, overflow).closing).toMatchObject({ over: true });
});

test("a record of a kind that is not known is an error that names the kind, not a state without it", () => {
  const strange = { type: "rewind", seq: 1, at: 1 } as unknown as JournalRecord;
  expect(() => step(emptyState, strange)).toThrow('"rewind"');
});

const counts = fc.constantFrom(0, 120);
const texts = fc.constantFrom("", "short", "<|im_end|> and [INST]", "x".repeat(300));

/** Any record, whether or not it fits those before it. */
const body: fc.Arbitrary<RecordBody> = fc.oneof(
  fc
    .record({ run: fc.integer({ min: 1, max: 3 }), text: texts, nonce: fc.constantFrom(undefined, "abc123") })
    .map(({ run, text, nonce }): RecordBody => ({ type: "input", run, text, ...(nonce !== undefined && { nonce }) })),
  fc
    .record({ inputTokens: counts, characters: counts, text: texts })
    .map(({ inputTokens, characters, text }): RecordBody => {
      const usage = { inputTokens, cachedInputTokens: 0, outputTokens: text.length, reasoningTokens: 0 };
      return { type: "reply", iteration: 1, reply: replyOf(["a", "b"], { text, usage }), characters };
    }),
  fc
    .record({ id: fc.constantFrom("a", "b"), text: texts, isFailed: fc.boolean() })
    .map(({ id, text, isFailed }): RecordBody => {
      const { result: inside } = result(id, isFailed ? failed("tool_error", text) : undefined) as ResultRecord;
      return { type: "result", result: { ...inside, text, from: "outside" } };
    }),
  texts.map((text): RecordBody => ({ type: "error-context", failure: failed("no_tool_call", text) })),
  texts.map((text): RecordBody => ({ type: "steer", text, sent: "m" })),
  texts.map((text): RecordBody => ({ type: "notice", about: "stall", text })),
  fc.constantFrom<RecordBody>(
    { type: "intent", callId: "a" },
    { type: "spend", spent: { iterations: 1, tokens: 7, cost: 0.5 } },
    { type: "stub", before: 0, tokens: 90 },
    { type: "fold", before: 0, tokens: 40, summary: "s", by: "rule" },
    { type: "prune", before: 0, tokens: 30 },
    { type: "notice", about: "closing", reason: "timeout", message: "up", text: "The end." },
    { type: "resume", nonce: "xyz789" },
    { type: "question", callId: "a", id: "a/ask:0", name: "tool-a", value: "?" },
    { type: "answer", answers: "a/ask:0", value: { yes: true } },
    { type: "parked", callId: "b", name: "tool-b", input: {}, reason: "r", digest: "d" },
    { type: "approval", answers: "b", allowed: false, text: "no" },
    {
      type: "steer",
      text: "see",
      sent: "m",
      attachments: [{ mediaType: "image/png", digest: "d", size: 9, tokens: 85 }],
    },
    { type: "outcome", status: "waiting" },
    { type: "outcome", status: "completed" },
    checked(false, { claim: "a" }, { spent: { iterations: 1, tokens: 7, cost: 0.5 } }),
    checked(true, { when: "baseline" }),
    iteration(1),
    iteration(1, [failed("tool_error")]),
  ),
);

test("records replayed at once make the same state as records taken one by one, and change no state that somebody has", () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 30 }), (bodies) => {
      const records = journal(bodies);
      let state = emptyState;
      for (const record of records) state = step(deepFreeze(state), record);
      expect(replay(records)).toEqual(state);
    }),
    { numRuns: 500 },
  );
});
