// One file of SQLite, as Node has it built in: opened late, with the tables of a store.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";

type Value = string | number;

/** What is used of a statement of `node:sqlite`. */
interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint };
  get(...values: readonly Value[]): Readonly<Record<string, unknown>> | undefined;
  all(...values: readonly Value[]): readonly Readonly<Record<string, unknown>>[];
}

/** What is used of a database of `node:sqlite`. */
export interface Database {
  exec(commands: string): void;
  prepare(command: string): Statement;
  close(): void;
}

/** How long to wait for another process that writes, in milliseconds. */
const patience = 5000;
/** SQLITE_BUSY. */
const busy = 5;
const version = 1;

const tables = `
  CREATE TABLE IF NOT EXISTS lines (
    session TEXT NOT NULL, number INTEGER NOT NULL, written INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (session, number)
  );
  CREATE TABLE IF NOT EXISTS inbox (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (session, id)
  );
  CREATE TABLE IF NOT EXISTS locks (session TEXT PRIMARY KEY, holder TEXT NOT NULL, renewed INTEGER NOT NULL);
  PRAGMA user_version = ${String(version)};`;

/**
 * Says where this Node can't open a file of SQLite.
 * @throws LastcallError `configuration`.
 */
export function demandSqlite(): void {
  if (isBuiltin("node:sqlite")) return;
  throw new LastcallError(
    "configuration",
    `sqliteStore needs Node 22.13 or later, and this is ${process.version}. Update Node, or keep sessions with fileStore.`,
  );
}

/** Opens the file and makes what is missing of it. It is for this user only, as are the files that SQLite puts next to it. */
export async function openSqlite(file: string): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  // The types of Node 20 do not know it.
  const name = "node:sqlite";
  const { DatabaseSync } = (await import(name)) as { DatabaseSync: new (path: string) => Database };
  for (const end = Date.now() + patience; ;) {
    const database = new DatabaseSync(file);
    try {
      prepareFile(database, file);
      return database;
    } catch (thrown) {
      database.close();
      // SQLite does not wait while another process changes the mode of the journal.
      if (!isBusy(thrown) || Date.now() > end) throw thrown;
    }
    await wait(20 + Math.random() * 30);
  }
}

function prepareFile(database: Database, file: string): void {
  database.exec(`PRAGMA busy_timeout = ${String(patience)}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;`);
  const found = versionOf(database);
  if (found > version) {
    throw new LastcallError(
      "store",
      `${file} was made by a later lastcall (version ${String(found)}). Update this one.`,
    );
  }
  if (found < version) {
    inTransaction(database, () => {
      database.exec(tables);
    });
  }
}

function versionOf(database: Database): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function isBusy(thrown: unknown): boolean {
  return (Number((thrown as { readonly errcode?: unknown } | null)?.errcode) & 0xff) === busy;
}

/** Does all of the work or nothing of it, with nobody writing in between. */
export function inTransaction<Made>(database: Database, work: () => Made): Made {
  database.exec("BEGIN IMMEDIATE");
  try {
    const made = work();
    database.exec("COMMIT");
    return made;
  } catch (thrown) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // Some failures, such as a full disk, have rolled it back already.
    }
    throw thrown;
  }
}
