// Runs changes of the same path one after another, within this process.

const lines = new Map<string, Promise<unknown>>();

/**
 * Runs the work after all earlier work on any of these real paths, by whichever tool. The work enters all queues at
 * once, so two callers never wait for each other.
 */
export async function inPathQueue<Made>(paths: readonly string[], work: () => Promise<Made>): Promise<Made> {
  const before = paths.map((path) => lines.get(path) ?? Promise.resolve());
  const mine = Promise.all(before).then(work);
  const over = mine.then(
    () => undefined,
    () => undefined,
  );
  for (const path of paths) lines.set(path, over);
  try {
    return await mine;
  } finally {
    for (const path of paths) if (lines.get(path) === over) lines.delete(path);
  }
}

/** The number of paths with work under way. */
export function busy(): number {
  return lines.size;
}
