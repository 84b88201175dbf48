// Every host holds the same promises: over kill -9 at any point, redelivery, early, double and late answers, and SIGTERM.

import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunEnd } from "../../src/host/index.js";
import { noPostgres, startPostgres, type PostgresServer } from "../postgres.js";
import { HostPlace, type HostKind } from "./host-place.js";

let postgres: PostgresServer | undefined;
let databases = 0;

beforeAll(async () => {
  if (noPostgres === "") postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

/** The address of a new database. */
async function emptyDatabase(): Promise<string> {
  const name = `hosts${String((databases += 1))}`;
  const client = new pg.Client({ connectionString: postgres!.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return postgres!.url.replace(/postgres$/, name);
}

/** The hosts. Each test has sessions, and a database, of its own. */
const hosts: readonly { readonly name: string; readonly skip: boolean; readonly kind: () => Promise<HostKind> }[] = [
  { name: "in process", skip: false, kind: async () => ({ kind: "process", workers: 1 }) },
  {
    name: `on DBOS${noPostgres}`,
    skip: noPostgres !== "",
    kind: async () => ({ kind: "dbos", workers: 2, url: await emptyDatabase() }),
  },
];

const counts = (end: RunEnd): unknown => [end.status, end.joined ?? false];

for (const { name, skip, kind } of hosts)
  describe.skipIf(skip)(`a host ${name}`, () => {
    test("loses nothing and does nothing twice when it is killed in a request, in a call, and before its end is known", async () => {
      await using place = await HostPlace.open(await kind());
      const ids = ["request", "call", "end"].flatMap((point) => [1, 2].map((n) => `die-${point}-${String(n)}`));
      const input = (session: string): object => ({ session, input: "go", inputId: "first" });
      const waiting = await Promise.all(ids.map((session) => place.run("start", input(session))));
      expect(waiting.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      // A process that another session kills at an end may have told it already.
      expect(place.noted().filter(({ what }) => what === "dies").length).toBeGreaterThanOrEqual(4);
      await place.killAll();
      const again = await Promise.all(ids.map((session) => place.run("start", input(session))));
      expect(again.map(({ waiting: due }) => due)).toEqual(waiting.map(({ waiting: due }) => due));
      const answers = await Promise.all(
        ids.flatMap((session, index) =>
          ["yes", "no"].map((said) =>
            place.run("answer", { session, callId: waiting[index]!.waiting!.id, input: said }),
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([...ids, ...ids].map(() => "completed"));
      const late = await Promise.all(
        ids.map((session, index) =>
          place.run("answer", { session, callId: waiting[index]!.waiting!.id, input: "late" }),
        ),
      );
      expect(late.map(counts)).toEqual(ids.map(() => ["completed", true]));
      const before = await Promise.all(ids.map((id) => place.records(id)));
      const over = await Promise.all(ids.map((session) => place.run("start", input(session))));
      expect(over.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      expect(await Promise.all(ids.map((id) => place.records(id)))).toEqual(before);
      for (const records of before) expect(records.filter((record) => record.type === "input")).toHaveLength(2);
      expect(await place.check()).toBeGreaterThanOrEqual(2);
    });
  });
