import { describe, expect, test } from "vitest";
import { hasSqlite } from "../memory/store-places.js";
import { stageFor, type Life, type StageOptions } from "./lives.js";
import { withEach } from "./counted.js";
import { randomFrom, seeds } from "./scale.js";
import { expectSamePrompt, expectSound, expectTidy, liveOn } from "./survivor.js";

/** Milliseconds that the model, a tool and the person take at most. */
const wait = 60;

/** One to five lives that end at some time, and then as many as it takes. Returns how many were killed. */
async function survive(seed: number, kind: NonNullable<StageOptions["kind"]>): Promise<number> {
  const random = randomFrom(seed);
  await using stage = await stageFor({ story: random() < 0.8 ? "work" : "fold", kind, wait });
  const lives: Life[] = [];
  const kills = 1 + Math.floor(random() * 5);
  // It takes some time to begin, and much less than that to do what there is to do.
  for (let kill = 0; kill < kills; kill += 1) lives.push(await stage.live({ after: 150 + random() * 1100 }));
  lives.push(...(await liveOn(stage)));
  await expectSound(stage, lives);
  if (kind === "files") await expectTidy(stage, lives);
  if (stage.provider.requests.every(({ body }) => body.model !== "summary")) expectSamePrompt(stage.provider.requests);
  return lives.filter(({ isKilled }) => isKilled).length;
}

// Where Node has no SQLite, nothing of this can be run with it: test/memory/store-places.ts says which.
describe.each<NonNullable<StageOptions["kind"]>>(hasSqlite ? ["files", "sqlite"] : ["files"])("in %s", (kind) => {
  test("killed at any time, one to five times in a row, a task is done in the end, and nothing of it twice", async () => {
    const all = seeds(kind === "files" ? 2 : 1, kind === "files" ? 50 : 15);
    await withEach(all, { fault: "kill9-random-100", words: "killed at any time" }, (seed) => survive(seed, kind));
    expect.hasAssertions();
  }, 1_200_000);
});
