// lastcall eval without a file: the suite that ships and a folder of Harbor tasks, with a model that claims at once.

import { expect, onTestFinished, test } from "vitest";
import type { Report } from "../../../src/evals/index.js";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { taskFolder } from "../../evals/harbor/harbor-world.js";
import { newFolder } from "../../evals/world.js";
import { without } from "../../programs.js";
import { runHere } from "../command.js";

test(
  "a model that claims at once is false in each arm, and caught where a check can fail",
  { timeout: 300_000 },
  async () => {
    await using provider = await scriptedProvider(() => [call("task_completion", { result: "All done." })]);
    const before = process.cwd();
    process.chdir(newFolder());
    onTestFinished(() => {
      process.chdir(before);
    });
    const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test-key" };
    const ended = await runHere(
      ["eval", "--suite", "truth", "--trials", "1", "--model", "m", "--json", "--quiet"],
      env,
    );
    expect(ended.code, ended.stderr).toBe(0);
    const { arms } = JSON.parse(ended.stdout) as Report;
    const figures = arms.map(({ variant, truthfulness }) => {
      const { falseAtFirst, caught, falseCompletions, vacuous } = truthfulness;
      return [variant, falseAtFirst.rate, caught.rate, falseCompletions.passed, vacuous.passed];
    });
    expect(figures).toEqual([
      ["none", 1, 0, 15, 0],
      ["judge", 1, 1, 0, 0],
      ["checked", 1, 1, 0, 0],
      ["protected", 1, 1, 0, 0],
      ["weak", 1, 0, 15, 15],
    ]);
  },
);

test.skipIf(without("bwrap") !== "")(
  `a folder of Harbor tasks is tried with a model, without a check and with its opinion${without("bwrap")}`,
  { timeout: 60_000 },
  async () => {
    await using provider = await scriptedProvider(() => [call("task_completion", { result: "All done." })]);
    const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test-key" };
    const before = process.cwd();
    process.chdir(newFolder());
    onTestFinished(() => {
      process.chdir(before);
    });
    const ended = await runHere(["eval", taskFolder(), "--model", "m", "--trials", "1", "--json"], env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("control of count-lines: passed");
    const { arms, name } = JSON.parse(ended.stdout) as Report;
    expect(name).toBe("count-lines");
    expect(arms.map(({ variant, truthfulness }) => [variant, truthfulness.falseCompletions.passed])).toEqual([
      ["none", 1],
      ["judge", 0],
    ]);
  },
);
