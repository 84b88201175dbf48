// Stores in memory that something is wrong with.

import type { AttachmentStore } from "../../src/index.js";
import { memoryStore, type Lock, type Store } from "../../src/memory/index.js";
import type { StoreMaker } from "../../src/testing/index.js";
import { isLock } from "../../src/testing/conformance/store-place.js";

/** A store in memory that something is wrong with. */
export function broken(change: (store: Store, now: () => number) => Partial<Store>): StoreMaker {
  return ({ now }) => {
    const store = memoryStore(now);
    const changed = { ...store, ...change(store, now) };
    return { open: () => changed };
  };
}

/** A store in memory whose locks something is wrong with. */
export function brokenLock(change: (lock: Lock, store: Store, id: string) => Partial<Lock>): StoreMaker {
  return broken((store) => ({
    lock: async (id, holder) => {
      const lock = await store.lock(id, holder);
      return isLock(lock) ? { ...lock, ...change(lock, store, id) } : lock;
    },
  }));
}

/** A store in memory that reads something else. */
export function brokenRead(change: (lines: readonly string[]) => readonly string[]): StoreMaker {
  return broken((store) => ({
    read: async (id) => {
      const lines = await store.read(id);
      return lines && change(lines);
    },
  }));
}

/** A store in memory whose attachments something is wrong with. The change gets those of one session, and the id. */
export function brokenFiles(change: (files: AttachmentStore, id: string) => Partial<AttachmentStore>): StoreMaker {
  return broken((store) => ({
    attachments: (id) => {
      const files = store.attachments!(id);
      return { ...files, ...change(files, id) };
    },
  }));
}

/** A moment, never the same. */
export const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
