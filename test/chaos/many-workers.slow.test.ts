// Many workers on one Postgres, killed at random or deployed anew all the time: each session comes to its end, and nothing happens twice.

import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Host, RunEnd } from "../../src/host/index.js";
import { counted } from "./counted.js";
import { isAll, isFull, randomFrom } from "./scale.js";
import { noPostgres } from "../postgres/server.js";
import { startSlowProxy } from "../postgres/slow-proxy.js";
import { Front } from "../dbos/front.js";
import { Databases, statement } from "../host/databases.js";
import { HostPlace } from "../host/host-place.js";

const isWhole = isFull(3);

/** Workers, sessions and kills: `npm run chaos -- many workers` has those of the docs. */
const [workers, sessions, kills] = isWhole ? [20, 1000, 100] : [3, 40, 6];

/** Milliseconds to the database, and the part of the suite that has the fleet of this distance at full size. */
const fleets = [
  { away: 3, own: 2 },
  { away: 15, own: 4 },
];

/** Milliseconds of a test: a delivery that is lost never ends. */
const patience = isAll ? 1_200_000 : 120_000;

/** Milliseconds between two sessions that arrive, on average. */
const gap = 120;

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

describe.skipIf(noPostgres)(`many workers on DBOS${noPostgres}`, () => {
  test(
    "which are killed at random end every session, and lose and double nothing",
    async () => {
      const random = randomFrom(sessions);
      const url = await databases.make();
      const options = { poll: isWhole ? 1000 : 100, heartbeatTimeout: 2000, concurrency: { perWorker: 20 } };
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
          const end = await talkTo(place, session);
          times.push(performance.now() - from);
          return end;
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]! / 1000;
      isOver = true;
      await killing;
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["completed"]));
      await place.check();
      await expectRows(url, ends);
      for (const id of ids) {
        const inputs = (await place.records(id)).filter(({ type }) => type === "input");
        expect(inputs, id).toHaveLength(2);
      }
      if (isWhole)
        console.log(`${String(sessions)} sessions in ${seconds.toFixed(0)} s; p99 of a session ${p99.toFixed(0)} s`);
    },
    patience,
  );

  test.each(fleets)(
    "with the database $away ms away, which are deployed anew one after the other, lose and double nothing that arrives",
    async ({ away, own }) => {
      const isWhole = isFull(own);
      /** Workers that are deployed one after the other, and how many times. */
      const [fleet, deploys] = isWhole ? [6, 30] : [3, 3];
      const random = randomFrom(away);
      const url = await databases.make();
      await using proxy = await startSlowProxy(url, away);
      // No worker is taken for dead: each gives back all that it has.
      const options = { poll: 200, heartbeatTimeout: 60_000, concurrency: { perWorker: 20 } };
      const kind = { kind: "dbos", stored: "postgres", url: proxy.url, near: url, delay: 20, options } as const;
      await using place = await HostPlace.open({ ...kind, workers: 0 });
      // The tables are made over the short way.
      await using front = await Front.open(place, url);
      await Promise.all(Array.from({ length: fleet }, () => place.begin()));
      const talks = new Map<string, Promise<RunEnd>>();
      let isOver = false;
      const arriving = (async () => {
        while (!isOver) {
          const session = `${talks.size % 3 === 0 ? "pays" : "s"}-${String(talks.size)}`;
          // A process that stays, or a process that may close just then.
          const talk = talkTo(talks.size % 2 === 0 ? over(front.host) : place, session);
          talk.catch(() => undefined);
          talks.set(session, talk);
          await wait(2 * gap * random());
        }
      })();
      const began = performance.now();
      for (let deploy = 0; deploy < deploys; deploy += 1) {
        await wait(500 * random());
        await place.deploy();
        counted("sigterm-of-many-workers", 1);
      }
      isOver = true;
      await arriving;
      const ends = await Promise.all(talks.values());
      const seconds = (performance.now() - began) / 1000;
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["completed"]));
      expect(place.noted().filter(({ what }) => what === "closed")).toHaveLength(deploys);
      // No process dies, so no outcome is unknown and no attempt is in vain.
      expect(await place.check()).toBe(0);
      await expectRows(url, ends);
      const held = await statement(url, "select session from lastcall.sessions where holder is not null");
      expect(held).toEqual([]);
      expect(place.noted().flatMap(({ what, text = "" }) => (what === "warning" ? [text] : []))).toEqual([]);
      for (const id of talks.keys()) {
        const taken = (await place.records(id)).filter(({ type }) => type === "input" || type === "approval");
        expect(taken, id).toHaveLength(2);
      }
      if (isWhole)
        console.log(`${String(talks.size)} sessions over ${String(deploys)} deploys in ${seconds.toFixed(0)} s`);
    },
    patience,
  );
});

/** A process that takes deliveries, and tells the ends of their runs. */
type Place = Pick<HostPlace, "run">;

/** Deliveries to a host of this process. Each is given once. */
function over(host: Host): Place {
  return { run: async (delivery) => (await host.give(delivery)).ended() };
}

/** Gives a session its input, and then what it waits for, in two deliveries at once. Returns its last end. */
async function talkTo(place: Place, session: string): Promise<RunEnd> {
  const asked = await place.run({ session, input: "go", inputId: "first" });
  expect(asked.status, session).toBe("waiting");
  const { id: answers, digest } = asked.waiting!;
  const input = digest === undefined ? "yes" : { allowed: true, digest };
  const say = (inputId: string): Promise<RunEnd> => place.run({ session, answers, inputId, input });
  const [one, other] = await Promise.all([say("one"), say("other")]);
  expect(other.status, session).toBe(one.status);
  return one;
}

/** The rows of sessions, and of deliveries, say what the journals say. */
async function expectRows(url: string, ends: readonly RunEnd[]): Promise<void> {
  const rows = await statement(url, "select state, count(*)::int as sessions from lastcall.sessions group by state");
  expect(rows).toEqual([{ state: "completed", sessions: ends.length }]);
  const uneven = await statement(
    url,
    `select session from lastcall.sessions as held
      where lines <> (select count(*) from lastcall.lines where lines.session = held.session)`,
  );
  expect(uneven, "a row counts other lines than there are").toEqual([]);
  const words = await statement(url, "select id from lastcall.inbox");
  expect(words).toEqual([]);
}
