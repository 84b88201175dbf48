// The example of an evaluation: 200 trials over a scripted provider, killed eight times in their midst.

import { cpSync, readFileSync, symlinkSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Report } from "../../src/evals/index.js";
import { call, scriptedProvider, type ScriptedProvider, type Seen, type Step } from "../../src/testing/index.js";
import { start, type Ended, type Started } from "../cli/command.js";
import { newFolder } from "../evals/world.js";

const root = resolve(import.meta.dirname, "../..");
const kills = 8;
const concurrency = 4;

/**
 * Writes the function wrong for odd numbers, claims, and corrects it once a check has said what is wrong. A write that a kill has cut off is
 * looked at: a file that is as it was at the beginning is written again.
 */
function speak({ lastText }: Seen): Step {
  if (lastText.includes("Its outcome is unknown")) return { calls: [call("read_file", { path: "times.mjs" })] };
  const [, found] = /=> number \* (\d+);/.exec(lastText) ?? [];
  if (found !== undefined && Number(found) % 2 === 1) return written(Number(found) - 1);
  const [, refusal] = /times\(2\) has to be (\d+)/.exec(lastText) ?? [];
  if (refusal !== undefined) return written(Number(refusal) / 2);
  const [, task] = /the number times (\d+)/.exec(lastText) ?? [];
  if (task !== undefined) return written(Number(task) + (Number(task) % 2));
  return { calls: [call("task_completion", { result: "times.mjs is correct." })], delay: 5 };
}

function written(factor: number): Step {
  const content = `export const times = (number) => number * ${String(factor)};\n`;
  return {
    calls: [call("write_file", { path: "times.mjs", content })],
    usage: { inputTokens: 100, outputTokens: 10 },
    delay: 5,
  };
}

function project(): string {
  const path = newFolder();
  mkdirSync(join(path, "node_modules"));
  symlinkSync(root, join(path, "node_modules/lastcall"));
  cpSync(join(root, "examples/evals/sums.eval.mjs"), join(path, "sums.eval.mjs"));
  return path;
}

function begin(path: string, provider: ScriptedProvider): Started {
  return start(["eval", join(path, "sums.eval.mjs")], { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test-key" });
}

function reportIn(path: string): Report {
  const text = readFileSync(join(path, ".lastcall/evals/sums/1/report.json"), "utf8");
  return JSON.parse(text, (key, value: unknown) => (key === "duration" ? 0 : value)) as Report;
}

/** The parts of a report that a kill does not change. A write that was cut off costs its trial two iterations more. */
function told({ arms, rows, ...plan }: Report) {
  return {
    plan,
    arms: arms.map(({ variant, model, pass, endings }) => ({ variant, model, pass, endings })),
    rows: rows.map(({ id, result, why, ending, truth }) => ({ id, result, why, ending, truth })),
  };
}

function iterationsOf({ rows }: Report): number {
  return rows.reduce((sum, { iterations }) => sum + iterations, 0);
}

test(
  "200 trials that are killed eight times are 200 distinct trials with the same report",
  { timeout: 400_000 },
  async () => {
    await using provider = await scriptedProvider(speak);
    const whole = project();
    const without: Ended = await begin(whole, provider).ended;
    expect(without.code, without.stderr).toBe(0);
    const expected = reportIn(whole);
    expect(expected.rows).toHaveLength(200);
    expect(expected.arms.map(({ variant, pass }) => [variant, pass.passed, pass.trials])).toEqual([
      ["bare", 50, 100],
      ["checked", 100, 100],
    ]);
    expect(without.stdout).toContain("checked against bare, with small: better");

    const asked = provider.requests.length;
    const path = project();
    for (let kill = 1; kill <= kills; kill += 1) {
      const running = begin(path, provider);
      const early = running.ended.then(({ stderr }) => Promise.reject(new Error(`It ended by itself: ${stderr}`)));
      // A kill comes later than its cause on a busy machine, so it follows trials of this start: a number that was passed is never seen.
      await Promise.race([running.seen("/200, ", 12), early]);
      early.catch(() => undefined);
      running.child.kill("SIGKILL");
      await running.ended;
    }
    const last = await begin(path, provider).ended;
    expect(last.code, last.stderr).toBe(0);
    const report = reportIn(path);
    expect(new Set(report.rows.map(({ id }) => id)).size).toBe(200);
    expect(told(report)).toEqual(told(expected));
    const cut = iterationsOf(report) - iterationsOf(expected);
    const isCut = (index: number): boolean => report.rows[index]?.iterations !== expected.rows[index]?.iterations;
    expect(report.rows.filter((_row, index) => !isCut(index))).toEqual(
      expected.rows.filter((_row, index) => !isCut(index)),
    );
    expect(report.rows.filter((_row, index) => isCut(index)).length).toBeLessThanOrEqual(kills * concurrency);
    expect(cut).toBeGreaterThanOrEqual(0);
    // Each kill repeats at most the requests in flight, and cuts off at most as many writes.
    expect(provider.requests.length - 2 * asked - cut).toBeLessThanOrEqual(kills * concurrency);
    expect(cut).toBeLessThanOrEqual(4 * kills * concurrency);
  },
);
