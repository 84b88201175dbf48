// Every host holds the same promises: over kill -9 at any point, redelivery, early, double and late answers, and SIGTERM.

import { afterAll, describe, expect, test } from "vitest";
import type { Delivery, RunEnd } from "../../src/host/index.js";
import { noPostgres } from "../postgres/server.js";
import { noRestate, startRestate, type RestateServer } from "../restate/server.js";
import { Databases } from "./databases.js";
import { HostPlace, type HostKind } from "./host-place.js";
import { share } from "../turn.js";

const databases = new Databases();
let restate: Promise<RestateServer> | undefined;
let queues = 0;
afterAll(async () => {
  await databases.stop();
  await (await restate)?.stop();
}, 30_000);

/** A queue of its own for each place, on one server. */
async function onRestate(): Promise<HostKind> {
  const { ingress, admin } = await (restate ??= startRestate());
  const options = { queue: `hosts${String((queues += 1))}` };
  const stored = noPostgres === "" ? { url: await databases.make(), stored: "postgres" as const } : {};
  return { kind: "restate", workers: 2, restate: { ingress, admin }, options, ...stored };
}

/** The hosts. Each test has sessions, and a database, of its own. */
const hosts: readonly {
  readonly name: string;
  readonly skip: boolean;
  readonly many: object;
  readonly kind: () => Promise<HostKind>;
}[] = [
  { name: "in process", skip: false, many: {}, kind: async () => ({ kind: "process", workers: 1 }) },
  {
    name: `on DBOS${noPostgres}`,
    skip: noPostgres !== "",
    many: { concurrency: { perWorker: 200 } },
    kind: async () => ({ kind: "dbos", workers: 2, url: await databases.make(), stored: "postgres" }),
  },
  { name: `on Restate${noRestate}`, skip: noRestate !== "", many: {}, kind: onRestate },
];

const counts = (end: RunEnd): unknown => [end.status, end.joined ?? false];

