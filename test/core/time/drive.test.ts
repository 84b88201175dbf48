import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemRuntime } from "../../../src/core/index.js";
import { drive } from "../../../src/core/time/drive.js";

/** A generator that yields numbers, at the pace that `between` sets, and notes when its `finally` has run. */
async function* counting(
  seen: string[],
  between: () => Promise<unknown> = () => Promise.resolve(),
): AsyncGenerator<number, string, void> {
  try {
    for (let number = 1; number <= 3; number += 1) {
      yield number;
      await between();
    }
    return "whole";
  } finally {
    await sleep(5);
    seen.push("finally");
  }
}

describe("a driven generator", () => {
  test("is read to its end, and nothing stays on the signal", async () => {
    const [seen, stop] = [[] as string[], new AbortController()];
    const driven = drive(counting(seen), stop.signal, systemRuntime);
    const steps = [];
    for (let next = await driven.next(); ; next = await driven.next()) {
      steps.push(next.value);
      if (next.done === true) break;
    }
    await driven.end();
    expect(steps).toEqual([1, 2, 3, "whole"]);
    expect(seen).toEqual(["finally"]);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  test("that is left at a yield has run its finally before end() is over", async () => {
    const seen: string[] = [];
    const driven = drive(counting(seen), new AbortController().signal, systemRuntime);
    await driven.next();
    await driven.end();
    expect(seen).toEqual(["finally"]);
  });

  test("gets no further step after the abort, and runs its finally", async () => {
    const [seen, stop] = [[] as string[], new AbortController()];
    let steps = 0;
    const driven = drive(
      counting(seen, () => Promise.resolve((steps += 1))),
      stop.signal,
      systemRuntime,
    );
    await driven.next();
    stop.abort(new Error("enough"));
    await expect(driven.next()).rejects.toThrow("enough");
    await driven.end();
    expect({ seen, steps }).toEqual({ seen: ["finally"], steps: 0 });
  });

  test("that is deaf to the signal in the middle of a step holds the caller for the grace period only, and runs its finally later", async () => {
    const [seen, stop] = [[] as string[], new AbortController()];
    const driven = drive(
      counting(seen, () => sleep(1500)),
      stop.signal,
      systemRuntime,
    );
    await driven.next();
    const step = driven.next();
    stop.abort(new Error("enough"));
    await expect(step).rejects.toThrow("enough");
    const start = performance.now();
    await driven.end();
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(seen).toEqual([]);
    await expect.poll(() => seen).toEqual(["finally"]);
  });

  test("whose finally throws does not throw at the one who left it", async () => {
    async function* throwing(): AsyncGenerator<number, string, void> {
      try {
        yield 1;
        return "whole";
      } finally {
        throw new Error("too late");
      }
    }
    const driven = drive(throwing(), new AbortController().signal, systemRuntime);
    await driven.next();
    await driven.end();
  });
});
