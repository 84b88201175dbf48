// The calls in the background of one run: their ends, and their latest output.

import { expect, test } from "vitest";
import { BackgroundCalls } from "../../../src/core/run/background-calls.js";
import { systemRuntime } from "../../../src/core/time/runtime.js";

test("the end of a run waits until its calls in the background have ended", async () => {
  const calls = new BackgroundCalls(new AbortController().signal, systemRuntime);
  const ended: string[] = [];
  for (const name of ["bg-1", "bg-2"])
    calls.start(name, "work", async (signal) => {
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

test("a call that is stopped has a result that says so, with its last output, whatever it comes to", async () => {
  const calls = new BackgroundCalls(new AbortController().signal, systemRuntime);
  calls.start("bg-1", "work", async (signal, see) => {
    see({ type: "call-progress", callId: "c", progress: "ready" });
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    throw new Error("it broke");
  });
  await systemRuntime.sleep(5, new AbortController().signal);
  expect(calls.outputOf("bg-1")).toBe("ready");
  expect(calls.takeEnded()).toEqual([]);
  await calls.stop("bg-1");
  expect(calls.outputOf("bg-1")).toBeUndefined();
  expect(calls.takeEnded()).toEqual([["bg-1", { ok: true, value: "It was stopped. Its last output:\nready" }]]);
  expect(calls.takeEnded()).toEqual([]);
});

test("a call that has ended by itself is not stopped any more: its own result counts", async () => {
  const calls = new BackgroundCalls(new AbortController().signal, systemRuntime);
  calls.start("bg-1", "work", async () => {
    await Promise.resolve();
    return { ok: true, value: "built" };
  });
  await calls.ended(["bg-1"]);
  await calls.stop("bg-1");
  expect(calls.takeEnded()).toEqual([["bg-1", { ok: true, value: "built" }]]);
});
