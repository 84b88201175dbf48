import { describe, expect, test } from "vitest";
import { isUsedUp, statedWait } from "../../../src/model/data/stated-wait.js";
import { processorTime } from "../../processor-time.js";

describe("the wait that a body names", () => {
  const google = (retryDelay: unknown): object => ({
    details: [{ "@type": "type.googleapis.com/google.rpc.Help" }, { "@type": "RetryInfo", retryDelay }],
  });

  test.each<[object, number]>([
    [google("34.074824224s"), 34_075],
    [google({ seconds: "2", nanos: 500_000_000 }), 2500],
    [{ retry_after: 3 }, 3000],
    [{ retry_after: "3" }, 3000],
    [{ retryAfter: "1.5s" }, 1500],
    [{ retry_after_ms: 250 }, 250],
    [{ metadata: { retry_after_seconds: 7 } }, 7000],
    [{ metadata: { headers: { "Retry-After": "9" } } }, 9000],
    [{ metadata: { headers: { "X-RateLimit-Reset": "12" } } }, 12_000],
    [{ metadata: { raw: JSON.stringify({ error: google("4s") }) } }, 4000],
    [{ metadata: { raw: { retry_after: 2 } } }, 2000],
  ])("%j is %i ms", (error, wait) => {
    expect(statedWait(error as Readonly<Record<string, unknown>>, "slow down")).toBe(wait);
  });

  test.each([
    ["Rate limit reached: Limit 15000, Used 14000, Requested 4000. Please try again in 1.2s.", 1200],
    ["Please try again in 7m12.5s. Visit https://example.org", 432_500],
    ["Please try again in 20ms.", 20],
    ["Please retry in 34.07s.", 34_070],
    ["Requests have exceeded the rate limit. Please retry after 6 seconds.", 6000],
    ["Please retry your request after 2 minutes and 30 seconds", 150_000],
    ["try again in 1 hour, 5 minutes", 3_900_000],
    ["Please wait 10 seconds", 10_000],
    ['upstream: {"retryDelay": "5s"}', 5000],
  ])("%j is %i ms", (message, wait) => {
    expect(statedWait({}, message)).toBe(wait);
  });

  test.each([
    "Please try again later",
    "Please retry after 3 attempts",
    "It failed after 3 s. Try again.",
    "try again in a moment",
    "wait 5 messages",
    "",
  ])("%j names none", (message) => {
    expect(
      statedWait({ retry_after: "soon", metadata: { raw: "no JSON", headers: null }, details: "x" }, message),
    ).toBeUndefined();
  });

  test("until a time is the rest of it", () => {
    const inAMinute = Date.now() + 60_000;
    for (const reset of [inAMinute, Math.ceil(inAMinute / 1000)]) {
      const wait = statedWait({ metadata: { headers: { "X-RateLimit-Reset": String(reset) } } }, "");
      expect(wait).toBeGreaterThan(58_000);
      expect(wait).toBeLessThanOrEqual(61_000);
    }
    expect(statedWait({ "x-ratelimit-reset": 1_600_000_000 }, "")).toBe(0);
  });

  test("is looked for in linear time", () => {
    const spent = processorTime();
    expect(statedWait({}, "retry in 1".repeat(20_000) + " 1".repeat(20_000))).toBeUndefined();
    expect(statedWait({}, `try again in ${"1s ".repeat(20_000)}`)).toBe(20_000_000);
    expect(spent()).toBeLessThan(1000);
  });
});

describe("a limit is used up", () => {
  const facts = { error: {}, codes: [], message: "slow down", wait: undefined };
  const perDay = { details: [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }] };
  const perMinute = { details: [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }] };

  test.each([
    ["a code of the account", { codes: ["insufficient_quota"] }],
    ["a type of the account", { codes: [null, "exceeded_current_quota_error"], wait: 1000 }],
    ["the name of a quota of a day, though a wait is named", { error: perDay, wait: 36_000 }],
    ["a limit of nothing", { message: "Quota exceeded for metric: requests, limit: 0, model: m", wait: 1000 }],
    [
      "words about the account",
      { message: "You exceeded your current quota, please check your plan and billing details." },
    ],
    ["words about the credit", { message: "Your credit balance is too low to access the API." }],
    ["words about the day", { message: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more." }],
  ])("by %s", (_what, given) => {
    expect(isUsedUp({ ...facts, ...given })).toBe(true);
  });

  test.each([
    ["a limit of a minute", { message: "tokens per min (TPM): Limit 15000", codes: ["rate_limit_exceeded"] }],
    ["a limit of a day that passes in a known time", { message: "tokens per day (TPD): try again in 5s", wait: 5000 }],
    [
      "Google's words with the quota of a minute",
      { error: perMinute, message: "check your plan and billing", wait: 1000 },
    ],
    ["a limit that only begins with a 0", { message: "limit: 0.5, limit: 05" }],
  ])("not by %s", (_what, given) => {
    expect(isUsedUp({ ...facts, ...given })).toBe(false);
  });
});
