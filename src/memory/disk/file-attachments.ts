// The bytes of attachments in a folder: a file for each digest, written once.

import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LastcallError, type AttachmentStore } from "../../core/index.js";
import { flushFolders, makeFolder } from "./flush-folders.js";
import { orStoreFault, unlessMissing } from "./store-fault.js";

/**
 * Keeps bytes in the folder, which is made when the first are written. `begin` is called before that. A file is complete under its name,
 * because it is renamed when its bytes are on the disk.
 */
export function fileAttachments(folder: string, begin: () => Promise<void>): AttachmentStore {
  const fileOf = (digest: string): string => join(folder, checkDigest(digest));
  return {
    async write(digest, bytes) {
      const file = fileOf(digest);
      await orStoreFault("keep an attachment in", file, async () => {
        if ((await unlessMissing(stat(file))) !== undefined) return;
        await begin();
        await makeFolder(folder);
        await writeWhole(folder, file, bytes);
      });
    },
    read: async (digest) =>
      orStoreFault("read an attachment in", fileOf(digest), async () => unlessMissing(readFile(fileOf(digest)))),
    remove: async (digest) =>
      orStoreFault("remove an attachment from", fileOf(digest), async () => {
        await rm(fileOf(digest), { force: true });
        if ((await unlessMissing(stat(folder))) !== undefined) await flushFolders(folder);
      }),
  };
}

/**
 * Checks that a digest is one: it becomes the name of a file.
 * @throws LastcallError `configuration` for anything else.
 */
export function checkDigest(digest: string): string {
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new LastcallError("configuration", `${JSON.stringify(digest)} is no SHA-256 in hexadecimal.`);
}

async function writeWhole(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(folder, `.${crypto.randomUUID()}`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  await flushFolders(folder);
}
