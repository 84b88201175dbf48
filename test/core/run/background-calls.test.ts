import { expect, test } from "vitest";
import { BackgroundCalls } from "../../../src/core/run/background-calls.js";
import { systemRuntime } from "../../../src/core/time/runtime.js";

test("the end of a run waits until its calls in the background have ended", async () => {
  const calls = new BackgroundCalls(new AbortController().signal, systemRuntime);
  const ended: string[] = [];
  for (const name of ["bg-1", "bg-2"])
    calls.start(name, "work", async function* (signal) {
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      await systemRuntime.sleep(20, new AbortController().signal);
      ended.push(name);
      return { ok: true, value: "stopped" };
    });
  expect(ended).toEqual([]);
  await calls.close();
  expect(ended).toEqual(["bg-1", "bg-2"]);
  expect(calls.has("bg-1")).toBe(false);
});
