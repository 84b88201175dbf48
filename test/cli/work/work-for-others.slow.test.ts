// lastcall work and lastcall schedule: the built command as processes, a real Postgres, kill -9.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JournalRecord } from "../../../src/core/index.js";
import { openSession } from "../../../src/memory/index.js";
import { pgStore, type PgStore } from "../../../src/postgres/index.js";
import { useDatabase } from "../../postgres/database.js";
import { noPostgres } from "../../postgres/server.js";
import { commandWithout, run, start, type Ended, type Started } from "../command.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";

/** A line that the agent of a worker wrote. */
interface Line {
  readonly what: "request" | "begin" | "end";
  readonly key: string;
  readonly pid: number;
}

/** Milliseconds for what a worker does after another has died: its sign of life is over after ten seconds. */
const takeover = 40_000;

test("without a database, or with one that does not answer, a worker says so", async () => {
  const none = await run(["work", "--no-config"]);
  expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining("give --store postgres://") });
  const files = await run(["schedule", "Do it", "--sessions", "here", "--no-config"]);
  expect(files).toMatchObject({ code: 4, stderr: expect.stringContaining("lastcall schedule needs a database") });
  const away = await run(["work", "--no-config", "--store", "postgres://me:secret@127.0.0.1:1/x"]);
  expect(away).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("postgres://me@127.0.0.1:1/x can't be reached: connect ECONNREFUSED"),
  });
  expect(away.stderr).not.toContain("secret");
  const json = await run(["work", "--json", "--no-config"]);
  expect(json).toMatchObject({ code: 4, stderr: expect.stringContaining("a worker has many; leave it out") });
});

