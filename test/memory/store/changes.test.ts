// Hints that a log has changed: none is lost between two waits, and nothing stays behind.

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { changesHeard, changesIn, polled, type Changes } from "../../../src/memory/store/changes.js";
import { temporaryFolder } from "../store-places.js";

/** The next hint, or `none` if it does not come within so many milliseconds. */
async function within(ms: number, next: ReturnType<Changes["next"]>): Promise<unknown> {
  const timer = new AbortController();
  const late = sleep(ms, "none", { signal: timer.signal }).catch(() => "none");
  return Promise.race([next, late]).finally(() => {
    timer.abort();
  });
}

/**
 * A hint that is waited for and does not come: the folder is watched, and nothing happens in it. A folder that is not watched is looked at
 * four times a second, one that is watched every two seconds.
 */
async function quiet(changes: Changes): Promise<{ readonly next: ReturnType<Changes["next"]> }> {
  for (;;) {
    const next = changes.next();
    if ((await within(400, next)) === "none") return { next };
  }
}

const hint = { done: false, value: undefined };

describe("hints of listeners", () => {
  test("come once for what happened since the last one, and nobody listens after the end", async () => {
    const rings = new Set<() => void>();
    const stop = new AbortController();
    const changes = changesHeard((ring) => {
      rings.add(ring);
      return () => rings.delete(ring);
    }, stop.signal);
    await changes.next();
    // The reader is at work, and does not wait.
    for (const ring of [...rings, ...rings]) ring();
    expect(await within(5000, changes.next())).toEqual(hint);
    const next = changes.next();
    expect(await within(20, next)).toBe("none");
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(rings.size).toBe(0);
  });
});

describe("hints of a folder", () => {
  test("come with a change, also of a folder that comes to be, goes, and comes again", async () => {
    await using around = await temporaryFolder();
    const folder = join(around.path, "s");
    const stop = new AbortController();
    const changes = changesIn(folder, stop.signal);
    await changes.next();
    for (let life = 0; life < 2; life += 1) {
      await mkdir(folder);
      const { next } = await quiet(changes);
      await writeFile(join(folder, "journal.jsonl"), "one");
      expect(await within(1200, next)).toEqual(hint);
      await rename(folder, `${folder}-old`);
      await rm(`${folder}-old`, { recursive: true });
      await changes.next();
    }
    stop.abort();
    for (let end = await changes.next(); end.done !== true;) end = await changes.next();
  });

  test("end when their reader leaves", async () => {
    await using folder = await temporaryFolder();
    const changes = changesIn(folder.path, new AbortController().signal);
    await changes.next();
    expect(await changes.return(undefined)).toEqual({ done: true, value: undefined });
  });
});

test("without anything that tells, hints come by the clock", async () => {
  const stop = new AbortController();
  const changes = polled(stop.signal);
  await changes.next();
  const next = changes.next();
  expect(await within(100, next)).toBe("none");
  expect(await next).toEqual(hint);
  const last = changes.next();
  stop.abort();
  expect(await last).toEqual({ done: true, value: undefined });
});
