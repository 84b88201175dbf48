// Statements over connections that may break: each is tried again, since each can be carried out twice.

import { setTimeout as sleep } from "node:timers/promises";
import { afterFailure } from "./failure-codes.js";

/** Milliseconds for which a statement is tried again. A lock is stale later than that. */
const patience = 10_000;

/**
 * Runs work that can be carried out twice until it succeeds, or until the patience is over. Such work finds out by itself whether it was
 * carried out, or it makes no difference. An error that time does not change is thrown at once.
 */
export async function persistently<Made>(work: () => Promise<Made>): Promise<Made> {
  const began = performance.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (afterFailure(thrown) === "told" || performance.now() - began > patience) throw thrown;
      // Not all workers at once, when a server is back.
      await sleep(Math.min(20 * 2 ** tries, 1000) * (0.5 + Math.random() / 2));
    }
  }
}
