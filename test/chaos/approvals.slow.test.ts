// Approvals that come later, in processes that die: the asker's and the answerer's at every append, two answers at once, stale answers.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord, type AnyPermission } from "../../src/index.js";
import { openSession, type Store } from "../../src/memory/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { hasSqlite } from "../memory/store-places.js";
import { mortal, tearableStore, type Death } from "./around-store.js";
import { checkInvariants } from "./invariants.js";
import { stageFor, type Life, type Stage, type StageOptions } from "./lives.js";
import { counted } from "./counted.js";
import { atEach, isFull, places } from "./scale.js";
import { expectSamePrompt, expectSound, expectTidy, liveOn } from "./survivor.js";

type Kind = NonNullable<StageOptions["kind"]>;

const kinds: readonly Kind[] = hasSqlite ? ["files", "sqlite"] : ["files"];

/** The calls that waited, in order, and how often each was parked and answered. */
function waits(records: readonly JournalRecord[]): readonly (readonly [parked: number, answered: number])[] {
  const parked = records.flatMap((record) => (record.type === "parked" ? [record.callId] : []));
  const answered = records.flatMap((record) => (record.type === "approval" ? [record.answers] : []));
  const times = (ids: readonly string[], id: string): number => ids.filter((other) => other === id).length;
  return [...new Set(parked)].map((id) => [times(parked, id), times(answered, id)]);
}

/** Each of the two calls waited once, was answered once, and had its effect as often as the journal says: see `expectSound`. */
async function expectApproved(stage: Stage, lives: readonly Life[]): Promise<void> {
  // One that ended by itself left nothing at work, but another one may have been at work then.
  const told = lives.map((life) => (life.isKilled ? life : { ...life, left: [] }));
  const records = await expectSound(stage, told);
  expect(waits(records)).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expectSamePrompt(stage.provider.requests);
}

/** Kills the asker, or the answerer of the first call, at its append with this number. True if it came so far. */
async function killAt(kind: Kind, who: "asker" | "answerer", at: string): Promise<boolean> {
  await using stage = await stageFor({ story: "park", kind });
  const lives: Life[] = [];
  if (who === "answerer") lives.push(await stage.live({ apart: true }));
  lives.push(await stage.live({ apart: true, at, mayMiss: true }));
  const isKilled = lives.at(-1)?.isKilled === true;
  const wasIntended = (await stage.session()).records.some(({ type }) => type === "intent");
  lives.push(...(await liveOn(stage)));
  await expectApproved(stage, lives);
  const deployed = (await stage.effects()).filter(({ what }) => what === "deploy a").length;
  // Between the intent and the result nobody knows; at any other place it happens exactly once.
  if (!wasIntended || !isKilled) expect(deployed).toBe(1);
  if (kind === "files") await expectTidy(stage, lives);
  if (isKilled) counted(`kill9-${who}-of-an-approval`, 1);
  return isKilled;
}

describe.each(kinds)("in %s, a process is killed with kill -9", (kind) => {
  test.each(["asker", "answerer"] as const)(
    "%s, before and after each of its appends: the call waits once and runs once",
    async (who) => {
      const isWhole = isFull(who === "asker" ? 1 : 2);
      for (const how of isWhole ? ["before", "after"] : ["after"]) {
        for (let time = isWhole ? 1 : who === "asker" ? 5 : 1; ; time += 1) {
          const at = `append-${how}:${String(time)}`;
          const isKilled = await killAt(kind, who, at).catch((thrown: unknown) => {
            throw new Error(`${who} killed at ${at}: ${(thrown as Error).message}`, { cause: thrown });
          });
          if (!isKilled) expect(time).toBeGreaterThan(5);
          if (!isKilled || (!isWhole && time >= 6)) break;
        }
      }
    },
    600_000,
  );

  test("in the midst of the approved call: its outcome is unknown, and it is not run again", async () => {
    await using stage = await stageFor({ story: "park", kind });
    const lives = [await stage.live({ apart: true }), await stage.live({ at: "P10-deploy a" })];
    lives.push(...(await liveOn(stage)));
    await expectApproved(stage, lives);
    expect((await stage.effects()).map(({ what }) => what)).toEqual(["deploy a", "mark c"]);
    counted("kill9-in-an-approved-call", 1);
  });
});

