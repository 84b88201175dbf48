// The trace of a run in progress: which spans end, and what its metrics count.

import { expect, test } from "vitest";
import { z } from "zod";
import { postEdit } from "../../../src/checks/index.js";
import { noRedactor } from "../../../src/core/internal.js";
import { createAgent, tool, type AnyOutcome, type Event, type Hook, type RunStart } from "../../../src/index.js";
import { otel } from "../../../src/otel/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { keepMetrics, keepSpans, withContexts } from "../tracing.js";

withContexts();

const done = [call("task_completion", { result: "Done." })];
const write = tool({
  ...{ name: "write_file", description: "Writes.", effect: "write" as const },
  input: z.object({ path: z.string() }),
  run: () => "written",
});

function agentOn(script: Script, hooks: readonly Hook[]) {
  return createAgent({
    ...{ model: scriptedModel(script), tools: [write, taskCompletion()], permission: allowAll() },
    hooks,
  });
}

/** How often each histogram of calls or checks was measured, with its attributes that begin so. */
async function countsOf(points: () => ReturnType<ReturnType<typeof keepMetrics>["points"]>, name: string) {
  const found = (await points()).filter((point) => point.name === name);
  return found.map(({ value, attributes }) => [
    (value as { readonly count: number }).count,
    attributes["gen_ai.tool.name"] ?? attributes["lastcall.check"],
    attributes["error.type"],
  ]);
}

test("a call that is open when its run ends has a span that ends with it", async () => {
  const spans = keepSpans();
  const hook = await otel({ tracer: spans.tracer });
  const start: RunStart = {
    ...{ key: "s/1", session: "s", model: { name: "scripted", provider: "scripted:" }, secrets: noRedactor },
    record: { type: "input", run: 1, text: "Go.", seq: 0, at: 1 },
  };
  const run = async function* (): AsyncGenerator<Event, AnyOutcome, void> {
    yield { type: "call-start", call: { type: "call", id: "s/1/call:1:0", name: "write_file", input: {} } };
    throw await Promise.resolve(new Error("the journal can't be written"));
  };
  const watched = hook.run!(start, run, new AbortController().signal, {});
  await expect(watched.next()).resolves.toMatchObject({ value: { type: "call-start" } });
  await expect(watched.next()).rejects.toThrow("the journal");
  expect(spans.named("execute_tool write_file").attributes["lastcall.interrupted"]).toBe(true);
});

test("each call counts once, also one that failed", async () => {
  const { meter, points } = keepMetrics();
  const script: Script = [[call("write_file", {})], [call("write_file", { path: "a" })], done];
  expect((await agentOn(script, [await otel({ meter })]).run("Go.")).status).toBe("completed");
  expect(await countsOf(points, "lastcall.call.duration")).toEqual([
    [1, "write_file", "invalid_arguments"],
    [1, "write_file", undefined],
    [1, "task_completion", undefined],
  ]);
});

test("a check after an edit counts once", async () => {
  const { meter, points } = keepMetrics();
  const lint = postEdit([{ name: "lint", files: "**/*.ts", command: "true {file}" }], { cwd: import.meta.dirname });
  const script: Script = [[call("write_file", { path: "run-trace.test.ts" })], done];
  expect((await agentOn(script, [await otel({ meter }), lint]).run("Go.")).status).toBe("completed");
  expect(await countsOf(points, "lastcall.check.duration")).toEqual([[1, "lint", undefined]]);
});

test("a name that the model made up is no dimension of a metric, neither of calls nor of the circuit", async () => {
  const { meter, points } = keepMetrics();
  let times = 0;
  const script: Script = () =>
    (times += 1) === 1
      ? { calls: [call("write_all_fil")], finishReason: "length" }
      : [call(`invented_${String(Math.min(times, 2))}`, { path: String(times) })];
  const agent = createAgent({
    ...{ model: scriptedModel(script), tools: [write, taskCompletion()], permission: allowAll() },
    ...{ hooks: [await otel({ meter })], limits: { maxIterations: 8 } },
  });
  expect((await agent.run("Go.")).status).toBe("stopped");
  const all = await points();
  expect(all.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["lastcall.circuit.openings", "lastcall.call.duration"]),
  );
  const kinds = all.flatMap(({ name, attributes }) =>
    name === "lastcall.call.duration" ? [attributes["error.type"]] : [],
  );
  expect(kinds.toSorted()).toEqual(["truncated", "unknown_tool"]);
  expect(JSON.stringify(all)).not.toMatch(/invented|write_all_fil/);
});
