// Fault plans: wrappers around ports that make the n-th effect of a kind fail, be cut, or come late.

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
import { checkOptions, portKinds, type OptionKinds, milliseconds, wholeNumber } from "../../core/internal.js";

/** The kinds of effects that can fail: a model request, the run of a tool, an append to the journal, a decision, a check. */
export type FaultPoint = "request" | "call" | "append" | "decision" | "check";

/** One fault of a plan. */
export type PlannedFault =
  | {
      readonly at: FaultPoint;
      /** The number of the effect among the effects of its kind, from 1, counted over all wrapped ports. */
      readonly number: number;
      /** `fail`: the effect does not happen, and throws. `delay`: it happens this many milliseconds late. */
      readonly do: "fail" | { readonly delay: number };
    }
  | {
      readonly at: "request" | "call";
      readonly number: number;
      /** The effect happens, but its result is lost: a reply is retracted at its end, or a tool throws after it ran. */
      readonly do: "cut";
    };

/** Wrappers that carry out a plan. They do not change the wrapped port. */
export interface FaultPlan {
  model(model: Model): Model;
  tool<T extends Tool>(tool: T): T;
  memory(factory: MemoryFactory): MemoryFactory;
  permission(permission: Permission): Permission;
  check(check: Check): Check;
  /** The faults that did not occur, because there were fewer effects of their kind. */
  readonly unused: readonly PlannedFault[];
}

/** The options of `faultPlan`. */
export interface FaultPlanOptions {
  /** The clock for delays. Default: the machine's. */
  readonly runtime?: Runtime;
}

/** Counts an effect and applies its faults: throws to make it fail, waits to delay it, or returns true to cut it. */
type Meet = (at: FaultPoint, signal: AbortSignal) => Promise<boolean>;

/**
 * Makes a plan of faults. A request that fails or is cut throws a LastcallError `provider_unavailable`, like a broken connection.
 * To test retries, put `steady` around the wrapped model. All other effects throw a plain Error.
 * @throws LastcallError `configuration` for a number that is not a whole number of at least 1, or an invalid delay.
 */
export function faultPlan(faults: readonly PlannedFault[], options: FaultPlanOptions = {}): FaultPlan {
  checkOptions("faultPlan", options, { runtime: portKinds.runtime } satisfies OptionKinds<FaultPlanOptions>);
  const { runtime = systemRuntime } = options;
  for (const { number, do: action } of faults) {
    wholeNumber("The number of a planned fault", number);
    if (typeof action === "object") milliseconds("The delay of a planned fault", action.delay);
  }
  const counts = new Map<FaultPoint, number>();
  const used = new Set<PlannedFault>();

  const meet: Meet = async (at, signal) => {
    const number = (counts.get(at) ?? 0) + 1;
    counts.set(at, number);
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

/** A signal that never aborts, for effects without one. */
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
