// The store in files: a folder per session, readable with any tool.

import { readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { dropFrom, messagesIn, sendTo } from "./file-inbox.js";
import { fileJournal, readJournal } from "./file-journal.js";
import { freeLock, hasLock, renewLock, takeLock } from "./file-lock.js";
import { flushFolders } from "./flush-folders.js";
import { queue } from "./queue.js";
import { checkId, isId } from "./session-id.js";
import { lostLock, orStoreFault, stillWritten, unlessMissing } from "./store-fault.js";
import type { Holder, Lock, Store, StoredSession } from "./store.js";

/** The name prefix of a session that is being deleted. No id begins with it. */
const gone = ".gone-";

/**
 * Stores each session in its own folder, `<folder>/<id>/`: `journal.jsonl` has one line per record, `inbox` one file per message,
 * and `lock` one file whose name is the holder. Only this user may read them (modes 0700 and 0600). Locks are as reliable as
 * renames are on the file system, so use a network folder from one machine at a time. If the file system ignores case, ids that
 * differ only in case are the same session.
 *
 * `now` is the clock in milliseconds, for tests. Default: the machine's.
 */
export function fileStore(folder: string, now: () => number = Date.now): Store {
  const root = resolve(folder);
  const inOrder = queue();
  const path = (id: string, ...names: readonly string[]): string => join(root, checkId(id), ...names);
  return {
    name: `files in ${root}`,
    list: async () => orStoreFault("list", root, () => listIn(root)),
    read: async (id) => readJournal(path(id, "journal.jsonl")),
    async lock(id, holder) {
      const other = await orStoreFault("lock", path(id), () => takeLock(path(id, "lock"), holder, now));
      return other ?? lockOf(id, path(id), holder, now);
    },
    async send(id, message) {
      const inbox = path(id, "inbox");
      await inOrder(() => orStoreFault("send a message to", inbox, () => sendTo(inbox, message)));
    },
    messages: async (id) => orStoreFault("read", path(id, "inbox"), () => messagesIn(path(id, "inbox"))),
    drop: async (id, messages) =>
      orStoreFault("drop messages from", path(id, "inbox"), () => dropFrom(path(id, "inbox"), messages)),
    delete: async (id) => orStoreFault("delete", path(id), () => deleteIn(root, id, now)),
  };
}

function lockOf(id: string, place: string, holder: Holder, now: () => number): Lock {
  const folder = join(place, "lock");
  const journal = fileJournal(join(place, "journal.jsonl"), () => {
    if (!hasLock(folder, holder)) throw lostLock(id);
  });
  return {
    append: journal.append,
    cut: journal.cut,
    renew: async () => orStoreFault("renew the lock of", place, () => renewLock(folder, holder, now)),
    async release() {
      await journal.close();
      await orStoreFault("release", place, () => freeLock(folder, holder));
    },
  };
}

async function listIn(root: string): Promise<readonly StoredSession[]> {
  const names = (await unlessMissing(readdir(root, { withFileTypes: true }))) ?? [];
  const ids = names.filter((name) => name.isDirectory() && isId(name.name)).map(({ name }) => name);
  const sessions = await Promise.all(
    ids.map(async (id) => {
      const file = await unlessMissing(stat(join(root, id, "journal.jsonl")));
      return file === undefined || file.size === 0 ? [] : [{ id, updated: Math.round(file.mtimeMs) }];
    }),
  );
  return sessions.flat();
}

/**
 * Deletes a session while holding its lock. The folder is renamed first, which is atomic, and then removed together with the
 * leftovers of deletions that were killed.
 */
async function deleteIn(root: string, id: string, now: () => number): Promise<void> {
  const place = join(root, checkId(id));
  if ((await unlessMissing(stat(place))) === undefined) return;
  const self = { id: crypto.randomUUID(), host: hostname(), pid: process.pid };
  if ((await takeLock(join(place, "lock"), self, now)) !== undefined) throw stillWritten(id);
  try {
    await rename(place, join(root, `${gone}${crypto.randomUUID()}`));
  } catch (thrown) {
    await freeLock(join(place, "lock"), self);
    throw thrown;
  }
  await flushFolders(root);
  for (const name of (await readdir(root)).filter((one) => one.startsWith(gone))) {
    await rm(join(root, name), { recursive: true, force: true });
  }
}
