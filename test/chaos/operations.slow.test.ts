// A process that dies at any operation on its store, or whose store fails there: nothing is lost, nothing happens twice.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemRuntime, type LastcallError } from "../../src/core/index.js";
import { memoryStore } from "../../src/memory/index.js";
import { stale } from "../../src/lock/index.js";
import { type Store } from "../../src/memory/store/store.js";
import { storeFault } from "../../src/memory/disk/store-fault.js";
import { taken } from "../../src/testing/conformance/store-place.js";
import { aroundStore, mortal, type Death, type Mortal } from "./around-store.js";
import { checkReplay } from "./invariants.js";
import { agentIn, freshWorld, live, recordsIn, session, survive, turn } from "./scenario.js";
import { counted } from "./counted.js";
import { atEach, atEachOf, isAll, MissedPlace, places, some, upTo } from "./scale.js";

/** Dies so, one life after the other, then lives to the end. What is left is checked. The last of the deaths. */
async function dieAndSurvive(...deaths: readonly Death[]): Promise<Mortal> {
  const world = freshWorld();
  let last: Mortal | undefined;
  for (const death of deaths) {
    last = mortal(world.store, session, death);
    await live(world, agentIn(world), last.store);
    if (!last.isDead()) break;
  }
  await survive(world);
  return last!;
}

const never = { at: Infinity, how: "before" } as const;

test("undisturbed, the scenario has every kind of record that a run without limits makes", async () => {
  const records = await survive(freshWorld());
  expect([...new Set(records.map(({ type }) => type))].sort()).toEqual(
    ["baseline", "check", "claim", "decision", "error-context", "fold", "input", "intent", "iteration"].concat([
      "notice",
      "outcome",
      "reply",
      "result",
      "spend",
      "steer",
      "stub",
    ]),
  );
  counted("undisturbed", 1);
});

describe.each(["before", "after", "torn"] as const)("a death %s an operation", (how) => {
  test("at each of them", async () => {
    const operations = (await dieAndSurvive(never)).count();
    expect(operations).toBeGreaterThan(60);
    const all = places(operations, 5);
    await atEach(all, async (place) => {
      expect((await dieAndSurvive({ at: place + 1, how })).isDead()).toBe(true);
    });
    expect((await dieAndSurvive({ at: operations + 1, how })).isDead()).toBe(false);
    counted("kill9-every-write", all.length);
  });

  test("at each of them, and again at each of those that follow while it goes on", async () => {
    let lives = 0;
    const operations = (await dieAndSurvive(never)).count();
    const firsts = some(
      upTo(operations).filter((place) => place % 3 === 0),
      2,
    );
    await atEach(firsts, async (first) => {
      const rest = (await dieAndSurvive({ at: first + 1, how }, never)).count();
      await atEach(isAll ? upTo(rest) : some(upTo(rest), 2), async (second) => {
        expect((await dieAndSurvive({ at: first + 1, how }, { at: second + 1, how })).isDead()).toBe(true);
        lives += 1;
      });
    });
    counted("kill9-every-write", lives);
  });
});

test("the power is lost at each operation, and with it any of the lines that were not flushed, the first of them torn or not", async () => {
  const operations = (await dieAndSurvive(never)).count();
  let lives = 0;
  await atEach(places(operations, 4), async (place) => {
    const death = { at: place + 1, how: "power" } as const;
    const died = await dieAndSurvive(death);
    expect(died.isDead()).toBe(true);
    const pending = died.pending();
    for (let lost = 1; lost <= pending; lost += 1) {
      for (const isTorn of [false, true]) {
        expect((await dieAndSurvive({ ...death, lost, isTorn })).isDead()).toBe(true);
        lives += 1;
      }
    }
  });
  counted("power-loss", lives);
});

test("after a death at each operation, each request can be made anew from the records before it, byte for byte", async () => {
  const operations = (await dieAndSurvive(never)).count();
  let replayed = 0;
  await atEach(places(operations, 2), async (place) => {
    const world = freshWorld();
    const requests: unknown[] = [];
    const first = agentIn(world);
    const dying = mortal(world.store, session, { at: place + 1, how: "before" });
    await live(world, first, dying.store);
    expect(dying.isDead()).toBe(true);
    const second = agentIn(world);
    await live(world, second, world.store);
    requests.push(...first.model.requests, ...second.model.requests);
    replayed += await checkReplay({ records: await recordsIn(world), requests }, async (kept) => {
      const asking = agentIn(freshWorld());
      const stop = new AbortController();
      await asking.resume(kept, {
        signal: stop.signal,
        onEvent: ({ type }) => {
          if (type === "reply-end") stop.abort();
        },
      });
      return asking.model.requests[0];
    });
  });
  counted("replayed-requests", replayed);
});

