// Every mode of the bench, measured in real processes on work that is small enough for a test.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import "../dist.js";

const root = join(import.meta.dirname, "../..");

const program = `
import { sample, startServer } from "./bench/samples.mjs";
const server = await startServer();
const answers = [];
for (const [client, mode, row] of JSON.parse(process.argv[1])) {
  const { answer } = await sample(server, client, { mode, rows: [row], warmUp: 50 });
  answers.push(answer);
}
server.stop();
console.log(JSON.stringify(answers));
`;

type Answer = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Measures these rows, one after the other: client, mode, row. */
function measure(...tasks: readonly (readonly [string, string, object])[]): readonly Answer[] {
  const args = ["--input-type=module", "--eval", program, JSON.stringify(tasks)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return JSON.parse(stdout) as readonly Answer[];
}

const work = { name: "small", n: 4, runs: 1, calls: 2, args: 400, deltas: 20, words: 3 };

test("both loops do the same work: as many iterations, and requests of the same size", () => {
  const [hand, lastcall, file] = measure(["hand", "loop", work], ["lastcall", "loop", work], ["file", "loop", work]);
  for (const answer of [lastcall!, file!]) {
    expect(answer["small"]!["cpu"]).toBeGreaterThan(0);
    expect(answer["small"]!["sent"]! / hand!["small"]!["sent"]!).toBeCloseTo(1, 0);
  }
});

test("runs at once, the time around a tool, a call's own last byte, waiting runs and a cold start are measured", () => {
  const [runs, shared, delay, early, waiting, cold] = measure(
    ["lastcall", "together", { name: "a", n: 3, count: 5, latency: 5 }],
    ["shared", "together", { name: "a", n: 3, count: 5, latency: 5 }],
    ["hand", "delay", { name: "a", n: 6 }],
    ["lastcall", "early", { name: "a", n: 3, calls: 2, gap: 30 }],
    ["lastcall", "waiting", { name: "a", n: 2, count: 40 }],
    ["hand", "cold", { name: "a", n: 1 }],
  ).map((answer) => answer["a"]!);
  for (const figures of [runs!, shared!]) {
    expect(Object.keys(figures).sort()).toEqual(["cpu", "gap99", "peak", "wall"]);
    expect(figures["wall"]).toBeGreaterThanOrEqual(5 / 5);
  }
  expect([delay!["toTool"], delay!["toRequest"]].every((time) => time! > 0 && time! < 1000)).toBe(true);
  expect(early!["ownByte"]).toBeGreaterThan(0);
  expect(waiting!["waiting"]).toEqual(expect.any(Number));
  expect(cold!["first"]).toBeGreaterThan(20);
});
