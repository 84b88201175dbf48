// lastcall --plan at a terminal, and after kill -9 between the plan and the work.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { inTerminal, noTerminal, run, start, temporary } from "../command.js";

const plan = (what: string) => [
  call("propose_plan", { summary: "Writes the sum.", steps: [{ what, files: ["sum.txt"], check: "cat sum.txt" }] }),
];
const write = [call("write_file", { path: "sum.txt", content: "5\n" })];
const done = [call("task_completion", { result: "The sum is 5." })];

test("after kill -9 between the plan and the work, resume goes on with the work, and the plan is not made again", async () => {
  await using folder = await temporary();
  const at = ["--workdir", folder.path, "--sessions", join(folder.path, "sessions"), "--no-sandbox"];
  const env = { XDG_CONFIG_HOME: join(folder.path, "home") };
  await using first = await scriptedProvider([plan("Write 5."), { calls: write, delay: 600_000 }]);
  const { child, ended } = start(["write it", "--plan", "--yes", ...at, "--base-url", first.url, "--model", "m"], env);
  await expect.poll(() => first.requests.length, { timeout: 60_000 }).toBe(2);
  child.kill("SIGKILL");
  await ended;
  const id = (await run(["sessions", ...at.slice(2, 4)], env)).stdout.split(" ")[0] ?? "";
  await using second = await scriptedProvider([write, done]);
  const args = ["resume", id, "--yes", ...at, "--base-url", second.url, "--model", "m"];
  const { code, stdout, stderr } = await run(args, env);
  expect([code, stdout], stderr).toEqual([0, "The sum is 5.\n"]);
  expect(stderr).toMatch(/goes on with .*--plan/);
  expect(readFileSync(join(folder.path, "sum.txt"), "utf8")).toBe("5\n");
  expect(JSON.stringify(second.requests[0]?.body.messages)).toContain("1. Write 5.");
});

describe.skipIf(noTerminal)(`a plan at a terminal${noTerminal}`, () => {
  test("is changed once, approved by its number, and worked off", { timeout: 60_000 }, async () => {
    await using folder = await temporary();
    await using provider = await scriptedProvider([plan("Write 4."), plan("Write 5."), write, done]);
    const line = `"write it" --plan --workdir ${folder.path} --no-save --no-sandbox --no-config --base-url ${provider.url} --model m`;
    const { child, ended, seen } = inTerminal(line);
    await seen("> ");
    child.stdin?.write("5, not 4\r");
    await seen("1. Write 5.");
    await seen("> ", 2);
    child.stdin?.write("1\r");
    const { code, stdout } = await ended;
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("The sum is 5.");
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain("says: 5, not 4");
    expect(provider.requests).toHaveLength(4);
  });

  test("is left by Enter alone: nothing is built, and the line says how to go on", { timeout: 60_000 }, async () => {
    await using folder = await temporary();
    await using provider = await scriptedProvider([plan("Write 5."), write, done]);
    const line = `"write it" --plan --workdir ${folder.path} --no-sandbox --no-config --base-url ${provider.url} --model m`;
    const { child, ended, seen } = inTerminal(line);
    await seen("> ");
    child.stdin?.write("\r");
    const { code, stdout } = await ended;
    expect(code, stdout).toBe(3);
    expect(stdout).toContain("To answer: lastcall resume");
    expect([provider.requests.length, existsSync(join(folder.path, "sum.txt"))]).toEqual([1, false]);
  });
});
