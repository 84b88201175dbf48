import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertWellFormed, call, scriptedProvider, type Step } from "../../src/testing/index.js";
import type { JournalRecord } from "../../src/index.js";
import { hasSqlite, temporaryFolder } from "../memory/store-places.js";
import { counted, withEach } from "./counted.js";
import { seeds } from "./scale.js";
import {
  asReply,
  live,
  liveUntilDone,
  sessionsAt,
  succeededIn,
  unknownIn,
  type Body,
  type Kind,
  type Traces,
} from "./victims.js";

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

/** Each run has counted all replies of its own and of the agents below it that are in a journal. */
function expectAllCounted(sessions: Traces["sessions"]): void {
  const repliesIn = (records: readonly JournalRecord[]): number =>
    records.filter(({ type }) => type === "reply").length;
  for (const [id, records] of sessions) {
    const told = records.flatMap((record) => (record.type === "spend" ? [record.spent.iterations] : []));
    const below = [...sessions].filter(([other]) => other.startsWith(`${id}/`)).map(([, its]) => repliesIn(its));
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    expect(sum(told), `${id} has counted what is below it`).toBeGreaterThanOrEqual(sum(below));
  }
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
  expectAllCounted(sessions);
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

  test("killed between a reply and its count in the runs above, keeps to the limits of the first", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, kind === "files" ? "sessions" : "sessions.sqlite");
    await using provider = await scriptedProvider(() => asReply(reply(provider.requests.at(-1)!.body as never)));
    const words = { kind, path, url: provider.url, outside: join(folder.path, "effects"), maxIterations: 20 };
    const deaths = [1, 1, 2, 3, 4, 6, 5];
    for (const dieAt of deaths) expect(await live("tree-victim.mjs", { ...words, dieAt }, 60_000)).toBeUndefined();
    expect(await live("tree-victim.mjs", words, 60_000)).toContain("20 iterations, as many as allowed");
    const sessions = await sessionsAt(kind, path);
    for (const records of sessions.values()) assertWellFormed(records, { hooks: true });
    expectAllCounted(sessions);
    const replies = [...sessions.values()].flat().filter(({ type }) => type === "reply");
    // The last one closes the run.
    expect(replies.length).toBeLessThanOrEqual(20 + 1);
    counted("kill9-before-a-count", deaths.length);
  }, 300_000);
});
