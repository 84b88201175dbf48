import { expect, test } from "vitest";
import { finishOf, worseReason } from "../../../src/model/data/finish-reason.js";

test.each([
  ["stop", "complete"],
  ["STOP", "complete"],
  ["FINISH_REASON_STOP", "complete"],
  ["tool-calls", "complete"],
  ["function_call", "complete"],
  ["tool_use", "complete"],
  ["end_turn", "complete"],
  ["stop_sequence", "complete"],
  ["eos", "complete"],
  ["eos_token", "complete"],
  ["end", "complete"],
  ["COMPLETE", "complete"],
  ["length", "cut"],
  ["MAX_TOKENS", "cut"],
  ["model_length", "cut"],
  ["model_context_window_exceeded", "cut"],
  ["repetition", "cut"],
  ["pause_turn", "cut"],
  ["content_filter", "refused"],
  ["content-filter", "refused"],
  ["sensitive", "refused"],
  ["PROHIBITED_CONTENT", "refused"],
  ["MALFORMED_FUNCTION_CALL", "malformed"],
  ["UNEXPECTED_TOOL_CALL", "malformed"],
  ["abort", "broken"],
  ["network_error", "broken"],
  ["insufficient_system_resource", "broken"],
  ["error", "broken"],
  ["other", "unknown"],
  ["unknown", "unknown"],
  ["FINISH_REASON_UNSPECIFIED", "unknown"],
  ["a word of tomorrow", "unknown"],
  ["constructor", "unknown"],
  ["", "unknown"],
])("the finish reason %j says that the reply is %s", (reason, finish) => {
  expect(finishOf(reason)).toBe(finish);
});

test("a reply without a finish reason has nothing against it", () => {
  expect(finishOf(undefined)).toBe("complete");
});

test("of two reasons the later counts, unless the earlier weighs more", () => {
  expect(worseReason(undefined, "stop")).toBe("stop");
  expect(worseReason("stop", undefined)).toBe("stop");
  expect(worseReason("stop", "tool_calls")).toBe("tool_calls");
  expect(worseReason("length", "stop")).toBe("length");
  expect(worseReason("stop", "abort")).toBe("abort");
  expect(worseReason("length", "error")).toBe("length");
});
