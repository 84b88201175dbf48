import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../src/index.js";
import { fileStore, openSession, sqliteStore } from "../../src/memory/index.js";
import { assertWellFormed, call, scriptedProvider, type Step } from "../../src/testing/index.js";
import { hasSqlite, temporaryFolder } from "../memory/store-places.js";
import { counted, randomFrom, seeds } from "./scale.js";

type Kind = "files" | "sqlite";

interface Body {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

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

/** Lives one life, killed after these milliseconds. Returns what it said; undefined if it was killed. */
async function live(words: object, after: number): Promise<string | undefined> {
  const victim = join(import.meta.dirname, "tree-victim.mjs");
  const child = spawn(process.execPath, [victim, JSON.stringify(words)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), after);
  await new Promise((settle) => child.on("close", settle));
  clearTimeout(timer);
  return said === "" ? undefined : said;
}

/** The calls that were told that their outcome is unknown. */
function unknownIn(records: readonly JournalRecord[]): readonly string[] {
  return records.flatMap((record) =>
    record.type === "result" && record.result.failure?.kind === "interrupted" ? [record.result.callId] : [],
  );
}

async function survive(seed: number, kind: Kind): Promise<number> {
  const random = randomFrom(seed);
  await using folder = await temporaryFolder();
  const path = join(folder.path, kind === "files" ? "sessions" : "sessions.sqlite");
  const outside = join(folder.path, "effects");
  const provider = await scriptedProvider(() => ({
    ...asReply(reply(provider.requests.at(-1)!.body as unknown as Body)),
    delay: random() * 15,
  }));
  const words = { kind, path, url: provider.url, outside };
  let kills = 0;
  let said: string | undefined;
  for (let most = 1 + Math.floor(random() * 4); ;) {
    said = await live(words, kills < most ? 250 + random() * 900 : 60_000);
    if (said !== undefined) break;
    kills += 1;
  }
  await provider.close();
  expect(JSON.parse(said)).toEqual({ status: "completed" });
  const store = kind === "files" ? fileStore(path) : sqliteStore(path);
  const ids = (await store.list()).map(({ id }) => id);
  expect(ids).toHaveLength(1 + 4 + 16);
  const effects = (await readFile(outside, "utf8").catch(() => ""))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly what: string; readonly callId: string });
  const calls = effects.map(({ callId }) => callId);
  expect(new Set(calls).size, "a call that ran twice").toBe(calls.length);
  let replies = 0;
  for (const id of ids) {
    const { records } = await openSession({ store, id }).toJSON();
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
    const marked = records.flatMap((record) =>
      record.type === "result" && record.result.name === "mark" ? [record.result] : [],
    );
    for (const { ok, callId } of marked) if (ok) expect(calls).toContain(callId);
  }
  // A reply that is in a journal is not asked for again: only those in flight at a kill are lost.
  expect(provider.requests.length - replies).toBeLessThanOrEqual(kills * 16);
  await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
  return kills;
}

function asReply(step: Step): object {
  return Array.isArray(step) ? { calls: step } : (step as object);
}

describe.each<Kind>(hasSqlite ? ["files", "sqlite"] : ["files"])("a tree of agents in %s", (kind) => {
  test("killed at any time, finishes, and no finished agent and no call with a result runs twice", async () => {
    for (const seed of seeds(kind === "files" ? 3 : 1, kind === "files" ? 80 : 25)) {
      try {
        counted("kill9-tree", await survive(seed, kind));
      } catch (thrown) {
        const again = `npm run chaos -- --seed ${String(seed)} a tree of agents`;
        throw new Error(`Seed ${String(seed)} (${again}): ${String(thrown)}`, { cause: thrown });
      }
    }
    expect.hasAssertions();
  }, 1_200_000);
});
