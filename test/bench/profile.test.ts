import { describe, expect, test } from "vitest";
import { groupOf, waterfall, waterfallTable, type Frame, type Profile } from "../../bench/figures/index.mjs";

const frame = (functionName: string, url = ""): Frame => ({ functionName, url, lineNumber: 0, columnNumber: 0 });
const bundle = "file:///app/dist/chunks/core.js";
const sourceOf = (url: string) => (url === bundle ? "src/core/journal/step.ts" : undefined);

describe("the profile of the bench", () => {
  test.each([
    [bundle, "src/core/journal"],
    ["file:///app/node_modules/openai/core/streaming.mjs", "package openai"],
    ["file:///app/node_modules/@scope/name/index.js", "package @scope/name"],
    ["file:///app/node_modules/a/node_modules/b/index.js", "package b"],
    ["file:///app/bench/worker.mjs", "the bench itself"],
    ["node:internal/deps/undici/undici", "node: fetch (undici inside Node)"],
    ["node:internal/webstreams/readablestream", "node: web streams"],
    ["node:net", "node: network and streams"],
    ["node:internal/url", "node: the rest"],
  ])("%s belongs to %s", (url, group) => {
    expect(groupOf(frame("f", url), sourceOf)).toBe(group);
  });

  const profile: Profile = {
    nodes: [
      { id: 1, callFrame: frame("(root)"), children: [2, 4, 5, 6] },
      { id: 2, callFrame: frame("step", bundle), children: [3] },
      { id: 3, callFrame: frame("stringify") },
      { id: 4, callFrame: frame("(idle)") },
      { id: 5, callFrame: frame("(garbage collector)") },
      { id: 6, callFrame: frame("runMicrotasks") },
    ],
    samples: [2, 3, 4, 5, 6, 2],
    timeDeltas: [1000, 2000, 50_000, 500, 300, 1000],
  };

  test("built-in functions count for the code that called them, and idle time for nothing", () => {
    expect(waterfall(profile, 10, sourceOf)).toEqual([
      { group: "src/core/journal", ms: expect.closeTo(0.4) },
      { group: "garbage collection", ms: expect.closeTo(0.05) },
      { group: "promises and other built-ins", ms: expect.closeTo(0.03) },
    ]);
  });

  test("the table has shares of the thread, sums up what is small, and what ran beside", () => {
    expect(
      waterfallTable(waterfall(profile, 10, sourceOf), 0.6, 0.06)
        .split("\n")
        .slice(2),
    ).toEqual([
      "| src/core/journal | 400 | 83 % |",
      "| all others | 80 | 17 % |",
      "| **the thread of the loop** | 480 | 100 % |",
      "| other threads: compiler, collector, the profiler | 120 |  |",
    ]);
  });
});
