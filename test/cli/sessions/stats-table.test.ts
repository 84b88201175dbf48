// The numbers of stored sessions, as the command prints them.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statsLines } from "../../../src/cli/sessions/stats-table.js";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { runHere, temporary } from "../command.js";

test("stats counts the runs of all sessions, or of one, in a table or as JSON; a session that can't be read is named", async () => {
  await using folder = await temporary();
  await using provider = await scriptedProvider(({ lastText }) =>
    lastText.includes("ERROR") ? [call("task_completion", { result: "done" })] : [call("read_file", { path: "none" })],
  );
  const sessions = join(folder.path, "sessions");
  const work = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--no-sandbox"];
  const go = (...args: readonly string[]) =>
    runHere([...args, "--sessions", sessions], { XDG_CONFIG_HOME: folder.path, XDG_STATE_HOME: folder.path });
  expect(await go("stats")).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no sessions in") });
  for (const task of ["one", "two"]) expect((await go(task, ...work)).code).toBe(0);
  const { stdout, code } = await go("stats");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^2 sessions, 2 runs, 4 iterations\nends: completed 2\nfailures: tool error 2\n\nmodel +replies/,
  );
  expect(stdout).toMatch(/^m +4 .* m?s$/m);
  expect(stdout).toMatch(/^read_file +2 +2 /m);
  const json = JSON.parse((await go("stats", "--json")).stdout) as { readonly sessions: number };
  expect(json).toMatchObject({ sessions: 2, runs: { completed: 2 }, failures: { tool_error: 2 } });
  const [line = ""] = (await go("sessions")).stdout.split("\n");
  expect((await go("stats", line.split(" ")[0]!)).stdout).toContain("1 session, 1 run, 2 iterations\n");
  await mkdir(join(sessions, "broken"));
  await writeFile(join(sessions, "broken/journal.jsonl"), "no journal\n");
  const damaged = await go("stats");
  expect([damaged.code, damaged.stdout]).toEqual([0, expect.stringContaining("2 sessions, 2 runs")]);
  expect(damaged.stderr).toContain("Left out: broken can't be read: ");
});

test("names that a model chose are shown harmlessly, and cut", () => {
  const latency = { measured: 0, p50: 0, p95: 0, p99: 0 };
  const empty = { sessions: 1, runs: {}, iterations: 0, circuitOpenings: 2, failures: {}, models: [], checks: [] };
  const tools = [{ name: `\u001b[2J${"x".repeat(50)}`, times: 1200, failed: 0, latency }];
  expect(statsLines({ ...empty, tools })).toEqual([
    "1 session, 0 runs, 0 iterations",
    "the circuit opened 2 times",
    "",
    "tool                                      calls  failed  p50  p95  p99",
    `\\u{1b}[2J${"x".repeat(30)}…  1,200`,
  ]);
});
