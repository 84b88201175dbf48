// Points: every place at which a run waits for something, numbered; and something that happens at one of them.

import { expect } from "vitest";
import type { Check, Hook, Model, Permission, Runtime, Tool } from "../../src/core/index.js";
import type { Store } from "../../src/memory/index.js";
import { aroundStore } from "./around-store.js";
import { atEach, places } from "./scale.js";

/** The kinds of points that a run of the scenario goes through. A port that is wrapped no longer is missed by its kinds. */
const kinds = [
  ...["model", "tool", "permission", "check", "turn", "request", "call", "veto"],
  ...["store read", "store lock", "store append", "store release", "store messages", "store drop"],
] as const;

/** Counts the points, and lets something happen at one. */
export interface Points {
  readonly count: () => number;
  /** @throws Error if the point at which something is to happen was not met; without such a point, if points of a kind were not. */
  readonly expectMet: () => void;
  readonly model: (model: Model) => Model;
  readonly tool: <T extends Tool>(tool: T) => T;
  readonly store: (store: Store) => Store;
  readonly permission: (permission: Permission) => Permission;
  readonly check: (check: Check) => Check;
  readonly runtime: (runtime: Runtime) => Runtime;
  /** One that does nothing else. */
  readonly hook: Hook;
}

/** The run had fewer points. */
class MissedPoint extends Error {
  readonly count: number;

  constructor(at: number, count: number) {
    super(`Point ${String(at)} was not met: there were ${String(count)}.`);
    this.count = count;
  }
}

/** How many points each run has, at least. */
const leastPoints = 300;

/** How often a run may miss its point: records that come close together are appended at once, and how close they come varies. */
const tries = 5;

/**
 * Runs with something at each of the points, or at some of them: see `places`. `run` gets the number of the point, or Infinity, and returns
 * how many points there were. A point that is missed again and again is one of the last, which not every run has. Returns how many points it
 * went through.
 */
export async function atEachPoint(quick: number, run: (at: number) => Promise<number>): Promise<number> {
  const counts = [await run(Infinity), await run(Infinity), await run(Infinity)];
  expect(Math.min(...counts)).toBeGreaterThan(leastPoints);
  const all = places(Math.min(...counts), quick);
  let met = 0;
  await atEach(all, async (place) => {
    for (let time = 1; ; time += 1) {
      try {
        await run(place + 1);
        met += 1;
        return;
      } catch (thrown) {
        if (!(thrown instanceof MissedPoint)) throw thrown;
        expect(thrown.count).toBeGreaterThan(leastPoints);
        if (time === tries) return;
      }
    }
  });
  return met;
}

/** Numbers the points from 1, and does this at the one with the number `at`. */
export function pointsWith(at: number, happen: () => unknown): Points {
  let count = 0;
  const met = new Set<string>();
  const point = async (kind: string): Promise<void> => {
    count += 1;
    met.add(kind);
    if (count === at) await happen();
  };
  const between = async <T>(kind: string, work: () => T | Promise<T>): Promise<T> => {
    await point(kind);
    const made = await work();
    await point(kind);
    return made;
  };

  async function* each<Yielded, Made>(
    kind: string,
    source: AsyncGenerator<Yielded, Made, void>,
  ): AsyncGenerator<Yielded, Made, void> {
    await point(kind);
    try {
      for (;;) {
        const next = await source.next();
        await point(kind);
        if (next.done === true) return next.value;
        yield next.value;
      }
    } finally {
      await source.return(undefined as never);
    }
  }

  return {
    count: () => count,
    expectMet: () => {
      if (at !== Infinity && count < at) throw new MissedPoint(at, count);
      const missed = kinds.filter((kind) => !met.has(kind));
      if (at === Infinity && missed.length > 0) throw new Error(`No point was met of the kinds: ${missed.join(", ")}.`);
    },
    model: (model) => ({
      name: model.name,
      provider: model.provider,
      respond: (request, signal) => each("model", model.respond(request, signal)),
    }),
    tool: (tool) => {
      const run: Tool["run"] = (input, context) => {
        const made: unknown = tool.run(input, context);
        return isGenerator(made) ? each("tool", made) : between("tool", () => made);
      };
      return { ...tool, run };
    },
    store: (store) => aroundStore(store, ({ name }, work) => between(`store ${name}`, work)),
    permission: (permission) => ({
      decide: (call, deciding) => between("permission", () => permission.decide(call, deciding)),
    }),
    check: (check) => ({ ...check, verify: (context) => between("check", () => check.verify(context)) }),
    runtime: (runtime) => ({
      ...runtime,
      turn: () => between("turn", () => runtime.turn()),
      sleep: (ms, signal) => between("sleep", () => runtime.sleep(ms, signal)),
    }),
    hook: {
      request: (request, next) => each("request", next(request)),
      call: (frozen, next) => each("call", next(frozen)),
      veto: () => between("veto", () => undefined),
    },
  };
}

function isGenerator(made: unknown): made is AsyncGenerator<unknown, unknown, void> {
  return typeof made === "object" && made !== null && Symbol.asyncIterator in made && "next" in made;
}
