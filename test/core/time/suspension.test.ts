import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { joinSuspensions, Suspended, throwIfSuspended } from "../../../src/core/time/suspension.js";

test("a run is suspended by its caller's signal and by the run around, and only the run around's wish is told to it", () => {
  for (const [who, told] of [
    ["own", 0],
    ["around", 1],
  ] as const) {
    const signals = { own: new AbortController(), around: new AbortController() };
    let count = 0;
    const left = (): void => void (count += 1);
    const { suspension, end } = joinSuspensions(signals.own.signal, { signal: signals.around.signal, left });
    throwIfSuspended(suspension);
    signals[who].abort();
    expect(() => {
      throwIfSuspended(suspension);
    }).toThrow(Suspended);
    suspension?.left();
    expect(count).toBe(told);
    end();
    expect(getEventListeners(signals.own.signal, "abort")).toEqual([]);
    expect(getEventListeners(signals.around.signal, "abort")).toEqual([]);
  }
});

test("without a signal of its own, a run has the suspension of the run around, or none", () => {
  const around = { signal: AbortSignal.abort(), left: () => undefined };
  expect(joinSuspensions(undefined, around).suspension).toBe(around);
  expect(joinSuspensions(undefined, undefined).suspension).toBeUndefined();
});
