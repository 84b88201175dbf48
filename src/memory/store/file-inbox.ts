// The inbox of a session: a folder with one file per message. The file names sort in the order of sending. Messages that two processes
// send at the same time may have the same number, and then sort by the hash of their ids.

import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flushFolders, makeFolder } from "../disk/flush-folders.js";
import { orStoreFault, unlessMissing } from "../disk/store-fault.js";
import type { StoredMessage } from "./store.js";

/** Adds a message after all messages in the folder. Does nothing if the folder already has a message with this id. */
export async function sendTo(folder: string, message: StoredMessage): Promise<void> {
  const names = await namesIn(folder);
  const key = await keyOf(message.id);
  if (names.some((name) => name.includes(key))) return;
  const last = names.at(-1);
  const number = last === undefined ? 1 : Number(last.slice(0, 12)) + 1;
  await makeFolder(folder);
  const temporary = join(folder, `.${crypto.randomUUID()}`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(JSON.stringify({ id: message.id, text: message.text }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, `${String(number).padStart(12, "0")}-${key}.json`));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  await dropLeftovers(folder);
  await flushFolders(folder, dirname(folder), dirname(dirname(folder)));
}

/** The age of a temporary file, in milliseconds, after which its sender can't be writing it any more. */
const leftover = 60_000;

/** Deletes the temporary files of senders that were killed. */
async function dropLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => /^\.[0-9a-f-]{36}$/.test(one))) {
    const file = join(folder, name);
    const kept = await unlessMissing(stat(file));
    if (kept !== undefined && Date.now() - kept.mtimeMs > leftover) await rm(file, { force: true });
  }
}

/** The messages, oldest first. A message that two processes sent at the same time is listed once. */
export async function messagesIn(folder: string): Promise<readonly StoredMessage[]> {
  if (isMissing(folder)) return [];
  const messages = new Map<string, StoredMessage>();
  for (const name of await namesIn(folder)) {
    const text = await unlessMissing(readFile(join(folder, name), "utf8"));
    // If the file is missing, its message was dropped after the folder was listed.
    if (text === undefined) continue;
    const message = await orStoreFault("read", join(folder, name), () => JSON.parse(text) as StoredMessage);
    if (!messages.has(message.id)) messages.set(message.id, message);
  }
  return [...messages.values()];
}

/**
 * True if a session has no inbox, as most have. A run looks before each iteration, and this costs a tenth of a failed listing. False if
 * the session's folder is not there either: the listing then tells why.
 */
function isMissing(folder: string): boolean {
  return !existsSync(folder) && existsSync(dirname(folder));
}

/** Deletes the messages with these ids. */
export async function dropFrom(folder: string, ids: readonly string[]): Promise<void> {
  const keys = await Promise.all(ids.map(keyOf));
  const names = (await namesIn(folder)).filter((name) => keys.some((key) => name.includes(key)));
  for (const name of names) await rm(join(folder, name), { force: true });
  if (names.length > 0) await flushFolders(folder);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names.filter((name) => /^\d{12}-[0-9a-f]{32}\.json$/.test(name)).sort();
}

/** The part of the file name that stands for the id. It is a hash, because an id may contain characters that a file name can't. */
async function keyOf(id: string): Promise<string> {
  // `node:crypto` is imported on first use, because loading it takes ten milliseconds.
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}
