// Fault plans: the n-th effect of a kind fails, is cut or comes late, by wrappers around the ports.

import {
  LastcallError,
  systemRuntime,
  type Check,
  type MemoryFactory,
  type Model,
  type ModelEvent,
  type Permission,
  type Runtime,
  type Tool,
} from "../../core/index.js";
import { milliseconds, wholeNumber } from "../../core/internal.js";

/** Where a fault can be planned: a request to the model, a tool's run, an append to the journal, a decision, a check. */
export type FaultPoint = "request" | "call" | "append" | "decision" | "check";

/** One thing that goes wrong. */
export type PlannedFault =
  | {
      readonly at: FaultPoint;
      /** Which effect of its kind, from 1, counted over everything the plan is wrapped around. */
      readonly number: number;
      /** `fail`: it does not happen, and throws. `delay`: it happens so many milliseconds late. */
      readonly do: "fail" | { readonly delay: number };
    }
  | {
      readonly at: "request" | "call";
      readonly number: number;
      /** It happens, and what it made is lost: a reply is retracted at its end, a tool throws after it ran. */
      readonly do: "cut";
    };

/** Wrappers that carry a plan out. Each leaves the port it is given as it was. */
export interface FaultPlan {
  model(model: Model): Model;
  tool<T extends Tool>(tool: T): T;
  memory(factory: MemoryFactory): MemoryFactory;
  permission(permission: Permission): Permission;
  check(check: Check): Check;
  /** The faults that did not come to pass: their effect did not happen so often. */
  readonly unused: readonly PlannedFault[];
}

/** What a fault plan goes by. */
export interface FaultPlanOptions {
  /** The clock that delays are slept on. Default: the machine's. */
  readonly runtime?: Runtime;
}

/** Counts effects. `true` where the effect is to be cut; throws where it is to fail; waits where it is to be late. */
type Meet = (at: FaultPoint, signal: AbortSignal) => Promise<boolean>;

/**
 * Makes a plan of faults. A request that fails or is cut throws a LastcallError `provider_unavailable`, as a broken
 * connection would: put `steady` around the wrapped model to see it tried again. Everything else throws an Error.
 * @throws LastcallError `configuration` for a number that is no whole number of at least 1, or a delay that is none.
 */
export function faultPlan(
  faults: readonly PlannedFault[],
  { runtime = systemRuntime }: FaultPlanOptions = {},
): FaultPlan {
  for (const { number, do: what } of faults) {
    wholeNumber("The number of a planned fault", number);
    if (typeof what === "object") milliseconds("The delay of a planned fault", what.delay);
  }
  const met = new Map<FaultPoint, number>();
  const used = new Set<PlannedFault>();

  const meet: Meet = async (at, signal) => {
    const number = (met.get(at) ?? 0) + 1;
    met.set(at, number);
    let isCut = false;
    for (const fault of faults.filter((planned) => planned.at === at && planned.number === number)) {
      used.add(fault);
      if (typeof fault.do === "object") await runtime.sleep(fault.do.delay, signal);
      else if (fault.do === "cut") isCut = true;
      else throw planned(at, `${at} ${String(number)} fails, as planned`);
    }
    return isCut;
  };

  return {
    model: (model) => aroundModel(model, meet),
    tool: (tool) => aroundTool(tool, meet),
    memory: (factory) => (session) => {
      const memory = factory(session);
      return {
        get records() {
          return memory.records;
        },
        async append(record) {
          await meet("append", never);
          await memory.append(record);
        },
        recall: (signal) => memory.recall(signal),
      };
    },
    permission: (permission) => ({
      async decide(call, deciding) {
        await meet("decision", deciding.signal);
        return permission.decide(call, deciding);
      },
    }),
    check: (check) => ({
      ...check,
      ...(check.begin && { begin: check.begin.bind(check) }),
      async verify(context) {
        await meet("check", context.signal);
        return check.verify(context);
      },
    }),
    get unused() {
      return faults.filter((fault) => !used.has(fault));
    },
  };
}

/** The signal of what can't be aborted. */
const never: AbortSignal = new AbortController().signal;

function planned(at: FaultPoint, message: string): Error {
  return at === "request" ? new LastcallError("provider_unavailable", message) : new Error(message);
}

function aroundModel(model: Model, meet: Meet): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *respond(request, signal) {
      const isCut = await meet("request", signal);
      if (!isCut) return yield* model.respond(request, signal);
      let shown = false;
      const watched = model.respond(request, signal);
      for await (const event of watched as AsyncIterable<ModelEvent>) {
        shown = event.type !== "reply-retracted";
        yield event;
      }
      const reason = "the request was cut, as planned";
      if (shown) yield { type: "reply-retracted", reason };
      throw planned("request", reason);
    },
  };
}

function aroundTool<T extends Tool>(tool: T, meet: Meet): T {
  const run: Tool["run"] = async (input, context) => {
    const isCut = await meet("call", context.signal);
    const made: unknown = await tool.run(input, context);
    if (!isCut) return made;
    if (isGenerator(made)) while ((await made.next()).done !== true);
    throw planned("call", `${tool.name} ran and its answer was lost, as planned`);
  };
  return { ...tool, run };
}

function isGenerator(made: unknown): made is AsyncGenerator {
  return typeof made === "object" && made !== null && Symbol.asyncIterator in made && "next" in made;
}
