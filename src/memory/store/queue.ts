// A queue for work that must not overlap, and queues by key.

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

/** Makes a queue for each key, for as long as the key has work. */
export function queues(): <Made>(key: string, work: () => Made | Promise<Made>) => Promise<Made> {
  const known = new Map<string, { readonly inOrder: Queue; left: number }>();
  return async (key, work) => {
    const one = known.get(key) ?? { inOrder: queue(), left: 0 };
    known.set(key, one);
    one.left += 1;
    try {
      return await one.inOrder(work);
    } finally {
      one.left -= 1;
      if (one.left === 0) known.delete(key);
    }
  };
}
