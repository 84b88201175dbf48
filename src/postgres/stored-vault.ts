// The vault in Postgres: a row for each key, whose lock is a lease, so that a change may take seconds and needs no connection meanwhile.

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../core/index.js";
import { checkOptions, type OptionKinds } from "../core/internal.js";
import { newHolder, type Holder } from "../lock/index.js";
import { queues } from "../memory/stores.js";
import { longestWait, opened, readKey, sealed, storedIn, type Kept, type Seal, type Vault } from "../vault/index.js";
import { nameOf, rowReader, takeRow, type LockedRows } from "./lock-row.js";
import type { Statements } from "./statements.js";

/** The options of `vault` of a store in Postgres. */
export interface StoredVaultOptions {
  /**
   * The key that the texts are encrypted with (AES-256-GCM): 32 bytes, as 64 hexadecimal digits or in base64. A reader of the database or
   * of its backups alone has no tokens. Default: the texts are not encrypted.
   */
  readonly key?: string | undefined;
}

const storedVaultOptions = { key: "text" } satisfies OptionKinds<StoredVaultOptions>;

/** The rows of the vault; a taken row has its text, unless its time is over. */
const vaultRows: LockedRows = {
  table: "vault",
  key: "name",
  value: "CASE WHEN until IS NULL OR until > clock_timestamp() THEN held END",
};

/** Milliseconds between two signs of life of a change. */
const renewal = 5000;

/** Milliseconds between two looks at a row that another process holds: the first, and the longest. */
const [firstPause, longestPause] = [5, 250];

/** Makes a vault in the tables of a store. The clock of the database tells whose lock and whose time is over. */
export function storedVault(statements: Statements, options: StoredVaultOptions = {}): Vault {
  checkOptions("vault", options, storedVaultOptions);
  const key = readKey("vault", options.key);
  const { schema, run, where } = statements;
  const look = rowReader(statements, vaultRows);
  const inOrder = queues();
  /** The name of the row: keys have names of people, and an index has a longest entry. */
  const rowOf = (name: string): string => createHash("sha256").update(name).digest("hex");
  const textIn = (held: unknown, name: string): string | undefined => {
    if (typeof held !== "string") return undefined;
    const seal: Seal = { name, key, of: "vault" };
    return opened(storedIn(held), `The row ${rowOf(name).slice(0, 12)} of the vault in ${where}`, seal);
  };
  const reading = "read the vault in";
  const changing = "change the vault in";

  /** Takes the lock of a row as soon as nobody else has it, and returns the text. */
  const take = async (row: string, holder: Holder): Promise<unknown> => {
    const end = performance.now() + longestWait;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const taken = await takeRow(statements, vaultRows, { id: row, holder, look, doing: changing });
      if ("value" in taken) return taken.value;
      if (performance.now() > end)
        throw new LastcallError(
          "store",
          `A text of the vault in ${where} is held by process ${String(taken.pid)} on ${taken.host}: try again.`,
        );
      await sleep(pause * (0.5 + Math.random() / 2));
    }
  };

  /** Writes the text, if the row is still held. It can be carried out twice. */
  const write = async (row: string, holder: string, name: string, kept: Kept | undefined): Promise<void> => {
    const held = kept === undefined ? null : JSON.stringify(sealed(kept.text, { name, key, of: "vault" }));
    const isForEver = kept !== undefined && kept.until === undefined;
    // The clocks of machines differ, so the life counts and not the time.
    const life = kept?.until === undefined ? 0 : kept.until - Date.now();
    const { rowCount } = await run(
      changing,
      `UPDATE ${schema}.vault SET held = $3,
        until = CASE WHEN $4 THEN NULL ELSE clock_timestamp() + $5::float8 * interval '1 millisecond' END
        WHERE name = $1 AND holder = $2`,
      [row, holder, held, isForEver, life],
    );
    if (rowCount !== 0) return;
    throw new LastcallError(
      "store",
      `A text of the vault in ${where} was taken over by another process, because this process gave no sign of life: try again.`,
    );
  };

  /** Gives the row back, and removes rows whose time is over. If it fails, the lock counts until it is stale, and the text is kept. */
  const giveUp = async (row: string, holder: string): Promise<void> => {
    await run(
      changing,
      `WITH gone AS (
        DELETE FROM ${schema}.vault WHERE name IN (
          SELECT name FROM ${schema}.vault WHERE until < clock_timestamp() AND name <> $1
            AND (holder IS NULL OR renewed < clock_timestamp() - interval '1 hour') LIMIT 100 FOR UPDATE SKIP LOCKED
        )
      ) UPDATE ${schema}.vault SET holder = NULL WHERE name = $1 AND holder = $2`,
      [row, holder],
    ).catch(() => undefined);
  };

  return {
    async read(name) {
      const { rows } = await run(reading, `SELECT ${vaultRows.value} AS held FROM ${schema}.vault WHERE name = $1`, [
        rowOf(name),
      ]);
      return textIn(rows[0]?.["held"], name);
    },
    change: (name, next) =>
      inOrder(name, async () => {
        const [row, holder] = [rowOf(name), newHolder()];
        const held = await take(row, holder);
        const own = nameOf(holder);
        let renewing: Promise<unknown> | undefined;
        const beat = setInterval(() => {
          const renewed = `UPDATE ${schema}.vault SET renewed = clock_timestamp() WHERE name = $1 AND holder = $2`;
          renewing ??= run(changing, renewed, [row, own])
            .catch(() => undefined)
            .finally(() => (renewing = undefined));
        }, renewal).unref();
        try {
          await write(row, own, name, await next(textIn(held, name)));
        } finally {
          clearInterval(beat);
          await giveUp(row, own);
        }
      }),
  };
}
