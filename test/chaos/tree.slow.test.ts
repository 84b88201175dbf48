import { describe, expect, test } from "vitest";
import { assertWellFormed, call, type Step } from "../../src/testing/index.js";
import { hasSqlite } from "../memory/store-places.js";
import { withEach } from "./counted.js";
import { seeds } from "./scale.js";
import { liveUntilDone, succeededIn, unknownIn, type Body, type Kind } from "./victims.js";

/** Each agent but a leaf gives four tasks to those below, and ends when it has their results. */
function reply({ model, messages }: Body): Step {
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
  if (results.length > 0)
    return [call("task_completion", { result: results.some((text) => text.includes("unknown")) ? "unknown" : "done" })];
  const task = String(messages.findLast(({ role }) => role === "user")?.content);
  if (model === "leaf") return [call("mark", { what: task })];
  const below = model === "root" ? "branch" : "leaf";
  return [0, 1, 2, 3].map((index) => call(below, { task: `${task}.${String(index)}` }));
}

async function survive(seed: number, kind: Kind): Promise<number> {
  const lives = { victim: "tree-victim.mjs", kind, seed, reply, lasts: [250, 900] } as const;
  const { provider, kills, effects, sessions } = await liveUntilDone(lives);
  expect(sessions.size).toBe(1 + 4 + 16);
  let replies = 0;
  for (const [id, records] of sessions) {
    assertWellFormed(records, { hooks: true });
    replies += records.filter(({ type }) => type === "reply").length;
    expect(
      records.filter(({ type }) => type === "input"),
      `${id} began once`,
    ).toHaveLength(1);
    expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
    const [unknown, ...more] = unknownIn(records);
    expect(more).toEqual([]);
    // Only leaves have calls with an outcome that nobody knows, and only they are told.
    if (unknown !== undefined) expect(unknown).toContain(`${id}/`);
    if (unknown !== undefined) expect(id.split("/call:")).toHaveLength(3);
    for (const callId of succeededIn(records, "mark")) expect(effects).toContain(callId);
  }
  // A reply that is in a journal is not asked for again: only those in flight at a kill are lost.
  expect(provider.requests.length - replies).toBeLessThanOrEqual(kills * 16);
  return kills;
}

describe.each<Kind>(hasSqlite ? ["files", "sqlite"] : ["files"])("a tree of agents in %s", (kind) => {
  test("killed at any time, finishes, and no finished agent and no call with a result runs twice", async () => {
    const all = seeds(kind === "files" ? 3 : 1, kind === "files" ? 60 : 25);
    await withEach(all, { fault: "kill9-tree", words: "a tree of agents" }, (seed) => survive(seed, kind));
    expect.hasAssertions();
  }, 1_200_000);
});
