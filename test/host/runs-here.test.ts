// The runs of a process, and the wait for them when it closes.

import { expect, test } from "vitest";
import { RunsHere } from "../../src/host/runs-here.js";

/** A run, and the functions that end it. */
function run() {
  let end = (): void => undefined;
  let fail = (): void => undefined;
  const work = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = () => {
      reject(new Error("the disk is full"));
    };
  });
  return { work, end, fail };
}

test("a session is at work until the last of its runs has ended", async () => {
  const runs = new RunsHere();
  const [first, second] = [run(), run()];
  void runs.begin("s", first.work);
  void runs.begin("s", second.work);
  first.end();
  await first.work;
  expect(await runs.close("over", 10)).toEqual(["s"]);
  second.end();
  await second.work;
  expect(await runs.close("over", 10)).toEqual([]);
});

test("a close suspends the runs for its reason and waits for all of them, also for those that fail", async () => {
  const runs = new RunsHere();
  const [first, second] = [run(), run()];
  runs.suspend.addEventListener("abort", () => {
    setTimeout(first.end, 20);
    setTimeout(second.fail, 40);
  });
  runs.begin("s", first.work).catch(() => undefined);
  runs.begin("t", second.work).catch(() => undefined);
  const began = performance.now();
  expect(await runs.close("the host closes", 60_000)).toEqual([]);
  expect(performance.now() - began).toBeGreaterThan(35);
  expect(runs.suspend.reason).toMatchObject({ name: "AbortError", message: "the host closes" });
});
