import { describe, expect, it } from "vitest";
import { WorkTime } from "../../../src/core/time/work-time.js";
import { virtualClock, type VirtualClock } from "../../../src/testing/index.js";

function bench(): { readonly clock: VirtualClock; readonly time: WorkTime } {
  const clock = virtualClock({ start: 1000 });
  return { clock, time: new WorkTime(clock) };
}

/** A promise that the test settles. */
function held(): { readonly promise: Promise<string>; resolve(value: string): void; reject(error: Error): void } {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

describe("the work time", () => {
  it("does not run before it is started and while it is stopped", async () => {
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

  it("runs while at least one reader waits, and counts only once for several", async () => {
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

  it("does not count the wait in `without`, and returns the value of its promise", async () => {
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

  it("runs again after the promise in `without` has failed", async () => {
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

  it("is paused until the last of several promises in `without` settles", async () => {
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
  it("aborts with its reason after the given work time", async () => {
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

  it("of 0 ms aborts at once", () => {
    const { time } = bench();
    expect(time.deadline(0, new Error("over")).signal.aborted).toBe(true);
  });

  it("is later by the time that was not worked", async () => {
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

  it("that was due during a pause waits for the rest of its work time after the pause", async () => {
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

  it("survives several pauses", async () => {
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

  it("does not run while a person decides, even if it was due meanwhile", async () => {
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

  it("that was canceled never aborts, during a pause or not", async () => {
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
