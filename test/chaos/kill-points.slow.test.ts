import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../src/index.js";
import { stageFor, type Life, type Stage } from "./lives.js";
import { counted } from "./counted.js";
import { isAll, isFull, some } from "./scale.js";
import { pages, type Story } from "./story.js";
import { expectSamePrompt, expectSound, expectTidy, liveOn } from "./survivor.js";

// Of the points of faults.json, P17 is not here: it is about MCP, which lastcall has not.

/** The points, some of them at more than one place: `P12-closed` is P12 too. */
const places = [
  "P0",
  "P0-input",
  "P1",
  "P2",
  "P3",
  "P4",
  "P5",
  "P6",
  "P7",
  "P8",
  "P9",
  "P10",
  "P11",
  "P12",
  "P12-closed",
  "P13-check",
  "P13",
  "P13-claimed",
  "P13-ended",
  "P14",
  "P14-told",
];
/** Points while a prompt is folded. */
const folding = ["P15", "P15-written", "P15-folded"];

/** A process that comes after a kill here does not come here: the summary is kept, and the task needs no other. */
const onlyOnce = "P15-folded";

const fault = (place: string): string =>
  place.startsWith("P16") ? "kill9-every-write" : `kill9-${place.split(/[-:]/)[0]!}`;

/**
 * Killed at a place, and the next process there too, if asked for; then whoever comes goes on to the end. How often it was
 * killed there.
 */
async function survive(story: Story, at: string, { times = 1, mayMiss = false } = {}): Promise<number> {
  await using stage = await stageFor({ story });
  const lives: Life[] = [];
  for (let time = 0; time < times; time += 1) lives.push(await stage.live({ at, mayMiss }));
  const kills = lives.filter(({ isKilled }) => isKilled).length;
  const asked = stage.provider.requests.length;
  const wasClaimed = (await stage.session()).records.some(
    (record) => record.type === "claim" && record.ending === "completed",
  );
  lives.push(...(await liveOn(stage)));
  const records = await expectSound(stage, lives);
  await expectTidy(stage, lives);
  if (story === "work") expectSamePrompt(stage.provider.requests);
  else await expectFolded(stage, records);
  // Once the end is recorded nobody is asked any more.
  if (wasClaimed) expect(stage.provider.requests).toHaveLength(asked);
  const replies = records.filter(({ type }) => type === "reply").length;
  const own = stage.provider.requests.filter(({ body }) => body.model !== "summary").length;
  expect(own - replies, "requests without a reply that counts").toBeLessThanOrEqual(kills);
  if (kills > 0) counted(fault(at), kills);
  return kills;
}

/** The model wrote a summary, and every page is written once. */
async function expectFolded(stage: Stage, records: readonly JournalRecord[]): Promise<void> {
  expect(records.some((record) => record.type === "fold" && record.by === "model")).toBe(true);
  const written = (await stage.effects()).map(({ what }) => what);
  expect(written).toEqual(Array.from({ length: pages }, (_none, index) => `deploy ${String(index + 1)}`));
}

/** Every time that a place comes by, one kill, and the first time two in a row; in `npm run test:slow` one kill the first time. */
async function surviveEach(story: Story, place: string): Promise<void> {
  for (let time = 1; ; time += 1) {
    const at = `${place}:${String(time)}`;
    const kills = await survive(story, at, { mayMiss: time > 1 }).catch((thrown: unknown) => fail(at, thrown));
    if (kills === 0 || !isAll) return;
    if (time === 1 && place !== onlyOnce)
      await survive(story, at, { times: 2 }).catch((thrown: unknown) => fail(`${at}, twice`, thrown));
  }
}

/** The failure, and where to look for it. */
function fail(at: string, thrown: unknown): never {
  throw new Error(`Killed at ${at} (CHAOS_AT of victim.mjs): ${(thrown as Error).message}`, { cause: thrown });
}

describe("a process is killed, and the next one goes on", () => {
  test.each(some(places, 3))("at %s", (place) => surviveEach("work", place), 600_000);

  test.each(some(folding, 2))("at %s, while the prompt is folded", (place) => surviveEach("fold", place), 600_000);
});

test("of two calls in a reply the first is done and the second at work when its process is killed", async () => {
  await using stage = await stageFor({ story: "work" });
  const lives = [await stage.live({ at: "P10-deploy b" }), ...(await liveOn(stage))];
  const records = await expectSound(stage, lives);
  const results = records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(results[0]).toMatchObject({ ok: true, text: "did deploy a" });
  expect(results[1]).toMatchObject({ ok: false, failure: { kind: "interrupted" } });
  const effects = (await stage.effects()).map(({ what }) => what);
  expect(effects).toEqual(["deploy a", "deploy b", "mark c", "sign e"]);
  counted("kill9-P18", 1);
});

test("a question is answered by another process, which is killed with the answer kept: it is given once", async () => {
  await using stage = await stageFor({ story: "work" });
  const lives = [await stage.live({ apart: true }), await stage.live({ at: "P0-input" }), ...(await liveOn(stage))];
  expect(lives[0]!.told.at(-1)).toMatchObject({ status: "waiting", iterations: 3 });
  const records = await expectSound(stage, lives);
  const given = records.filter((record) => record.type === "input" && record.answers !== undefined);
  expect(given).toMatchObject([{ text: "The left one." }]);
  expectSamePrompt(stage.provider.requests);
  await expectTidy(stage, lives);
  counted("kill9-P0", 1);
});

describe("a process is killed", () => {
  test.each(["P16-before", "P16-torn", "P16-after"])(
    "%s each of its operations on a file",
    async (place) => {
      const isWhole = isFull(["P16-before", "P16-torn", "P16-after"].indexOf(place) + 1);
      let time = isWhole ? 1 : 9;
      for (; isWhole || time < 10; time += 1) {
        const at = `${place}:${String(time)}`;
        if ((await survive("work", at, { mayMiss: true }).catch((thrown: unknown) => fail(at, thrown))) === 0) break;
      }
      expect(time).toBeGreaterThan(9);
    },
    600_000,
  );
});
