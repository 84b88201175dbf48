// Runs changes of the same path one after another, within this process.

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs the work after all earlier work on any of these real paths, by whichever tool. The work enters all queues at
 * once, so two callers never wait for each other.
 */
export async function inPathQueue<Made>(paths: readonly string[], work: () => Promise<Made>): Promise<Made> {
  const before = paths.map((path) => queues.get(path) ?? Promise.resolve());
  const result = Promise.all(before).then(work);
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  for (const path of paths) queues.set(path, settled);
  try {
    return await result;
  } finally {
    for (const path of paths) if (queues.get(path) === settled) queues.delete(path);
  }
}

/** The number of paths with work under way. */
export function busy(): number {
  return queues.size;
}