describe.each(kinds)("in %s, an answer", (kind) => {
  test("is given by two processes at once: the call runs once, and both see one end", async () => {
    for (let time = 0; time < (isFull(3) ? 10 : 2); time += 1) {
      await using stage = await stageFor({ story: "park", kind, wait: time });
      const first = await stage.live({ apart: true });
      const id = (await stage.session()).records.find((record) => record.type === "parked")?.callId ?? "";
      const answer = { id, allowed: true };
      const both = await Promise.all([stage.live({ answer }), stage.live({ answer })]);
      const ends = both.flatMap(({ told }) => told.filter(({ status }) => status !== undefined));
      expect(ends.map(({ status }) => status)).toEqual(["waiting", "waiting"]);
      expect(ends.filter(({ joined }) => joined === true)).toHaveLength(1);
      await expectApproved(stage, [first, ...both, ...(await liveOn(stage))]);
      counted("double-approval", 1);
    }
  });

  test("is yes and no at once: the first one counts, and both are told the same", async () => {
    for (let time = 0; time < (isFull(4) ? 10 : 2); time += 1) {
      await using stage = await stageFor({ story: "park", kind });
      await stage.live({ apart: true });
      const id = (await stage.session()).records.find((record) => record.type === "parked")?.callId ?? "";
      const both = await Promise.all(
        [true, false].map((allowed) => stage.live({ apart: true, answer: { id, allowed } })),
      );
      const { records } = await stage.session();
      const given = records.flatMap((record) => (record.type === "approval" && record.answers === id ? [record] : []));
      expect(given).toHaveLength(1);
      const deployed = (await stage.effects()).filter(({ what }) => what === "deploy a");
      expect(deployed).toHaveLength(given[0]?.allowed === true ? 1 : 0);
      const ends = both.flatMap(({ told }) => told.filter(({ status }) => status !== undefined));
      expect(ends.map(({ status }) => status)).toEqual(["waiting", "waiting"]);
      expect(ends.filter(({ joined }) => joined === true)).toHaveLength(1);
      counted("double-approval", 1);
    }
  });

  test("is stale: it is about a call that was answered before, and changes nothing", async () => {
    await using stage = await stageFor({ story: "park", kind });
    const lives = [await stage.live({ apart: true }), await stage.live({ apart: true })];
    const before = (await stage.session()).records;
    const id = before.find((record) => record.type === "parked")?.callId ?? "";
    const stale = await stage.live({ apart: true, answer: { id, allowed: false } });
    expect(stale.told.at(-1)).toMatchObject({ status: "waiting", joined: true });
    const unknown = await stage.live({ apart: true, answer: { id: `${id}9`, allowed: true } });
    expect(unknown.told.at(-1)).toMatchObject({ status: "failed" });
    expect((await stage.session()).records).toEqual(before);
    lives.push(...(await liveOn(stage)));
    await expectApproved(stage, lives);
    counted("stale-approval", 2);
  });

  test("comes while the asker sleeps and still holds the session: it is taken as soon as that wakes", async () => {
    await using stage = await stageFor({ story: "park", kind });
    let answering: Promise<Life> | undefined;
    const isParked = async (): Promise<boolean> =>
      (await stage.session()).records.some(({ type }) => type === "parked");
    const asker = await stage.live({
      apart: true,
      at: "parked-kept",
      sleep: async () => {
        expect(await isParked()).toBe(true);
        answering = stage.live({ apart: true });
        await sleep(1500);
        expect(await stage.effects()).toEqual([]);
      },
    });
    const answerer = await answering;
    expect(asker.told.at(-1)).toMatchObject({ status: "waiting" });
    const lives = [asker, ...(answerer === undefined ? [] : [answerer]), ...(await liveOn(stage))];
    await expectApproved(stage, lives);
    expect((await stage.effects()).map(({ what }) => what)).toEqual(["deploy a", "mark c"]);
    counted("approval-of-a-held-session", 1);
  });
});

