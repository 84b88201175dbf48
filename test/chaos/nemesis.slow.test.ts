// Random conversations with a nemesis. What is right is judged by the journal, the bodies of the requests, and what the tools did.

import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { replay } from "../../src/core/index.js";
import type { JournalRecord, Outcome } from "../../src/index.js";
import { forkSession, openSession, type Store } from "../../src/memory/index.js";
import { scriptedProvider, type ProviderRequest } from "../../src/testing/index.js";
import { tearableStore } from "./around-store.js";
import { anyReply, failures, worldOf, type World } from "./conversation.js";
import { checkInvariants, type SeenEffect } from "./invariants.js";
import { anyDeed, deeds, viewOf, type Deed } from "./nemesis.js";
import { counted, tallyOf } from "./counted.js";
import { randomFrom, seeds } from "./scale.js";

/** Milliseconds after which a run hangs. */
const patience = 20_000;

/** What happens by chance in the conversations: what is done to runs, and what the provider does. */
const tally = tallyOf([...deeds, ...failures]);

/** A session, and everything that was seen of it from outside. */
interface Scene {
  readonly random: () => number;
  readonly world: World;
  readonly store: Store;
  readonly id: string;
  readonly acknowledged: JournalRecord[];
  /** The sessions in whose inbox something may be left. */
  readonly mayWait: Set<string>;
  /** The numbers of the first request, effect and record that are this session's own. */
  readonly from: { readonly request: number; readonly effect: number; readonly record: number };
}

/** What nobody may ever be told: that it is our fault. */
function expectNoBug(outcome: Outcome): void {
  if (outcome.status !== "failed") return;
  expect(outcome.fault.code, outcome.fault.message).not.toBe("bug");
}

/** Does a deed to a run, and waits for all who took part in it. True where it was one that could be done. */
async function live(scene: Scene, deed: Deed): Promise<void> {
  const { store, id, world, acknowledged, random } = scene;
  const { session, isDead } = viewOf(store, id, deed, acknowledged, () => {
    tally.did(`a death ${deed.death} an operation`);
  });
  tally.did(deed.run);
  const records =
    (
      await openSession({ store, id })
        .toJSON()
        .catch(() => undefined)
    )?.records ?? [];
  const state = replay(records);
  const abort = new AbortController();
  const joined: Promise<Outcome>[] = [];
  let events = 0;
  const waits = state.ended === "waiting" ? state.claim?.callId : undefined;
  const answers = waits !== undefined && random() < 0.5 ? { answers: waits } : {};
  const onEvent = (): void => {
    if (events === deed.abortAt) {
      abort.abort();
      tally.did("an abort");
    }
    if (events === deed.joinAt) {
      tally.did("another process that joins");
      const death = { deathAt: deed.joinDeathAt, death: deed.death };
      const other = viewOf(store, id, death, acknowledged, () => {
        tally.did("a death of the one that joins");
      });
      joined.push(world.agent.run("And this.", { session: other.session, ...answers }));
    }
    events += 1;
  };
  const options = { onEvent, signal: abort.signal };
  const running =
    deed.run === "resume"
      ? world.agent.resume(session, options)
      : deed.run === "say"
        ? world.agent.run("Do it.", { session, ...options, ...answers })
        : world.agent.run("Yes.", { session, ...options, answers: `${id}/1/call:9:9` });
  const outcome = await inTime(running);
  expectNoBug(outcome);
  if (!isDead() && outcome.status === "failed")
    expect(["configuration", "provider_rejected", "provider_unavailable"]).toContain(outcome.fault.code);
  for (const other of joined) expectNoBug(await inTime(other));
  // What was sent by somebody who died may lie there until the next run takes it.
  if (joined.length > 0 && deed.joinDeathAt !== undefined) scene.mayWait.add(id);
}

async function inTime(running: Promise<Outcome>): Promise<Outcome> {
  const over = new AbortController();
  const late = wait(patience, undefined, { signal: over.signal }).then(() => {
    throw new Error("It hangs.");
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

/** Goes on until nobody has left anything, then holds all that was seen against the invariants. */
async function judge(
  scene: Scene,
  requests: readonly ProviderRequest[],
  effects: readonly SeenEffect[],
): Promise<void> {
  const { store, id, world, from, acknowledged } = scene;
  const quiet: Deed = { run: "resume", death: "before", forks: false };
  const session = openSession({ store, id });
  const isLeft = async (): Promise<boolean> => {
    const { records } = await session.toJSON();
    return records.length > 0 && records.at(-1)?.type !== "outcome";
  };
  for (let time = 0; time < 3 && (await isLeft()); time += 1) await live(scene, quiet);
  const { records } = await session.toJSON();
  checkInvariants({
    records,
    requests: requests.slice(from.request).map(({ body }) => body),
    effects: effects.slice(from.effect),
    tools: world.tools,
    ended: records.length > 0,
    acknowledged,
    inherited: from.record,
  });
  if (records.length > 0 && !scene.mayWait.has(id)) expect(await store.messages(id), "the inbox").toEqual([]);
}

/** One conversation, with so many deeds done to it. */
async function converse(seed: number): Promise<void> {
  const random = randomFrom(seed);
  await using provider = await scriptedProvider(() => {
    const { step, failure } = anyReply(random);
    if (failure !== undefined) tally.did(failure);
    return step;
  });
  const effects: SeenEffect[] = [];
  const world = worldOf(random, provider.url, effects);
  const store = tearableStore();
  const from = (record: number): Scene["from"] => ({
    request: provider.requests.length,
    effect: effects.length,
    record,
  });
  const scene: Scene = { random, world, store, id: "s", acknowledged: [], mayWait: new Set(), from: from(0) };
  for (let deeds = 2 + Math.floor(random() * 8); deeds > 0; deeds -= 1) {
    const deed = anyDeed(random);
    await live(scene, deed);
    const records =
      (
        await openSession({ store, id: "s" })
          .toJSON()
          .catch(() => undefined)
      )?.records ?? [];
    if (!deed.forks || records.length === 0) continue;
    const to = await forkSession({ store, id: "s", at: Math.floor(random() * records.length) + 1 });
    tally.did("a fork");
    const taken = (await openSession({ store, id: to }).toJSON()).records.length;
    await judge(scene, provider.requests, effects);
    // What the fork does from here on is its own.
    const fork: Scene = { ...scene, id: to, acknowledged: [], from: from(taken) };
    await live(fork, anyDeed(random));
    await judge(fork, provider.requests, effects);
    return;
  }
  await judge(scene, provider.requests, effects);
}

test("a random conversation with a nemesis breaks nothing that must hold of every session", async () => {
  for (const seed of seeds(15, 600)) {
    try {
      await converse(seed);
      counted("model-random-conversations", 1);
    } catch (thrown) {
      const again = `npm run chaos -- --seed ${String(seed)} random conversation with a nemesis`;
      throw new Error(`Seed ${String(seed)} (${again}): ${String(thrown)}`, { cause: thrown });
    }
  }
  tally.end();
}, 1_200_000);
