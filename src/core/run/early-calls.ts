// The calls of a reply that run already while the rest of the reply arrives.

import type { Call } from "../data/call.js";
import { sameJson } from "../data/json.js";
import type { Event } from "../ports/event.js";
import type { Execution } from "../ports/hook.js";
import { follow } from "../time/abort.js";

/** A call that runs before its reply has ended. */
export interface EarlyCall {
  readonly call: Extract<Call, { readonly type: "call" }>;
  /** The run of its tool, which has begun. */
  readonly source: AsyncGenerator<Event, Execution, void>;
  /** The first event of the tool, or its end. */
  readonly first: Promise<IteratorResult<Event, Execution>>;
  readonly stop: AbortController;
  /** Stops following the signal of the run. */
  readonly unfollow: () => void;
}

/** The early calls of the current iteration, by the id that each has if its reply ends well. */
export class EarlyCalls {
  readonly #calls = new Map<string, EarlyCall>();

  add(early: EarlyCall): void {
    // The error stays for whoever takes the call.
    early.first.catch(() => undefined);
    this.#calls.set(early.call.id, early);
  }

  /** The rest of the run of this call's tool, if exactly this call runs already. Otherwise undefined, and what runs is stopped. */
  take(call: Call, signal: AbortSignal): AsyncGenerator<Event, Execution, void> | undefined {
    const early = this.#calls.get(call.id);
    if (early === undefined) return undefined;
    this.#calls.delete(call.id);
    const isSame = call.type === "call" && call.name === early.call.name && sameJson(call.input, early.call.input);
    if (isSame) return goOn(early, signal);
    discard(early);
    return undefined;
  }

  /** Stops all that nobody has taken. Their results are used by nobody. */
  discard(): void {
    for (const early of this.#calls.values()) discard(early);
    this.#calls.clear();
  }
}

/** The rest of the run, stopped by this signal, too: parallel calls stop earlier than the run. */
async function* goOn(
  { source, first, stop, unfollow: leave }: EarlyCall,
  signal: AbortSignal,
): AsyncGenerator<Event, Execution, void> {
  const unfollow = follow(stop, signal);
  let isOver = false;
  try {
    for (let next = await first; ; next = await source.next()) {
      isOver = next.done === true;
      if (next.done === true) return next.value;
      yield next.value;
    }
  } finally {
    unfollow();
    leave();
    if (!isOver) await source.return(undefined as never);
  }
}

function discard({ source, stop, unfollow }: EarlyCall): void {
  unfollow();
  stop.abort(new DOMException("The reply does not have this call.", "AbortError"));
  source.return(undefined as never).catch(() => undefined);
}
