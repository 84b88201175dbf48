// The journal's word about a delivery that comes again.

import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import type { Work } from "../../../src/host/delivery/delivery.js";
import { hasCall, isAsked, deliveryState } from "../../../src/host/delivery/delivery-state.js";

/** Records of these contents, numbered and a millisecond apart. */
function journal(...contents: readonly object[]): readonly JournalRecord[] {
  return contents.map((content, seq) => ({ ...content, seq, at: seq + 1 }) as JournalRecord);
}

const input = (sent: string): object => ({ type: "input", run: 1, text: "Go.", sent });
const steer = (sent: string): object => ({ type: "steer", text: "And more.", sent });
const end = (status: string, reason?: string): object => ({ type: "outcome", status, message: "", reason });
const told = (records: readonly JournalRecord[], brought: Partial<Work>): string => {
  const word = deliveryState(records, { session: "s", ...brought });
  return word.kind === "ended" ? `ended ${word.outcome.status}` : word.kind;
};

describe("an input that comes again", () => {
  const go = { input: "Go.", inputId: "1" };

  test("is new until its run began, open until that run has an end, and then has this end", () => {
    expect(told(journal(), go)).toBe("new");
    expect(told(journal(input("0"), end("aborted")), go)).toBe("new");
    expect(told(journal(input("0"), end("aborted"), input("1")), go)).toBe("open");
    expect(told(journal(input("1"), end("aborted"), input("2")), go)).toBe("ended aborted");
    expect(told(journal(input("0"), steer("1"), end("aborted")), go)).toBe("ended aborted");
  });

  test("counts as open after a failure of the store, and after no other failure", () => {
    expect(told(journal(input("1"), end("failed", "store")), go)).toBe("open");
    expect(told(journal(input("1"), end("failed", "authentication")), go)).toBe("ended failed");
    const gone = journal(input("1"), end("failed", "store"), { type: "resume" }, end("aborted"));
    expect(told(gone, go)).toBe("ended aborted");
  });
});

test("a delivery without an input is about the last run, or about a run that began before a number", () => {
  const records = journal(input("1"), end("aborted"), input("2"));
  expect(told(records, {})).toBe("open");
  expect(deliveryState(records, { session: "s", before: 2 }).kind).toBe("ended");
  expect(deliveryState(records, { session: "s", before: 3 }).kind).toBe("open");
  expect(told(journal(), {})).toBe("new");
});

test("a resume is about the first record that went on from its number", () => {
  const records = journal(input("1"), end("aborted"), { type: "resume" });
  expect(told(records, { resumeFrom: 2 })).toBe("open");
  expect(told(records, { resumeFrom: 1 })).toBe("ended aborted");
  expect(told(records, { resumeFrom: 3 })).toBe("new");
});

test("a call is known by its id, and by the id of a question that it asks", () => {
  const records = journal({ type: "reply", reply: { calls: [{ id: "s/1/call:1:0" }] } });
  for (const id of ["s/1/call:1:0", "s/1/call:1:0/ask:2"]) expect(hasCall(records, id)).toBe(true);
  for (const id of ["s/1/call:1:1", "s/1/call:1:0/ask:x", ""]) expect(hasCall(records, id)).toBe(false);
});

test("a question, an approval and a claim are asked, and a call that only ran is not", () => {
  const records = journal(
    { type: "question", id: "a/ask:1", callId: "a" },
    { type: "parked", callId: "b" },
    { type: "claim", callId: "c" },
    { type: "result", result: { callId: "d" } },
  );
  expect(["a/ask:1", "b", "c"].map((id) => isAsked(records, id))).toEqual([true, true, true]);
  expect(["a", "a/ask:2", "d"].map((id) => isAsked(records, id))).toEqual([false, false, false]);
});
