// A command that is killed while its agent works: the resume goes into the agent, and does nothing twice.

import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { runHere, start } from "../command.js";
import { wordFolder } from "./word-folder.js";

test("after kill -9 the agent goes on with what it has found, and its search is not made again", async () => {
  await using folder = await wordFolder();
  const at = ["--workdir", folder.path, "--sessions", join(folder.path, "sessions")];
  const env = { XDG_CONFIG_HOME: join(folder.path, "home") };
  const found = [call("task_completion", { result: "It is a.txt:1." })];
  await using first = await scriptedProvider([
    [call("explore", { task: "Find the word." })],
    [call("search_files", { pattern: "the word", path: "a.txt" })],
    { calls: found, delay: 600_000 },
  ]);
  const { child, ended } = start(["go", ...at, "--base-url", first.url, "--model", "m"], env);
  await expect.poll(() => first.requests.length, { timeout: 30_000 }).toBe(3);
  child.kill("SIGKILL");
  await ended;
  const id = (await runHere(["sessions", ...at.slice(2)])).stdout.split(" ")[0] ?? "";
  await using second = await scriptedProvider([found, [call("task_completion", { result: "all done" })]]);
  const { code, stdout, stderr } = await runHere(["resume", id, ...at, "--base-url", second.url, "--model", "m"], env);
  expect(code, stderr).toBe(0);
  expect(stdout).toBe("all done\n");
  const [below, above] = second.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(below).toContain("Find the word.");
  expect(below).toContain("1: the word");
  expect(above).toContain("It is a.txt:1.");
  expect(second.requests).toHaveLength(2);
});
