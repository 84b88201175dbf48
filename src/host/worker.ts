// A process that works for an engine: it makes one delivery at a time of each that the engine calls it for, and knows its own close.

import { explain } from "../core/internal.js";
import type { Work } from "./delivery/delivery.js";
import type { RunWatcher } from "./delivery/run-watcher.js";
import { pause } from "./engine.js";
import { RunsHere } from "./runs-here.js";
import { attempt, attemptAfter, type Attempted, type Cancel, type WorkParts, type WorkResult } from "./work.js";

/** The signals of one step. */
export interface StepSignals extends Cancel {
  /** The engine has lost this process, and gives the delivery to another: the run is left. Absent if the engine can't tell. */
  readonly lost?: AbortSignal;
}

/** The attempt that follows one in vain. */
export interface NextAttempt {
  readonly name: string;
  readonly work: Work;
  /** Milliseconds before it is made. */
  readonly delay: number;
}

/**
 * An engine's side of one delivery.
 *
 * Contract: the engine calls `deliver` whenever it likes, also after the close began. A result that `deliver` returned ends the call, and
 * so does an error for which `isTaken` is true. After any other error the engine has the delivery still.
 */
export interface Hold {
  /** Makes the step, and keeps its result, so that a delivery that comes again finds it. */
  keep(step: (signals: StepSignals) => Promise<Attempted>): Promise<Attempted>;
  /** Gives the next attempt to the engine. Returns its name there. Given twice, it is one. */
  give(next: NextAttempt): Promise<string>;
  /** Leaves the delivery with the engine, without an end: this process closes, or was lost. It throws, or never settles. */
  leave(): Promise<never>;
  /** The delivery comes again after an error of the engine's own. It may throw that error only if the engine then delivers again. */
  again(thrown: unknown, next: NextAttempt): Promise<string>;
  /** True if the error says that the delivery was cancelled, or is another process's now. */
  isTaken(thrown: unknown): boolean;
}

/** A process that works for an engine. */
export class Worker {
  readonly #parts: WorkParts;
  readonly #runs = new RunsHere();
  readonly #left = new Set<Hold>();

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /** True once `close` was called. */
  isClosed(): boolean {
    return this.#runs.isClosed;
  }

  /** The number of deliveries that were left because this process closes. */
  get left(): number {
    return this.#left.size;
  }

  /**
   * Makes one delivery: one step, and once more later if it has to come again. An error is never its end: not one of the store, and not one
   * of the engine's own. A delivery that comes once the close began is left before anything is done for it.
   */
  async deliver(work: Work, hold: Hold): Promise<WorkResult> {
    if (this.isClosed()) return this.#leave(hold);
    try {
      const attempted = await hold.keep((signals) => this.#step(work, hold, signals));
      if (!("again" in attempted)) return attempted;
      return { next: await hold.give(nextOf(work)) };
    } catch (thrown) {
      // An engine to which a delivery is left by a throw throws that again.
      if (hold.isTaken(thrown) || this.#left.has(hold)) throw thrown;
      if (this.isClosed()) return this.#leave(hold);
      warn(work, thrown);
      return { next: await hold.again(thrown, nextOf(work)) };
    }
  }

  /** Watches the runs of this process. */
  watch(watcher: RunWatcher): () => void {
    return this.#runs.watch(watcher);
  }

  /** Suspends all runs, and waits so many milliseconds for them. Returns the sessions whose runs are at work still. */
  close(grace: number): Promise<readonly string[]> {
    return this.#runs.close("the host closes", grace);
  }

  async #step(work: Work, hold: Hold, { lost, ...cancel }: StepSignals): Promise<Attempted> {
    if (this.isClosed()) return this.#leave(hold);
    let attempted: Attempted;
    try {
      attempted = await this.#runs.begin(work.session, (signals) =>
        attempt(this.#parts, work, { ...signals, lost }, cancel),
      );
    } catch (thrown) {
      if (this.isClosed()) return this.#leave(hold);
      warn(work, thrown);
      return { again: "fault" };
    }
    // A step that returned would be the end of this attempt, and what it returned would be found by the next process.
    if ("again" in attempted && attempted.again === "suspended") return this.#leave(hold);
    return attempted;
  }

  #leave(hold: Hold): Promise<never> {
    this.#left.add(hold);
    return hold.leave();
  }
}

function nextOf(work: Work): NextAttempt {
  return { ...attemptAfter(work), delay: pause(work.times) };
}

function warn({ session, times }: Work, thrown: unknown): void {
  console.warn(
    `lastcall: the attempt ${String(times + 1)} at a delivery to the session ${session} failed, and comes again: ${explain(thrown)}`,
  );
}