/** Nothing is approved at once, except what changes nothing. */
const parking: AnyPermission = {
  decide: ({ effect }, { approval }) =>
    effect === "write"
      ? (approval ?? { later: true, reason: "it writes" })
      : { allowed: true, reason: "it is harmless" },
};

/** A session in a store that dies: everything else is in this process. */
function town() {
  const store = tearableStore();
  const effects: { readonly callId: string; readonly input: unknown }[] = [];
  const build = (name: string, idempotent: boolean) =>
    tool({
      name,
      description: "Builds",
      input: z.object({ what: z.string() }),
      effect: "write",
      idempotent,
      run: (input, { callId }) => {
        effects.push({ callId, input: { ...input } });
        return `built ${input.what}`;
      },
    });
  const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "seen" });
  const tools = [build("build", false), build("paint", true), look, taskCompletion()];
  const script: readonly Step[] = [
    [call("look"), call("look"), call("build", { what: "a" }), call("paint", { what: "b" })],
    [call("build", { what: "c" })],
    [call("task_completion", { result: "done" })],
  ];
  const next = (replies: number): Step => script[Math.min(replies, script.length - 1)]!;
  return { store, effects, tools, next };
}

type Town = ReturnType<typeof town>;

const recordsOf = async ({ store }: Town): Promise<readonly JournalRecord[]> =>
  (await openSession({ store, id: "s" }).toJSON()).records;

/** Asks, answers or goes on, whatever the journal calls for, until it is completed or a run fails. */
async function live(place: Town, store: Store): Promise<void> {
  for (let turns = 0; turns < 12; turns += 1) {
    const records = await recordsOf(place);
    if (records.at(-1)?.type === "outcome" && (records.at(-1) as { status: string }).status === "completed") return;
    const replies = records.filter(({ type }) => type === "reply").length;
    let more = replies;
    const model = scriptedModel(() => place.next(more++));
    const agent = createAgent({ model, tools: place.tools, permission: parking });
    const session = openSession({ store, id: "s", onTorn: () => undefined });
    const due = await openSession({ store: place.store, id: "s" }).waiting();
    const outcome = await (records.length === 0
      ? agent.run("Build.", { session })
      : due?.approval === undefined
        ? agent.resume(session)
        : agent.run({ allowed: true, digest: due.approval.digest }, { session, answers: due.id }));
    if (outcome.status === "failed") return;
  }
  throw new Error("It came to no end.");
}

/** Dies so, and others live to the end. Returns the number of operations of the one that died. */
async function dieAndSurvive(death: Death): Promise<{ readonly count: number; readonly isDead: boolean }> {
  const place = town();
  const dying = mortal(place.store, "s", death);
  await live(place, dying.store).catch((thrown: unknown) => {
    if (!dying.isDead()) throw thrown;
  });
  await live(place, place.store);
  const records = await recordsOf(place);
  checkInvariants({ records, requests: [], effects: place.effects, tools: place.tools });
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  expect(waits(records).every(([parked, answered]) => parked === 1 && answered === 1)).toBe(true);
  return { count: dying.count(), isDead: dying.isDead() };
}

describe.each(["before", "after", "torn"] as const)("a store that dies %s an operation", (how) => {
  test("at each of them: every call waits once, is answered once, and runs once", async () => {
    const { count } = await dieAndSurvive({ at: Infinity, how });
    expect(count).toBeGreaterThan(25);
    const all = places(count, 8);
    await atEach(all, async (place) => {
      expect((await dieAndSurvive({ at: place + 1, how })).isDead).toBe(true);
    });
    counted("kill9-every-write-of-an-approval", all.length);
  });
});
