// The store in one SQLite file.

/// <reference lib="esnext.disposable" preserve="true" />

import { resolve } from "node:path";
import { expectKind } from "../../core/internal.js";
import type { AttachmentStore } from "../../core/index.js";
import { checkDigest } from "../disk/file-attachments.js";
import { LockJudge, type Holder } from "../../lock/index.js";
import { checkLine } from "./log-line.js";
import { checkId } from "./session-id.js";
import { demandSqlite, inTransaction, openSqlite, type Database } from "./sqlite-file.js";
import { lostLock, orStoreFault, stillWritten } from "../disk/store-fault.js";
import type { Lock, Store } from "./store.js";

/** Runs work on the database, which is opened on first use. With `flush`, the default, it is on the disk once the promise resolves. */
type Use = <Made>(doing: string, work: (database: Database) => Made, flush?: boolean) => Promise<Made>;

/**
 * Stores all sessions in one file, with its write-ahead log next to it. Each append is a transaction, and only appends that must
 * survive a loss of power wait for the disk. It uses the SQLite of Node, so it needs Node 22.13 or later. A write waits up to five
 * seconds for the writes of other processes, and blocks this process meanwhile. The file must be on a local disk. Disposing of the
 * store closes the file; the next use opens it again.
 *
 * `now` is the clock in milliseconds, for tests. Default: the machine's.
 * @throws LastcallError `configuration` on an older Node.
 */
