// Sessions in Postgres under kill -9 of processes, and under crashes of the server.

import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { pgStore } from "../../src/postgres/index.js";
import type { WriterOptions } from "../memory/writers.js";
import { useDatabase } from "../postgres/database.js";
import { noPostgres } from "../postgres/server.js";
import { stageFor, type Life } from "./lives.js";
import { endings, fight } from "./many-writers.js";
import { withEach } from "./counted.js";
import { isFull, randomFrom, seeds } from "./scale.js";
import { expectSound, liveOn } from "./survivor.js";

describe.skipIf(noPostgres)(`in Postgres${noPostgres}`, () => {
  const database = useDatabase();

  const addressOf = (schema: string): string => `${database.server.url}?schema=${schema}`;

  test.each(endings)(
    "many processes over one session %s",
    async (_what, speed, signal) => {
      const schema = await database.schema();
      const options: WriterOptions = { kind: "postgres", path: addressOf(schema), speed, begin: Date.now(), most: 20 };
      await fight({ options, processes: isFull(4) ? 12 : 6, signal, store: pgStore(database.pool, { schema }) });
      expect.hasAssertions();
    },
    60_000,
  );

  test("killed at any time, one to five times in a row, a task is done in the end, and nothing of it twice", async () => {
    const kinds = { fault: "kill9-random-postgres", words: "killed at any time, one to five" };
    await withEach(seeds(2, 20), kinds, async (seed) => {
      const random = randomFrom(seed);
      const address = addressOf(await database.schema());
      await using stage = await stageFor({
        story: random() < 0.8 ? "work" : "fold",
        kind: "postgres",
        address,
        wait: 60,
      });
      const lives: Life[] = [];
      const kills = 1 + Math.floor(random() * 5);
      for (let kill = 0; kill < kills; kill += 1) lives.push(await stage.live({ after: 150 + random() * 1100 }));
      lives.push(...(await liveOn(stage)));
      await expectSound(stage, lives);
      return lives.filter(({ isKilled }) => isKilled).length;
    });
    expect.hasAssertions();
  }, 1_200_000);

  test("a server that crashes while a task is at work, and is up again soon, is not noticed by the task", async () => {
    await withEach(seeds(2, 10), { fault: "crash-of-postgres", words: "a server that crashes" }, async (seed) => {
      const random = randomFrom(seed);
      const address = addressOf(await database.schema());
      await using stage = await stageFor({ story: "work", kind: "postgres", address, wait: 60 });
      const living = stage.live();
      let isOver = false;
      void living.finally(() => (isOver = true)).catch(() => undefined);
      await expect.poll(async () => (await stage.session()).records.length, { timeout: 20_000 }).toBeGreaterThan(0);
      await wait(random() * 500);
      const isAtWork = !isOver;
      const began = performance.now();
      await database.server.restart();
      // The store tries for ten seconds. On a busy machine the server may need longer, and the task is right to tell.
      const isSoon = performance.now() - began < 8_000;
      const life = await living;
      const told = life.told.filter(({ fault }) => fault !== undefined);
      if (isSoon) expect({ code: life.code, told }).toEqual({ code: 0, told: [] });
      await expectSound(stage, [life, ...(await liveOn(stage))]);
      return isAtWork && isSoon ? 1 : 0;
    });
    expect.hasAssertions();
  }, 600_000);
});
