// The parts of the host on DBOS that no other host has: limits, priorities, processes that only give inputs, and many that start at once.

import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { hostOnDbos } from "../../src/dbos/index.js";
import { WorkerRows } from "../../src/dbos/worker-rows.js";
import { memoryStore } from "../../src/memory/index.js";
import { migrate, pgStore } from "../../src/postgres/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { fencePainter } from "../e2e/fence.js";
import { Databases, statement } from "../host/databases.js";
import { HostPlace } from "../host/host-place.js";
import { noPostgres } from "../postgres/server.js";
import { Front } from "./front.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

/** The most sessions of these that were at work at a time, by the log. */
function mostAtOnce(place: HostPlace, isMeant: (session: string) => boolean): number {
  const at = new Set<string>();
  let most = 0;
  for (const { session = "", type } of place.noted().filter(({ session }) => isMeant(session ?? ""))) {
    if (type === "run-start") at.add(session);
    if (type === "run-end") at.delete(session);
    most = Math.max(most, at.size);
  }
  return most;
}

describe.skipIf(noPostgres !== "")(`a host on DBOS${noPostgres}`, () => {
  test("lets no tenant have more than its part, over all processes, and begins with what is most urgent", async () => {
    const url = await databases.make();
    const concurrency = { perTenant: 1 };
    await using place = await HostPlace.open({ kind: "dbos", workers: 2, url, options: { concurrency } });
    await using front = await Front.open(place, url, { concurrency });
    const begin = (tenant: string, n: number, priority?: number): Promise<unknown> =>
      front.host.give({ session: `${tenant}-${String(n)}`, input: "go", tenant, priority }).then((run) => run.ended());
    await Promise.all([...[1, 2, 3].flatMap((n) => [begin("a", n), begin("b", n)])]);
    expect(mostAtOnce(place, (session) => session.startsWith("a-"))).toBe(1);
    expect(mostAtOnce(place, (session) => session.startsWith("b-"))).toBe(1);
    expect(mostAtOnce(place, () => true)).toBe(2);
    const first = begin("c", 0);
    await sleep(20);
    await Promise.all([first, begin("c", 9, 9), begin("c", 8, 8), begin("c", 1, 1)]);
    const begun = place.noted().filter(({ type, session }) => type === "run-start" && session?.startsWith("c-"));
    const order = begun.map(({ session }) => session);
    expect(order.indexOf("c-1")).toBeLessThan(order.indexOf("c-9"));
    expect(order.indexOf("c-8")).toBeLessThan(order.indexOf("c-9"));
    await expect(front.host.give({ input: "go", priority: 0 })).rejects.toThrow("from 1 to");
  });

  test("has no more runs of an agent than its provider bears", async () => {
    const url = await databases.make();
    const options = { concurrency: { perAgent: { worker: 2 } } };
    await using place = await HostPlace.open({ kind: "dbos", workers: 2, url, options });
    await using front = await Front.open(place, url);
    const runs = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => front.host.give({ session: `s${String(n)}`, input: "go" })),
    );
    await Promise.all(runs.map((run) => run.ended()));
    expect(mostAtOnce(place, () => true)).toBe(2);
    await expect(front.host.give({ input: "go", tenant: "a" })).rejects.toThrow("hostOnDbos has no tenant");
  });

  test("begins no more deliveries to an agent in a period than its rate allows", async () => {
    const url = await databases.make();
    const options = { rates: [{ agent: "worker", most: 2, per: 2000 }] };
    await using place = await HostPlace.open({ kind: "dbos", workers: 2, url, options });
    await using front = await Front.open(place, url);
    const begun = Date.now();
    const runs = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => front.host.give({ session: `s${String(n)}`, input: "go" })),
    );
    await Promise.all(runs.map((run) => run.ended()));
    const times = await Promise.all([1, 2, 3, 4, 5].map(async (n) => (await place.records(`s${String(n)}`))[0]!.at));
    const inOrder = times.toSorted((a, b) => a - b);
    // The clock of the rate is that of the queue, a moment before the run.
    for (const [index, at] of inOrder.entries()) if (index >= 2) expect(at - inOrder[index - 2]!).toBeGreaterThan(1500);
    expect(Date.now() - begun).toBeGreaterThan(3500);
  });

  test("keeps an input until a process works, and gives it at its time", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 0, url });
    await using front = await Front.open(place, url);
    const run = await front.host.give({ session: "s", input: "go" });
    const withdrawn = await front.host.give({ session: "t", input: "go" });
    expect(await front.host.abort("t", "not now")).toBe(true);
    expect(await withdrawn.ended()).toMatchObject({ status: "aborted" });
    const at = Date.now() + 1500;
    for (const _twice of [1, 2]) await front.host.schedule({ name: "once", at, input: "go" });
    await place.begin();
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    const planned = `once@${new Date(at).toISOString()}`;
    await place.until(async () => (await place.records(planned)).at(-1)?.type === "outcome");
    const [input] = await place.records(planned);
    expect(input!.at).toBeGreaterThanOrEqual(at);
    expect(await place.records("t")).toEqual([]);
    expect(await place.check()).toBe(0);
  });

  test("tries again while the store fails", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 1, url });
    await using front = await Front.open(place, url);
    expect(await (await front.host.give({ session: "s", input: "go" })).ended()).toMatchObject({ status: "waiting" });
    const run = await front.host.give({ session: "t", input: "go" });
    await place.breakStore(800);
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    expect(await place.check()).toBeLessThanOrEqual(1);
  });

  test("ends a run whose process is dead, for the reason of its abort", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 1, url });
    await using front = await Front.open(place, url);
    const run = await front.host.give({ session: "slow-1", input: "go" });
    await place.until(() => place.noted().some(({ what }) => what === "request"));
    place.signal("SIGKILL");
    expect(await front.host.abort("slow-1", "nobody needs it")).toBe(true);
    expect(await run.ended()).toMatchObject({ status: "aborted" });
    await place.until(async () => (await place.records("slow-1")).at(-1)?.type === "outcome");
    const last = (await place.records("slow-1")).at(-1);
    expect(last).toMatchObject({ status: "aborted", message: expect.stringContaining("nobody needs it") });
    expect(await place.check()).toBe(0);
  });

  test("takes no words that an abort withdrew, also if they are given again while a run is at work", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 1, url });
    await using front = await Front.open(place, url);
    const { host } = front;
    const session = "slow-2";
    const begin = async (inputId: string, runs: number): Promise<void> => {
      await host.give({ session, input: "go", inputId });
      await place.until(() => place.noted().filter(({ what }) => what === "request").length === runs);
    };
    await begin("first", 1);
    const words = { session, input: "more", inputId: "words" };
    const given = await host.give(words);
    expect(await host.abort(session, "nobody needs it")).toBe(true);
    await place.until(async () => (await place.records(session)).at(-1)?.type === "outcome");
    expect(await given.ended()).toMatchObject({ status: "aborted" });
    const rows = new WorkerRows(front.pool, "lastcall");
    expect(await rows.isWithdrawn({ first: `${session}/i%3Awords`, times: 0 })).toBe(true);
    await begin("second", 2);
    expect(await rows.isWithdrawn({ first: `${session}/i%3Asecond`, times: 0 })).toBe(false);
    expect(await (await host.give(words)).ended()).toMatchObject({ status: "aborted" });
    expect(await place.store.messages(session)).toEqual([]);
    expect(await host.abort(session)).toBe(true);
    await place.until(async () => (await place.records(session)).at(-1)?.type === "outcome");
    expect(JSON.stringify(await place.records(session))).not.toContain("more");
    expect(await place.check()).toBe(0);
  });

  test("does nothing twice if a process stands still and is taken for dead", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 2, url, delay: 300 });
    await using front = await Front.open(place, url);
    const runs = await Promise.all([1, 2, 3, 4].map((n) => front.host.give({ session: `s${String(n)}`, input: "go" })));
    await place.until(() => place.noted().some(({ what }) => what === "begin"));
    place.signal("SIGSTOP");
    await sleep(2500);
    place.signal("SIGCONT");
    const ends = await Promise.all(runs.map((run) => run.ended()));
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => "waiting"));
    expect(await place.check()).toBe(0);
  });

  test("keeps the bytes of a file once, and shows it in each request, although its workers are killed at work", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", stored: "postgres", workers: 2, url });
    await using front = await Front.open(place, url);
    const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(300_000)]);
    const digest = createHash("sha256").update(bytes).digest("hex");
    const ids = ["request", "call", "end"].map((point) => `die-${point}-1`);
    const given = ids.flatMap((session) =>
      // A client that was not answered in time gives it once more.
      [1, 2].map(() =>
        front.host.give({ session, input: "read it", inputId: "first", attachments: [{ bytes, name: "report.pdf" }] }),
      ),
    );
    const runs = await Promise.all(given);
    const asked = await Promise.all(runs.map((run) => run.ended()));
    expect(asked.map(({ status }) => status)).toEqual(runs.map(() => "waiting"));
    expect(place.noted().filter(({ what }) => what === "dies")).toHaveLength(ids.length);
    for (const [index, session] of ids.entries()) {
      const { id: callId } = asked[2 * index]!.waiting!;
      const run = await front.host.give({ session, answers: callId, input: "yes" });
      expect(await run.ended(), session).toMatchObject({ status: "completed" });
      const inputs = (await place.records(session)).filter(({ type }) => type === "input");
      expect(inputs, session).toHaveLength(2);
      expect(inputs[0], session).toMatchObject({ attachments: [{ mediaType: "application/pdf", digest }] });
      const requests = place.noted().filter(({ what, key }) => what === "request" && key?.startsWith(`${session}/`));
      expect(requests.length, session).toBeGreaterThanOrEqual(4);
      for (const { files } of requests) expect(files, session).toEqual([digest]);
    }
    const kept = await statement(
      url,
      "select session, digest, length(bytes) as size from lastcall.attachments order by 1",
    );
    expect(kept).toEqual(ids.toSorted().map((session) => ({ session, digest, size: bytes.length })));
    expect(await place.check()).toBeGreaterThanOrEqual(1);
  });

  test("goes on after a crash of Postgres", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 2, url, delay: 200 });
    const ends = Promise.all([1, 2, 3].map((n) => place.run({ session: `s${String(n)}`, input: "go", inputId: "1" })));
    await place.until(() => place.noted().some(({ what }) => what === "begin"));
    await databases.restart();
    expect((await ends).map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
    expect(await place.check()).toBe(0);
  });

  test("asks once in an interval, however many ends are awaited, and awaits none any more once it closes", async () => {
    const url = await databases.make();
    await using place = await HostPlace.open({ kind: "dbos", workers: 0, url });
    await using front = await Front.open(place, url);
    const ids = Array.from({ length: 50 }, (_none, index) => `s${String(index)}`);
    const runs = await Promise.all(ids.map((session) => front.host.give({ session, input: "go" })));
    const ends = Promise.allSettled(runs.map((run) => run.ended()));
    await sleep(1000);
    const before = front.statements;
    await sleep(1000);
    // A look each 100 ms, and not 50 of them.
    expect(front.statements - before).toBeGreaterThan(3);
    expect(front.statements - before).toBeLessThan(15);
    await front.host.close();
    for (const end of await ends)
      expect(end).toMatchObject({ reason: { code: "store", message: expect.stringContaining("The host closes") } });
  });

  test("starts in four processes at once on an empty database", async () => {
    await using place = await HostPlace.open({ kind: "dbos", workers: 4, url: await databases.make() });
    expect((await place.run({ session: "s", input: "go" })).status).toBe("waiting");
    expect(place.noted().filter(({ what }) => what === "up")).toHaveLength(4);
    expect(await place.check()).toBe(0);
  });

  test("begins in a process once, and can begin again after a failure and after its end", async () => {
    const pool = new pg.Pool({ connectionString: await databases.make(), max: 10 });
    const worker = createAgent({
      model: scriptedModel([[call("task_completion", { result: "ok" })]]),
      tools: [taskCompletion()],
    });
    const options = { agents: { worker }, store: pgStore(pool), pool };
    await migrate(pool);
    let failures = 1;
    const failing = new Proxy(pool, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "query") return typeof value === "function" ? (value.bind(target) as unknown) : value;
        return (text: string, ...rest: never[]) => {
          if (!text.includes("insert into lastcall_dbos_workers") || failures === 0) return pool.query(text, ...rest);
          failures -= 1;
          return Promise.reject(new Error("the database is away"));
        };
      },
    });
    await expect(hostOnDbos({ ...options, pool: failing })).rejects.toThrow("the database is away");
    const [one, other] = await Promise.allSettled([hostOnDbos(options), hostOnDbos(options)]);
    const [host] = [one, other].flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const refused = [one, other].flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    expect(refused).toMatchObject([{ code: "configuration", message: expect.stringContaining("for one host alone") }]);
    expect(await (await host!.give({ session: "s", input: "go" })).ended()).toMatchObject({ status: "completed" });
    await host!.close();
    const again = await hostOnDbos(options);
    await again.close();
    await pool.end();
  });

  test("hosts of two queues share a database, and each works on what is its own", async () => {
    const url = await databases.make();
    const pool = new pg.Pool({ connectionString: url, max: 20 });
    await migrate(pool);
    const store = pgStore(pool);
    const model = () => scriptedModel([[call("task_completion", { result: "done" })]]);
    for (const queue of ["orders", "mails"]) {
      const agents = { worker: createAgent({ model: model(), tools: [taskCompletion()] }) };
      // A process works for one host at a time.
      const host = await hostOnDbos({ agents, store, pool, queue, poll: 50 });
      const run = await host.give({ session: queue, input: "go" });
      expect(await run.ended()).toMatchObject({ status: "completed" });
      await host.close();
    }
    await pool.end();
  });

  test("keeps each person to their own limit, on any machine", async () => {
    const url = await databases.make();
    const pool = new pg.Pool({ connectionString: url, max: 20 });
    await migrate(pool);
    const store = pgStore(pool);
    const budget = store.limits({ name: "people", maxIterations: 1, per: "principal", every: "month" });
    const model = scriptedModel(() => [call("task_completion", { result: "done" })]);
    const agents = { worker: createAgent({ model, tools: [taskCompletion()] }) };
    const host = await hostOnDbos({ agents, store, pool, budget, poll: 50 });
    const ends = [];
    for (const id of ["ann", "ann", "ben"]) ends.push(await (await host.give({ input: "go", by: { id } })).ended());
    expect(ends.map(({ status }) => status)).toEqual(["completed", "stopped", "completed"]);
    expect((await budget.spentBy({ id: "ann" })).iterations).toBe(1);
    await host.close();
    await pool.end();
  });

  test("goes on with a run at its limit after a yes, and ends it after a no", async () => {
    const url = await databases.make();
    const pool = new pg.Pool({ connectionString: url, max: 20 });
    await migrate(pool);
    const { agent, painted } = fencePainter();
    const host = await hostOnDbos({ agents: { worker: agent }, store: pgStore(pool), pool, poll: 50 });
    const ends = [];
    for (const allowed of [false, true]) {
      painted.length = 0;
      const { session, ...run } = await host.give({ input: "go" });
      const { waiting } = await run.ended();
      const { id: answers, digest = "" } = waiting!;
      const given = await host.give({ session, answers, input: { allowed, digest } });
      ends.push([waiting!.by, (await given.ended()).status, painted.length]);
    }
    expect(ends).toEqual([
      ["raise_limit", "stopped", 3],
      ["raise_limit", "completed", 4],
    ]);
    await host.close();
    await pool.end();
  });

  test("refuses wrong options before it connects", async () => {
    const refused = {
      options: {},
      query: () => Promise.reject(new Error()),
      connect: () => Promise.reject(new Error()),
      on: String,
    };
    const worker = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
    const place = { agents: { worker }, store: pgStore(refused), pool: refused };
    await expect(hostOnDbos(place)).rejects.toThrow("needs the address of the database");
    await expect(hostOnDbos({ ...place, agents: {} })).rejects.toThrow("needs an agent");
    await expect(hostOnDbos({ ...place, store: memoryStore() })).rejects.toThrow("ends with this process");
    await expect(hostOnDbos({ ...place, queue: "a b" })).rejects.toThrow("queue is");
    await expect(hostOnDbos({ ...place, concurrency: { perAgent: { other: 1 } } })).rejects.toThrow("names other");
    await expect(hostOnDbos({ ...place, rates: [{ agent: "other", most: 1, per: 1000 }] })).rejects.toThrow(
      "rates names other",
    );
    await expect(hostOnDbos({ ...place, rates: [{ agent: "worker", most: 1, per: 10 }] })).rejects.toThrow("per");
    const twice = [1, 2].map((most) => ({ agent: "worker", most, per: 1000 }));
    await expect(hostOnDbos({ ...place, rates: twice })).rejects.toThrow("rates has two of worker");
    await expect(hostOnDbos({ ...place, concurrency: { perWorker: 0 } })).rejects.toThrow("perWorker");
  });
});
