import { expect, test } from "vitest";
import type { Check } from "../../../src/core/index.js";
import { loop } from "../../../src/core/loop/loop.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { input, result } from "../journal.js";
import { idOf, openRun, replied, worker } from "../open-run.js";

const go = input(1, "go");
const done = [call("task_completion", { result: "Done." })];
const tools = [worker("edit", "write"), taskCompletion()];

test("the stages follow each other: baseline, then for each iteration reply, calls, recheck and its end", async () => {
  let passes = false;
  const check: Check = {
    name: "tests",
    every: "iteration",
    verify: () => ({ passed: passes, output: passes ? "" : "red" }),
  };
  const green = worker("mend", "write", () => {
    passes = true;
  });
  const model = scriptedModel([[call("edit")], [call("mend")], done]);
  const { run, types } = openRun({ model, tools: [...tools, green], checks: [check] }, [go]);
  const { value } = await drain(loop(run));
  expect(value).toMatchObject({ status: "completed", verified: "checked" });
  const edited = ["reply", "decision", "intent", "result"];
  expect(types()).toEqual([
    ...["check", "baseline", "notice"],
    ...[...edited, "check", "iteration"],
    ...[...edited, "check", "iteration"],
    "notice",
    ...["reply", "decision", "claim", "iteration"],
  ]);
});

test("what a process left of an iteration is finished before the model is asked again", async () => {
  const model = scriptedModel([done]);
  const left = [go, replied(1, [call("edit"), call("edit")]), result(idOf(1, 0))];
  const { run, types } = openRun({ model, tools }, left);
  await drain(loop(run));
  expect(types().slice(0, 5)).toEqual(["decision", "intent", "result", "iteration", "reply"]);
  expect(model.requests).toHaveLength(1);
});

test("an abort between two iterations ends it before the next request", async () => {
  const model = scriptedModel([[call("stop")], done]);
  const stopping = worker("stop", "read", () => {
    opened.abort.abort(new Error("enough"));
  });
  const opened = openRun({ model, tools: [...tools, stopping] }, [go]);
  await expect(drain(loop(opened.run))).rejects.toThrow("enough");
  expect(model.requests).toHaveLength(1);
});
