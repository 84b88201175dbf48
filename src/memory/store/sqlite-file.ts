// An SQLite file with the tables of a store, opened with the SQLite that is built into Node.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";

type Value = string | number | Uint8Array;

/** The part of a `node:sqlite` statement that is used here. */
interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint };
  get(...values: readonly Value[]): Readonly<Record<string, unknown>> | undefined;
  all(...values: readonly Value[]): readonly Readonly<Record<string, unknown>>[];
}

/** The part of a `node:sqlite` database that is used here. */
interface Connection {
  exec(commands: string): void;
  prepare(command: string): Statement;
  close(): void;
}

/** An open SQLite file. */
export interface Database extends Connection {
  /** Compiles a command on its first use. */
  prepare(command: string): Statement;
  /** Whether the next transactions wait for the disk. If a transaction waits, the transactions before it are on the disk as well. */
  flush(isOn: boolean): void;
}

/** The longest wait of one statement for another process that is writing, in milliseconds. Opening is not retried after this time. */
const busyTimeout = 5000;
/** The error code SQLITE_BUSY. */
const busy = 5;
/** The version of the tables. The file stores it as `user_version`. */
const version = 1;

const tables = `
  CREATE TABLE IF NOT EXISTS lines (
    session TEXT NOT NULL, number INTEGER NOT NULL, written INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (session, number)
  );
  CREATE TABLE IF NOT EXISTS inbox (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (session, id)
  );
  CREATE TABLE IF NOT EXISTS attachments (
    session TEXT NOT NULL, digest TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, digest)
  );
  CREATE TABLE IF NOT EXISTS locks (session TEXT PRIMARY KEY, holder TEXT NOT NULL, renewed INTEGER NOT NULL);
  PRAGMA user_version = ${String(version)};`;

/**
 * Checks that this Node has SQLite built in.
 * @throws LastcallError `configuration` if it has not.
 */
export function demandSqlite(): void {
  if (isBuiltin("node:sqlite")) return;
  throw new LastcallError(
    "configuration",
    `sqliteStore needs Node 22.13 or later (of Node 23: 23.4), and this is ${process.version}. Update Node, or keep sessions with fileStore.`,
  );
}

/** Opens the file. Creates it and its tables if needed. Only this user may read a new file and the files that SQLite puts next to it. */
export async function openSqlite(file: string): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The file is created here, because SQLite would create it with the default mode.
  closeSync(openSync(file, "a", 0o600));
  // The name is a variable because the types of Node 20 do not have this module.
  const name = "node:sqlite";
  const { DatabaseSync } = (await import(name)) as { DatabaseSync: new (path: string) => Connection };
  const end = Date.now() + busyTimeout;
  for (;;) {
    const database = databaseOn(new DatabaseSync(file));
    try {
      setUp(database, file);
      return database;
    } catch (thrown) {
      database.close();
      // `busy_timeout` has no effect while another process changes the journal mode, so this loop retries.
      if (!isBusy(thrown) || Date.now() > end) throw thrown;
    }
    await wait(20 + Math.random() * 30);
  }
}

function databaseOn(connection: Connection): Database {
  const statements = new Map<string, Statement>();
  let isFlushing: boolean | undefined;
  return {
    exec: (commands) => {
      connection.exec(commands);
    },
    prepare(command) {
      const statement = statements.get(command) ?? connection.prepare(command);
      statements.set(command, statement);
      return statement;
    },
    flush(isOn) {
      if (isOn === isFlushing) return;
      connection.exec(`PRAGMA synchronous = ${isOn ? "FULL" : "NORMAL"}`);
      isFlushing = isOn;
    },
    close: () => {
      connection.close();
    },
  };
}

/** Sets the options of the connection, and creates the tables in a new file. */
function setUp(database: Database, file: string): void {
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeout)}; PRAGMA journal_mode = WAL;`);
  database.flush(true);
  const fileVersion = versionOf(database);
  if (fileVersion > version) {
    throw new LastcallError(
      "store",
      `${file} was made by a later version of lastcall: its tables have version ${String(fileVersion)}. Update lastcall.`,
    );
  }
  if (fileVersion < version) {
    inTransaction(database, () => {
      database.exec(tables);
    });
  }
}

function versionOf(database: Database): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/** True if another process holds the database. The low byte of an extended error code is the primary code. */
function isBusy(thrown: unknown): boolean {
  return (Number((thrown as { readonly errcode?: unknown } | null)?.errcode) & 0xff) === busy;
}

/** Runs the work in a transaction: all of its changes take effect or none, and no other process writes meanwhile. */
export function inTransaction<Made>(database: Database, work: () => Made): Made {
  database.prepare("BEGIN IMMEDIATE").run();
  try {
    const made = work();
    database.prepare("COMMIT").run();
    return made;
  } catch (thrown) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // After some failures, such as a full disk, SQLite has rolled back already, and ROLLBACK fails.
    }
    throw thrown;
  }
}
