// Waiting for a lock in files, for work that is short, and asking who holds it.

import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LockJudge, type Holder } from "./holder.js";
import { holderOf, takeLock } from "./lock-folder.js";

/** The longest pause between two tries, in milliseconds. The first pauses are shorter. */
const maxPause = 20;

const judge = new LockJudge(Date.now);

/**
 * Takes the lock in this folder as soon as nobody else holds it. Its holder may be stopped and write late, so it fits short work that does
 * no harm then. Returns the other holder if the lock is still held after `longest` milliseconds.
 * @throws the signal's reason if it aborts; the system's error if the folder can't be made.
 */
export async function waitForLock(
  folder: string,
  holder: Holder,
  { longest, signal }: { readonly longest: number; readonly signal?: AbortSignal | undefined },
): Promise<Holder | undefined> {
  const taking = { judge, now: Date.now, fence: () => Promise.resolve(), makeFolder };
  const end = performance.now() + longest;
  for (let pause = 1; ; pause = Math.min(2 * pause, maxPause)) {
    const { other } = await takeLock(folder, holder, taking);
    if (other === undefined || performance.now() > end) return other;
    await sleep(pause, undefined, { signal });
  }
}

/** The holder of the lock in this folder; undefined if nobody holds it. */
export function heldBy(folder: string): Promise<Holder | undefined> {
  return holderOf(folder, judge);
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
