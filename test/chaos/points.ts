// Points: every place at which a run waits for something, numbered; and something that happens at one of them.

import type { Check, Hook, Model, Permission, Runtime, Tool } from "../../src/core/index.js";
import type { Store } from "../../src/memory/index.js";
import { aroundStore } from "./around-store.js";

/** Counts the points, and lets something happen at one. */
export interface Points {
  readonly count: () => number;
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
  const point = async (): Promise<void> => {
    count += 1;
    if (count === at) await happen();
  };
  const between = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await point();
    const made = await work();
    await point();
    return made;
  };

  async function* each<Yielded, Made>(
    source: AsyncGenerator<Yielded, Made, void>,
  ): AsyncGenerator<Yielded, Made, void> {
    await point();
    try {
      for (;;) {
        const next = await source.next();
        await point();
        if (next.done === true) return next.value;
        yield next.value;
      }
    } finally {
      await source.return(undefined as never);
    }
  }

  return {
    count: () => count,
    model: (model) => ({
      name: model.name,
      provider: model.provider,
      respond: (request, signal) => each(model.respond(request, signal)),
    }),
    tool: (tool) => {
      const run: Tool["run"] = (input, context) => {
        const made: unknown = tool.run(input, context);
        return isGenerator(made) ? each(made) : between(() => made);
      };
      return { ...tool, run };
    },
    store: (store) => aroundStore(store, (_operation, work) => between(work)),
    permission: (permission) => ({ decide: (call, deciding) => between(() => permission.decide(call, deciding)) }),
    check: (check) => ({ ...check, verify: (context) => between(() => check.verify(context)) }),
    runtime: (runtime) => ({
      ...runtime,
      turn: () => between(() => runtime.turn()),
      sleep: (ms, signal) => between(() => runtime.sleep(ms, signal)),
    }),
    hook: {
      request: (request, next) => each(next(request)),
      call: (frozen, next) => each(next(frozen)),
      veto: () => between(() => undefined),
    },
  };
}

function isGenerator(made: unknown): made is AsyncGenerator<unknown, unknown, void> {
  return typeof made === "object" && made !== null && Symbol.asyncIterator in made && "next" in made;
}
