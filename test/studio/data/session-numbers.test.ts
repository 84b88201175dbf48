import { expect, test } from "vitest";
import { readWords, tablesOf } from "../../../src/studio/data/session-numbers.js";

const latency = { measured: 2, p50: 80, p95: 4200, p99: 4200 };
const none = { measured: 0, p50: 0, p95: 0, p99: 0 };
const stats = {
  ...{ sessions: 1, runs: { completed: 2, "stopped: circuit_open": 1 }, iterations: 3, circuitOpenings: 1 },
  failures: { invalid_arguments: 4 },
  models: [{ name: "", replies: 1200, latency, inputTokens: 12_300, outputTokens: 64, cost: 0 }],
  tools: [{ name: "read\u202efile", times: 2, failed: 0, latency: none }],
  checks: [],
};

test("tables have what was measured, and no table is empty", () => {
  expect(tablesOf({ stats })).toEqual([
    {
      title: "Models",
      columns: ["replies", "p50", "p95", "p99", "tokens in", "out"],
      rows: [["unknown", "1,200", "80 ms", "4.2 s", "4.2 s", "12.3k", "64"]],
    },
    {
      title: "Tools",
      columns: ["calls", "failed", "p50", "p95", "p99"],
      rows: [["read‹202e›file", "2", "", "", "", ""]],
    },
    { title: "Failures", columns: ["times"], rows: [["invalid arguments", "4"]] },
    {
      title: "Ends of runs",
      columns: ["runs"],
      rows: [
        ["completed", "2"],
        ["stopped: circuit open", "1"],
      ],
    },
  ]);
  const [models] = tablesOf({ stats: { ...stats, models: [{ ...stats.models[0], cost: 1.5 }] } } as never);
  expect([models?.columns.at(-1), models?.rows[0]?.at(-1)]).toEqual(["cost", "1.50"]);
});

test("words say which sessions were read", () => {
  expect(readWords({ read: 200, of: 10_000, unreadable: 0 })).toBe(
    "The 200 sessions that were used last, of 10,000, with the agents that calls ran.",
  );
  expect(readWords({ read: 3, of: 3, unreadable: 1 })).toBe(
    "All 3 sessions, with the agents that calls ran. 1 can't be read, and count nowhere.",
  );
  expect(readWords({ read: 1, of: 1, unreadable: 0 })).toBe("The only session, with the agents that calls ran.");
});
