// Many processes that want to write one session, while some of them are killed or put to sleep.

import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { Store } from "../../src/memory/index.js";
import { newHolder } from "../../src/testing/conformance/store-place.js";
import { expectOneLog, startWriter, type Writer, type WriterOptions } from "../memory/writers.js";
import { counted } from "./counted.js";
import { isAll } from "./scale.js";

/** Who dies and who sleeps, and the speed of the clock at which a lock gets stale meanwhile. */
export const endings = [
  ["take it over from those that are killed", 1, "SIGKILL"],
  ["take it over from those that sleep, which write nothing once they are awake", 100, "SIGSTOP"],
] as const;

export interface Fight {
  readonly options: WriterOptions;
  /** The number of processes at any time. */
  readonly processes: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
  /** The store over the same place. */
  readonly store: Store;
}

/** Lets them write for a while. In the end there is one log, with every line that was told as kept, and the lock can be taken. */
export async function fight({ options, processes, signal, store }: Fight): Promise<void> {
  let writers = Array.from({ length: processes }, () => startWriter(options));
  const all: Writer[] = [...writers];
  await Promise.all(writers.map(({ begun }) => begun));
  // A stop proves something only if it hits the holder of the lock. The writer that spoke last is most likely the holder.
  const isMet = (): boolean => signal === "SIGKILL" || all.some((writer) => writer.said().includes("lost"));
  for (const end = Date.now() + (isAll ? 3000 : 1000); Date.now() < end || (!isMet() && Date.now() < end + 20_000);) {
    const anyone = writers[Math.floor(Math.random() * writers.length)]!;
    const last = writers.reduce((one, other) => (other.spokeAt() > one.spokeAt() ? other : one));
    const victim = Math.random() < 0.5 ? anyone : last;
    victim.child.kill(signal);
    await wait(signal === "SIGKILL" ? 20 : 500);
    if (signal === "SIGSTOP") victim.child.kill("SIGCONT");
    else {
      await victim.kill();
      const next = startWriter(options);
      all.push(next);
      writers = [...writers.filter((writer) => writer !== victim), next];
    }
  }
  await Promise.all(writers.map((writer) => writer.kill()));
  const lines = await expectOneLog(store, all);
  expect(lines.length).toBeGreaterThan(20);
  expect(isMet()).toBe(true);
  expect(await store.lock("shared", newHolder())).toHaveProperty("append");
  counted(`takeover-${options.kind}-${signal}`, all.length);
}
