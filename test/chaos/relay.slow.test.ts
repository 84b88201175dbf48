import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../src/index.js";
import { assertWellFormed, call, type Step } from "../../src/testing/index.js";
import { hasSqlite } from "../memory/store-places.js";
import { withEach } from "./counted.js";
import { seeds } from "./scale.js";
import { liveUntilDone, succeededIn, unknownIn, type Body, type Kind } from "./victims.js";

/** The desk hands over, billing marks something and hands back, and the desk ends when its work in the background has ended. */
function reply({ model, messages }: Body): Step {
  const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: { name } }) => name));
  const last = String(messages.findLast(({ role }) => role === "tool")?.content);
  if (model === "leaf") return called.includes("mark") ? done : [call("mark", { what: "leaf" })];
  if (model === "billing") return called.includes("mark") ? [call("hand_back", { message: "It is marked." })] : mark;
  if (!called.includes("hand_back")) return [call("hand_over", { to: "billing", message: "Mark it." })];
  if (!called.includes("search")) return [call("search", { task: "Find it." }), call("probe", { what: "probe" })];
  if (called.at(-1) === "background_result") return done;
  const open = /bg-\d+/.exec(last)?.[0] ?? "bg-1";
  return [call("background_result", { id: open, wait_seconds: 10 })];
}

/** True if a reply calls the tool with this id. */
function isCallOf(records: readonly JournalRecord[], callId: string, name: string): boolean {
  return records.some(
    (record) => record.type === "reply" && record.reply.calls.some((one) => one.id === callId && one.name === name),
  );
}

const done = [call("task_completion", { result: "done" })];
const mark = [call("mark", { what: "billing" })];

async function survive(seed: number, kind: Kind): Promise<number> {
  const lives = { victim: "relay-victim.mjs", kind, seed, reply, lasts: [200, 800] } as const;
  const { provider, kills, effects, sessions } = await liveUntilDone(lives);
  expect(sessions.size).toBe(2);
  let replies = 0;
  for (const [id, records] of sessions) {
    assertWellFormed(records, { hooks: true });
    replies += records.filter(({ type }) => type === "reply").length;
    expect(
      records.filter(({ type }) => type === "input"),
      `${id} began once`,
    ).toHaveLength(1);
    expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
    const unknown = unknownIn(records);
    expect(new Set(unknown).size, "an unknown outcome is told once").toBe(unknown.length);
    const ran = [...succeededIn(records, "mark"), ...succeededIn(records, "probe")];
    for (const callId of ran) expect(effects).toContain(callId);
    for (const callId of unknown) expect(ran).not.toContain(callId);
  }
  const records = sessions.get("relay")!;
  const speakers = records.flatMap((record) => (record.type === "hand-over" ? [record.speakers] : []));
  expect(speakers).toEqual([["billing"], []]);
  const began = records.flatMap((record) => (record.type === "background" ? [record.callId] : []));
  // A process may die between the intent of a call and its beginning: then nobody knows whether it began, and it has its result at once.
  const mayHaveBegun = unknownIn(records).filter(
    (callId) => isCallOf(records, callId, "probe") && !began.includes(callId),
  );
  expect(began.length + mayHaveBegun.length).toBe(2);
  expect(records.filter(({ type }) => type === "background-end")).toHaveLength(began.length);
  // The agent that searches goes on in the next process, so its outcome is known.
  expect(succeededIn(records, "search")).toHaveLength(1);
  const models = provider.requests.map(({ body }) => (body as unknown as Body).model);
  const ofBilling = models.map((model, index) => [model, index] as const).filter(([model]) => model === "billing");
  const [first, last] = [ofBilling[0]![1], ofBilling.at(-1)![1]];
  expect(new Set(models.slice(first, last + 1)), "nobody else speaks in between").toEqual(new Set(["billing"]));
  expect(provider.requests.length - replies).toBeLessThanOrEqual(kills * 2);
  return kills;
}

describe.each<Kind>(hasSqlite ? ["files", "sqlite"] : ["files"])("a run that is handed over, in %s", (kind) => {
  test("killed at any time, goes on with the agent that spoke, and its work in the background ends once", async () => {
    const all = seeds(kind === "files" ? 2 : 1, kind === "files" ? 30 : 10);
    await withEach(all, { fault: "kill9-relay", words: "a run that is handed over" }, (seed) => survive(seed, kind));
    expect.hasAssertions();
  }, 1_200_000);
});
