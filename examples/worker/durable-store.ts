// A store in the SQLite of one Durable Object: the log and the inbox of each session, and a lock in the object, of which there is one.

import { LastcallError } from "lastcall";
import type { Lock, Store } from "lastcall/memory";

/** The part of a Durable Object's storage that is used. */
export interface DurableStorage {
  readonly sql: {
    exec(query: string, ...values: readonly unknown[]): { toArray(): readonly Readonly<Record<string, unknown>>[] };
  };
  /** Settles once everything that was written is on the disk. */
  sync(): Promise<void>;
}

/** Keeps sessions in the storage of a Durable Object. Call it once for each object. */
export function durableStore(storage: DurableStorage): Store {
  const { sql } = storage;
  sql.exec(
    "CREATE TABLE IF NOT EXISTS line (session TEXT, number INTEGER, text TEXT, at INTEGER, PRIMARY KEY (session, number))",
  );
  sql.exec("CREATE TABLE IF NOT EXISTS message (session TEXT, id TEXT, text TEXT, PRIMARY KEY (session, id))");
  const count = (id: string): number =>
    Number(sql.exec("SELECT count(*) AS count FROM line WHERE session = ?", id).toArray()[0]?.["count"]);
  // A new process has a new object, so a lock never outlives the process of its holder.
  const held = new Map<string, Parameters<Store["lock"]>[1]>();

  return {
    name: "durable object",
    async list() {
      const rows = sql.exec("SELECT session, max(at) AS updated FROM line GROUP BY session").toArray();
      return rows.map(({ session, updated }) => ({ id: String(session), updated: Number(updated) }));
    },
    async read(id, from = 0) {
      if (count(id) === 0) return undefined;
      const rows = sql.exec("SELECT text FROM line WHERE session = ? AND number >= ? ORDER BY number", id, from);
      return rows.toArray().map(({ text }) => String(text));
    },
    async lock(id, holder) {
      const other = held.get(id);
      if (other !== undefined) return other;
      held.set(id, holder);
      const holds = (): boolean => held.get(id) === holder;
      const mustHold = (): void => {
        if (!holds()) throw new LastcallError("store", `The lock of session ${id} was lost. Run it again.`);
      };
      const lock: Lock = {
        async append(lines, flush) {
          mustHold();
          const first = count(id);
          // Nothing waits between these writes, so they are kept together or not at all.
          lines.forEach((text, index) =>
            sql.exec("INSERT INTO line VALUES (?, ?, ?, ?)", id, first + index, text, Date.now()),
          );
          if (flush) await storage.sync();
        },
        async cut(lines) {
          mustHold();
          sql.exec("DELETE FROM line WHERE session = ? AND number >= ?", id, lines);
        },
        renew: async () => holds(),
        async release() {
          if (holds()) held.delete(id);
        },
      };
      return lock;
    },
    async send(id, message) {
      sql.exec("INSERT OR IGNORE INTO message VALUES (?, ?, ?)", id, message.id, message.text);
    },
    async messages(id) {
      const rows = sql.exec("SELECT id, text FROM message WHERE session = ? ORDER BY rowid", id).toArray();
      return rows.map((row) => ({ id: String(row["id"]), text: String(row["text"]) }));
    },
    async drop(id, messages) {
      for (const message of messages) sql.exec("DELETE FROM message WHERE session = ? AND id = ?", id, message);
    },
    async delete(id) {
      if (held.has(id)) throw new LastcallError("store", `Session ${id} is being written. Delete it later.`);
      sql.exec("DELETE FROM line WHERE session = ?", id);
      sql.exec("DELETE FROM message WHERE session = ?", id);
    },
  };
}
