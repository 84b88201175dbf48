// The research: two readers at the same time, and one limit for all.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

test("two readers work side by side, and it prints what the page says", async () => {
  await using project = await projectWith("research");
  await mkdir(join(project.path, "app"));
  await writeFile(join(project.path, "app/clock.js"), "Date.now();\n");
  await using provider = await scriptedProvider([
    [call("ask_reader", { question: "Who calls Date.now?" }), call("ask_reader", { question: "Who sets timers?" })],
    [call("report", { files: ["clock.js"], finding: "clock.js" })],
    [call("report", { files: [], finding: "nobody" })],
    [call("answer", { answer: "One file does.", files: ["clock.js"] })],
  ]);
  const { code, stdout, stderr } = await project.run(["app"], provider);
  expect([code, stdout, stderr]).toEqual([0, printed("research")[0], "found\nfound\n"]);
});
