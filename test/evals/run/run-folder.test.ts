// The folder of a run: a line that was written half, and the run to go on with.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRun } from "../../../src/evals/run/run-folder.js";
import { newFolder } from "../world.js";

test("a run without a report goes on if its plan is the same, and half a line at its end is dropped", async () => {
  const folder = newFolder();
  const first = await openRun(folder, "plan");
  await first.keep("a", "call", "no");
  await first.keepVoid("a", "the provider");
  await first.close();
  appendFileSync(join(first.path, "trials.jsonl"), '{"type":"trial","row":{"id"');
  const second = await openRun(folder, "plan");
  expect([second.isOld, second.path, second.of("a", "call"), second.voids("a"), second.rows.size]).toEqual([
    ...[true, first.path, "no", 1, 0],
  ]);
  await second.keepControls({ b: "it needs a GPU" });
  await second.close();
  expect(readFileSync(join(first.path, "trials.jsonl"), "utf8").trim().split("\n")).toHaveLength(3);
  const third = await openRun(folder, "plan");
  expect([third.hasControls, third.unmet("a"), third.unmet("b")]).toEqual([true, undefined, "it needs a GPU"]);
  await third.close();
  const other = await openRun(folder, "another plan");
  expect([other.isOld, other.path]).toEqual([false, join(folder, "2")]);
  await other.write("report.json", "{}");
  await other.close();
  const after = await openRun(folder, "another plan");
  expect([after.isOld, after.path]).toEqual([false, join(folder, "3")]);
  await after.close();
});
