// The vault in Postgres: its contract, other processes, kill -9 and restarts in the midst of a change, encryption, rows that are over.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { pgStore, type PgPool, type Vault } from "../../src/postgres/index.js";
import { expectOneRefresh } from "../mcp/sign-in/one-refresh.js";
import { itIsAVault, keep } from "../vault/contract.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";
import "../dist.js";

const run = promisify(execFile);
const writer = join(import.meta.dirname, "../vault/vault-writer.mjs");
const key = "ab".repeat(32);

describe.skipIf(noPostgres)(`in Postgres${noPostgres}`, () => {
  const database = useDatabase();

  /** A pool of one connection, as the smallest program has it. */
  const poolOfOne = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: database.server.url, max: 1 });
    onTestFinished(async () => pool.end());
    return pool;
  };

  itIsAVault("in Postgres", async () => (await database.store()).vault());
  itIsAVault("in Postgres, encrypted", async () => (await database.store()).vault({ key }));
  itIsAVault("over a pool of one connection", async () =>
    pgStore(poolOfOne(), { schema: await database.schema() }).vault(),
  );

  async function place(of: PgPool = database.pool): Promise<{ schema: string; settings: object; vault: Vault }> {
    const schema = await database.schema();
    const settings = { database: database.server.url, schema };
    return { schema, settings, vault: pgStore(of, { schema }).vault() };
  }

  const write = async (settings: object, ...args: readonly string[]): Promise<unknown> =>
    run(process.execPath, [writer, JSON.stringify(settings), ...args]);

  test("two processes at once refresh a token once, and both calls are made", async () => {
    const { vault, settings } = await place();
    await expectOneRefresh({ vault, settings });
  });

  test("has its changes come one after the other in three processes and two stores", async () => {
    const { vault, settings, schema } = await place();
    const others = [vault, pgStore(database.pool, { schema }).vault()].map(async (one) => {
      for (let time = 0; time < 20; time += 1)
        await one.change("count", (now) => Promise.resolve({ text: String(Number(now ?? 0) + 1) }));
    });
    await Promise.all([...others, ...["20", "20", "20"].map((times) => write(settings, times))]);
    expect(await vault.read("count")).toBe("100");
  });

  test("a process that is killed in the midst of a change changes nothing, and holds nobody up", async () => {
    const { vault, settings } = await place();
    await expect(write(settings, "5", "3")).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(await vault.read("count")).toBe("3");
    const began = performance.now();
    await vault.change("count", (now) => Promise.resolve({ text: `${String(now)}!` }));
    expect(await vault.read("count")).toBe("3!");
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("a holder of another machine that gives no sign of life is waited for until it is stale", async () => {
    const { vault, schema } = await place();
    await keep(vault, "a", "1");
    const holder = JSON.stringify({ id: "x", host: "elsewhere", pid: 1 });
    const age = async (seconds: number): Promise<unknown> =>
      database.pool.query(
        `UPDATE ${schema}.vault SET holder = $1, renewed = clock_timestamp() - $2 * interval '1 second'`,
        [holder, seconds],
      );
    await age(29);
    const began = performance.now();
    await keep(vault, "a", "2");
    expect(performance.now() - began).toBeGreaterThan(700);
    expect(await vault.read("a")).toBe("2");
  });

  test("a change whose lock was taken over meanwhile keeps nothing", async () => {
    const { vault, schema } = await place();
    await keep(vault, "a", "1");
    const late = vault.change("a", async () => {
      const holder = JSON.stringify({ id: "y", host: "elsewhere", pid: 1 });
      await database.pool.query(`UPDATE ${schema}.vault SET holder = $1, renewed = clock_timestamp()`, [holder]);
      return { text: "late" };
    });
    await expect(late).rejects.toThrow(/was taken over by another process/);
    expect(await vault.read("a")).toBe("1");
    const { rows } = await database.pool.query<{ holder: string }>(`SELECT holder FROM ${schema}.vault`);
    expect(rows[0]?.holder).toContain("elsewhere");
  });

  test("a crash of the database in the midst of a change, and between changes, loses nothing", async () => {
    const { vault } = await place();
    await keep(vault, "a", "1");
    await vault.change("a", async (now) => {
      await database.server.restart();
      return { text: `${String(now)}2` };
    });
    expect(await vault.read("a")).toBe("12");
    await database.server.restart();
    await vault.change("a", (now) => Promise.resolve({ text: `${String(now)}3` }));
    expect(await vault.read("a")).toBe("123");
  });

  test("an answer of the database that was lost is found out: the text is kept once, and the change succeeds", async () => {
    const { schema } = await place();
    let lost = 0;
    const lossy: PgPool = {
      async query(statement, values) {
        const made = await database.pool.query(statement, values);
        if (!/^\s*(?:INSERT|UPDATE|WITH)/.test(statement) || lost >= 3) return made;
        lost += 1;
        throw Object.assign(new Error("lost"), { code: "ECONNRESET" });
      },
      connect: () => database.pool.connect(),
      on: () => undefined,
    };
    const vault = pgStore(lossy, { schema }).vault();
    let changes = 0;
    await vault.change("a", () => Promise.resolve({ text: String((changes += 1)) }));
    expect([lost, changes, await vault.read("a")]).toEqual([3, 1, "1"]);
    const { rows } = await database.pool.query<{ holder: string | null }>(`SELECT holder FROM ${schema}.vault`);
    expect(rows).toEqual([{ holder: null }]);
  });

  test("has no text, no key and no name of a person in clear in its rows", async () => {
    const { schema } = await place();
    const vault = pgStore(database.pool, { schema }).vault({ key });
    await keep(vault, "the grant of ann", "the token");
    await keep(vault, "the grant of bob", "another");
    const rows = async (): Promise<string> =>
      JSON.stringify((await database.pool.query(`SELECT name, held FROM ${schema}.vault ORDER BY name`)).rows);
    expect(await rows()).not.toMatch(/token|ann/);
    const of = (other?: string): Vault => pgStore(database.pool, { schema }).vault({ key: other });
    await expect(of("ef".repeat(32)).read("the grant of ann")).rejects.toThrow(
      "can't be opened with this key of vault",
    );
    await expect(of().read("the grant of ann")).rejects.toMatchObject({ code: "configuration" });
    // A row that somebody copied over another opens nothing.
    await database.pool.query(`UPDATE ${schema}.vault SET held = (SELECT held FROM ${schema}.vault LIMIT 1)`);
    const reads = await Promise.allSettled(["the grant of ann", "the grant of bob"].map((one) => vault.read(one)));
    expect(reads.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await database.pool.query(`UPDATE ${schema}.vault SET held = '{'`);
    await expect(vault.read("the grant of ann")).rejects.toThrow(/The row [\da-f]{12} of the vault in .* is damaged/);
  });

  test("tells a key that is none, and tables that are not there", async () => {
    const store = pgStore(database.pool, { schema: "nowhere" });
    expect(() => store.vault({ key: "short" })).toThrow("The key of vault is not 32 bytes");
    await expect(store.vault().read("a")).rejects.toThrow("call migrate(pool)");
    await expect(keep(store.vault(), "a", "1")).rejects.toThrow("call migrate(pool)");
  });

  test("removes rows whose time is over, and texts that were removed, with the next change of any key", async () => {
    const { vault, schema } = await place();
    await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 30 }));
    await keep(vault, "b", "y");
    await vault.change("b", () => Promise.resolve(undefined));
    await expect(vault.change("c", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await sleep(50);
    await keep(vault, "d", "z");
    const { rows } = await database.pool.query(`SELECT holder FROM ${schema}.vault`);
    expect(rows).toHaveLength(1);
    expect(await vault.read("d")).toBe("z");
  });
});
