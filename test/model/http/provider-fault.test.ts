import { createServer } from "node:net";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { describe, expect, it } from "vitest";
import { LastcallError } from "../../../src/core/index.js";
import { faultOf, faultOfFrame } from "../../../src/model/http/provider-fault.js";
import { direct, listening, requestTo, textOf } from "../transport/servers.js";

const where = "https://llm.test/v1";

/** The fault for an HTTP error as the openai client throws it. */
function answered(status: number, error: object = {}, headers: Readonly<Record<string, string>> = {}): LastcallError {
  return faultOf(APIError.generate(status, { error }, undefined, new Headers(headers)), where);
}

describe("the fault for an HTTP error", () => {
  it.each([
    [400, "provider_rejected"],
    [401, "authentication"],
    [403, "authentication"],
    [404, "provider_rejected"],
    [405, "provider_rejected"],
    [408, "provider_unavailable"],
    [409, "provider_unavailable"],
    [413, "context_overflow"],
    [422, "provider_rejected"],
    [425, "provider_unavailable"],
    [429, "provider_unavailable"],
    [500, "provider_unavailable"],
    [502, "provider_unavailable"],
    [503, "provider_unavailable"],
    [504, "provider_unavailable"],
    [529, "provider_unavailable"],
  ])("%i is %s", (status, code) => {
    const fault = answered(status, { message: "Something." });
    expect(fault.code).toBe(code);
    expect(fault.status).toBe(status);
  });

  it("says who said what, and keeps the error", () => {
    const fault = answered(500, { message: "The backend is down." });
    expect(fault).toBeInstanceOf(LastcallError);
    expect(fault.message).toContain(`The provider at ${where} said: `);
    expect(fault.message).toContain("The backend is down.");
    expect(fault.cause).toBeInstanceOf(APIError);
  });

  it("says what to do where something can be done", () => {
    expect(answered(401).message).toContain("Check the key");
    expect(answered(404).message).toContain("will be refused again");
  });

  it.each([
    ["This model's maximum context length is 128000 tokens.", "context_length_exceeded"],
    ["the request exceeds the available context length", "invalid_request_error"],
    ["Input is longer than the context window of this model", null],
  ])("is context_overflow where it says %j", (message, code) => {
    expect(answered(400, { message, code }).code).toBe("context_overflow");
  });

  it("is provider_rejected for a quota that is spent: waiting does not help", () => {
    const fault = answered(429, { message: "You exceeded your current quota.", code: "insufficient_quota" });
    expect(fault.code).toBe("provider_rejected");
    expect(fault.message).toContain("plan");
  });
});

describe("the wait a provider asks for", () => {
  it("is read from Retry-After in seconds", () => {
    expect(answered(429, {}, { "retry-after": "7" }).retryAfterMs).toBe(7000);
    expect(answered(503, {}, { "retry-after": "0.5" }).retryAfterMs).toBe(500);
    expect(answered(429, {}, { "retry-after": "0" }).retryAfterMs).toBe(0);
  });

  it("is read from retry-after-ms first", () => {
    expect(answered(429, {}, { "retry-after-ms": "1500", "retry-after": "7" }).retryAfterMs).toBe(1500);
  });

  it("is read from Retry-After as a date", () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    const wait = answered(429, {}, { "retry-after": inTenSeconds }).retryAfterMs;
    expect(wait).toBeGreaterThan(7000);
    expect(wait).toBeLessThanOrEqual(10_000);
  });

  it("is none before now", () => {
    expect(answered(429, {}, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }).retryAfterMs).toBe(0);
    expect(answered(429, {}, { "retry-after": "-5" }).retryAfterMs).toBe(0);
  });

  it("is unknown where it says nothing that can be read", () => {
    expect(answered(429).retryAfterMs).toBeUndefined();
    expect(answered(429, {}, { "retry-after": "soon" }).retryAfterMs).toBeUndefined();
  });
});

describe("a limit", () => {
  const perDay = { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] };
  const delay = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" };

  it("is waited for as long as its body says, and a header is believed first", () => {
    const words = { message: "Rate limit reached. Please try again in 1.2s." };
    expect(answered(429, words)).toMatchObject({ code: "provider_unavailable", retryAfterMs: 1200 });
    expect(answered(429, words, { "retry-after": "7" }).retryAfterMs).toBe(7000);
    expect(answered(503, { message: "busy", retry_after: 2 }).retryAfterMs).toBe(2000);
    expect(answered(429, { message: "quota", details: [delay] }).retryAfterMs).toBe(34_500);
  });

  it("that is used up is provider_rejected, whatever wait is named", () => {
    for (const fault of [
      answered(429, { message: "You exceeded your current quota. Retry in 34s.", details: [delay, perDay] }),
      answered(429, { message: "Your account is suspended.", type: "exceeded_current_quota_error" }),
      answered(402, { message: "Insufficient Balance" }),
      faultOfFrame({ message: "You exceeded your current quota.", code: "insufficient_quota" }, where),
    ]) {
      expect(fault.code).toBe("provider_rejected");
      expect(fault.message).toContain("plan");
    }
  });

  it("in the midst of a stream is waited for, too", () => {
    const frame = { message: "Slow down.", code: 429, details: [delay] };
    expect(faultOfFrame(frame, where)).toMatchObject({ code: "provider_unavailable", retryAfterMs: 34_500 });
    const inWords = { message: "Please try again in 2s", type: "tokens", code: "rate_limit_exceeded" };
    expect(faultOfFrame(inWords, where)).toMatchObject({ status: 429, retryAfterMs: 2000 });
  });
});

