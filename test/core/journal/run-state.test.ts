import { expect, test } from "vitest";
import type { JournalRecord } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import {
  beginsRun,
  runBoundaries,
  hasNoEnd,
  isFinalEnd,
  lastEnd,
  runState,
  vainResumes,
} from "../../../src/core/journal/run-state.js";
import { replay } from "../../../src/core/journal/step.js";
import { input, journal, replyOf, result } from "../journal.js";

type Type = JournalRecord["type"];

const definition = { model: "m", instructions: "i", tools: {}, checks: [] };
const parked = { callId: "a", name: "tool-a", input: {}, reason: "r", digest: "d" };
const shortened = { before: 0, tokens: 1 };

/** A record of each type. */
const samples: { readonly [One in Type]: Extract<RecordBody, { readonly type: One }> } = {
  input: { type: "input", run: 2, text: "more" },
  resume: { type: "resume" },
  approval: { type: "approval", answers: "a", allowed: true },
  answer: { type: "answer", answers: "a/ask:0", value: "yes" },
  outcome: { type: "outcome", status: "completed" },
  fork: { type: "fork", from: "s@1" },
  steer: { type: "steer", text: "quick", sent: "1" },
  reply: { type: "reply", iteration: 1, reply: replyOf(["a"]) },
  decision: { type: "decision", callId: "a", allowed: true, reason: "r" },
  parked: { type: "parked", ...parked },
  question: { type: "question", callId: "a", id: "a/ask:0", name: "tool-a", value: "?" },
  child: { type: "child", callId: "a" },
  intent: { type: "intent", callId: "a" },
  result: result("a") as Extract<RecordBody, { readonly type: "result" }>,
  "error-context": {
    type: "error-context",
    failure: { kind: "no_tool_call", signature: "s", message: "m", advice: "a" } as never,
  },
  baseline: { type: "baseline", begun: {} },
  check: { type: "check", when: "iteration", check: "c", passed: true, output: "", digest: "d", duration: 1 },
  spend: { type: "spend", spent: { iterations: 0, tokens: 1, cost: 0 } },
  claim: { type: "claim", callId: "a", by: "tool-a", ending: "completed", value: 1, receipts: [] },
  "hand-over": { type: "hand-over", callId: "a", speakers: ["b"], text: "t", definition },
  background: { type: "background", callId: "a", work: "bg-1" },
  "background-end": {
    type: "background-end",
    callId: "a",
    work: "bg-1",
    result: { callId: "a", name: "tool-a", ok: true, text: "" },
  },
  iteration: { type: "iteration", iteration: 1, failures: [], ephemeral: false },
  expiry: { type: "expiry", message: "m", elapsed: 1 },
  notice: { type: "notice", about: "stall", text: "t" },
  stub: { type: "stub", ...shortened },
  fold: { type: "fold", ...shortened, summary: "s", by: "rule" },
  prune: { type: "prune", ...shortened },
  overflow: { type: "overflow", message: "m" },
};
const types = Object.keys(samples) as Type[];
const waiting: RecordBody = { type: "outcome", status: "waiting" };

test.each(types.filter((type) => type !== "fork"))(
  "after a record %s a run has an end or none, as the state of the loop says",
  (type) => {
    for (const before of [[], [waiting], [waiting, samples.resume]]) {
      const records = journal([input(1, "go"), ...before, samples[type]]);
      expect(hasNoEnd(records)).toBe(replay(records).ended === undefined);
      expect(lastEnd(records)?.status).toBe(replay(records).ended);
      expect(runState(records)).toBe(replay(records).ended ?? "open");
    }
  },
);

test("the run of a fork rests until somebody asks that it goes on", () => {
  const fork = journal([input(1, "go"), samples.fork]);
  expect([runState(fork), hasNoEnd(fork), lastEnd(fork)]).toEqual(["aborted", false, undefined]);
  const asked = journal([input(1, "go"), samples.fork, samples.resume]);
  expect([runState(asked), hasNoEnd(asked)]).toEqual(["open", true]);
});

test("a run goes on with an input, a resume, an approval and an answer, and ends with an outcome", () => {
  expect(types.filter((type) => beginsRun(journal([samples[type]])[0]!))).toEqual([
    "input",
    "resume",
    "approval",
    "answer",
  ]);
  expect(types.filter((type) => runBoundaries.has(type))).toEqual([
    "input",
    "resume",
    "approval",
    "answer",
    "outcome",
    "fork",
  ]);
});

test.each(["completed", "waiting", "stopped", "aborted", "failed"] as const)("a run that is %s has ended", (status) => {
  const records = journal([input(1, "go"), { type: "outcome", status, reason: "timeout" }]);
  expect([runState(records), hasNoEnd(records), isFinalEnd(lastEnd(records)!)]).toEqual([status, false, true]);
});

test("a run that the store broke off has an end in the journal, and somebody has to go on with it", () => {
  const records = journal([input(1, "go"), { type: "outcome", status: "failed", reason: "store" }]);
  expect([runState(records), hasNoEnd(records), isFinalEnd(lastEnd(records)!)]).toEqual(["open", false, false]);
  expect(runState(journal([input(1, "go"), { type: "outcome", status: "stopped", reason: "store" }]))).toBe("stopped");
});

test("a session without a run has no state, and records within a run tell none", () => {
  for (const type of types.filter((one) => !runBoundaries.has(one)))
    expect([runState(journal([samples[type]])), hasNoEnd(journal([samples[type]]))]).toEqual([undefined, false]);
  expect([runState([]), hasNoEnd([]), lastEnd([])]).toEqual([undefined, false, undefined]);
});

test("a run was resumed in vain as often as since the record that got further", () => {
  const resume = samples.resume;
  expect(vainResumes(journal([input(1, "go")]))).toBe(0);
  expect(vainResumes(journal([input(1, "go"), resume, samples.notice, resume]))).toBe(2);
  for (const type of [
    "reply",
    "result",
    "approval",
    "answer",
    "steer",
    "check",
    "claim",
    "iteration",
    "outcome",
  ] as const)
    expect(vainResumes(journal([input(1, "go"), resume, resume, samples[type], resume])), type).toBe(1);
});
