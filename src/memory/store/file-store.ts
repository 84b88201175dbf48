// The store in files: a folder for each session, to be read with any tool.

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

/** What a session that is being deleted begins with. No id does. */
const gone = ".gone-";

/**
 * Keeps each session in a folder of its own, `<folder>/<id>/`: `journal.jsonl` has a line for each record, `inbox` a file for
 * each message, `lock` one file whose name is the holder. All of it is for this user only (0700, 0600). Locks are as good as the
 * renames of the file system, so a folder on a network should be used from one machine at a time. On a file system that takes
 * `A` for `a`, so does the store.
 *
 * `now` is for tests; default: the machine's clock.
 */
export function fileStore(folder: string, now: () => number = Date.now): Store {
  const root = resolve(folder);
  const inOrder = queue();
  const place = (id: string, ...names: readonly string[]): string => join(root, checkId(id), ...names);
  return {
    name: `files in ${root}`,
    list: async () => orStoreFault("list", root, () => listIn(root)),
    read: async (id) => readJournal(place(id, "journal.jsonl")),
    async lock(id, holder) {
      const other = await orStoreFault("lock", place(id), () => takeLock(place(id, "lock"), holder, now));
      return other ?? lockOf(id, place(id), holder, now);
    },
    async send(id, message) {
      const inbox = place(id, "inbox");
      await inOrder(() => orStoreFault("send a message to", inbox, () => sendTo(inbox, message)));
    },
    messages: async (id) => orStoreFault("read", place(id, "inbox"), () => messagesIn(place(id, "inbox"))),
    drop: async (id, messages) =>
      orStoreFault("drop messages from", place(id, "inbox"), () => dropFrom(place(id, "inbox"), messages)),
    delete: async (id) => orStoreFault("delete", place(id), () => deleteIn(root, id, now)),
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
  const found = await Promise.all(
    ids.map(async (id) => {
      const file = await unlessMissing(stat(join(root, id, "journal.jsonl")));
      return file === undefined || file.size === 0 ? [] : [{ id, updated: Math.round(file.mtimeMs) }];
    }),
  );
  return found.flat();
}

/** Deletes a session as its holder: first it gets another name, at once, then it goes, with what killed deletions left. */
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
