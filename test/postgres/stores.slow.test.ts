// The store in Postgres, over a real server: the cases of the port, also over connections that break.

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pgStore } from "../../src/postgres/index.js";
import { storeConformance, type StoreMaker } from "../../src/testing/index.js";
import { randomFrom } from "../chaos/scale.js";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.js";
import { useDatabase } from "./database.js";
import { poolAhead } from "./pool-ahead.mjs";
import { noPostgres } from "./server.js";

describe.skipIf(noPostgres)(`Postgres${noPostgres}`, () => {
  const database = useDatabase();
  let proxy: CuttingProxy;
  let cut: pg.Pool;

  /** Makes stores over the pool, for each case with tables of its own. */
  const over =
    (pool: () => pg.Pool): StoreMaker =>
    async ({ now }) => {
      const schema = await database.schema();
      const opened: AsyncDisposable[] = [];
      return {
        open: () => {
          const store = pgStore(
            poolAhead(pool(), () => now() - Date.now()),
            { schema },
          );
          opened.push(store);
          return store;
        },
        async [Symbol.asyncDispose]() {
          for (const store of opened) await store[Symbol.asyncDispose]();
        },
      };
    };

  describe("the store in Postgres", () => {
    it.each(storeConformance(over(() => database.pool)))("$name", ({ run }) => run());
  });

  // Statements with long texts are longer than most connections of the first proxy live.
  const isLong = /megabytes|as they were written|all bytes or none|any text and any id/;

  for (const { texts, most, cuts } of [
    { texts: "short", most: 25_000, cuts: 50 },
    { texts: "long", most: 30_000_000, cuts: 2 },
  ])
    describe(`the store in Postgres with ${texts} texts, over a proxy that cuts connections at random`, () => {
      beforeAll(async () => {
        proxy = await startCuttingProxy(database.server.port, most, randomFrom(20_261_126));
        cut = new pg.Pool({ host: "127.0.0.1", port: proxy.port, user: "postgres", database: "postgres", max: 20 });
      });

      afterAll(async () => {
        await cut.end();
        await proxy[Symbol.asyncDispose]();
        expect(proxy.cuts).toBeGreaterThan(cuts);
      });

      const cases = storeConformance(over(() => cut)).filter(({ name }) => isLong.test(name) === (texts === "long"));
      it.each(cases)("$name", ({ run }) => run());
    });
});
