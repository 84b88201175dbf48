// The port for hooks: interceptors around a model request and around a tool call, all in one shape.

import type { Event, ModelEvent } from "./event.js";
import type { Failure } from "./failure.js";
import type { ModelRequest, WrittenReply } from "./model.js";
import type { FrozenCall } from "./permission.js";

/** How one call went: its value, or the failure it came to. */
export type Execution =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };

/** What a hook around requests calls to go on. */
export type NextRequest = (request: ModelRequest) => AsyncGenerator<ModelEvent, WrittenReply, void>;

/** What a hook around calls calls to go on. */
export type NextCall = (call: FrozenCall) => AsyncGenerator<Event, Execution, void>;

/**
 * Changes what passes through, in one shape: `(value, next)`. The first hook of the list is the outermost.
 *
 * Contract: a hook yields what `next` yields (`return yield* next(value)` does nothing). It may pass on another value, or
 * not call `next` at all and make the answer itself. A changed input of a call is validated and put to permission as
 * if the model had written it. What a hook throws is a fault and ends the run.
 */
export interface Hook {
  request?(request: ModelRequest, next: NextRequest): AsyncGenerator<ModelEvent, WrittenReply, void>;
  call?(call: FrozenCall, next: NextCall): AsyncGenerator<Event, Execution, void>;
}

/** Puts the hooks around `innermost`, the first of them outermost. */
export function around<Value, Yielded, Returned>(
  hooks: readonly (
    | ((
        value: Value,
        next: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
      ) => AsyncGenerator<Yielded, Returned, void>)
    | undefined
  )[],
  innermost: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
): (value: Value) => AsyncGenerator<Yielded, Returned, void> {
  return hooks.reduceRight<typeof innermost>((next, hook) => (hook ? (value) => hook(value, next) : next), innermost);
}
