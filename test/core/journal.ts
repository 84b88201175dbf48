// Journals for tests: bodies of records in, records in, their parts made with few words.

import {
  failure,
  noUsage,
  type Call,
  type Failure,
  type FailureKind,
  type JournalRecord,
  type Reply,
  type Usage,
} from "../../src/core/index.js";
import type { CheckRecord, RecordBody } from "../../src/core/internal.js";

/** Numbers the records, from `first` on. */
export function journal(bodies: readonly RecordBody[], first = 0): readonly JournalRecord[] {
  return bodies.map((body, index) => ({ ...body, seq: first + index, at: 1000 + first + index }));
}

/** A failure of a kind, its message telling it from others. */
export function failed(kind: FailureKind, message: string = kind): Failure {
  return failure(kind, { message, advice: "Do better." });
}

/** A whole reply with calls of these ids. */
export function replyOf(
  callIds: readonly string[],
  { text = "", finish = "complete", usage = noUsage }: { text?: string; finish?: Reply["finish"]; usage?: Usage } = {},
): Reply {
  const calls = callIds.map((id): Call => ({ type: "call", id, name: `tool-${id}`, input: {} }));
  return { text, calls, finish, usage };
}

/** The user's words. */
export function input(run: number, text: string, answers?: string): RecordBody {
  return { type: "input", run, text, ...(answers !== undefined && { answers }) };
}

/** A reply with calls of these ids. */
export function reply(iteration: number, callIds: readonly string[], text = ""): RecordBody {
  return { type: "reply", iteration, reply: replyOf(callIds, { text }) };
}

/** The result of a call: that it went well, or why not. */
export function result(callId: string, why?: Failure): RecordBody {
  const name = `tool-${callId}`;
  if (why === undefined) return { type: "result", result: { callId, name, ok: true, text: `result of ${callId}` } };
  return { type: "result", result: { callId, name, ok: false, text: `failure of ${callId}`, failure: why } };
}

/** A check was run: at the claim with this id where there is one, or when else it was. */
export function checked(
  passed: boolean,
  at: { readonly claim: string } | { readonly when: "baseline" | "iteration" },
  more: Partial<Pick<CheckRecord, "check" | "output" | "judged" | "kind" | "changed" | "spent">> = {},
): RecordBody {
  const whence = "claim" in at ? { when: "claim" as const, callId: at.claim } : at;
  return { type: "check", ...whence, check: "npm test", passed, output: "said", digest: "d", duration: 7, ...more };
}

/** The end of an iteration. */
export function iteration(number: number, failures: readonly Failure[] = [], ephemeral = false): RecordBody {
  return { type: "iteration", iteration: number, failures: failures.map(({ signature }) => signature), ephemeral };
}
