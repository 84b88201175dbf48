// One way for all statements of the store: tables that are there, connections that may break, faults that say what failed.

import { storeFault } from "../memory/stores.js";
import { persistently } from "./failure/lost-connection.js";
import { inTransaction, type PgPool, type PgResult } from "./pool.js";
import { expectTables } from "./tables.js";

/** Runs one statement. It is run again if the connection breaks, so it must be possible to carry it out twice. */
export type Run = (doing: string, statement: string, values?: unknown[]) => Promise<PgResult>;

/** The statements of a store. */
export interface Statements {
  /** The schema of the tables, as it stands in statements. */
  readonly schema: string;
  /** The place, for people. */
  readonly where: string;
  readonly run: Run;
  /** Runs statements as one transaction, on one connection. It is run again if the connection breaks. */
  transaction<Made>(doing: string, work: (client: Pick<PgPool, "query">) => Promise<Made>): Promise<Made>;
}

export function statementsOver(pool: PgPool, schema: string): Statements {
  const where = `the schema ${schema} of Postgres`;
  let checked: Promise<void> | undefined;
  const expectThem = async (): Promise<void> => {
    checked ??= persistently(async () => expectTables(pool, schema));
    try {
      await checked;
    } catch (thrown) {
      checked = undefined;
      throw thrown;
    }
  };
  return {
    schema,
    where,
    async run(doing, statement, values) {
      try {
        await expectThem();
        return await persistently(async () => pool.query(statement, values));
      } catch (thrown) {
        throw storeFault(doing, where, thrown);
      }
    },
    async transaction(doing, work) {
      try {
        await expectThem();
        return await persistently(async () => inTransaction(pool, work));
      } catch (thrown) {
        throw storeFault(doing, where, thrown);
      }
    },
  };
}