export function sqliteStore(file: string, now: () => number = Date.now): Store & AsyncDisposable {
  demandSqlite();
  expectKind("The file of sqliteStore", file, "text");
  const path = resolve(file);
  const judge = new LockJudge(now);
  let opening: Promise<Database> | undefined;
  const open = async (): Promise<Database> => {
    opening ??= openSqlite(path);
    try {
      return await opening;
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
  };
  const use: Use = (doing, work, flush = true) =>
    orStoreFault(doing, path, async () => {
      const database = await open();
      database.flush(flush);
      return work(database);
    });
  return {
    name: `SQLite in ${path}`,
    ...logs(use),
    ...inboxes(use),
    attachments: (id) => attachmentsOf(use, checkId(id)),
    async lock(id, holder) {
      checkId(id);
      const { other, takenFrom } = await use(`lock the session ${id} in`, (database) =>
        take(database, { id, holder, judge, now: now() }),
      );
      return other ?? { ...lockOf(use, id, holder, now), ...(takenFrom !== undefined && { takenFrom }) };
    },
    async delete(id) {
      checkId(id);
      await use(`delete the session ${id} from`, (database) => {
        inTransaction(database, () => {
          if (holderOf(database, id, judge) !== undefined) throw stillWritten(id);
          for (const table of ["lines", "inbox", "attachments", "locks"]) {
            database.prepare(`DELETE FROM ${table} WHERE session = ?`).run(id);
          }
        });
      });
    },
    async [Symbol.asyncDispose]() {
      const opened = opening;
      opening = undefined;
      (await opened)?.close();
    },
  };
}

function logs(use: Use): Pick<Store, "list" | "read"> {
  return {
    list: async () =>
      use("list the sessions in", (database) =>
        database
          // With `max()`, SQLite takes the other columns from the row that has the maximum.
          .prepare("SELECT session, written, max(number) FROM lines GROUP BY session")
          .all()
          .map(({ session, written }) => ({ id: String(session), updated: Number(written) })),
      ),
    async read(id, from = 0) {
      checkId(id);
      return use(`read the session ${id} in`, (database) => {
        const later = database.prepare("SELECT line FROM lines WHERE session = ? AND number > ? ORDER BY number");
        const lines = later.all(id, from).map(({ line }) => String(line));
        const any = database.prepare("SELECT 1 FROM lines WHERE session = ? LIMIT 1");
        return lines.length === 0 && any.get(id) === undefined ? undefined : lines;
      });
    },
  };
}

/** Texts are stored as JSON, because SQLite ends a text at a NUL. */
function inboxes(use: Use): Pick<Store, "send" | "messages" | "drop"> {
  return {
    async send(id, message) {
      checkId(id);
      await use(`send a message to the session ${id} in`, (database) =>
        database
          .prepare("INSERT OR IGNORE INTO inbox (session, id, text) VALUES (?, ?, ?)")
          .run(id, JSON.stringify(message.id), JSON.stringify(message.text)),
      );
    },
    async messages(id) {
      checkId(id);
      return use(`read the messages of the session ${id} in`, (database) =>
        database
          .prepare("SELECT id, text FROM inbox WHERE session = ? ORDER BY number")
          .all(id)
          .map((row) => ({ id: textIn(row["id"]), text: textIn(row["text"]) })),
      );
    },
    async drop(id, messages) {
      checkId(id);
      await use(`drop messages of the session ${id} in`, (database) => {
        inTransaction(database, () => {
          const drop = database.prepare("DELETE FROM inbox WHERE session = ? AND id = ?");
          for (const message of messages) drop.run(id, JSON.stringify(message));
        });
      });
    },
  };
}

function attachmentsOf(use: Use, id: string): AttachmentStore {
  return {
    async write(digest, bytes) {
      checkDigest(digest);
      await use(`keep an attachment of the session ${id} in`, (database) =>
        database
          .prepare("INSERT OR IGNORE INTO attachments (session, digest, bytes) VALUES (?, ?, ?)")
          .run(id, digest, bytes),
      );
    },
    async read(digest) {
      checkDigest(digest);
      return use(`read an attachment of the session ${id} in`, (database) => {
        const row = database.prepare("SELECT bytes FROM attachments WHERE session = ? AND digest = ?").get(id, digest);
        return row?.["bytes"] as Uint8Array | undefined;
      });
    },
    async remove(digest) {
      checkDigest(digest);
      await use(`remove an attachment of the session ${id} from`, (database) =>
        database.prepare("DELETE FROM attachments WHERE session = ? AND digest = ?").run(id, digest),
      );
    },
  };
}

function lockOf(use: Use, id: string, holder: Holder, now: () => number): Lock {
  const name = nameOf(holder);
  const mustHold = (database: Database): void => {
    if (holderRow(database, id)?.["holder"] !== name) throw lostLock(id);
  };
  return {
    async append(lines, flush) {
      lines.forEach(checkLine);
      const add = (database: Database): void => {
        inTransaction(database, () => {
          mustHold(database);
          const number = database.prepare("SELECT coalesce(max(number), 0) + 1 AS next FROM lines WHERE session = ?");
          const insert = database.prepare("INSERT INTO lines (session, number, written, line) VALUES (?, ?, ?, ?)");
          const next = Number(number.get(id)?.["next"]);
          for (const [index, line] of lines.entries()) insert.run(id, next + index, now(), line);
        });
      };
      await use(`append to the session ${id} in`, add, flush);
    },
    async cut(lines) {
      await use(`cut the session ${id} in`, (database) => {
        inTransaction(database, () => {
          mustHold(database);
          database.prepare("DELETE FROM lines WHERE session = ? AND number > ?").run(id, lines);
        });
      });
    },
    renew: async () => {
      const renew = (database: Database): boolean => {
        const update = database.prepare("UPDATE locks SET renewed = ? WHERE session = ? AND holder = ?");
        return Number(update.run(now(), id, name).changes) > 0;
      };
      // The lock of a machine without power is over anyway.
      return use(`renew the lock of the session ${id} in`, renew, false);
    },
    async release() {
      await use(`release the session ${id} in`, (database) =>
        database.prepare("DELETE FROM locks WHERE session = ? AND holder = ?").run(id, name),
      );
    },
  };
}

/** Takes the lock. Returns the other holder if it is held, or the holder from whom it was taken over. */
function take(
  database: Database,
  {
    id,
    holder,
    judge,
    now,
  }: { readonly id: string; readonly holder: Holder; readonly judge: LockJudge; readonly now: number },
): { readonly other?: Holder | undefined; readonly takenFrom?: Holder } {
  return inTransaction(database, () => {
    const other = holderOf(database, id, judge);
    const left = holderRow(database, id)?.["holder"];
    if (other === undefined) {
      const insert = database.prepare("INSERT OR REPLACE INTO locks (session, holder, renewed) VALUES (?, ?, ?)");
      insert.run(id, nameOf(holder), now);
      if (typeof left === "string") return { takenFrom: JSON.parse(left) as Holder };
    }
    return { other };
  });
}

/** The current holder of the lock; undefined if nobody holds it, or if it no longer counts. */
function holderOf(database: Database, id: string, judge: LockJudge): Holder | undefined {
  const row = holderRow(database, id);
  if (row === undefined) return undefined;
  const holder = JSON.parse(String(row["holder"])) as Holder;
  return judge.counts(id, holder, Number(row["renewed"])) ? holder : undefined;
}

function holderRow(database: Database, id: string): Readonly<Record<string, unknown>> | undefined {
  return database.prepare("SELECT holder, renewed FROM locks WHERE session = ?").get(id);
}

/** The holder as a text; the same holder always gives the same text. */
function nameOf({ id, host, pid, birth }: Holder): string {
  return JSON.stringify({ id, host, pid, birth });
}

function textIn(value: unknown): string {
  return JSON.parse(String(value)) as string;
}
