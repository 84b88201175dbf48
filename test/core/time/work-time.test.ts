import { describe, expect, it } from "vitest";
import { WorkTime } from "../../../src/core/time/work-time.js";
import { virtualClock, type VirtualClock } from "../../../src/testing/index.js";

function bench(): { readonly clock: VirtualClock; readonly time: WorkTime } {
  const clock = virtualClock({ start: 1000 });
  return { clock, time: new WorkTime(clock) };
}

/** A promise that is settled from outside. */
function held(): { readonly promise: Promise<string>; resolve(value: string): void; reject(error: Error): void } {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

describe("the working time", () => {
  it("stands still until it is started, and while it is stopped", async () => {
    const { clock, time } = bench();
    await clock.advance(50);
    expect(time.elapsed).toBe(0);
    time.start();
    await clock.advance(30);
    expect(time.elapsed).toBe(30);
    time.stop();
    await clock.advance(1000);
    expect(time.elapsed).toBe(30);
    time.start();
    await clock.advance(5);
    expect(time.elapsed).toBe(35);
  });

  it("goes on as long as anybody waits, and counts once for all who do", async () => {
    const { clock, time } = bench();
    time.start();
    await clock.advance(10);
    time.start();
    await clock.advance(10);
    time.stop();
    await clock.advance(10);
    expect(time.elapsed).toBe(30);
    time.stop();
    await clock.advance(10);
    expect(time.elapsed).toBe(30);
  });

  it("does not count what it is without, and passes on what came of it", async () => {
    const { clock, time } = bench();
    time.start();
    await clock.advance(10);
    const thinking = held();
    const waiting = time.without(thinking.promise);
    await clock.advance(60_000);
    expect(time.elapsed).toBe(10);
    thinking.resolve("yes");
    expect(await waiting).toBe("yes");
    await clock.advance(7);
    expect(time.elapsed).toBe(17);
  });

  it("goes on after what it was without has failed", async () => {
    const { clock, time } = bench();
    time.start();
    const thinking = held();
    const waiting = time.without(thinking.promise);
    await clock.advance(100);
    thinking.reject(new Error("nobody there"));
    await expect(waiting).rejects.toThrow("nobody there");
    await clock.advance(7);
    expect(time.elapsed).toBe(7);
  });

  it("stands still until the last of those it is without", async () => {
    const { clock, time } = bench();
    time.start();
    const [one, two] = [held(), held()];
    const waiting = [time.without(one.promise), time.without(two.promise)];
    one.resolve("one");
    await clock.advance(10);
    expect(time.elapsed).toBe(0);
    two.resolve("two");
    expect(await Promise.all(waiting)).toEqual(["one", "two"]);
    await clock.advance(10);
    expect(time.elapsed).toBe(10);
  });
});

describe("a deadline", () => {
  it("aborts with its reason once so much has been worked from then on", async () => {
    const { clock, time } = bench();
    time.start();
    await clock.advance(500);
    const reason = new Error("the time is up");
    const { signal } = time.deadline(100, reason);
    await clock.advance(99);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it("of nothing is over at once", () => {
    const { time } = bench();
    expect(time.deadline(0, new Error("over")).signal.aborted).toBe(true);
  });

  it("does not fire for time that was not worked, and is later by as much", async () => {
    const { clock, time } = bench();
    time.start();
    const { signal } = time.deadline(100, new Error("over"));
    await clock.advance(40);
    time.stop();
    await clock.advance(30);
    time.start();
    await clock.advance(59);
    expect([time.elapsed, signal.aborted]).toEqual([99, false]);
    await clock.advance(1);
    expect([time.elapsed, signal.aborted]).toEqual([100, true]);
  });

  it("that was due while the time stood still waits until it goes on, and then for what is left", async () => {
    const { clock, time } = bench();
    time.start();
    const { signal } = time.deadline(100, new Error("over"));
    await clock.advance(40);
    time.stop();
    await clock.advance(60_000);
    expect(signal.aborted).toBe(false);
    time.start();
    await clock.advance(59);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it("stands pauses one after the other", async () => {
    const { clock, time } = bench();
    const { signal } = time.deadline(10, new Error("over"));
    for (let pause = 0; pause < 9; pause += 1) {
      await clock.advance(1000);
      time.start();
      await clock.advance(1);
      time.stop();
      expect([time.elapsed, signal.aborted]).toEqual([pause + 1, false]);
    }
    await clock.advance(1000);
    time.start();
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it("does not run while a person thinks, also where it was due meanwhile", async () => {
    const { clock, time } = bench();
    time.start();
    const { signal } = time.deadline(100, new Error("over"));
    const thinking = held();
    const waiting = time.without(thinking.promise);
    await clock.advance(60_000);
    thinking.resolve("yes");
    await waiting;
    await clock.advance(99);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it("that was taken back never fires, whether the time went on or stood still when it was due", async () => {
    const { clock, time } = bench();
    time.start();
    const [one, other] = [time.deadline(10, new Error("over")), bench()];
    one.end();
    await clock.advance(100);
    expect(one.signal.aborted).toBe(false);
    const two = other.time.deadline(10, new Error("over"));
    await other.clock.advance(100);
    two.end();
    other.time.start();
    await other.clock.advance(100);
    expect(two.signal.aborted).toBe(false);
  });
});
