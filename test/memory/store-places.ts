// Places for the stores that are shipped: temporary folders that go when their case is over.

import { mkdtemp, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore, memoryStore, sqliteStore } from "../../src/memory/index.js";
import type { StoreMaker } from "../../src/testing/index.js";

/** Whether this Node can open files of SQLite. */
export const hasSqlite = isBuiltin("node:sqlite");

/** For the end of the name of a suite that needs it. */
export const noSqlite: string = hasSqlite ? "" : ` (left out: Node ${process.version} has no SQLite)`;

export const inMemory: StoreMaker = ({ now }) => {
  const store = memoryStore(now);
  return { open: () => store };
};

export const inFiles: StoreMaker = async ({ now }) => {
  const folder = await temporaryFolder();
  return {
    open: () => fileStore(join(folder.path, "sessions"), now),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
};

export const inSqlite: StoreMaker = async ({ now }) => {
  const folder = await temporaryFolder();
  const opened: AsyncDisposable[] = [];
  return {
    open: () => {
      const store = sqliteStore(join(folder.path, "deep/sessions.sqlite"), now);
      opened.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
};

/** An empty folder that goes with its scope. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "lastcall-store-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
