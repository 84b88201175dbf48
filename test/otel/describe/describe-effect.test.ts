// The descriptions of requests, calls and checks.

import { expect, test } from "vitest";
import { noRedactor } from "../../../src/core/internal.js";
import type { JournalResult } from "../../../src/index.js";
import { attribute } from "../../../src/otel/data/names.js";
import {
  askingAttributes,
  describeCall,
  describeCheck,
  describeResult,
  describeVerdict,
} from "../../../src/otel/describe/describe-effect.js";

const open = { content: true, secrets: noRedactor };
const here = { session: "s", description: undefined };
const closed = { content: false, secrets: noRedactor };

function resultOf(kind: string | undefined): JournalResult {
  const failure = kind === undefined ? undefined : { kind, message: "It failed." };
  return { callId: "s/1/call:1:0", name: "end", ok: kind === undefined, text: "words", failure } as JournalResult;
}

test.each([
  ["s/1/call:3:0", 3],
  ["s/1/call:12:4:k3f9x2", 12],
  ["s/1/call:12:4/ask:1", undefined],
  ["anything", undefined],
])("the call %s is of the iteration %s", (id, iteration) => {
  const { attributes } = describeCall({ type: "call", id, name: "look", input: {} }, here, closed);
  expect(attributes[attribute.iteration]).toBe(iteration);
  expect(attribute.iteration in attributes).toBe(iteration !== undefined);
});

test.each(["check_failed", "claim_refused", "conflicting_calls"])("a claim that failed with %s was refused", (kind) => {
  expect(describeResult(resultOf(kind), closed)).toEqual({
    isError: true,
    attributes: { [attribute.errorType]: kind, [attribute.claim]: "refused" },
  });
});

test("a call that failed in another way refused no claim, and a call that went well has no error", () => {
  expect(describeResult(resultOf("tool_error"), closed)).toEqual({
    isError: true,
    attributes: { [attribute.errorType]: "tool_error" },
  });
  expect(describeResult(resultOf(undefined), closed)).toEqual({ isError: false, attributes: {} });
});

test("words of results, checks and questions are recorded only on demand", () => {
  const verdict = { passed: false, output: "one line" };
  const asked = { why: "it writes", rule: "write_file" };
  expect(describeResult(resultOf(undefined), open).attributes).toEqual({ [attribute.callResult]: "words" });
  expect(describeVerdict(verdict, open)).toEqual({
    isError: false,
    attributes: { [attribute.passed]: false, [attribute.checkOutput]: "one line" },
  });
  expect(describeVerdict(verdict, closed).attributes).toEqual({ [attribute.passed]: false });
  expect(askingAttributes(asked, 5, open)).toEqual({
    [attribute.waited]: 5,
    [attribute.reason]: "it writes",
    [attribute.rule]: "write_file",
  });
  expect(askingAttributes(asked, 5, closed)).toEqual({ [attribute.waited]: 5 });
});

test("the name of a check may be a command line, and hides its secrets", () => {
  const secrets = { ...noRedactor, text: (text: string) => text.replaceAll("k3y", "…") };
  const { name, attributes } = describeCheck(
    { check: "curl k3y", when: "claim", key: "k3y/1" },
    { content: true, secrets },
  );
  expect(JSON.stringify([name, attributes])).not.toContain("k3y");
  expect(name).toContain("curl …");
});