describe("the fault for a connection", () => {
  it("that was refused may pass, and names the innermost reason", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" });
    const failed = new TypeError("fetch failed", { cause: refused });
    const fault = faultOf(new APIConnectionError({ message: "Connection error.", cause: failed }), where);
    expect(fault.code).toBe("provider_unavailable");
    expect(fault.message).toContain("ECONNREFUSED 127.0.0.1:9");
    expect(fault.status).toBeUndefined();
    expect(fault.retryAfterMs).toBeUndefined();
  });

  it("names the code of the innermost reason where its words do not", () => {
    const inner = Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" });
    const cause = new TypeError("fetch failed", { cause: inner });
    const { message } = faultOf(new APIConnectionError({ message: "Connection error.", cause }), where);
    expect(message).toBe(
      `The provider at ${where} said: Connection error. (UND_ERR_CONNECT_TIMEOUT: Connect Timeout Error)`,
    );
  });

  it("that timed out or broke may pass", () => {
    expect(faultOf(new APIConnectionTimeoutError(), where).code).toBe("provider_unavailable");
    const reset = new TypeError("terminated", {
      cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
    });
    const fault = faultOf(reset, where);
    expect(fault.code).toBe("provider_unavailable");
    expect(fault.message).toContain("UND_ERR_SOCKET: other side closed");
  });

  it.each([
    ["Chromium", "Failed to fetch"],
    ["Chromium, in the body", "network error"],
    ["Firefox", "NetworkError when attempting to fetch resource."],
    ["Safari", "Load failed"],
    ["workerd", "Network connection lost."],
    ["Deno", "error sending request for url (http://127.0.0.1:9/token)"],
    ["Bun", "Unable to connect. Is the computer able to access the url?"],
  ])("may pass in the words of %s, which were a bug of ours", (_runtime, words) => {
    expect(faultOf(new TypeError(words), where).code).toBe("provider_unavailable");
    expect(faultOf(new TypeError(`It is no ${words}`), where).code).toBe("bug");
  });

  it.each([
    ["no HTTP", "HTTQ/1.1 200 OK\r\n\r\n"],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-le"],
    ["a broken chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}"],
    ["broken gzip", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"],
    ["broken brotli", "HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 2\r\n\r\n{}"],
  ])("that answered with %s may pass", async (_what, answer) => {
    const url = await listening(createServer((socket) => void socket.on("data", () => socket.end(answer))));
    const text = direct(requestTo(url), new AbortController().signal).then(textOf);
    const thrown: unknown = await text.catch((error: unknown) => error);
    expect(faultOf(thrown, where).code).toBe("provider_unavailable");
  });

  it("stays as it is where it is a fault already", () => {
    const fault = new LastcallError("provider_unavailable", "The provider sent nothing for 120 s.");
    expect(faultOf(fault, where)).toBe(fault);
  });

  it("is a fault also where what was thrown is no error", () => {
    for (const thrown of [undefined, null, "broken", { odd: true }]) {
      expect(faultOf(thrown, where)).toBeInstanceOf(LastcallError);
    }
  });
});

describe("the fault for an error frame", () => {
  it.each<[string, unknown, string]>([
    ["a code that is a status", { code: 429, message: "Slow down." }, "provider_unavailable"],
    ["a status", { status: 400, message: "Bad." }, "provider_rejected"],
    ["a status of the server", { code: 502, message: "Upstream." }, "provider_unavailable"],
    ["a code for the context", { code: "context_length_exceeded", message: "Too long." }, "context_overflow"],
    ["a code for the key", { code: 401, message: "No." }, "authentication"],
    ["words only", { message: "overloaded" }, "provider_unavailable"],
    ["a text", "overloaded", "provider_unavailable"],
  ])("with %s", (_what, error, code) => {
    expect(faultOfFrame(error, where).code).toBe(code);
  });

  it("says who said what, and keeps the frame", () => {
    const frame = { code: 502, message: "Upstream is gone." };
    const fault = faultOfFrame(frame, where);
    expect(fault.message).toBe(`The provider at ${where} said: Upstream is gone.`);
    expect(fault.status).toBe(502);
    expect(fault.cause).toBe(frame);
    expect(faultOfFrame("overloaded", where).message).toContain("overloaded");
  });
});
