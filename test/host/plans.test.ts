// The clock of plans.

import { afterEach, expect, test, vi } from "vitest";
import { checkPlan, giveByClock, nameAt, type PlanTimes } from "../../src/host/plans.js";

afterEach(() => {
  vi.useRealTimers();
});

/** The times at which a plan of every second gives its input, with a clock that the test sets. */
function clock(
  begin: number,
  give: (time: number) => Promise<unknown> = () => Promise.resolve(),
  plan: PlanTimes = { every: 1000 },
) {
  vi.useFakeTimers({ now: begin });
  const stop = new AbortController();
  const times: number[] = [];
  const faults: unknown[] = [];
  const over = giveByClock(
    plan,
    (time) => {
      times.push(time);
      return give(time);
    },
    { signal: stop.signal, onFault: (thrown) => faults.push(thrown) },
  );
  return { times, faults, over, stop };
}

test("a plan gives at each whole multiple of its time, not at its start", async () => {
  const { times, over, stop } = clock(10_400);
  await vi.advanceTimersByTimeAsync(2700);
  expect(times).toEqual([11_000, 12_000, 13_000]);
  stop.abort();
  await over;
});

test("a plan with a first time gives from there on, and not before", async () => {
  const later = clock(10_400, undefined, { every: 1000, at: 12_250 });
  await vi.advanceTimersByTimeAsync(3900);
  expect(later.times).toEqual([12_250, 13_250, 14_250]);
  later.stop.abort();
  await later.over;
  const over = clock(10_400, undefined, { every: 1000, at: 3_250 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(over.times).toEqual([11_250, 12_250]);
  over.stop.abort();
  await over.over;
});

test("a time comes once, though the clock is set back", async () => {
  const { times, over, stop } = clock(10_400, async (time) => {
    if (time === 11_000) vi.setSystemTime(9_500);
  });
  await vi.advanceTimersByTimeAsync(4000);
  expect(times).toEqual([11_000, 12_000]);
  stop.abort();
  await over;
});

test("a fault is told, and the next time comes", async () => {
  const { times, faults, over, stop } = clock(10_400, (time) =>
    time === 11_000 ? Promise.reject(new Error("away")) : Promise.resolve(),
  );
  await vi.advanceTimersByTimeAsync(1700);
  expect([times, faults.length]).toEqual([[11_000, 12_000], 1]);
  stop.abort();
  await over;
});

test("a plan needs a name and a time", () => {
  const input = "go";
  for (const wrong of [
    { name: "", at: 1, input },
    { name: "a".repeat(101), at: 1, input },
    { name: "a", input },
    { name: "a", at: Infinity, input },
    { name: "a", every: 999, input },
    { name: "a", every: NaN, input },
  ])
    expect(() => {
      checkPlan(wrong);
    }).toThrow();
  checkPlan({ name: "a".repeat(100), every: 1000, input });
  checkPlan({ name: "a", at: 1, every: 1000, input });
  expect(nameAt({ name: "a", at: 0, input }, 0)).toBe("a@1970-01-01T00:00:00.000Z");
});
