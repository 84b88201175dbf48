// A subscription: the bounded queue between a feed and one client.

import type { LastcallError } from "../../core/index.js";
import { onAbort } from "../../core/internal.js";
import type { EventFrame, RecordFrame } from "./frame.js";

/** A frame with its place: the number of its record, or of the record before it, and the number of the event since then. */
export interface Placed {
  readonly frame: RecordFrame | EventFrame;
  readonly seq: number;
  /** 0 for a record. */
  readonly events: number;
}

/** The most frames that wait for a client. A slower client gets the records from the store. */
export const longestQueue = 1000;

/** The frames that wait for one client. */
export class Subscription {
  #queue: Placed[] = [];
  #isLost = false;
  #fault: LastcallError | undefined;
  #wake: () => void = () => undefined;

  constructor(events: readonly Placed[]) {
    this.#queue.push(...events);
  }

  push(placed: Placed): void {
    if (this.#isLost) return;
    if (this.#queue.length >= longestQueue) this.lose();
    else this.#queue.push(placed);
    this.#wake();
  }

  /** Drops all that waits: the client has to read the store. */
  lose(): void {
    this.#queue = [];
    this.#isLost = true;
    this.#wake();
  }

  /** Ends the wait with a fault of the store, behind the frames that wait. */
  fail(fault: LastcallError): void {
    this.#fault = fault;
    this.#wake();
  }

  /** True once if frames were dropped. */
  takeLost(): boolean {
    const isLost = this.#isLost;
    this.#isLost = false;
    return isLost;
  }

  /** Takes all frames that wait. */
  take(): readonly Placed[] {
    const taken = this.#queue;
    this.#queue = [];
    return taken;
  }

  /**
   * Waits until there is something to take, or until the signal aborts.
   * @throws LastcallError `store` if a run of this process failed with its store.
   */
  async wait(signal: AbortSignal): Promise<void> {
    const leave = onAbort(signal, () => {
      this.#wake();
    });
    try {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#queue.length > 0 || this.#isLost || this.#fault !== undefined || signal.aborted) resolve();
      });
      if (this.#queue.length === 0 && this.#fault !== undefined && !signal.aborted) throw this.#fault;
    } finally {
      leave();
    }
  }
}
