// Processes on DBOS that end while deliveries arrive: deploys one after the other, a process less, and what older versions left.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { RunEnd } from "../../src/host/index.js";
import { randomFrom } from "../chaos/scale.js";
import { Databases, statement } from "../host/databases.js";
import { HostPlace } from "../host/host-place.js";
import { noPostgres } from "../postgres/server.js";
import { startSlowProxy } from "../postgres/slow-proxy.js";
import { Front } from "./front.js";
import { share } from "../turn.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

describe.skipIf(noPostgres !== "")(`a process on DBOS${noPostgres}`, () => {
  const deployments: readonly (readonly [number, number])[] = [
    [3, 6],
    [15, 3],
  ];
  test.each(share(deployments, 2))(
    "loses no acknowledged input in deploys while inputs arrive, with the database %i ms away",
    async (away, deploys) => {
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
      for (let deploy = 0; deploy < deploys; deploy += 1) {
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
      expect(noted("closed")).toBeGreaterThanOrEqual(deploys - 1);
      for (const id of ids) expect((await place.records(id)).filter(({ type }) => type === "input")).toHaveLength(1);
      expect(await place.check()).toBe(0);
    },
    180_000,
  );

  test("that ends gives its runs to one that lives already, at once, and none has to start or be taken for dead", async () => {
    const url = await databases.make();
    // Each of the two gets some of the runs.
    const options = { heartbeatTimeout: 120_000, concurrency: { perWorker: 3 } };
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

  test("delivers what the first version left on its queue: inputs, answers, attempts half made, and ends of runs", async () => {
    const url = await databases.make();
    const options = { attempts: 3 };
    await using place = await HostPlace.open({ kind: "dbos", stored: "postgres", workers: 1, url, options });
    await using front = await Front.open(place, url);
    const give = async (session: string): Promise<RunEnd> =>
      (await front.host.give({ session, input: "go", inputId: "first" })).ended();
    const { id: callId } = (await give("asks")).waiting!;
    const slow = front.host.give({ session: "slow-1", input: "go", inputId: "first" });
    await place.until(async () => (await place.records("slow-1")).length > 0);
    await place.halt();
    const said = createHash("sha256")
      .update(JSON.stringify([callId, "yes"]))
      .digest("hex")
      .slice(0, 32);
    const stop = "slow-1/stop:0b42e5b0-26cb-4ddb-8c4f-9a3a0d3a9c51";
    const again = "again/i%3Afirst";
    await leave(url, { first: "new/i%3Afirst", session: "new", input: "go", inputId: "first" });
    await leave(url, { first: `asks/a%3A${said}`, session: "asks", input: "yes", answers: callId });
    await statement(url, "update dbos.workflow_status set status = 'CANCELLED' where workflow_uuid like 'slow-1/%'");
    await leave(url, { first: stop, session: "slow-1", stop: "nobody needs it", before: 1000 });
    await leave(url, { first: again, session: "again", input: "go", inputId: "first" });
    await leave(url, { first: again, session: "again", input: "go", inputId: "first", times: 1 });
    // Its process died between the next attempt and the end of this one.
    const [found, next] = [textOf({ again: "busy" }), textOf(null)];
    await statement(
      url,
      "update dbos.workflow_status set status = 'PENDING', executor_id = 'old' where workflow_uuid = $1",
      [again],
    );
    const step =
      "insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, output, child_workflow_id, serialization)";
    await statement(url, `${step} values ($1, 0, 'drive', $2, null, 'js_superjson')`, [again, found]);
    await statement(url, `${step} values ($1, 1, 'lastcall.delivery', $2, $3, 'js_superjson')`, [
      again,
      next,
      `${again}~1`,
    ]);
    const kept = await statement(url, "select workflow_uuid from dbos.workflow_status");
    await place.begin();
    // The same things given again by this version are the same deliveries.
    expect(await give("new")).toMatchObject({ status: "waiting" });
    expect(await give("again")).toMatchObject({ status: "waiting" });
    const answered = await front.host.give({ session: "asks", answers: callId, input: "yes" });
    expect(await answered.ended()).toMatchObject({ status: "completed" });
    expect(await (await slow).ended()).toMatchObject({ status: "aborted" });
    await place.until(async () => (await place.records("slow-1")).at(-1)?.type === "outcome");
    expect((await place.records("slow-1")).at(-1)).toMatchObject({
      status: "aborted",
      message: expect.stringContaining("nobody needs it"),
    });
    expect(await statement(url, "select workflow_uuid from dbos.workflow_status")).toHaveLength(kept.length);
    for (const [session, inputs] of [
      ["new", 1],
      ["again", 1],
      ["asks", 2],
    ] as const)
      expect(
        (await place.records(session)).filter(({ type }) => type === "input"),
        session,
      ).toHaveLength(inputs);
    expect(await place.check()).toBe(0);
  });
});

/** A value as DBOS keeps it. A member that the first version had as undefined is null here, and named beside it. */
function textOf(value: unknown, nothing: readonly string[] = []): string {
  const values = Object.fromEntries(nothing.map((name) => [name, ["undefined"]]));
  const meta = nothing.length === 0 ? {} : { meta: { values, v: 1 } };
  return JSON.stringify({ json: value, ...meta, __dbos_serializer: "superjson" });
}

/** Leaves a delivery on the queue as the first version of the host did. */
async function leave(
  url: string,
  given: {
    readonly first: string;
    readonly times?: number;
    readonly session: string;
    readonly [more: string]: unknown;
  },
): Promise<void> {
  const { first, times = 0, session } = given;
  const members = { inputId: null, answers: null, priority: null, tenant: null, ...given, agent: "worker", times };
  const nothing = Object.entries(members).flatMap(([name, value]) => (value === null ? [`0.${name}`] : []));
  const name = times === 0 ? first : `${first}~${String(times)}`;
  await statement(
    url,
    `insert into dbos.workflow_status (workflow_uuid, status, name, authenticated_user, assumed_role, authenticated_roles,
      executor_id, created_at, updated_at, application_version, application_id, recovery_attempts, queue_name, priority,
      serialization, attributes, application_name)
      values ($1, 'ENQUEUED', 'lastcall.delivery', '', '', '[]', '', $2, $2, 'lastcall-1', '', 0, 'lastcall.worker', 0,
      'js_superjson', $3, 'lastcall')`,
    [name, Date.now(), JSON.stringify({ session })],
  );
  await statement(
    url,
    "insert into dbos.workflow_input (workflow_uuid, inputs, retention_timestamp) values ($1, $2, $3)",
    [name, textOf([members], nothing), Date.now()],
  );
}
