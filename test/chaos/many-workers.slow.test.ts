// Many workers on one Postgres, killed at random all the time: each session comes to its end, and nothing of it happens twice.

import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { RunEnd } from "../../src/host/index.js";
import { counted } from "./counted.js";
import { isFull, randomFrom } from "./scale.js";
import { noPostgres } from "../postgres/server.js";
import { Databases } from "../host/databases.js";
import { HostPlace } from "../host/host-place.js";

const isWhole = isFull(3);

/** Workers, sessions and kills: `npm run chaos -- many workers` has those of the docs. */
const [workers, sessions, kills] = isWhole ? [20, 1000, 100] : [3, 40, 6];

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

describe.skipIf(noPostgres)(`many workers on DBOS${noPostgres}`, () => {
  test("which are killed at random end every session, and lose and double nothing", async () => {
    const random = randomFrom(sessions);
    const url = await databases.make();
    const options = { poll: isWhole ? 1000 : 100, deadAfter: 2000, concurrency: { perWorker: 20 } };
    await using place = await HostPlace.open({ kind: "dbos", workers, url, stored: "postgres", delay: 300, options });
    const ids = Array.from({ length: sessions }, (_none, index) => `s${String(index)}`);
    const began = performance.now();
    const times: number[] = [];
    let isOver = false;
    const killing = (async () => {
      for (let kill = 0; kill < kills && !isOver; kill += 1) {
        await wait((isWhole ? 300 : 500) * (0.5 + random()));
        place.kill(random);
        counted("kill9-of-many-workers", 1);
      }
    })();
    const ends = await Promise.all(
      ids.map(async (session): Promise<RunEnd> => {
        const from = performance.now();
        const asked = await place.run("give", { session, input: "go", inputId: "first" });
        expect(asked.status, session).toBe("waiting");
        const answer = { session, callId: asked.waiting!.id, input: "yes" };
        const [one, other] = await Promise.all([place.run("answer", answer), place.run("answer", answer)]);
        expect(other.status, session).toBe(one.status);
        times.push(performance.now() - from);
        return one;
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]! / 1000;
    isOver = true;
    await killing;
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["completed"]));
    await place.check();
    for (const id of ids) {
      const inputs = (await place.records(id)).filter(({ type }) => type === "input");
      expect(inputs, id).toHaveLength(2);
    }
    if (isWhole)
      console.log(`${String(sessions)} sessions in ${seconds.toFixed(0)} s; p99 of a session ${p99.toFixed(0)} s`);
  }, 1_200_000);
});
