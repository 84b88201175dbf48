import { describe, expect, it } from "vitest";
import { LastcallError } from "../../../src/core/index.js";
import { virtualClock } from "../../../src/testing/index.js";

const never = new AbortController().signal;

describe("a virtual clock", () => {
  it("stands still until it is told to go on, and wakes sleepers in their order", async () => {
    const clock = virtualClock({ start: 1000 });
    const woken: string[] = [];
    for (const ms of [30, 10, 20])
      void clock.sleep(ms, never).then(() => woken.push(`${String(ms)} at ${String(clock.now())}`));
    await clock.turn();
    expect([clock.now(), woken]).toEqual([1000, []]);
    await clock.advance(20);
    expect([clock.now(), woken]).toEqual([1020, ["10 at 1010", "20 at 1020"]]);
    await clock.advance(100);
    expect([clock.now(), woken.length]).toEqual([1120, 3]);
  });

  it("wakes who falls asleep on the way", async () => {
    const clock = virtualClock();
    let at = 0;
    void (async () => {
      await clock.sleep(10, never);
      await clock.sleep(10, never);
      at = clock.now();
    })();
    await clock.advance(25);
    expect([at, clock.now()]).toEqual([20, 25]);
  });

  it("rejects a sleep with the signal's reason, before and during", async () => {
    const clock = virtualClock();
    const reason = new Error("enough");
    await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const sleeping = clock.sleep(10, abort.signal);
    abort.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it("jumps by itself where it is told to, one timer at a time", async () => {
    const clock = virtualClock({ auto: true });
    const woken: number[] = [];
    await Promise.all([3_600_000, 1000].map((ms) => clock.sleep(ms, never).then(() => woken.push(clock.now()))));
    expect(woken).toEqual([1000, 3_600_000]);
  });

  it("leaves nothing to chance, and keeps what a person would be told", () => {
    const clock = virtualClock();
    expect([clock.id(), clock.id(), clock.random()]).toEqual(["session-1", "session-2", 0.5]);
    clock.warn(new LastcallError("watcher", "It threw."));
    expect(clock.warnings.map(({ message }) => message)).toEqual(["It threw."]);
  });
});
