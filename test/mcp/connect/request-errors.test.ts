// Errors of requests, told apart.

import { expect, test } from "vitest";
import { LastcallError } from "../../../src/index.js";
import { isSessionOver, reasonOf, statusOf, wasNotSent } from "../../../src/mcp/connect/request-errors.js";

const coded = (code: unknown, more: object = {}): Error => Object.assign(new Error("words"), { code, ...more });
const http = (status: number, words = "words"): Error =>
  Object.assign(new Error(words), { code: "CLIENT_HTTP_NOT_IMPLEMENTED", data: { status } });

test("the status of an answer is where the package puts it", () => {
  expect([statusOf(http(404)), statusOf({ status: 401 }), statusOf(coded(-1, { data: { status: "x" } }))]).toEqual([
    404,
    401,
    undefined,
  ]);
  for (const thrown of [null, undefined, "words", new Error("words")]) expect(statusOf(thrown)).toBeUndefined();
});

test("a request was not sent if its innermost cause says so, at each address", () => {
  const refused = coded("ECONNREFUSED");
  const wrapped = (cause: unknown): Error => new TypeError("fetch failed", { cause });
  expect(wasNotSent(wrapped(refused))).toBe(true);
  expect(wasNotSent(wrapped(Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" })))).toBe(
    true,
  );
  const partly = Object.assign(new AggregateError([refused, coded("ECONNRESET")]), { code: "ECONNREFUSED" });
  for (const cause of [partly, coded("ECONNRESET"), coded("UND_ERR_SOCKET"), coded("EPIPE"), undefined])
    expect(wasNotSent(wrapped(cause))).toBe(false);
});

test("a session is over at 404, and at other refusals that speak of it", () => {
  for (const thrown of [
    http(404),
    http(400, "No valid session ID"),
    Object.assign(new Error("Session not found"), { code: -32_001 }),
  ])
    expect(isSessionOver(thrown)).toBe(true);
  for (const thrown of [http(400), http(500, "session"), coded(-32_001), new Error("session"), null])
    expect(isSessionOver(thrown)).toBe(false);
});

test("the reason has the words of the innermost cause", () => {
  const inner = new Error("connect ECONNREFUSED");
  expect(reasonOf(new TypeError("fetch failed", { cause: inner }))).toBe("fetch failed: connect ECONNREFUSED");
  expect(reasonOf(inner)).toBe("connect ECONNREFUSED");
  expect(reasonOf(new LastcallError("provider_unavailable", "it ended", { cause: inner }))).toBe("it ended");
  expect(reasonOf("words")).toBe("words");
});
