import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { LastcallError, type Event, type LimitOptions } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { inTime } from "../../../src/core/loop/in-time.js";
import type { Run } from "../../../src/core/run/run.js";
import { drain } from "../drain.js";
import { input, reply } from "../journal.js";
import { openRun, resultsIn, type OpenedRun } from "../open-run.js";
import { stageOf, wait } from "../../../src/core/time/stage.js";

const go = input(1, "go");
const closing: RecordBody = { type: "notice", about: "closing", reason: "timeout", message: "up", text: "The end." };
const claim: RecordBody = { type: "claim", callId: "a", by: "it", ending: "completed", value: 1, receipts: [] };

/** A piece of work that takes this many milliseconds, unless its signal aborts; then it goes on with `then`. */
function working({ clock }: OpenedRun, ms: number, then: (run: Run) => Promise<unknown> = async () => undefined) {
  return async function* work(run: Run): AsyncGenerator<Event, void, void> {
    yield { type: "iteration-start", iteration: 1 };
    const rest = clock.sleep(ms, run.signal);
    await Promise.all([rest, clock.advance(ms)]);
    await then(run);
  };
}

function opened(limits: LimitOptions, records: readonly RecordBody[] = [go]): OpenedRun {
  return openRun({ limits }, records);
}

describe("work within its time", () => {
  test.each([{}, { iterationTimeout: 100 }, { timeout: 1000 }])("leaves no trace with %j", async (limits) => {
    const bench = opened(limits);
    await drain(inTime(bench.run, (run) => stageOf(working(bench, 99)(run))));
    expect(bench.types()).toEqual([]);
    expect(getEventListeners(bench.run.signal, "abort")).toEqual([]);
  });

  test("that throws is not mended: the error goes on", async () => {
    const bench = opened({ iterationTimeout: 100 }, [go, reply(1, ["a"])]);
    const failing = working(bench, 50, () => Promise.reject(new Error("disk full")));
    await expect(drain(inTime(bench.run, (run) => stageOf(failing(run))))).rejects.toThrow("disk full");
    expect(bench.types()).toEqual([]);
  });
});

describe("work whose time is up", () => {
  test("is broken off: its calls get results, and the expiry is recorded after the end of the iteration", async () => {
    const bench = opened({ iterationTimeout: 100 }, [go, reply(1, ["a"])]);
    const { events } = await drain(inTime(bench.run, (run) => stageOf(working(bench, 5000)(run))));
    expect(bench.types()).toEqual(["result", "iteration", "expiry"]);
    expect(resultsIn(bench.added())).toEqual([["a", "interrupted"]]);
    expect(bench.added().at(-1)).toMatchObject({ message: expect.stringContaining("100 ms") });
    expect(events.at(-1)?.type).toBe("expiry");
    expect(bench.run.signal.aborted).toBe(false);
  });

  test("is an expiry as well if it came to its end all the same", async () => {
    const bench = opened({ iterationTimeout: 100 });
    const deaf = async function* (): AsyncGenerator<Event, void, void> {
      await bench.clock.advance(200);
    };
    await drain(inTime(bench.run, () => stageOf(deaf())));
    expect(bench.types()).toEqual(["expiry"]);
  });

  test("is none after its claim was accepted: the run ends with the claim", async () => {
    const bench = opened({ iterationTimeout: 100 }, [go, reply(1, ["a"])]);
    const late = async function* (run: Run): AsyncGenerator<Event, void, void> {
      await run.append(claim);
      await bench.clock.advance(200);
    };
    await drain(inTime(bench.run, (run) => stageOf(late(run))));
    expect(bench.types()).toEqual(["claim"]);
    expect(bench.run.state.expired).toBeUndefined();
  });

  test("is no expiry if the run was aborted too", async () => {
    const bench = opened({ iterationTimeout: 100 });
    const stopped = async function* (run: Run): AsyncGenerator<Event, void, void> {
      bench.abort.abort(new Error("enough"));
      await bench.clock.advance(200);
      run.signal.throwIfAborted();
    };
    await expect(drain(inTime(bench.run, (run) => stageOf(stopped(run))))).rejects.toThrow("enough");
    expect(bench.types()).toEqual([]);
  });

  test("is no expiry if the journal could not be written", async () => {
    const bench = opened({ iterationTimeout: 100 });
    const broken = async function* (): AsyncGenerator<Event, void, void> {
      await bench.clock.advance(200);
      throw new LastcallError("store", "The disk is full.");
    };
    await expect(drain(inTime(bench.run, () => stageOf(broken())))).rejects.toThrow("The disk is full.");
  });
});

describe("the time of an iteration is the least of", () => {
  const expiryOf = async (limits: LimitOptions, records: readonly RecordBody[] = [go]) => {
    const bench = opened(limits, records);
    const began = bench.clock.now();
    await drain(
      inTime(bench.run, function* ({ signal }) {
        while (!signal.aborted && bench.clock.now() - began < 5000) yield* wait(bench.clock.advance(10));
      }),
    );
    return bench.types().includes("expiry") ? bench.clock.now() - began : undefined;
  };

  test("its own bound, and the run's time without what is kept for the closing iteration", async () => {
    expect(await expiryOf({ iterationTimeout: 300, timeout: 1000 })).toBe(300);
    expect(await expiryOf({ iterationTimeout: 3000, timeout: 1000, reserve: 0.2 })).toBe(800);
    expect(await expiryOf({})).toBeUndefined();
  });

  test("all of the run's time, once the run is being closed", async () => {
    expect(await expiryOf({ timeout: 1000, reserve: 0.2 }, [go, closing])).toBe(1000);
  });
});
