import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { outcomeOf, readLastOutcome, readOutcome } from "../../../src/core/agent/read-outcome.js";
import { input, iteration, replyOf } from "../journal.js";
import { openRun } from "../open-run.js";

const usage = { inputTokens: 900, outputTokens: 100, cachedInputTokens: 0, reasoningTokens: 0 };

/** A run of a session: its input, a reply that is a claim, and how it ended. */
function ran(run: number, outcome: Omit<Extract<RecordBody, { type: "outcome" }>, "type">, value: string) {
  const reply: RecordBody = {
    type: "reply",
    iteration: 1,
    reply: replyOf(["c"], { text: `words of ${value}`, usage }),
  };
  const claim: RecordBody = {
    type: "claim",
    callId: "c",
    by: "task_completion",
    ending: "completed",
    value,
    receipts: [],
  };
  const accepted = outcome.status === "completed" ? [claim] : [];
  return [input(run, value), reply, ...accepted, iteration(1), { type: "outcome", ...outcome } as const];
}

const isInput =
  (text: string) =>
  (record: JournalRecord): boolean =>
    record.type === "input" && record.text === text;

test("the outcome is that of the run which took the record, not of one before or after it", async () => {
  const { run } = openRun({}, [
    ...ran(1, { status: "completed" }, "one"),
    ...ran(2, { status: "completed" }, "two"),
    ...ran(3, { status: "completed" }, "three"),
  ]);
  for (const value of ["one", "two", "three"]) {
    await expect(readOutcome(run, isInput(value))).resolves.toMatchObject({
      status: "completed",
      value,
      verified: "unchecked",
    });
  }
});

test("there is none of a record that no run took, or of a run that has not ended", async () => {
  const { run } = openRun({}, [...ran(1, { status: "completed" }, "one"), input(2, "two")]);
  await expect(readOutcome(run, isInput("three"))).resolves.toBeUndefined();
  await expect(readOutcome(run, isInput("two"))).resolves.toBeUndefined();
});

describe("the outcome of a session", () => {
  const completed = ran(1, { status: "completed" }, "one");

  test("is that of its last run", () => {
    const { run } = openRun({}, [...completed, ...ran(2, { status: "stopped", reason: "veto" }, "two")]);
    expect(outcomeOf(run.session)).toMatchObject({ status: "stopped", reason: "veto", session: run.session });
    expect(outcomeOf(openRun({}, completed).run.session)).toMatchObject({ status: "completed", value: "one" });
  });

  test.each<[string, readonly RecordBody[]]>([
    ["has no run", []],
    ["has begun another run", [...completed, input(2, "two")]],
    ["is resumed after its process was killed", [input(1, "one"), { type: "resume" }]],
  ])("is undefined if the session %s", (_when, records) => {
    expect(outcomeOf(openRun({}, records).run.session)).toBeUndefined();
  });

  test("has the recorded cost; for an agent without prices it has none", () => {
    const spent = { iterations: 1, tokens: 1000, cost: 0.019 };
    const priced = completed.map((body) => (body.type === "reply" ? { ...body, spent } : body));
    const { run } = openRun({}, priced);
    expect(outcomeOf(run.session)).toMatchObject({ cost: 0.019, usage, iterations: 1 });
    expect(readLastOutcome(run)).not.toHaveProperty("cost");
    expect(outcomeOf(openRun({}, completed).run.session)).not.toHaveProperty("cost");
  });

  test("is refused for a value that is no session", () => {
    expect(() => outcomeOf("order-7" as never)).toThrow(expect.objectContaining({ code: "configuration" }));
  });
});

describe("an outcome from the journal", () => {
  const limits = { prices: { scripted: { input: 10, output: 100 } } };
  const spent = { iterations: 1, tokens: 1000, cost: 0.019 };

  test("has the account of its run, and the session as it is now", async () => {
    const records = ran(1, { status: "completed" }, "one").map((body) =>
      body.type === "reply" ? { ...body, spent } : body,
    );
    const { run } = openRun({ limits }, [...records, input(2, "two")]);
    const outcome = await readOutcome(run, isInput("one"));
    expect(outcome).toMatchObject({ usage, iterations: 1, cost: 0.019 });
    expect(outcome?.session.records).toHaveLength(6);
  });

  test.each([
    [
      { status: "stopped", reason: "veto", message: "not now" },
      { reason: "veto", message: "not now" },
    ],
    [{ status: "aborted", message: "ctrl-c" }, { message: "ctrl-c" }],
    [
      { status: "failed", reason: "model", message: "no such model" },
      { message: "no such model", fault: { code: "model" } },
    ],
  ] as const)("says of %j why, and what the model had said by then", async (end, expected) => {
    const { run } = openRun({}, ran(1, end, "one"));
    await expect(readOutcome(run, isInput("one"))).resolves.toMatchObject({
      status: end.status,
      partial: { text: "words of one" },
      ...expected,
    });
  });

  test("is not there for a run that the store broke off: whoever goes on has it", async () => {
    const broken = ran(1, { status: "failed", reason: "store", message: "disk full" }, "one");
    await expect(readOutcome(openRun({}, broken).run, isInput("one"))).resolves.toBeUndefined();
    const resumed = [{ type: "resume", life: "b" }, ...ran(1, { status: "completed" }, "more").slice(1)] as const;
    const { run } = openRun({}, [...broken, ...resumed]);
    await expect(readOutcome(run, isInput("one"))).resolves.toMatchObject({ status: "completed", value: "more" });
  });

  test("that was aborted has a message also if the session is of before, when none was kept", async () => {
    const { run } = openRun({}, ran(1, { status: "aborted" }, "one"));
    const outcome = await readOutcome(run, isInput("one"));
    expect(outcome?.status === "aborted" && outcome.message).toMatch(/\w/);
  });
});