const codes = {
  EIO: "i/o error",
  EACCES: "permission denied",
  EROFS: "read-only file system",
  EDQUOT: "disk quota exceeded",
  ENOSPC: "no space left on device",
} as const;

/** What could not be done where, why, and what is to be done about it. */
const words = /Could not \w+ the log: E\w+: [^.]+\. [A-Z][^.]+[:,] [^.]+\.$/;

describe.each(["once", "for ever"] as const)("a store that fails %s at an operation", (how) => {
  /** Lives in a store that fails so, then in one that is well. How many operations there were until then. */
  async function fail(at: number, code: keyof typeof codes): Promise<number> {
    let later = 0;
    const stored = memoryStore(() => Date.now() + later);
    // Nobody knows whether the process of the holder still runs, as with one on another machine: then the wall clock decides alone.
    const unborn: Store = { ...stored, lock: (id, { birth: _birth, ...holder }) => stored.lock(id, holder) };
    const world = freshWorld(unborn);
    let count = 0;
    let hit = "";
    const store = aroundStore(world.store, async ({ name, lines = [] }, work) => {
      count += 1;
      const isHit = count === at || (how === "for ever" && count > at);
      // A lock that can't be given back is over after a while.
      if (isHit && name === "release") later += stale + 1;
      if (isHit) hit += ` ${name} ${lines.join(" ")}`;
      if (isHit) throw storeFault(name, "the log", Object.assign(new Error(`${code}: ${codes[code]}`), { code }));
      return work();
    });
    const warnings: LastcallError[] = [];
    const runtime = { ...systemRuntime, warn: (fault: LastcallError) => void warnings.push(fault) };
    const outcome = await live(world, agentIn(world, { options: { runtime } }), store);
    const faults = [...warnings, ...(outcome?.status === "failed" ? [outcome.fault] : [])];
    if (at !== Infinity && count < at) throw new MissedPlace("operation", at, count);
    // A release that failed once is tried again at once, so nobody has to know.
    const isMended = how !== "for ever" && hit.trimStart().startsWith("release");
    expect(faults.length > 0, `told of what failed:${hit}`).toBe(count >= at && !isMended);
    for (const fault of faults) {
      expect(fault.code).toBe("store");
      expect(fault.message).toMatch(words);
      expect(fault.message).toContain(code);
    }
    const last = (await recordsIn(world)).at(-1);
    if (outcome?.status !== "failed") expect(last).toMatchObject({ type: "outcome", status: outcome?.status });
    await survive(world);
    return count;
  }

  test.each(Object.keys(codes) as (keyof typeof codes)[])(
    "of %s: the run says so and how to go on, nothing ran that was not announced, and the session goes on",
    async (code) => {
      counted(`fs-${code}`, await atEachOf({ least: 38, quick: 3 }, (at) => fail(at, code)));
    },
  );
});

test("where an input can't be taken off the inbox once it is in the journal, that is told, and the session is given back", async () => {
  const world = freshWorld();
  const other = await taken(world.store, session);
  let drops = 0;
  const store = aroundStore(world.store, ({ name }, work) =>
    name === "drop" && (drops += 1) > 1 ? Promise.reject(new Error("no")) : work(),
  );
  const warnings: LastcallError[] = [];
  const runtime = { ...systemRuntime, warn: (fault: LastcallError) => void warnings.push(fault) };
  const running = turn(world, agentIn(world, { options: { runtime } }), store);
  while ((await world.store.messages(session)).length === 0) await sleep(1);
  await other.release();
  expect(await running).toMatchObject({ status: "waiting" });
  expect(warnings.map(({ message }) => message)).toEqual([
    "The run on the session is over, but its input could not be taken off the inbox: no",
  ]);
  await (await taken(world.store, session)).release();
  await survive(world);
  counted("fs-failing-drop", 1);
});

test("a store that takes 20 ms for each flush makes a run slow and nothing else", async () => {
  const world = freshWorld(memoryStore());
  let flushes = 0;
  const store = aroundStore(world.store, async ({ flush = false }, work) => {
    if (flush) {
      flushes += 1;
      await sleep(20);
    }
    return work();
  });
  const outcome = await live(world, agentIn(world), store);
  expect(outcome?.status).toBe("completed");
  expect(flushes).toBeGreaterThan(10);
  await survive(world);
  counted("fs-slow", flushes);
});
