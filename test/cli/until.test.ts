// --until against real projects: a machine has the last word.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { run, temporary } from "./command.js";

const claim = [call("task_completion", { result: "It works now." })];
const fix = [call("write_file", { path: "double.mjs", content: "export const double = (n) => 2 * n;\n" })];

interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bodies: readonly string[];
  readonly source: string;
}

/** Runs the command in a project of node:test with one test that fails. */
async function inProject(script: Script, ...args: readonly string[]): Promise<Done> {
  await using provider = await scriptedProvider(script);
  await using folder = await temporary();
  const { path } = folder;
  await mkdir(join(path, "test"));
  await writeFile(join(path, "double.mjs"), "export const double = (n) => n + n + 1;\n");
  await writeFile(
    join(path, "test/double.test.mjs"),
    `import assert from "node:assert"; import test from "node:test"; import { double } from "../double.mjs";
test("doubles", () => assert.equal(double(2), 4));\n`,
  );
  const ended = await run(["mend it", "--base-url", provider.url, "--model", "m", "--workdir", path, "--yes", ...args]);
  const bodies = provider.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
  return { ...ended, bodies, source: await readFile(join(path, "double.mjs"), "utf8") };
}

describe("--until", () => {
  test("refuses a claim that the tests don't confirm, tells the model what they said, and accepts it once they do", async () => {
    const { code, stdout, stderr, bodies, source } = await inProject([claim, fix, claim], "--until", "node --test");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It works now.\n" });
    expect(bodies[1]).toContain("ERROR check_failed");
    expect(bodies[1]).toContain("exit code 1");
    expect(source).toContain("2 * n");
    expect(stderr).toContain("check node --test: failed");
    expect(stderr).toContain("check node --test: passed");
    expect(stderr).toContain("completed, checked");
  });

  test("never exits 0 for a claim that nothing confirmed: after --attempts it stops short", async () => {
    const { code, stdout, stderr } = await inProject(() => claim, "--until", "node --test", "--attempts", "2");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("stopped (checks_failed): the checks failed 2 times");
  });

  test("takes a grep and a pipeline, each as a check of its own, in order", async () => {
    const until = ["--until", "grep -q '2 [*] n' double.mjs", "--until", "cat double.mjs | wc -l | grep -q 1"];
    const { code, stderr } = await inProject([claim, fix, claim], ...until);
    expect(code).toBe(0);
    expect(stderr.match(/check .*: (passed|failed)/g)).toEqual([
      "check grep -q '2 [*] n' double.mjs: failed",
      "check grep -q '2 [*] n' double.mjs: passed",
      "check cat double.mjs | wc -l | grep -q 1: passed",
    ]);
  });

  test("--json has the receipts: what ran, its exit code, digest, and how often it had failed", async () => {
    const { code, stdout } = await inProject([claim, fix, claim], "--until", "node --test", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      verified: "checked",
      receipts: [
        {
          check: "node --test",
          passed: true,
          exitCode: 0,
          failedBefore: 1,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  test.each([
    [["--until", " "], "--until needs a command"],
    [["--attempts", "many"], "is no whole number of at least 1"],
  ])("%j is refused", async (args, words) => {
    const { code, stderr } = await run(["x", ...args]);
    expect(code).toBe(4);
    expect(stderr).toContain(words);
  });
});
