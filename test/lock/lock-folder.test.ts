import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stale } from "../../src/memory/index.js";
import { freeLock, heldBy, lockFile, renewLock, takeLock } from "../../src/lock/index.js";
import { LockJudge, newHolder as bornHolder } from "../../src/lock/index.js";
import { goneHolder, newHolder } from "../../src/testing/conformance/store-place.js";
import { temporaryFolder } from "../memory/store-places.js";

/** A folder for a lock, and a clock that can be put forward. */
async function bench() {
  const folder = await temporaryFolder();
  const lock = join(folder.path, "deep/s/lock");
  let ahead = 0;
  let watched = 0;
  const fences: string[][] = [];
  const now = (): number => 1_800_000_000_000 + ahead;
  return {
    lock,
    clock: {
      now,
      judge: new LockJudge(now, () => watched),
      fence: async () => void fences.push(await readdir(lock)),
      makeFolder: async (path: string) => {
        await mkdir(path, { recursive: true });
      },
    },
    /** For each time that an earlier holder was fenced off: the files of the lock meanwhile. */
    fences,
    now,
    watch: (ms: number) => {
      watched += ms;
    },
    pass: (ms: number) => {
      ahead += ms;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("a lock", () => {
  test("is taken by one holder; the others are told who has it", async () => {
    await using place = await bench();
    const [one, other] = [newHolder(), newHolder()];
    expect((await takeLock(place.lock, one, place.clock)).other).toBeUndefined();
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    expect([existsSync(lockFile(place.lock, one)), existsSync(lockFile(place.lock, other))]).toEqual([true, false]);
  });

  test("says who holds it, and is not touched by that", async () => {
    await using place = await bench();
    const one = bornHolder();
    expect(await heldBy(place.lock)).toBeUndefined();
    expect(existsSync(place.lock)).toBe(false);
    // The judge of `heldBy` has the clock of the machine.
    await takeLock(place.lock, one, { ...place.clock, now: Date.now });
    const names = await readdir(place.lock);
    expect([await heldBy(place.lock), await readdir(place.lock)]).toEqual([one, names]);
    await freeLock(place.lock, one);
    expect(await heldBy(place.lock)).toBeUndefined();
    await takeLock(place.lock, await goneHolder(), { ...place.clock, now: Date.now });
    expect(await heldBy(place.lock)).toBeUndefined();
  });

  test("is given back, once, and can be taken again", async () => {
    await using place = await bench();
    const [one, other] = [newHolder(), newHolder()];
    await takeLock(place.lock, one, place.clock);
    expect([await freeLock(place.lock, one), await freeLock(place.lock, one)]).toEqual([true, false]);
    expect((await takeLock(place.lock, other, place.clock)).other).toBeUndefined();
    expect(existsSync(lockFile(place.lock, one))).toBe(false);
  });

  test("is taken by exactly one of many who try at the same time", async () => {
    await using place = await bench();
    const holders = Array.from({ length: 20 }, newHolder);
    const answers = await Promise.all(holders.map((holder) => takeLock(place.lock, holder, place.clock)));
    const taken = holders.filter((_holder, index) => answers[index]?.other === undefined);
    expect(taken).toHaveLength(1);
    expect(new Set(answers.map(({ other }) => other?.id))).toEqual(new Set([undefined, taken[0]?.id]));
    expect(await readdir(place.lock)).toHaveLength(1);
  });
});

describe("the time of a lock", () => {
  test("begins when it is taken, however long it was free before", async () => {
    await using place = await bench();
    const [first, second, third] = [newHolder(), newHolder(), newHolder()];
    await takeLock(place.lock, first, place.clock);
    await freeLock(place.lock, first);
    place.pass(2 * stale);
    expect((await takeLock(place.lock, second, place.clock)).other).toBeUndefined();
    expect((await takeLock(place.lock, third, place.clock)).other).toEqual(second);
    expect(existsSync(lockFile(place.lock, second))).toBe(true);
  });

  test("is over after so long without a renewal, and not before", async () => {
    await using place = await bench();
    const [one, other] = [newHolder(), newHolder()];
    await takeLock(place.lock, one, place.clock);
    place.pass(stale - 1);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    place.pass(1);
    expect((await takeLock(place.lock, other, place.clock)).other).toBeUndefined();
    expect([existsSync(lockFile(place.lock, one)), existsSync(lockFile(place.lock, other))]).toEqual([false, true]);
  });

  test("begins anew with a renewal, and one who has lost the lock renews nothing", async () => {
    await using place = await bench();
    const [one, other] = [newHolder(), newHolder()];
    await takeLock(place.lock, one, place.clock);
    place.pass(stale - 1);
    expect(await renewLock(place.lock, one, place.now)).toBe(true);
    place.pass(stale - 1);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    place.pass(1);
    await takeLock(place.lock, other, place.clock);
    expect([await renewLock(place.lock, one, place.now), await freeLock(place.lock, one)]).toEqual([false, false]);
    expect(existsSync(lockFile(place.lock, other))).toBe(true);
  });

  test("begins anew for whoever takes over from a holder that is stale", async () => {
    await using place = await bench();
    const [one, other, third] = [newHolder(), newHolder(), newHolder()];
    await takeLock(place.lock, one, place.clock);
    place.pass(stale);
    await takeLock(place.lock, other, place.clock);
    expect((await takeLock(place.lock, third, place.clock)).other).toEqual(other);
  });
});

describe("an earlier holder", () => {
  test("that may still run is fenced off, before the lock counts as taken; one that has released the lock or is gone is not", async () => {
    await using place = await bench();
    const [released, gone, stopped, next] = [newHolder(), await goneHolder(), newHolder(), newHolder()];
    await takeLock(place.lock, released, place.clock);
    await freeLock(place.lock, released);
    await takeLock(place.lock, gone, place.clock);
    await takeLock(place.lock, stopped, place.clock);
    expect(place.fences).toEqual([]);
    place.pass(stale);
    await takeLock(place.lock, next, place.clock);
    const own = lockFile("", next);
    expect(place.fences).toEqual([[`${own}@unfenced`]]);
    expect(await readdir(place.lock)).toEqual([own]);
  });

  test("is fenced off by the second holder if the first one is gone before it has done so", async () => {
    await using place = await bench();
    const [stopped, gone, next] = [newHolder(), await goneHolder(), newHolder()];
    await takeLock(place.lock, stopped, place.clock);
    place.pass(stale);
    const killed = { ...place.clock, fence: () => Promise.reject(new Error("killed")) };
    await expect(takeLock(place.lock, gone, killed)).rejects.toThrow("killed");
    expect((await takeLock(place.lock, next, place.clock)).other).toBeUndefined();
    expect(place.fences).toHaveLength(1);
    expect(await readdir(place.lock)).toEqual([lockFile("", next)]);
  });
});

describe("a holder", () => {
  test("whose process is gone from this machine has lost its lock at once", async () => {
    await using place = await bench();
    const [gone, next] = [await goneHolder(), newHolder()];
    await takeLock(place.lock, gone, place.clock);
    expect((await takeLock(place.lock, next, place.clock)).other).toBeUndefined();
  });

  test("on another machine is waited for, whatever its process", async () => {
    await using place = await bench();
    const far = { ...(await goneHolder()), host: "else@where/*.example" };
    await takeLock(place.lock, far, place.clock);
    expect((await takeLock(place.lock, newHolder(), place.clock)).other).toEqual(far);
  });
});

const noBirths = bornHolder().birth === undefined ? " (left out: this system tells no births of processes)" : "";
describe.skipIf(noBirths)(`a holder whose birth is known${noBirths}`, () => {
  test("is told with it", async () => {
    await using place = await bench();
    const holder = bornHolder();
    await takeLock(place.lock, holder, place.clock);
    expect((await takeLock(place.lock, bornHolder(), place.clock)).other).toEqual(holder);
    expect(existsSync(lockFile(place.lock, holder))).toBe(true);
  });

  test("keeps its lock where the clock jumps forward, until it was watched for so long without a renewal", async () => {
    await using place = await bench();
    const [one, other] = [bornHolder(), bornHolder()];
    await takeLock(place.lock, one, place.clock);
    place.pass(stale + 1000);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    place.watch(stale - 1);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    await renewLock(place.lock, one, place.now);
    place.pass(stale);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    place.watch(stale - 1);
    expect((await takeLock(place.lock, other, place.clock)).other).toEqual(one);
    place.watch(1);
    expect((await takeLock(place.lock, other, place.clock)).other).toBeUndefined();
  });

  test("has lost its lock at once if another process has its pid now", async () => {
    await using place = await bench();
    const holder = bornHolder();
    const reused = { ...holder, birth: `${holder.birth!.slice(0, holder.birth!.lastIndexOf("/"))}/1` };
    await takeLock(place.lock, reused, place.clock);
    expect((await takeLock(place.lock, bornHolder(), place.clock)).other).toBeUndefined();
  });

  test.each([
    ["in another container with the same host name", 1],
    ["of another machine with the same host name", 0],
  ])("%s is waited for, though no process here has its pid", async (_what, part) => {
    await using place = await bench();
    const gone = await goneHolder();
    const birth = bornHolder().birth!.split("/").with(part, "4026000000").join("/");
    const far = { ...gone, birth };
    await takeLock(place.lock, far, place.clock);
    expect((await takeLock(place.lock, bornHolder(), place.clock)).other).toEqual(far);
    place.pass(stale);
    expect((await takeLock(place.lock, bornHolder(), place.clock)).other).toBeUndefined();
  });
});

test("a lock with a time in the future is waited for as long as any, from when it was first seen", async () => {
  await using place = await bench();
  const far = { ...newHolder(), host: "elsewhere" };
  await takeLock(place.lock, far, place.clock);
  place.pass(-3_600_000);
  expect((await takeLock(place.lock, newHolder(), place.clock)).other).toEqual(far);
  place.watch(stale - 1);
  expect((await takeLock(place.lock, newHolder(), place.clock)).other).toEqual(far);
  place.watch(1);
  expect((await takeLock(place.lock, newHolder(), place.clock)).other).toBeUndefined();
});
