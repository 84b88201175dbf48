// The rows of a session, made from the records of real runs.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { Timeline } from "../../../src/studio/data/timeline.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const read = tool({
  name: "read",
  description: "Reads",
  input: z.object({ path: z.string() }),
  effect: "read",
  run: ({ path }) => {
    if (path === "gone") throw new Error("there is no such file");
    return `content of ${path}`;
  },
});
const write = tool({
  name: "write",
  description: "Writes",
  input: z.object({}),
  effect: "write",
  run: () => "written",
});

async function recordsOf(
  script: readonly Step[],
  inputs: readonly string[] = ["go"],
): Promise<readonly JournalRecord[]> {
  const session = openSession({ store: memoryStore(), id: "s" });
  const agent = createAgent({
    model: scriptedModel(script),
    tools: [read, write, askQuestion(), taskCompletion()],
    permission: () => ({ later: true, reason: "it changes a file" }),
    checks: [{ name: "tests", verify: async () => ({ passed: true, output: "12 passed" }) }],
  });
  for (const input of inputs) await agent.run(input, { session });
  return (await session.toJSON()).records;
}

function timelineOf(records: readonly JournalRecord[]): Timeline {
  const timeline = new Timeline();
  for (const record of records) timeline.add(record);
  return timeline;
}

describe("a timeline", () => {
  test("has a row for each iteration, with its calls, their results and its checks", async () => {
    const { rows, iterations } = timelineOf(
      await recordsOf([
        [call("read", { path: "a" }), call("read", { path: "gone" })],
        [call("task_completion", { result: "Done." })],
      ]),
    );
    const [first, second] = iterations;
    expect(first?.calls).toMatchObject([
      { name: "read", arguments: '{"path":"a"}', result: { ok: true, text: "content of a" } },
      { name: "read", result: { ok: false, failure: "tool_error" } },
    ]);
    expect(first?.failures.length).toBe(1);
    expect(second).toMatchObject({ iteration: 2, checks: [{ check: "tests", passed: true, output: "12 passed" }] });
    expect(rows.map((row) => (row.kind === "iteration" ? row.iteration : row.label))).toEqual([
      ...["input", "check passed", "notice", 1, 2, "claim, held", "completed"],
    ]);
  });

  test("says of a claim that nothing checked it", async () => {
    const records = await recordsOf([[call("task_completion", { result: "Done." })]]);
    expect(timelineOf(records).rows.at(-2)).toMatchObject({ label: "claim, held", tone: "plain" });
    const unchecked = records.map((record) => (record.type === "claim" ? { ...record, receipts: [] } : record));
    expect(timelineOf(unchecked).rows.at(-2)).toMatchObject({
      label: "claim, unchecked",
      text: "Done.",
      tone: "plain",
    });
  });

  test("has the diff that the arguments of an edit state", async () => {
    const input = { path: "a", edits: [{ search: "old", replace: "new" }] };
    const records = await recordsOf([[call("edit_file", input), call("read", { path: "a" })]]);
    expect(timelineOf(records).iterations[0]?.calls.map(({ change }) => change)).toEqual(["-old\n+new", undefined]);
  });

  test("says what waits: a question, and a call that needs an approval", async () => {
    const asked = timelineOf(await recordsOf([[call("ask_question", { question: "Which one?" })]]));
    expect(asked.rows.slice(-2)).toMatchObject([
      { label: "question", text: "Which one?", tone: "wait" },
      { label: "waiting", tone: "wait" },
    ]);
    const parked = timelineOf(await recordsOf([[call("write", {})]]));
    expect(parked.rows.find((row) => row.kind === "event" && row.type === "parked")).toMatchObject({
      ...{ label: "needs approval", text: "write: it changes a file" },
    });
  });

  test("goes on where it is when records come one by one", async () => {
    const records = await recordsOf(
      [[call("ask_question", { question: "Which one?" })], [call("task_completion", { result: "The first." })]],
      ["go", "the first"],
    );
    const half = timelineOf(records.slice(0, 5));
    for (const record of records.slice(5)) half.add(record);
    expect(half.rows).toEqual(timelineOf(records).rows);
    expect(half.last).toBe(records.at(-1)?.seq);
    expect(half.rows.filter((row) => row.kind === "event" && row.label === "answer")).toMatchObject([
      { text: "the first", tone: "user" },
    ]);
  });

  test("says since when a reply was asked for, and takes the record before it in an older journal", async () => {
    const records = await recordsOf([[call("task_completion", { result: "Done." })]]);
    const at = records.findIndex(({ type }) => type === "reply");
    const before = records[at - 1]!.at;
    const asking = (asked: number | undefined) =>
      records.map((record, index) => (index === at ? ({ ...record, asked } as JournalRecord) : record));
    expect(timelineOf(asking(before + 7)).iterations[0]?.asked).toBe(before + 7);
    expect(timelineOf(asking(undefined)).iterations[0]?.asked).toBe(before);
  });

  test("takes the same time for each record, however long the session is", async () => {
    const records = await recordsOf([[call("task_completion", { result: "Done." })]]);
    const many = Array.from({ length: 20_000 }, (_, at) => ({ ...records[at % records.length]!, seq: at }));
    const timeline = new Timeline();
    const time = (part: readonly JournalRecord[]): number => {
      const began = performance.now();
      for (const record of part) timeline.add(record);
      return performance.now() - began;
    };
    time(many.slice(0, 5000));
    const early = time(many.slice(5000, 10_000));
    time(many.slice(10_000, 15_000));
    expect(time(many.slice(15_000))).toBeLessThan(20 * early + 50);
  });
});