describe.skipIf(noPostgres)(`workers${noPostgres}`, () => {
  const database = useDatabase();

  /** A folder with the agent, and a schema of its own. */
  async function place() {
    const schema = await database.schema();
    const folder: ModuleFolder = await moduleFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const agent = await folder.put("clerk.mjs", await readFile(join(import.meta.dirname, "clerk.mjs"), "utf8"));
    const env = {
      LASTCALL_STORE: `${database.server.url}?schema=${schema}`,
      XDG_CONFIG_HOME: join(folder.path, "home"),
    };
    const store: PgStore = pgStore(database.pool, { schema });
    const options = ["--agent", agent, "--workdir", folder.path, "--no-sandbox"];
    return {
      folder,
      env,
      store,
      options,
      lines: (): readonly Line[] => {
        try {
          const text = readFileSync(join(folder.path, "log"), "utf8").trim();
          return text.split("\n").map((line) => JSON.parse(line) as Line);
        } catch {
          return [];
        }
      },
      /** Starts a worker, which is killed at the end of the test. */
      async worker(): Promise<Started> {
        const worker = start(["work", "--yes", ...options], env);
        onTestFinished(() => void worker.child.kill("SIGKILL"));
        await Promise.race([
          worker.seen("Working as clerk"),
          worker.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
        ]);
        return worker;
      },
      schedule: (...words: readonly string[]): Promise<Ended> =>
        run(["schedule", ...words, ...options.slice(0, 2)], env),
      /** Gives a task for now. Returns the session. */
      async give(task: string): Promise<string> {
        const { stdout, code, stderr } = await run(["schedule", task, ...options.slice(0, 2)], env);
        expect({ code, stderr }).toMatchObject({
          code: 0,
          stderr: expect.stringContaining("workers of clerk") as string,
        });
        return stdout.trim().split("\n").at(-1) ?? "";
      },
      records: async (id: string): Promise<readonly JournalRecord[]> =>
        (await openSession({ store, id }).toJSON()).records,
    };
  }

  const endsOf = (records: readonly JournalRecord[]): readonly string[] =>
    records.flatMap((record) => (record.type === "outcome" ? [record.status] : []));

  test("two workers share the tasks, and each task is worked on once", async () => {
    const { worker, give, records, lines } = await place();
    const first = await give("Charge, before there is a worker");
    await worker();
    await worker();
    const ids = [first, ...(await Promise.all([1, 2, 3, 4, 5].map((number) => give(`Charge slow ${String(number)}`))))];
    for (const id of ids)
      await expect
        .poll(async () => endsOf(await records(id)), { timeout: takeover, interval: 200 })
        .toEqual(["completed"]);
    const begun = lines().filter(({ what }) => what === "begin");
    expect(begun).toHaveLength(3 * ids.length);
    expect(new Set(begun.map(({ key }) => key)).size).toBe(begun.length);
    expect(new Set(begun.map(({ pid }) => pid)).size).toBe(2);
    // A worker has one run at a time.
    for (const pid of new Set(begun.map((line) => line.pid))) {
      const own = begun.filter((line) => line.pid === pid).map(({ key }) => key.split("/")[0]);
      expect(new Set(own).size).toBe(own.filter((id, index) => id !== own[index - 1]).length);
    }
  });

  test("after kill -9 in a call, another worker finishes the run, and no call runs twice", async () => {
    const { worker, give, records, lines } = await place();
    const both = [await worker(), await worker()];
    const id = await give("Charge slow");
    await expect.poll(() => lines().filter(({ what }) => what === "begin").length, { timeout: 20_000 }).toBe(2);
    const victim = lines().at(-1)?.pid;
    both.find(({ child }) => child.pid === victim)?.child.kill("SIGKILL");
    await expect
      .poll(async () => endsOf(await records(id)), { timeout: takeover, interval: 200 })
      .toEqual(["completed"]);
    const begun = lines().filter(({ what }) => what === "begin");
    expect(new Set(begun.map(({ key }) => key)).size).toBe(begun.length);
    expect(new Set(begun.map(({ pid }) => pid)).size).toBe(2);
    const told = (await records(id)).filter((record) => JSON.stringify(record).includes("unknown"));
    expect(told.map(({ type }) => type)).toContain("result");
  });

  test("at SIGTERM a worker leaves its run to another worker, and its call has ended", async () => {
    const { worker, give, records, lines } = await place();
    const first = await worker();
    const id = await give("Charge slow");
    await first.seen(`${id}: at work`);
    await expect.poll(() => lines().filter(({ what }) => what === "begin").length, { timeout: 20_000 }).toBe(1);
    first.child.kill("SIGTERM");
    const ended = await first.ended;
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${id}: left to another worker`) as string,
    });
    expect(endsOf(await records(id))).not.toContain("completed");
    await worker();
    await expect.poll(async () => endsOf(await records(id)).at(-1), { timeout: 20_000 }).toBe("completed");
    const keys = (what: Line["what"]) => lines().flatMap((line) => (line.what === what ? [line.key] : []));
    expect(keys("begin")).toHaveLength(3);
    expect(keys("end")).toEqual(keys("begin"));
  });

  test("a question waits in the session, and lastcall resume answers it", async () => {
    const { worker, give, records, env, options } = await place();
    const { seen } = await worker();
    const id = await give("Ask before the last charge");
    await seen(`${id}: waiting for an answer`);
    const { code, stderr } = await run(["resume", id, "Yes.", "--yes", ...options], env);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(endsOf(await records(id))).toEqual(["waiting", "completed"]);
  });

  test("a schedule gives its task at each of its times once, outlasts the workers, and ends when it is removed", async () => {
    const { worker, schedule, store, lines } = await place();
    const sessions = async (): Promise<readonly string[]> => (await store.list()).map(({ id }) => id).toSorted();
    expect(await schedule("tick", "Charge it", "--every", "2s")).toMatchObject({ code: 0, stdout: "tick\n" });
    const listed = await schedule();
    expect(listed.stdout).toMatch(/^tick {2}every 2s, next \S+Z {2}clerk {2}Charge it\n$/);
    const [first] = [await worker(), await worker()];
    await expect.poll(async () => (await sessions()).length, { timeout: 20_000 }).toBeGreaterThan(2);
    first.child.kill("SIGTERM");
    await first.ended;
    const before = (await sessions()).length;
    await expect.poll(async () => (await sessions()).length, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    expect(await schedule("remove", "tick")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Removed: tick"),
    });
    const removed = Date.now();
    // A worker looks every two seconds, and begins what it has been given before.
    await sleep(10_000);
    const left = await sessions();
    const times = left.map((id) => Date.parse(id.replace("tick@", "")));
    expect(Math.max(...times)).toBeLessThan(removed + 4000);
    expect(left.every((id) => /^tick@\d{4}-\d\d-\d\dT\d\d:\d\d:\d[02468]\.000Z$/.test(id))).toBe(true);
    const begun = lines().filter(({ what }) => what === "begin");
    expect(new Set(begun.map(({ key }) => key)).size).toBe(begun.length);
    expect((await schedule()).stderr).toContain("There are no schedules.");
    expect(await schedule("remove", "tick")).toMatchObject({ code: 4, stderr: expect.stringContaining("no schedule") });
  });

  test("a task for a time that falls into a stop is taken by the next worker, and a removed one by none", async () => {
    const { worker, schedule, records, store } = await place();
    const soon = new Date(Date.now() + 20_000).toISOString().replace(/\.\d+Z$/, "Z");
    const kept = (await schedule("Charge at the time", "--at", soon)).stdout.trim().split("\n").at(-1) ?? "";
    const gone = await schedule("gone", "Charge never", "--at", soon);
    expect(gone).toMatchObject({ code: 0 });
    // The same name again replaces it, also if two processes give it at once.
    const again = await Promise.all([1, 2].map(() => schedule("gone", "Charge never", "--at", soon)));
    expect(again.map(({ code }) => code)).toEqual([0, 0]);
    expect((await schedule()).stdout.split("\n").filter((line) => line !== "")).toHaveLength(2);
    expect((await schedule("remove", "gone")).code).toBe(0);
    expect(Date.parse(soon)).toBeGreaterThan(Date.now());
    await sleep(Date.parse(soon) - Date.now() + 500);
    await worker();
    await expect.poll(async () => endsOf(await records(kept)), { timeout: 20_000 }).toEqual(["completed"]);
    await sleep(2000);
    const begun = await Promise.all(
      (await store.list()).map(async ({ id }) => ({ id, ends: endsOf(await records(id)) })),
    );
    expect(begun.filter(({ ends }) => ends.length > 0 && !ends.includes("aborted"))).toEqual([
      { id: kept, ends: ["completed"] },
    ]);
    expect((await schedule()).stdout).toBe("");
  });

  test("a folder that nobody trusts gives a worker no agent", async () => {
    const { folder, env } = await place();
    await folder.put("evil.mjs", 'console.log("owned"); export default { instructions: "Paint." };');
    await folder.put("lastcall.config.yaml", "agent: ./evil.mjs\n");
    const worker = start(["work", "--workdir", folder.path, "--base-url", "http://127.0.0.1:1", "--model", "m"], env);
    onTestFinished(() => void worker.child.kill("SIGKILL"));
    await Promise.race([worker.seen("Working as lastcall"), worker.ended]);
    worker.child.kill("SIGTERM");
    const { stdout, stderr, code } = await worker.ended;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("owned");
    expect(stderr).toContain("nobody has trusted it");
  });

  test("tables that are missing, and a package that is, are told with the way to get them", async () => {
    const { options, env } = await place();
    const tables = await run(["work", ...options], { ...env, LASTCALL_STORE: `${database.server.url}?schema=nothing` });
    expect(tables).toMatchObject({ code: 4, stderr: expect.stringContaining("run lastcall store migrate") });
    const bin = await commandWithout("@dbos-inc");
    const worker = start([bin, "schedule", "Charge it", ...options.slice(0, 2)], env, "node");
    worker.child.stdin?.end();
    expect(await worker.ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("needs the package @dbos-inc/dbos-sdk, which is not installed: npm install"),
    });
  });
});
