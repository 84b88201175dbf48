// The errors of calls to a server, in words for the model.

import { expect, test } from "vitest";
import { LastcallError } from "../../../src/index.js";
import { endFault, endOf, Refusal, toldError } from "../../../src/mcp/tools/call-faults.js";

const side = { subject: 'The MCP server "git"', timeout: 5000, ending: "it was ended by SIGKILL" };
const coded = (code: unknown): Error => Object.assign(new Error("words of the server"), { code });
const answered = (status: number): Error => Object.assign(coded("CLIENT_HTTP_NOT_IMPLEMENTED"), { data: { status } });

test("an error with which the server answered is told in its words, and its outcome is known", () => {
  for (const code of [-32_603, "INVALID_RESULT", "UNSUPPORTED_RESULT_TYPE", "INPUT_REQUIRED_ROUNDS_EXCEEDED"]) {
    expect(endOf(coded(code))).toBe("answered");
    expect(toldError(coded(code), side).message).toBe("words of the server");
  }
});

test("after a timeout, after a failure and after the end of the server, the outcome of the call is unknown", () => {
  expect(toldError(coded("REQUEST_TIMEOUT"), side).message).toContain("within 5 s");
  for (const thrown of [coded("ECONNRESET"), coded(undefined), coded("EPIPE"), null, "words"])
    expect(toldError(thrown, side).message).toContain('The MCP server "git" ended during this call: it was ended by');
  for (const thrown of [coded("ECONNRESET"), coded(-31_999), answered(500), answered(504)])
    expect(toldError(thrown, { ...side, ending: "" }).message).toContain("outcome of the call is unknown");
});

test("a call that did not reach the server, or that it refused, is told as not made", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const both = Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" });
  const noHost = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const badCertificate = Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  for (const cause of [refused, both, noHost, badCertificate]) {
    const thrown = new TypeError("fetch failed", { cause });
    expect(endOf(thrown)).toBe("unsent");
    expect(toldError(thrown, side).message).toMatch(/can't be reached \(fetch failed.*Nothing was called/);
  }
  for (const status of [400, 401, 403, 404, 413, 429])
    expect(toldError(answered(status), side).message).toMatch(/refused the request with HTTP 4.*nothing was called/);
  const away = toldError(new LastcallError("provider_unavailable", "away."), side);
  expect(away.message).toBe("away. Nothing was called; the next call tries to reach it again.");
});

test("a call that was not made stays as it is", () => {
  const thrown = new Refusal("no");
  expect(toldError(thrown, side)).toBe(thrown);
});

test("the fault of a server that ended leaves out its error output", () => {
  const fault = endFault("it ended with the code 7. The end of its error output:\nI am out of ink.");
  expect(fault).toMatchObject({ code: "provider_unavailable", message: "it ended (it ended with the code 7)" });
});
