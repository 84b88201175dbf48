import { describe, expect, test } from "vitest";
import { readApproval } from "../../../src/core/agent/read-approval.js";
import type { Input } from "../../../src/core/agent/answer.js";
import type { ParkedRecord } from "../../../src/core/internal.js";

const parked: ParkedRecord = {
  type: "parked",
  callId: "c",
  name: "pay",
  input: {},
  reason: "it costs money",
  digest: "abc",
};

describe("the answer to a parked call", () => {
  test.each<[Input, object]>([
    [{ allowed: true }, { answers: "c", allowed: true }],
    [
      { allowed: true, reason: "fine", always: true, digest: "abc" },
      { answers: "c", allowed: true, reason: "fine", always: true },
    ],
    [
      { allowed: true, reason: " " },
      { answers: "c", allowed: true },
    ],
    [
      { allowed: false, always: true },
      { answers: "c", allowed: false },
    ],
    ["wait", { answers: "c", allowed: false, reason: "the user said no, and: wait", text: "wait" }],
    ["yes", { answers: "c", allowed: false, reason: "the user said no, and: yes", text: "yes" }],
  ])("%j is read as %j", (input, answer) => {
    expect(readApproval(parked, input, "c")).toEqual(answer);
    expect(readApproval(parked, input, undefined)).toEqual(answer);
  });

  test.each<[Input, string | undefined, string]>([
    [{ allowed: true }, "d", "does not wait for an answer to d: it waits for an approval of c (pay)"],
    [{ allowed: true, digest: "abd" }, "c", "with the digest abd"],
    [{ size: 3 }, "c", "allowed is neither true nor false; there is no field size"],
  ])("%j for %j is refused", (input, answers, words) => {
    expect(() => readApproval(parked, input, answers)).toThrow(words);
  });
});
