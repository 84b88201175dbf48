// The port for hooks: interceptors around a model request and around a tool call, in one shape; and the host's own stop.

import type { Event, ModelEvent } from "./event.js";
import type { Failure } from "../data/failure.js";
import type { ModelRequest, WrittenReply } from "./model.js";
import type { Note } from "../data/note.js";
import type { FrozenCall } from "./permission.js";
import type { State } from "../journal/state.js";

/** How one call went: its value, or the failure it came to. */
export type Execution =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What the model reads after the value. */
      readonly remarks?: readonly string[];
      /** What it noted. */
      readonly notes?: readonly Note[];
    }
  | { readonly ok: false; readonly failure: Failure };

/** What a hook around requests calls to go on. */
export type NextRequest = (request: ModelRequest) => AsyncGenerator<ModelEvent, WrittenReply, void>;

/** What a hook around calls calls to go on. */
export type NextCall = (call: FrozenCall) => AsyncGenerator<Event, Execution, void>;

/**
 * Changes what passes through, in one shape: `(value, next, signal)`. The first hook of the list is the outermost.
 *
 * Contract: a hook yields what `next` yields (`return yield* next(value)` does nothing). It may pass on another value, or
 * not call `next` at all and make the answer itself. A changed input of a call is validated and put to permission as
 * if the model had written it. Calls whose effect is `read` may pass it several at a time. What a hook throws is a fault and ends the run. `signal` aborts when the run does, and when its
 * time is up: what a hook does besides `next` settles soon after it.
 *
 * `veto` is asked after each iteration that did not end the run, with the state so far, and changes nothing. A text stops the
 * run there, with the reason `veto` and the text as the message; undefined lets it go on. It settles soon after the signal
 * aborts.
 */
export interface Hook {
  request?(
    request: ModelRequest,
    next: NextRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, WrittenReply, void>;
  call?(call: FrozenCall, next: NextCall, signal: AbortSignal): AsyncGenerator<Event, Execution, void>;
  veto?(state: State, signal: AbortSignal): string | undefined | Promise<string | undefined>;
}

/** Puts the hooks around `innermost`, the first of them outermost; each gets the signal. */
export function around<Value, Yielded, Returned>(
  hooks: readonly (
    | ((
        value: Value,
        next: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
        signal: AbortSignal,
      ) => AsyncGenerator<Yielded, Returned, void>)
    | undefined
  )[],
  innermost: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
  signal: AbortSignal,
): (value: Value) => AsyncGenerator<Yielded, Returned, void> {
  return hooks.reduceRight<typeof innermost>(
    (next, hook) => (hook ? (value) => hook(value, next, signal) : next),
    innermost,
  );
}
