// Flushes the data of a file to the disk: on this thread if the disk is fast, and else on another thread.

import { fdatasync, fdatasyncSync } from "node:fs";
import { promisify } from "node:util";

/** Flushes the data of an open file. */
export type FlushData = (descriptor: number) => Promise<void> | void;

/** Flushes on another thread. The original function is looked up at each call, so that a test can count or break the flushes. */
export const flushElsewhere: FlushData = promisify(
  (descriptor: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    fdatasync(descriptor, done);
  },
);

/** The longest expected flush that blocks this thread, in milliseconds. */
const shortest = 1;
/** The weight of one flush in the expectation, unless it took longer than expected. */
const weight = 0.2;

/** The two ways to flush, and the clock in milliseconds. */
export interface Flushing {
  readonly here: (descriptor: number) => void;
  readonly elsewhere: FlushData;
  readonly now: () => number;
}

const system: Flushing = {
  here: (descriptor) => {
    fdatasyncSync(descriptor);
  },
  elsewhere: flushElsewhere,
  now: () => performance.now(),
};

/**
 * Makes a function that flushes on this thread as long as flushes take less than a millisecond. A trip to another thread and back costs
 * more processor time than such a flush. The first flushes, and the flushes after a long flush, go to another thread.
 */
export function promptFlush({ here, elsewhere, now }: Flushing = system): FlushData {
  let expected = 10 * shortest;
  return async (descriptor) => {
    const began = now();
    if (expected < shortest) here(descriptor);
    else await elsewhere(descriptor);
    const took = now() - began;
    // One long flush counts at once: the next flushes block nobody until several short flushes have followed.
    expected = Math.max(took, expected + weight * (took - expected));
  };
}
