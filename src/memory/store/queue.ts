// Works that must not overlap.

/** Runs one work after the other, in the order in which they were given; one that fails does not keep the next from running. */
export type Queue = <Made>(work: () => Made | Promise<Made>) => Promise<Made>;

/** A queue of its own. */
export function queue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    // Whoever gave the work is told of its failure; the queue only waits for its end.
    last = next.catch(() => undefined);
    return next;
  };
}
