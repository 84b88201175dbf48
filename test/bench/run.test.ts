// The command of the bench, as a process: its mistakes and the exit codes of the check.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Kept } from "../../bench/figures/index.mjs";
import "../dist.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "lastcall-bench-test-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function bench(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bench/run.mjs", ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

/** A file of samples of Node 20 in which lastcall takes this many times its kept ratio at N = 200. */
function samples(times: number): string {
  const { ratio } = (JSON.parse(readFileSync(join(root, "bench/ratios.json"), "utf8")) as Record<string, Kept>)[
    "Node 20"
  ]!["n200"]!["lastcall"]!["cpu"]!;
  const foreign = { median: 0, low: 0, high: 0 };
  const about = { node: "20.19.0", cores: 2, rounds: 1, date: "2026-01-01", foreign };
  const file = join(folder, "samples.json");
  writeFileSync(
    file,
    JSON.stringify({ about, measured: { n200: { hand: { cpu: [1] }, lastcall: { cpu: [ratio * times] } } } }),
  );
  return file;
}

describe("the command of the bench", () => {
  test("exits with 1 if a ratio is worse than the kept one beyond the noise, and names the row", () => {
    const { status, said } = bench("--check", "--from", samples(2));
    expect(status).toBe(1);
    expect(said).toMatch(
      /n200, lastcall, cpu: the ratio to the loop by hand is \d\.\d+ .*; the kept ratio is \d\.\d+, its band \d+ %/,
    );
  });

  test("exits with 0 if no ratio is", () => {
    const { status, said } = bench("--check", "--from", samples(1));
    expect([status, said.trim().split("\n").at(-1)]).toEqual([
      0,
      "No ratio is worse than the kept one beyond the noise.",
    ]);
  });

  test("exits with 2 and one sentence for a mistake, before it measures anything", () => {
    expect(bench("--rounds", "many")).toEqual({
      status: 2,
      said: '--rounds takes a whole number from 1 to 50, not "many".\n',
    });
    expect(bench("--json", "nowhere/a.json")).toMatchObject({
      status: 2,
      said: expect.stringContaining("there is no folder"),
    });
  });

  test("has a help that names the rows", () => {
    const { status, said } = bench("--help");
    expect([status, said]).toEqual([0, expect.stringContaining("Rows: first50, n50, n200")]);
  });
});
