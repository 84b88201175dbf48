// A sample session for the memory's conformance cases, divided into steps. It has the records that the loop adds most often.

import { failure, noUsage, type FailureKind, type JournalRecord, type Session } from "../../core/index.js";
import type { RecordBody } from "../../core/internal.js";

/** The time of the first record, in milliseconds since 1970. */
const firstTime = 1_700_000_000_000;

/** Records that are appended between two recalls. */
export type SessionStep = readonly JournalRecord[];

/** The steps of the sample session. */
export function sampleSteps(): readonly SessionStep[] {
  let seq = 0;
  const stamp = (body: RecordBody): JournalRecord => {
    const record = { ...body, seq, at: firstTime + seq };
    seq += 1;
    return record;
  };
  return bodies.map((step) => step.map(stamp));
}

/** A session with the records of the first `end` steps. */
export function sampleSession(end: number): Session {
  return { version: 1, id: "sample", records: sampleSteps().slice(0, end).flat() };
}

/** The input of a run. `answers` is the id of the waiting call that it answers. */
function input(run: number, text: string, answers?: string): RecordBody {
  return { type: "input", run, text, ...(answers !== undefined && { answers }) };
}

function idOf(run: number, iteration: number, index: number): string {
  return `sample/${String(run)}/call:${String(iteration)}:${String(index)}`;
}

/** A reply with `count` calls. */
function reply(run: number, iteration: number, count: number, text = ""): RecordBody {
  const calls = Array.from({ length: count }, (_none, index) => ({
    type: "call" as const,
    id: idOf(run, iteration, index),
    name: `tool_${String(index)}`,
    input: { index },
  }));
  return { type: "reply", iteration, reply: { text, calls, finish: "complete", usage: noUsage } };
}

function failureOf(kind: FailureKind): ReturnType<typeof failure> {
  return failure(kind, { message: kind, advice: "Do better." });
}

/**
 * The records of one call. It succeeds, or it fails with the given kind. A failed call has only its result here; a real journal may also
 * have its decision and intent.
 */
function result(run: number, iteration: number, index: number, kind?: FailureKind): readonly RecordBody[] {
  const callId = idOf(run, iteration, index);
  const name = `tool_${String(index)}`;
  if (kind !== undefined) {
    return [{ type: "result", result: { callId, name, ok: false, text: `ERROR ${kind}`, failure: failureOf(kind) } }];
  }
  return [
    { type: "decision", callId, allowed: true, reason: "yes" },
    { type: "intent", callId },
    { type: "result", result: { callId, name, ok: true, text: `result of ${callId}` } },
  ];
}

function close(iteration: number, kinds: readonly FailureKind[] = [], ephemeral = false): RecordBody {
  return { type: "iteration", iteration, failures: kinds.map((kind) => failureOf(kind).signature), ephemeral };
}

/** A session with twelve iterations, each with a long result. The first run is aborted after six iterations, and a second run follows. */
export function longSession(): Session {
  const iterations = Array.from({ length: 12 }, (_none, index): readonly RecordBody[] => {
    const run = index < 6 ? 1 : 2;
    const iteration = index < 6 ? index + 1 : index - 5;
    const callId = idOf(run, iteration, 0);
    const text = `line ${String(index)} of many\n`.repeat(100);
    const startsSecondRun = index === 6;
    return [
      ...(startsSecondRun ? [{ type: "outcome", status: "aborted" } as const, input(2, "And the latest.")] : []),
      reply(run, iteration, 1),
      { type: "result", result: { callId, name: "tool_0", ok: true, text } },
      close(iteration),
    ];
  });
  const records = [input(1, "The task."), ...iterations.flat()];
  return {
    version: 1,
    id: "sample",
    records: records.map((body, seq) => ({ ...body, seq, at: firstTime + seq })),
  };
}

/** An iteration whose reply has text but no call. */
function textOnly(run: number, iteration: number): readonly RecordBody[] {
  const text = "I think I am done.";
  return [
    reply(run, iteration, 0, text),
    { type: "error-context", failure: failureOf("no_tool_call") },
    close(iteration, ["no_tool_call"], true),
  ];
}

/** The last records of a run: an iteration with an accepted loop-breaking call, and the outcome. */
function claim(
  run: number,
  iteration: number,
  { ending, ...expiry }: { readonly ending: "completed" | "waiting"; readonly expiresAt?: number },
): readonly RecordBody[] {
  const callId = idOf(run, iteration, 0);
  return [
    reply(run, iteration, 1),
    { type: "decision", callId, allowed: true, reason: "yes" },
    {
      type: "claim",
      callId,
      by: "tool_0",
      ending,
      value: { words: "?" },
      receipts: [],
      ...expiry,
    },
    close(iteration),
    { type: "outcome", status: ending },
  ];
}

/**
 * The records of five runs. Each inner list is a step, and some steps contain the end of one run and the input of the next. The first
 * run has successful calls, a streak of failed iterations with recovery, a tool error and a question. The second has the answer, a
 * notice and a streak of failed iterations that ends it. The third has a denied call. The fourth has a message of the user within such
 * a streak, and a question that is not answered in time. The fifth has only its input.
 */
const bodies: readonly (readonly RecordBody[])[] = [
  [input(1, "Go.")],
  [reply(1, 1, 2, "First."), ...result(1, 1, 0), ...result(1, 1, 1), close(1)],
  textOnly(1, 2),
  [reply(1, 3, 1), ...result(1, 3, 0, "invalid_arguments"), close(3, ["invalid_arguments"], true)],
  [reply(1, 4, 2), ...result(1, 4, 0, "unknown_tool"), ...result(1, 4, 1), close(4, ["unknown_tool"])],
  [reply(1, 5, 1), ...result(1, 5, 0, "tool_error"), close(5, ["tool_error"])],
  [...claim(1, 6, { ending: "waiting" }), input(2, "My answer.", idOf(1, 6, 0))],
  [
    reply(2, 1, 1),
    ...result(2, 1, 0),
    close(1),
    { type: "notice", about: "stall", text: "You have done that before." },
  ],
  textOnly(2, 2),
  textOnly(2, 3),
  [...textOnly(2, 4), { type: "outcome", status: "stopped", reason: "circuit_open" }, input(3, "Once more.")],
  [reply(3, 1, 1), ...result(3, 1, 0, "denied"), close(1, ["denied"])],
  [...claim(3, 2, { ending: "completed" }), input(4, "And now?")],
  textOnly(4, 1),
  [{ type: "steer", text: "By the way.", sent: "sent-1" }],
  textOnly(4, 2),
  [reply(4, 3, 1), ...result(4, 3, 0), close(3)],
  [
    ...claim(4, 4, { ending: "waiting", expiresAt: 0 }),
    { type: "input", run: 5, text: "Something else.", lapses: idOf(4, 4, 0) },
  ],
];
