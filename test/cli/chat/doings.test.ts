import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Doings } from "../../../src/cli/chat/doings.js";

interface Stage {
  readonly doings: Doings;
  /** The callbacks and results, in their order. */
  readonly told: string[];
  readonly left: AbortController;
}

function stage(): Stage {
  const told: string[] = [];
  const left = new AbortController();
  const doings = new Doings({
    left: left.signal,
    onBusy: (isBusy) => told.push(isBusy ? "busy" : "free"),
    onFault: (thrown) => told.push(String(thrown)),
  });
  return { doings, told, left };
}

describe("the queue of work", () => {
  test("does one work after the other, even after an error", async () => {
    const { doings, told } = stage();
    doings.next(async () => {
      await turn();
      told.push("first");
      throw new Error("broken");
    });
    doings.next(() => told.push("second"));
    await doings.now(() => told.push("beside"));
    await doings.end();
    expect(told).toEqual(["beside", "first", "Error: broken", "second"]);
  });

  test("stops long work, and only long work", async () => {
    const { doings, told } = stage();
    doings.stop(new Error("Nothing goes on."));
    doings.next(() =>
      doings.busy(async (signal) => {
        expect(doings.isBusy).toBe(true);
        doings.stop(new DOMException("Interrupted.", "AbortError"));
        await turn();
        signal.throwIfAborted();
      }),
    );
    doings.next(() => doings.busy(async (signal) => void told.push(`next: ${String(signal.aborted)}`)));
    await doings.end();
    expect(told).toEqual(["busy", "free", "AbortError: Interrupted.", "busy", "next: false", "free"]);
    expect(doings.isBusy).toBe(false);
  });

  test("begins no long work after the person has left", async () => {
    const { doings, told, left } = stage();
    doings.next(() =>
      doings.busy(async () => {
        left.abort();
      }),
    );
    doings.next(() => doings.busy(async () => void told.push("begun")));
    await doings.end();
    expect(told).toEqual(["busy", "free"]);
  });
});