for (const host of hosts) {
  const { name, skip, many, kind } = host;
  // Each check has the memory of one host.
  const isMeasured = share(hosts, 3).includes(host);
  describe.skipIf(skip)(`a host ${name}`, () => {
    test("loses nothing and does nothing twice when it is killed in a request, in a call, and before its end is known", async () => {
      await using place = await HostPlace.open(await kind());
      const ids = ["request", "call", "end"].flatMap((point) => [1, 2].map((n) => `die-${point}-${String(n)}`));
      const input = (session: string): Delivery => ({ session, input: "go", inputId: "first" });
      const waiting = await Promise.all(ids.map((session) => place.run(input(session))));
      expect(waiting.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      // A process that another session kills at an end may have told it already.
      expect(place.noted().filter(({ what }) => what === "dies").length).toBeGreaterThanOrEqual(4);
      await place.killAll();
      const again = await Promise.all(ids.map((session) => place.run(input(session))));
      expect(again.map(({ waiting: due }) => due)).toEqual(waiting.map(({ waiting: due }) => due));
      const answers = await Promise.all(
        ids.flatMap((session, index) =>
          ["yes", "no"].map((said) => place.run({ session, answers: waiting[index]!.waiting!.id, input: said })),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([...ids, ...ids].map(() => "completed"));
      const late = await Promise.all(
        ids.map((session, index) => place.run({ session, answers: waiting[index]!.waiting!.id, input: "late" })),
      );
      expect(late.map(counts)).toEqual(ids.map(() => ["completed", true]));
      const before = await Promise.all(ids.map((id) => place.records(id)));
      const over = await Promise.all(ids.map((session) => place.run(input(session))));
      expect(over.map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      expect(await Promise.all(ids.map((id) => place.records(id)))).toEqual(before);
      for (const records of before) expect(records.filter((record) => record.type === "input")).toHaveLength(2);
      expect(await place.check()).toBeGreaterThanOrEqual(2);
    });

    test("takes an early answer, words for a run at work, an approval with its digest, and an abort", async () => {
      await using place = await HostPlace.open({ ...(await kind()), delay: 150 });
      const begin = (session: string): Promise<RunEnd> => place.run({ session, input: "go", inputId: "first" });
      const first = begin("early");
      const answer = { session: "early", answers: await place.callIn("early", "3:0"), input: "yes" };
      const early = place.run(answer);
      const said = place.run({ session: "early", input: "be quick" });
      expect((await first).status).toBe("waiting");
      expect(await early).toMatchObject({ status: "completed" });
      expect(await said).toMatchObject({ status: "waiting", joined: true });
      const pays = (await begin("pays")).waiting!;
      const yes = (digest = ""): Promise<RunEnd> =>
        place.run({ session: "pays", answers: pays.id, input: { allowed: true, digest } });
      await expect(yes("0".repeat(64))).rejects.toThrow("look at the call");
      expect(await yes(pays.digest)).toMatchObject({ status: "completed" });
      const slow = begin("slow-1");
      await place.until(() => place.noted().some(({ key }) => key?.startsWith("slow-1/") ?? false));
      // The orders go to one process after the other, so that of two the second has to reach the run of the first.
      expect(await place.ask("abort", "slow-1", "nobody needs it")).toBe(true);
      expect(await slow).toMatchObject({ status: "aborted" });
      await place.until(async () => (await place.records("slow-1")).at(-1)?.type === "outcome");
      expect((await place.records("slow-1")).at(-1)).toMatchObject({
        status: "aborted",
        message: expect.stringContaining("nobody needs it"),
      });
      expect(await place.ask("abort", "slow-1")).toBe(false);
      // It goes on without words, in whichever process.
      const requests = (): number => place.noted().filter(({ key }) => key?.startsWith("slow-1/") ?? false).length;
      const before = requests();
      const resumed = place.run({ session: "slow-1" });
      await place.until(() => requests() > before);
      expect(await place.ask("abort", "slow-1", "still nobody")).toBe(true);
      expect(await resumed).toMatchObject({ status: "aborted" });
      await place.until(async () => (await place.records("slow-1")).at(-1)?.type === "outcome");
      await expect(place.run({ session: "nothing" })).rejects.toThrow("no run yet");
      expect(await place.check()).toBe(0);
    });

    test("hands its runs over on SIGTERM, and no outcome is unknown", async () => {
      await using place = await HostPlace.open({ ...(await kind()), delay: 100 });
      const ids = [1, 2, 3, 4].map((n) => `s${String(n)}`);
      const ends = Promise.all(ids.map((session) => place.run({ session, input: "go", inputId: "first" })));
      await place.until(() => place.noted().some(({ what }) => what === "begin"));
      await place.killAll("SIGTERM");
      await place.until(() => place.noted().some(({ what }) => what === "closed"));
      expect((await ends).map(({ status }) => status)).toEqual(ids.map(() => "waiting"));
      for (const id of ids) {
        const types = (await place.records(id)).map(({ type }) => type);
        expect(types.filter((type) => type === "input")).toHaveLength(1);
      }
      expect(await place.check()).toBe(0);
    });

    test("aborts a run that kills its process each time, and goes on with the others", async () => {
      const made = await kind();
      await using place = await HostPlace.open({ ...made, options: { ...made.options, attempts: 2 } });
      const poison = place.run({ session: "poison-1", input: "go", inputId: "first" });
      expect(await poison).toMatchObject({ status: "aborted", message: expect.stringContaining("resumed 2 times") });
      expect((await place.run({ session: "good", input: "go" })).status).toBe("waiting");
      expect(await place.check()).toBe(0);
    });

    (isMeasured ? test : () => undefined)(
      "holds nothing for 600 sessions that wait",
      async () => {
        const { options, ...made } = await kind();
        await using place = await HostPlace.open({ ...made, workers: 1, delay: 0, options: { ...options, ...many } });
        await place.run({ session: "short-0", input: "go" });
        const before = (await place.ask("memory")) as number;
        const ids = Array.from({ length: 600 }, (_none, index) => `short-${String(index + 1)}`);
        for (let from = 0; from < ids.length; from += 100)
          await Promise.all(
            ids.slice(from, from + 100).map((session) => place.ask("give", { session, input: "go" }, "begin")),
          );
        await place.until(() => place.noted().filter(({ type }) => type === "run-end").length > ids.length, 500);
        const after = (await place.ask("memory")) as number;
        expect((after - before) / 2 ** 20).toBeLessThan(20);
        const begun = Date.now();
        expect((await place.run({ session: "short-last", input: "go" })).status).toBe("waiting");
        expect(Date.now() - begun).toBeLessThan(3000);
      },
      300_000,
    );
  });
}
