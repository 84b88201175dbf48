// The errors of calls to a server, in words for the model.

import { expect, test } from "vitest";
import { LastcallError } from "../../../src/index.js";
import { endFault, isAnswer, isTimeout, Refusal, toldError } from "../../../src/mcp/tools/call-faults.js";

const side = { subject: 'The MCP server "git"', timeout: 5000, ending: "it was ended by SIGKILL" };
const coded = (code: unknown): Error => Object.assign(new Error("words of the server"), { code });

test("an error with which the server answered is told in its words, and its outcome is known", () => {
  for (const code of [-32_603, "INVALID_RESULT", "UNSUPPORTED_RESULT_TYPE", "INPUT_REQUIRED_ROUNDS_EXCEEDED"]) {
    expect(isAnswer(coded(code))).toBe(true);
    expect(toldError(coded(code), side).message).toBe("words of the server");
  }
});

test("after a timeout, and after the end of the server, the outcome of the call is unknown", () => {
  expect([isTimeout(coded("REQUEST_TIMEOUT")), isAnswer(coded("REQUEST_TIMEOUT"))]).toEqual([true, false]);
  expect(toldError(coded("REQUEST_TIMEOUT"), side).message).toContain("within 5 s");
  for (const thrown of [coded("ECONNRESET"), coded(undefined), null, "words"])
    expect(toldError(thrown, side).message).toContain('The MCP server "git" ended during this call: it was ended by');
});

test("a call that was not made, and a fault, stay as they are", () => {
  for (const thrown of [new Refusal("no"), new LastcallError("provider_unavailable", "away")])
    expect(toldError(thrown, side)).toBe(thrown);
});

test("the fault of a server that ended leaves out its error output", () => {
  const fault = endFault("it ended with the code 7. The end of its error output:\nI am out of ink.");
  expect(fault).toMatchObject({ code: "provider_unavailable", message: "it ended (it ended with the code 7)" });
});
