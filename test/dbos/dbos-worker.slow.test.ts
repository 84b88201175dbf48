// Processes on DBOS that end while deliveries arrive: deploys one after the other, a process less, and what older versions left.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { randomFrom } from "../chaos/scale.js";
import { Databases, statement } from "../host/databases.js";
import { HostPlace } from "../host/host-place.js";
import { noPostgres } from "../postgres/server.js";
import { startSlowProxy } from "../postgres/slow-proxy.js";
import { Front } from "./front.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

describe.skipIf(noPostgres !== "")(`a process on DBOS${noPostgres}`, () => {
  test.each([3, 15])(
    "loses no acknowledged input in deploys while inputs arrive, with the database %i ms away",
    async (away) => {
      const random = randomFrom(away);
      const url = await databases.make();
      await using proxy = await startSlowProxy(url, away);
      await using place = await HostPlace.open({
        kind: "dbos",
        stored: "postgres",
        workers: 2,
        url: proxy.url,
        delay: 5,
      });
      await using front = await Front.open(place, proxy.url);
      const ids: string[] = [];
      const burst = async (): Promise<void> => {
        for (let count = 0; count < 16; count += 1) {
          const session = `short-${String(ids.length)}`;
          ids.push(session);
          await front.host.give({ session, input: "go", inputId: "first" });
          await sleep(5 * random());
        }
      };
      const noted = (wanted: string) => place.noted().filter(({ what }) => what === wanted).length;
      for (let deploy = 0; deploy < 6; deploy += 1) {
        // The signal is for a process that is there, and does not close yet.
        await place.until(() => noted("up") > deploy);
        const arriving = burst();
        await sleep(20 + 200 * random());
        place.signal("SIGTERM");
        await arriving;
        await sleep(300);
      }
      // The same input given again is the same delivery.
      const runs = await Promise.all(ids.map((session) => front.host.give({ session, input: "go", inputId: "first" })));
      const ends = await Promise.all(runs.map((run) => run.ended()));
      expect(ends.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      expect(noted("closed")).toBeGreaterThanOrEqual(5);
      for (const id of ids) expect((await place.records(id)).filter(({ type }) => type === "input")).toHaveLength(1);
      expect(await place.check()).toBe(0);
    },
    180_000,
  );

  test("that ends gives its runs to one that lives already, at once, and none has to start or be taken for dead", async () => {
    const url = await databases.make();
    // Each of the two gets some of the runs.
    const options = { deadAfter: 120_000, concurrency: { perWorker: 3 } };
    await using place = await HostPlace.open({
      kind: "dbos",
      stored: "postgres",
      workers: 2,
      url,
      delay: 300,
      options,
    });
    await using front = await Front.open(place, url);
    const ids = [1, 2, 3, 4, 5, 6].map((n) => `s${String(n)}`);
    const runs = await Promise.all(ids.map((session) => front.host.give({ session, input: "go", inputId: "first" })));
    await place.until(
      () =>
        new Set(
          place
            .noted()
            .filter(({ what }) => what === "begin")
            .map(({ pid }) => pid),
        ).size > 1,
    );
    await place.retire();
    const ends = await Promise.race([Promise.all(runs.map((run) => run.ended())), sleep(15_000)]);
    expect(ends?.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
    expect(place.noted().filter(({ what }) => what === "up")).toHaveLength(2);
    expect(await place.check()).toBe(0);
  });

  test("takes a workflow that DBOS gave to a process which had closed, although no process starts", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", stored: "postgres", workers: 1, url });
    await using front = await Front.open(place, url);
    await place.halt();
    const run = await front.host.give({ session: "short-1", input: "go", inputId: "first" });
    await place.begin();
    await run.ended();
    await statement(
      url,
      "update dbos.workflow_status set status = 'PENDING', executor_id = 'gone', owner_xid = 'gone'",
    );
    await statement(url, "delete from dbos.operation_outputs");
    await statement(url, "delete from dbos.workflow_output");
    expect(await (await front.host.give({ session: "short-1", input: "go", inputId: "first" })).ended()).toMatchObject({
      status: "waiting",
      joined: true,
    });
  });

  test("makes a delivery that DBOS had given up after an error of its own, once its input is given again", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", stored: "postgres", workers: 1, url });
    await using front = await Front.open(place, url);
    await place.halt();
    const input = { session: "short-1", input: "go", inputId: "first" };
    const name = "short-1/i%3Afirst";
    await front.host.give(input);
    const error = JSON.stringify({ json: { name: "TypeError", message: "no ctxLogger" } });
    await statement(url, "update dbos.workflow_status set status = 'ERROR' where workflow_uuid = $1", [name]);
    await statement(url, "insert into dbos.workflow_output (workflow_uuid, error) values ($1, $2)", [name, error]);
    await statement(
      url,
      "insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, error) values ($1, 0, 'drive', $2)",
      [name, error],
    );
    await place.begin();
    expect(await (await front.host.give(input)).ended()).toMatchObject({ status: "waiting" });
    expect(await place.check()).toBe(0);
  });
});
