// The calls of a reply that run already while the rest of the reply arrives.

import type { Call } from "../data/call.js";
import { sameJson } from "../data/json.js";
import type { Event } from "../ports/event.js";
import type { Execution } from "../ports/hook.js";
import { follow } from "../time/abort.js";

/** A call that is to run before its reply has ended. */
export interface EarlyCall {
  readonly call: Extract<Call, { readonly type: "call" }>;
  /** The run of its tool, which has not begun. */
  readonly source: AsyncGenerator<Event, Execution, void>;
  readonly stop: AbortController;
  /** Stops following the signal of the run. */
  readonly unfollow: () => void;
}

/** A call that runs. */
interface RunningCall extends EarlyCall {
  /** The first event of the tool, or its end. */
  first: Promise<IteratorResult<Event, Execution>> | undefined;
}

/** The early calls of the current iteration, by the id that each has if its reply ends well. */
export class EarlyCalls {
  readonly #calls = new Map<string, RunningCall>();
  /** Tells all who wait for the turn of their call: true if it has come, false if the call is discarded. */
  readonly #waiting = new Map<string, ((hasCome: boolean) => void)[]>();

  /** Begins to run the call. */
  begin(early: EarlyCall): void {
    const running: RunningCall = { ...early, first: undefined };
    // The tool may ask for its turn before it first waits.
    this.#calls.set(early.call.id, running);
    running.first = early.source.next();
    // The error stays for the code that takes the call.
    running.first.catch(() => undefined);
  }

  /** The rest of the run of this call's tool, if exactly this call runs already. Otherwise undefined, and what runs is stopped. */
  take(call: Call, signal: AbortSignal): AsyncGenerator<Event, Execution, void> | undefined {
    const early = this.#calls.get(call.id);
    if (early === undefined) return undefined;
    this.#calls.delete(call.id);
    const isSame = call.type === "call" && call.name === early.call.name && sameJson(call.input, early.call.input);
    if (!isSame) discard(early);
    this.#tell(call.id, isSame);
    return isSame ? goOn(early, signal) : undefined;
  }

  /** Stops all that nobody has taken. Their results are used by nobody. */
  discard(): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const early of calls) {
      discard(early);
      this.#tell(early.call.id, false);
    }
  }

  /**
   * Waits for the turn of a call that runs early: its records must not come before its reply in the journal. True at once for any other.
   */
  turnOf(callId: string): Promise<boolean> | true {
    if (!this.#calls.has(callId)) return true;
    return new Promise((resolve) => {
      this.#waiting.set(callId, [...(this.#waiting.get(callId) ?? []), resolve]);
    });
  }

  #tell(callId: string, hasCome: boolean): void {
    for (const resolve of this.#waiting.get(callId) ?? []) resolve(hasCome);
    this.#waiting.delete(callId);
  }
}

/** The rest of the run, stopped by this signal, too: parallel calls stop earlier than the run. */
async function* goOn(
  { source, first, stop, unfollow: leave }: RunningCall,
  signal: AbortSignal,
): AsyncGenerator<Event, Execution, void> {
  const unfollow = follow(stop, signal);
  let isOver = false;
  try {
    for (let next = await (first ?? source.next()); ; next = await source.next()) {
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

function discard({ source, stop, unfollow }: RunningCall): void {
  unfollow();
  stop.abort(new DOMException("The reply does not have this call.", "AbortError"));
  source.return(undefined as never).catch(() => undefined);
}
