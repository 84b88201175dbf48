// The store in files: a folder per session, readable with any tool.

import { existsSync } from "node:fs";
import { lstat, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expectKind } from "../../core/internal.js";
import { fileAttachments } from "../disk/file-attachments.js";
import { changesIn } from "./changes.js";
import { dropFrom, messagesIn, sendTo } from "./file-inbox.js";
import { fileJournal, replaceJournal } from "./file-journal.js";
import {
  freeLock,
  giveBack,
  LockJudge,
  lockFile,
  newHolder,
  renewLock,
  takeLock,
  type Holder,
  type Taking,
} from "../../lock/index.js";
import { promptFlush, type FlushData } from "../disk/flush-data.js";
import { flushFolders, makeFolder } from "../disk/flush-folders.js";
import { queue } from "./queue.js";
import { LastReads, readJournal, readJournalBytes } from "./read-journal.js";
import { checkId, folderOf, idOf } from "./session-id.js";
import { lostLock, orStoreFault, stillWritten, unlessMissing } from "../disk/store-fault.js";
import type { Lock, Store, StoredSession } from "./store.js";

/** The name prefix of a session that is being deleted. No session's folder begins with it. */
const gone = ".gone-";

/**
 * Stores each session in its own folder, `<folder>/<id>/`: `journal.jsonl` has one line per record, `inbox` one file per message,
 * `attachments` one file per attachment, and `lock` one file whose name is the holder. In the folder's name, `+` and escapes stand for an
 * id that could not be a name everywhere.
 * Only this user may read them (modes 0700 and 0600). Locks are as reliable as renames are on the file system, so use a network
 * folder from one machine at a time. If the file system ignores case, of two plain ids that differ only in case the second is refused.
 *
 * `now` is the clock in milliseconds, for tests. Default: the machine's.
 */
export function fileStore(folder: string, now: () => number = Date.now): Store {
  expectKind("The folder of fileStore", folder, "text");
  const root = resolve(folder);
  const inOrder = queue();
  const reads = new LastReads();
  const means = { now, flushData: promptFlush() };
  const clock = { now, judge: new LockJudge(now), makeFolder };
  const taking = (id: string): Taking => ({ ...clock, fence: () => replaceJournal(path(id, "journal.jsonl")) });
  const path = (id: string, ...names: readonly string[]): string => join(root, folderOf(checkId(id)), ...names);
  return {
    name: `files in ${root}`,
    place: (id) => path(id, "journal.jsonl"),
    list: async () => orStoreFault("list", root, () => listIn(root)),
    read: async (id, from) => readJournal(path(id, "journal.jsonl"), from, reads),
    changes: (id, signal) => changesIn(path(id), signal),
    readBytes: async (id) => readJournalBytes(path(id, "journal.jsonl")),
    async lock(id, holder) {
      const { other, takenFrom } = await orStoreFault("lock", path(id), async () => {
        await nameFolder(root, id);
        return takeLock(path(id, "lock"), holder, taking(id));
      });
      if (other !== undefined) return other;
      return { ...(await lockOf(id, path(id), holder, means)), ...(takenFrom !== undefined && { takenFrom }) };
    },
    async send(id, message) {
      const inbox = path(id, "inbox");
      await inOrder(() =>
        orStoreFault("send a message to", inbox, async () => {
          await nameFolder(root, id);
          await sendTo(inbox, message);
        }),
      );
    },
    messages: async (id) => orStoreFault("read", path(id, "inbox"), () => messagesIn(path(id, "inbox"))),
    drop: async (id, messages) =>
      orStoreFault("drop messages from", path(id, "inbox"), () => dropFrom(path(id, "inbox"), messages)),
    attachments: (id) => fileAttachments(path(id, "attachments"), () => nameFolder(root, id)),
    delete: async (id) => orStoreFault("delete", path(id), () => deleteIn(root, id, taking(id))),
  };
}

/** The file in the folder of a session that has its id, if the name of the folder is a hash. */
const idFile = "id";

/** Keeps the id in the folder, if the folder's name is a hash. */
async function nameFolder(root: string, id: string): Promise<void> {
  const name = folderOf(id);
  if (idOf(name) !== "hashed" || (await unlessMissing(lstat(join(root, name, idFile)))) !== undefined) return;
  await makeFolder(join(root, name));
  await writeFile(join(root, name, idFile), id, { mode: 0o600, flush: true });
}

/** The id of the session in this folder. Undefined if it is not the folder of a session. */
async function idIn(root: string, name: string): Promise<string | undefined> {
  const known = idOf(name);
  if (known !== "hashed") return known?.id;
  const id = await unlessMissing(readFile(join(root, name, idFile), "utf8"));
  return id !== undefined && id !== "" && folderOf(id) === name ? id : undefined;
}

/** The clock of a store, and its way to flush. */
interface Means {
  readonly now: () => number;
  readonly flushData: FlushData;
}

async function lockOf(id: string, place: string, holder: Holder, { now, flushData }: Means): Promise<Lock> {
  const folder = join(place, "lock");
  const held = lockFile(folder, holder);
  const mustHold = (): void => {
    if (!existsSync(held)) throw lostLock(id);
  };
  const journal = fileJournal(join(place, "journal.jsonl"), mustHold, flushData);
  const release = async (): Promise<void> => {
    await journal.close();
    await orStoreFault("release", place, () => freeLock(folder, holder));
  };
  const isTorn = await journal.begin().catch(async (thrown: unknown) => {
    // A failing release is ignored, because the first failure says more.
    await giveBack(holder, release).catch(() => undefined);
    throw thrown;
  });
  return {
    isTorn,
    append: journal.append,
    cut: journal.cut,
    copy: journal.copy,
    renew: async () => orStoreFault("renew the lock of", place, () => renewLock(folder, holder, now)),
    release,
  };
}

async function listIn(root: string): Promise<readonly StoredSession[]> {
  const names = (await unlessMissing(readdir(root, { withFileTypes: true }))) ?? [];
  const folders = names.filter((name) => name.isDirectory()).map(({ name }) => name);
  const sessions = await Promise.all(
    folders.map(async (name) => {
      const id = await idIn(root, name);
      const file = await unlessMissing(lstat(join(root, name, "journal.jsonl")));
      return id === undefined || file === undefined || file.size === 0
        ? []
        : [{ id, updated: Math.round(file.mtimeMs) }];
    }),
  );
  return sessions.flat();
}

/**
 * Deletes a session while holding its lock. The folder is renamed first, which is atomic, and then removed together with the
 * leftovers of deletions that were killed.
 */
async function deleteIn(root: string, id: string, taking: Taking): Promise<void> {
  const place = join(root, folderOf(checkId(id)));
  if ((await unlessMissing(stat(place))) === undefined) return;
  const self = newHolder();
  if ((await takeLock(join(place, "lock"), self, taking)).other !== undefined) throw stillWritten(id);
  try {
    await rename(place, join(root, `${gone}${crypto.randomUUID()}`));
  } catch (thrown) {
    // A failing release is ignored, because the first failure says more.
    await giveBack(self, () => freeLock(join(place, "lock"), self)).catch(() => undefined);
    throw thrown;
  }
  await flushFolders(root);
  for (const name of (await readdir(root)).filter((one) => one.startsWith(gone))) {
    await rm(join(root, name), { recursive: true, force: true });
  }
}
