// The watch over one request of the AI SDK.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watch } from "../../src/ai-sdk/watch-silence.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a request that hears nothing for too long ends, and says so", () => {
  const { signal, onAbort } = watch(100, "acme", new AbortController().signal);
  const ended = vi.fn();
  onAbort(ended);
  vi.advanceTimersByTime(99);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ code: "provider_unavailable" });
  expect(ended.mock.calls).toEqual([[signal.reason]]);
});

test("the time of the caller between two parts does not count, and each wait has its own time", () => {
  const { signal, heard, waits } = watch(100, "acme", new AbortController().signal);
  vi.advanceTimersByTime(90);
  heard();
  vi.advanceTimersByTime(1000);
  expect(signal.aborted).toBe(false);
  waits();
  vi.advanceTimersByTime(90);
  heard();
  waits();
  vi.advanceTimersByTime(99);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
});

test("the caller's abort ends the request for the caller's reason, and no request that is over", () => {
  const caller = new AbortController();
  const [first, second] = [watch(100, "acme", caller.signal), watch(100, "acme", caller.signal)];
  second.end();
  caller.abort("no need");
  vi.advanceTimersByTime(1000);
  expect([first.signal.reason, second.signal.aborted]).toEqual(["no need", false]);
});

test("an answer that is left ends its request", () => {
  const { signal, leave } = watch(100, "acme", new AbortController().signal);
  leave();
  expect(signal.reason).toMatchObject({ message: "the answer was left" });
});
