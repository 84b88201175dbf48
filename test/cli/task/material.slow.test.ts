// A pipe in which nothing comes: the command goes on without it. Slow, because it waits for some seconds first.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { start, temporary } from "../command.js";
import { bin } from "../../dist.js";

test("a pipe that stays open and silent does not hold the task up for ever, and a line says so even if the log is quiet", async () => {
  await using provider = await scriptedProvider([[call("task_completion", { result: "all done" })]]);
  await using folder = await temporary();
  const words = ["do it", "--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--no-save", "--quiet"];
  const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(" ");
  const began = Date.now();
  const { child, ended, seen } = start(["-c", `sleep 300 | { ${line}; echo ended $?; }`], {}, "sh");
  await seen("ended 0");
  expect(Date.now() - began).toBeGreaterThan(4900);
  expect(JSON.stringify(provider.requests[0]?.body.messages)).not.toContain("piped");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill("SIGKILL");
  const { stderr } = await ended;
  expect(stderr).toContain("Standard input is a pipe in which nothing came for 5 seconds");
}, 60_000);
