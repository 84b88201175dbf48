import { describe, expect, test } from "vitest";
import { readArgs } from "../../../src/cli/args/args.js";
import { help, presets } from "../../../src/cli/args/help.js";
import { pickKept, typed } from "../../../src/cli/args/options.js";

describe("the limits of the command", () => {
  test("are generous ones by default, and help says them", () => {
    expect(readArgs(["x"]).limits).toEqual({
      maxIterations: 200,
      timeout: 7_200_000,
      maxTokens: 20_000_000,
      iterationTimeout: 1_800_000,
      toolTimeout: 1_200_000,
    });
    expect(readArgs(["x"]).limits).toEqual(presets);
    expect(help()).toContain(`(default: ${String(presets.maxIterations)})`);
  });

  test("can be set one by one, or switched off", () => {
    const limits = (...args: readonly string[]) => readArgs(["x", ...args]).limits;
    expect(limits("--max-iterations", "3", "--max-tokens", "none")).toEqual({
      maxIterations: 3,
      timeout: 7_200_000,
      iterationTimeout: 1_800_000,
      toolTimeout: 1_200_000,
    });
    expect(limits("--max-cost", "0.5", "--prices", "p.json")).toEqual({ ...presets, maxCost: 0.5 });
    expect(limits("--timeout", "none")).not.toHaveProperty("timeout");
  });

  test.each([
    ["90", 90_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["250ms", 250],
  ])("--timeout %s is %i ms", (word, ms) => {
    expect(readArgs(["x", "--timeout", word]).limits.timeout).toBe(ms);
  });

  test.each(["0", "0.1ms", "-1", "1d", "40000m", "90 s", "", "1e3"])("--timeout %j is refused", (word) => {
    expect(() => readArgs(["x", `--timeout=${word}`])).toThrow(/is no time such as 90s, 10m or 2h/);
  });
});

test("commands to be checked are taken in the order in which they are asked: those for every iteration first", () => {
  const { until, protect } = readArgs(["x", "--until", "a", "--until-every", "b", "--until", "c", "--protect", "test"]);
  expect(until).toEqual([
    { line: "b", every: "iteration" },
    { line: "a", every: "claim" },
    { line: "c", every: "claim" },
  ]);
  expect(protect).toEqual(["test"]);
});

describe("notes and the window", () => {
  test("are off by default, and each has its option", () => {
    expect(readArgs(["x"])).toMatchObject({ notes: false, notesFrom: undefined, window: undefined });
    expect(readArgs(["x", "--notes"])).toMatchObject({ notes: true, notesFrom: undefined });
    expect(readArgs(["x", "--window", "32000"])).toMatchObject({ window: 32_000 });
    for (const option of ["--notes ", "--notes-from ID", "--window TOKENS"]) expect(help()).toContain(`  ${option}`);
  });

  test("the notes of another session come with the tools, to a new session alone", () => {
    expect(readArgs(["x", "--notes-from", "2026"])).toMatchObject({ notes: true, notesFrom: "2026" });
    expect(() => readArgs(["resume", "2026", "--notes-from", "2025"])).toThrow(
      "--notes-from says what a new session begins with, and resume goes on with one; give --notes",
    );
  });

  test.each(["0", "32k", "-1", ""])("--window %j is refused", (word) => {
    expect(() => readArgs(["x", `--window=${word}`])).toThrow("is no whole number of at least 1");
  });
});

describe("the options that are kept with a session", () => {
  const task = ["--workdir", "w", "--model", "m", "--base-url", "u", "--api-key-env", "K", "--forcing", "xml"];
  const checks = ["--until", "a", "--until", "b c", "--until-every", "d", "--protect", "e", "--attempts", "2"];
  const bounds = ["--max-iterations", "3", "--timeout", "1m", "--max-tokens", "4", "--max-cost", "5", "--prices", "p"];
  const all = [...task, ...checks, "--on-edit", "f: g", ...bounds, "--notes", "--window", "6000"];

  test("are all that belong to the task: a resume has the settings of its run, and none of its authority", () => {
    const { order: _run, ...first } = readArgs(["x", ...all]);
    const { order: _resume, ...second } = readArgs(["resume", "id"], { kept: first.kept });
    expect(second).toEqual(first);
    expect(readArgs(["x", "--yes", "--json", "--verbose", "--no-input"]).kept).toEqual({});
  });

  test("give way to what is given again", () => {
    const { kept } = readArgs(["x", ...all]);
    const again = readArgs(["resume", "id", "--until", "h", "--model", "n"], { kept });
    expect(again).toMatchObject({ model: "n", attempts: 2, kept: { model: "n", until: ["h"], "until-every": ["d"] } });
    expect(again.until.map(({ line }) => line)).toEqual(["d", "h"]);
  });

  test("are read with care: what is no option, or no value of one, is left out", () => {
    const kept = pickKept({ model: 1, until: "a", protect: ["b", 2], notes: "yes", yes: true, window: "7000" });
    expect(kept).toEqual({ window: "7000" });
  });

  test("are shown as one would type them", () => {
    expect(typed({ model: "m-1", until: ["npm test", "it's"], notes: true })).toBe(
      "--model m-1 --until 'npm test' --until 'it'\\''s' --notes",
    );
  });
});

test("--on-edit is a pattern and a command, divided at the first colon", () => {
  expect(readArgs(["x", "--on-edit", "**/*.ts: eslint --rule a:b {file}"]).onEdit).toEqual([
    { files: "**/*.ts", command: "eslint --rule a:b {file}" },
  ]);
});
