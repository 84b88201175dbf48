// Counts the work of deciding about one command, and ends it at a bound.

import { setImmediate } from "node:timers/promises";

/** The most steps of one decision. A step is about a microsecond of a processor, so that all steps take less than 50 ms. */
const maxSteps = 15_000;

/** After so many steps, other work gets its turn. */
const maxStepsAtOnce = 5000;

/** Says that a decision took more steps than it may. */
export class TooMuchWork extends Error {
  constructor() {
    super("deciding about it takes too much work: it is too long, or has too many words, files and folders to look at");
  }
}

/**
 * The work of one decision. Steps are counted and time is not measured, so a command gets the same decision on every machine. A step that
 * looks at a file is counted also if an earlier decision looked there.
 */
export class Work {
  #left = maxSteps;
  #untilPause = maxStepsAtOnce;

  /** @throws TooMuchWork if no steps are left. */
  spend(steps: number): void {
    this.#left -= steps;
    this.#untilPause -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }

  /** Lets other work have its turn if it has been long ago. */
  async pause(): Promise<void> {
    if (this.#untilPause > 0) return;
    this.#untilPause = maxStepsAtOnce;
    await setImmediate();
  }
}
