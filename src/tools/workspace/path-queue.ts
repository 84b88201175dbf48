// One by one: whoever reads a file to change it is alone with it in this process.

const lines = new Map<string, Promise<unknown>>();

/**
 * Does the work when all that was asked for before on any of these real paths is over, whichever tool asked. Places are taken in
 * all the lines at once, so that nobody waits for each other.
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

/** How many paths somebody is at work on. */
export function busy(): number {
  return lines.size;
}
