import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqliteStore } from "../../../src/memory/index.js";
import { taken } from "../../../src/testing/conformance/store-place.js";
import { hasSqlite, noSqlite, temporaryFolder } from "../store-places.js";

const itIsThere = hasSqlite ? " (left out: this Node has it)" : "";
test.skipIf(hasSqlite)(
  `on a Node without SQLite, its store says what is needed and what else there is${itIsThere}`,
  () => {
    expect(() => sqliteStore("x.sqlite")).toThrow(
      expect.objectContaining({ code: "configuration", message: expect.stringMatching(/Node 22\.13.*fileStore/) }),
    );
  },
);

describe.skipIf(noSqlite)(`SQLite${noSqlite}`, () => {
  test("the file and those next to it can't be read by other users", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "deep/sessions.sqlite");
    await using store = sqliteStore(file);
    await (await taken(store, "a")).append(["one"], true);
    const names = (await readdir(dirname(file))).sort();
    expect(names).toEqual(["sessions.sqlite", "sessions.sqlite-shm", "sessions.sqlite-wal"]);
    for (const name of names) expect((await stat(join(dirname(file), name))).mode & 0o077, name).toBe(0);
    expect((await stat(dirname(file))).mode & 0o077).toBe(0);
  });

  test("it opens again after it was closed", async () => {
    await using folder = await temporaryFolder();
    await using store = sqliteStore(join(folder.path, "sessions.sqlite"));
    const lock = await taken(store, "a");
    await lock.append(["one"], true);
    await store[Symbol.asyncDispose]();
    await lock.append(["two"], true);
    expect(await store.read("a")).toEqual(["one", "two"]);
  });

  test("a file that is something else is told of and left as it is", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "notes.txt");
    await writeFile(file, "These are notes, and no database at all.".repeat(100));
    await using store = sqliteStore(file);
    const fault = { code: "store", message: expect.stringContaining(`${file}: file is not a database`) };
    await expect(store.list()).rejects.toMatchObject(fault);
    await expect(store.read("a")).rejects.toMatchObject(fault);
  });

  test("a file of a later version is refused", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "sessions.sqlite");
    const name = "node:sqlite";
    const { DatabaseSync } = (await import(name)) as {
      DatabaseSync: new (path: string) => { exec(commands: string): void; close(): void };
    };
    const later = new DatabaseSync(file);
    later.exec("PRAGMA user_version = 2");
    later.close();
    await using store = sqliteStore(file);
    await expect(store.list()).rejects.toMatchObject({ code: "store", message: expect.stringContaining("Update") });
  });

  test("where a folder is, no file can be opened, and the fault says so", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "x"));
    await using store = sqliteStore(join(folder.path, "x"));
    await expect(store.list()).rejects.toMatchObject({ code: "store", message: expect.stringContaining("EISDIR") });
  });
});
