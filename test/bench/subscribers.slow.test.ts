// The bench of clients of a server, on work that is small enough for a test.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the bench of subscribers measures idle clients, events, and the others of a client that reads nothing", () => {
  const program = join(import.meta.dirname, "../../bench/subscribers.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "12", "1", "1"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const figures = [...stdout.matchAll(/^(.+?) +(-?[\d.]+)$/gm)].map(
    ([, name, value]) => [name!, Number(value)] as const,
  );
  expect(figures.filter(([, value]) => !Number.isFinite(value))).toEqual([]);
  const named = (name: string): readonly number[] => figures.flatMap(([own, value]) => (own === name ? [value] : []));
  // 200 pieces of text, and the records and events around them.
  for (const frames of named("frames that each client got")) expect(frames).toBeGreaterThan(200);
  expect(named("the delivery over the bare server, x")).toHaveLength(1);
  expect(named("latency, p99, ms")).toHaveLength(4);
  for (const events of named("events that each of the others got")) expect(events).toBeGreaterThan(50);
}, 300_000);
