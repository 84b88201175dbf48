// The sessions whose lease a run of this process has.

import type { RunWatcher, WatchedRun } from "./delivery/run-watcher.js";

/** Knows the sessions whose lease a run of this process has: others may have a run that only waits for one. */
export class HeldHere implements RunWatcher {
  readonly #held = new Set<string>();

  has(session: string): boolean {
    return this.#held.has(session);
  }

  begin(session: string): WatchedRun {
    return {
      over: (open) => ({
        ...open,
        lease: async (onBusy) => {
          const lease = await open.lease(onBusy);
          if (lease === undefined) return undefined;
          this.#held.add(session);
          const release = async (): Promise<void> => {
            this.#held.delete(session);
            await lease.release();
          };
          return { ...lease, release };
        },
      }),
      event: () => undefined,
      end: () => undefined,
    };
  }
}
