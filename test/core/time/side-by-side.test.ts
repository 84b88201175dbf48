// Stages side by side: a limit for parallel stages, values in order, and none left running.

import fc from "fast-check";
import { expect, test } from "vitest";
import { sideBySide } from "../../../src/core/time/side-by-side.js";
import { sourceOf, wait, type StageOf } from "../../../src/core/time/stage.js";

/** The behavior of one stage: the number of its events, and whether it throws at the end. */
interface Plan {
  readonly turns: number;
  readonly throws: boolean;
}

interface Watched {
  readonly seen: string[];
  readonly settled: number[];
  highest: number;
  open: number;
  stopped: boolean;
}

function run(plans: readonly Plan[], limit: number): { watched: Watched; events: AsyncGenerator<string, void, void> } {
  const watched: Watched = { seen: [], settled: [], highest: 0, open: 0, stopped: false };
  const events = sideBySide([...plans.entries()], {
    most: limit,
    *start([index, { turns, throws }]: readonly [number, Plan]): StageOf<string, number> {
      watched.open += 1;
      watched.highest = Math.max(watched.highest, watched.open);
      try {
        yield* wait(Promise.resolve());
        for (let turn = 0; turn < turns; turn += 1) {
          yield* wait(new Promise((resolve) => setImmediate(resolve)));
          yield `${String(index)}.${String(turn)}`;
        }
        if (throws) throw new Error(`${String(index)} is broken`);
        return index;
      } finally {
        watched.open -= 1;
      }
    },
    *settle([index], value): StageOf<string, void> {
      expect(value).toBe(index);
      watched.settled.push(index);
      yield `settled ${String(index)}`;
    },
    stop: () => {
      watched.stopped = true;
    },
  });
  return { watched, events: sourceOf(events) };
}

const plan = fc.record({ turns: fc.integer({ min: 0, max: 5 }), throws: fc.constant(false) });

test("every event comes once, every value in order, and never do more run than the limit allows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (plans, limit) => {
      const { watched, events } = run(plans, limit);
      const seen: string[] = [];
      for await (const event of events) seen.push(event);
      expect(watched.settled).toEqual(plans.map((_plan, index) => index));
      expect(watched.highest).toBeLessThanOrEqual(limit);
      expect(watched.highest).toBe(Math.min(limit, plans.length));
      const wanted = plans.flatMap(({ turns }, index) => [
        ...Array.from({ length: turns }, (_, turn) => `${String(index)}.${String(turn)}`),
        `settled ${String(index)}`,
      ]);
      expect([...seen].sort()).toEqual([...wanted].sort());
      for (const [index] of plans.entries()) {
        const own = seen.filter(
          (event) => event.startsWith(`${String(index)}.`) || event === `settled ${String(index)}`,
        );
        expect(own).toEqual(wanted.filter((event) => own.includes(event)));
      }
      expect(watched.open).toBe(0);
      expect(watched.stopped).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test("if one throws, the others stop and settle before the error is thrown", async () => {
  const plans = [4, 1, 9, 9, 9].map((turns, index) => ({ turns, throws: index === 1 }));
  const { watched, events } = run(plans, 4);
  await expect(async () => {
    for await (const event of events) watched.seen.push(event);
  }).rejects.toThrow("1 is broken");
  expect(watched).toMatchObject({ stopped: true, open: 0, settled: [] });
});

test("no stage runs on after the reader leaves", async () => {
  const { watched, events } = run(
    [9, 9, 9].map((turns) => ({ turns, throws: false })),
    2,
  );
  for await (const event of events) {
    watched.seen.push(event);
    if (watched.seen.length === 3) break;
  }
  expect(watched).toMatchObject({ stopped: true, open: 0 });
});
