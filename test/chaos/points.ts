// Points: every place at which a run waits for something, numbered; and something that happens at one of them.

import type { Check, Hook, Model, Permission, Runtime, Tool } from "../../src/core/index.js";
import type { Store } from "../../src/memory/index.js";
import { aroundStore } from "./around-store.js";
import { MissedPlace } from "./scale.js";

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
      if (at !== Infinity && count < at) throw new MissedPlace("point", at, count);
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
