// A store in memory whose appends fail when a test wants it.

import { memoryStore, type Store } from "../../src/memory/index.js";

/** A store in memory. It throws the error that `failure` has for the lines of an append, and stores nothing of them. */
export function failingStore(failure: (lines: readonly string[]) => Error | undefined): Store {
  const inner = memoryStore();
  return {
    ...inner,
    async lock(id, holder) {
      const lock = await inner.lock(id, holder);
      if (!("append" in lock)) return lock;
      const append: typeof lock.append = async (lines, flush) => {
        const error = failure(lines);
        if (error !== undefined) throw error;
        await lock.append(lines, flush);
      };
      return { ...lock, append };
    },
  };
}
