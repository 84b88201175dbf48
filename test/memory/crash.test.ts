// A process that dies at any operation on its store, also while it goes on from such a death: nothing is lost, nothing happens twice.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord, type Outcome } from "../../src/index.js";
import { memoryStore, openSession, type Lock, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type Seen, type Step } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

/** What the process dies of: nothing that comes after it is done. */
class Death extends Error {}

interface Mortal {
  readonly store: Store;
  /** How many operations were begun. */
  readonly count: () => number;
  readonly isDead: () => boolean;
}

/** A process's view of the store: it dies before its n-th operation that changes something, or in the midst of it. */
function mortal(store: Store, deathAt: number, how: "before" | "after" | "torn"): Mortal {
  let count = 0;
  let isDead = false;
  const operate = async <T>(work: () => Promise<T>, tear?: () => Promise<unknown>): Promise<T> => {
    if (isDead) throw new Death("dead");
    count += 1;
    if (count !== deathAt) return work();
    isDead = true;
    if (how === "after") await work();
    if (how === "torn") await tear?.();
    throw new Death("dead");
  };
  const wrapLock = (lock: Lock): Lock => ({
    append: (line, flush) =>
      operate(
        () => lock.append(line, flush),
        () => lock.append(line.slice(0, line.length / 2), flush),
      ),
    cut: (lines) => operate(() => lock.cut(lines)),
    renew: () => lock.renew(),
    // The lock of a dead process is not given back, and is taken over.
    release: async () => lock.release(),
  });
  return {
    count: () => count,
    isDead: () => isDead,
    store: {
      ...store,
      lock: async (id, holder) => {
        const lock = await store.lock(id, holder);
        return "append" in lock ? wrapLock(lock) : lock;
      },
      drop: (id, messages) => operate(() => store.drop(id, messages)),
    },
  };
}

/** One line for each effect, kept outside of every session. */
interface World {
  readonly effects: string[];
  readonly finished: string[];
}

const script = ({ lastText }: Seen): Step => {
  if (lastText.startsWith("Go")) return [call("work", { what: "a" }), call("look", {}), call("work", { what: "b" })];
  if (lastText.includes("did b") || lastText.includes("unknown") || lastText.includes("interrupted"))
    return [call("ask_question", { question: "Which one?" })];
  return [call("task_completion", { result: "done" })];
};

function agentIn({ effects, finished }: World) {
  const work = tool({
    name: "work",
    description: "Works",
    input: z.object({ what: z.string() }),
    effect: "write",
    run: async ({ what }, { callId }) => {
      effects.push(`${what} ${callId}`);
      await Promise.resolve();
      finished.push(what);
      return `did ${what}`;
    },
  });
  const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "seen" });
  const tools = [work, look, taskCompletion(), askQuestion()];
  return { tools, agent: createAgent({ model: scriptedModel(script), tools, permission: allowAll() }) };
}

/** Lives until it dies or is done: starts, answers, or goes on, whatever the session calls for. */
async function live(world: World, store: Store): Promise<Outcome | undefined> {
  const { agent } = agentIn(world);
  const session = openSession({ store, id: "s" });
  for (let turns = 0; turns < 6; turns += 1) {
    const { records } = await session.toJSON().catch(() => ({ records: [] as readonly JournalRecord[] }));
    const ended = records.findLast(({ type }) => type === "outcome" || type === "input");
    const status = ended?.type === "outcome" ? ended.status : ended === undefined ? "new" : "left";
    if (status === "completed") return undefined;
    const outcome = await (status === "new"
      ? agent.run("Go.", { session })
      : status === "waiting"
        ? agent.run("The left one.", { session })
        : agent.resume(session));
    if (outcome.status === "completed" || outcome.status === "failed") return outcome;
  }
  throw new Error("It came to no end.");
}

/** Dies at these operations, one life after the other, then lives to the end; what is left is checked. */
async function survive(deaths: readonly number[], how: "before" | "after" | "torn"): Promise<boolean> {
  const world: World = { effects: [], finished: [] };
  const store = memoryStore();
  let died = false;
  for (const deathAt of deaths) {
    const { store: view, isDead } = mortal(store, deathAt, how);
    await live(world, view).catch(() => undefined);
    died = isDead();
    if (!died) break;
  }
  await live(world, store);
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const { tools } = agentIn(world);
  assertWellFormed(records, { tools });
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  // No call ran twice, and what ran without a result in the journal is said to be unknown.
  expect(new Set(world.effects).size).toBe(world.effects.length);
  for (const effect of world.effects) {
    const id = effect.split(" ")[1];
    const result = records.find((record) => record.type === "result" && record.result.callId === id);
    const text = result?.type === "result" ? result.result.text : "";
    expect([`did ${effect[0]!}`, "unknown"].some((words) => text.includes(words))).toBe(true);
  }
  return died;
}

describe.each(["before", "after", "torn"] as const)("a death %s an operation", (how) => {
  test("at each of them, until a life ends without dying", async () => {
    let deathAt = 1;
    while (await survive([deathAt], how)) deathAt += 1;
    expect(deathAt).toBeGreaterThan(20);
  });

  test("at each of them, and again at each of those that follow while it goes on", async () => {
    let lives = 0;
    for (let first = 1; await survive([first], how); first += 3) {
      for (let second = 1; await survive([first, second], how); second += 1) lives += 1;
    }
    expect(lives).toBeGreaterThan(50);
  });
});
