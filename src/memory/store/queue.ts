// A queue for work that must not overlap.

/** Runs one job after the other, in the order given. A job that fails does not stop the next job. */
export type Queue = <Made>(work: () => Made | Promise<Made>) => Promise<Made>;

/** Makes an empty queue. */
export function queue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    // The caller gets the failure through `next`; the queue only waits for the end of the job.
    last = next.catch(() => undefined);
    return next;
  };
}
