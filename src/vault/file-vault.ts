// The vault in files: a folder with one file for each key, which the owner alone may read, encrypted if there is a key.

import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LastcallError } from "../core/index.js";
import { atCaller, checkOptions, explain, needed, type OptionKinds } from "../core/internal.js";
import { freeLock, giveBack, newHolder, renewLock, waitForLock } from "../lock/index.js";
import { opened, readKey, sealed, storedIn, type Seal } from "./sealing.js";
import { isOver, longestWait, type Kept, type Vault } from "./vault.js";

/** The options of `fileVault`. */
export interface FileVaultOptions {
  /** The folder. It is made with mode 700, and its files have mode 600. */
  readonly folder: string;
  /**
   * The key that the files are encrypted with (AES-256-GCM): 32 bytes, as 64 hexadecimal digits or in base64. A thief of
   * the files alone has no tokens. Default: the files are not encrypted, and their mode protects them.
   */
  readonly key?: string | undefined;
}

const fileVaultOptions = { folder: needed("text"), key: "text" } satisfies OptionKinds<FileVaultOptions>;

/** The milliseconds between two signs of life of a change. */
const renewal = 5000;

/**
 * Makes a vault of a folder on this machine. Any number of processes may share it.
 * @throws LastcallError `configuration` for a key that is not 32 bytes. Its methods throw `store` if a file can't be read or written, and
 * `configuration` if a file was written with another key, or with none.
 */
export function fileVault(options: FileVaultOptions): Vault {
  const { folder, key } = atCaller(fileVault, () => {
    checkOptions("fileVault", options, fileVaultOptions);
    return { folder: options.folder, key: readKey("fileVault", options.key) };
  });
  const fileOf = (name: string): string =>
    join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.json`);
  const sealOf = (name: string): Seal => ({ name, key, of: "fileVault" });
  const keptIn = async (name: string): Promise<string | undefined> => {
    const kept = await readKept(fileOf(name), sealOf(name));
    return kept === undefined || isOver(kept) ? undefined : kept.text;
  };
  return {
    read: keptIn,
    async change(name, next) {
      const file = fileOf(name);
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(asStore(folder));
      const [lock, holder] = [`${file}.lock`, newHolder()];
      const other = await waitForLock(lock, holder, { longest: longestWait }).catch(asStore(folder));
      if (other !== undefined)
        throw new LastcallError(
          "store",
          `${file} is held by process ${String(other.pid)} on ${other.host}: try again.`,
        );
      const beat = setInterval(() => {
        renewLock(lock, holder, Date.now).catch(() => undefined);
      }, renewal).unref();
      try {
        const kept = await next(await keptIn(name));
        if (kept === undefined) await rm(file, { force: true }).catch(asStore(file));
        else await write(file, kept, sealOf(name));
        await removeOld(folder);
      } finally {
        clearInterval(beat);
        await giveBack(holder, () => freeLock(lock, holder));
      }
    },
  };
}

async function readKept(file: string, seal: Seal): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return asStore(file)(thrown);
  }
  const stored = storedIn(text);
  const until = stored?.["until"];
  return { text: opened(stored, file, seal), ...(typeof until === "number" && { until }) };
}

async function write(file: string, { text, until }: Kept, seal: Seal): Promise<void> {
  const held = { ...(until !== undefined && { until }), ...sealed(text, seal) };
  const fresh = `${file}.${randomBytes(6).toString("hex")}.new`;
  try {
    const handle = await open(fresh, "wx", 0o600);
    try {
      await handle.writeFile(JSON.stringify(held));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(fresh, 0o600);
    await rename(fresh, file);
  } catch (thrown) {
    await rm(fresh, { force: true }).catch(() => undefined);
    asStore(file)(thrown);
  }
}

/**
 * Removes the files whose time is over, and the files of a process that died while it wrote: they may have tokens. A file that can't be
 * read now is left.
 */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    if (name.endsWith(".new")) {
      const { mtimeMs = Infinity } = await stat(file).catch(() => ({ mtimeMs: undefined }));
      if (mtimeMs < Date.now() - longestWait) await rm(file, { force: true });
    }
    if (!name.endsWith(".json")) continue;
    if (await isOld(file)) await removeUnused(file);
  }
}

async function isOld(file: string): Promise<boolean> {
  const until = storedIn(await readFile(file, "utf8").catch(() => ""))?.["until"];
  return typeof until === "number" && isOver({ text: "", until });
}

/** Removes an old file, unless somebody is about to write it anew. */
async function removeUnused(file: string): Promise<void> {
  const [lock, holder] = [`${file}.lock`, newHolder()];
  if ((await waitForLock(lock, holder, { longest: 0 })) !== undefined) return;
  try {
    if (await isOld(file)) await rm(file, { force: true });
  } finally {
    await giveBack(holder, () => freeLock(lock, holder));
  }
}

function asStore(place: string): (thrown: unknown) => never {
  return (thrown) => {
    if (thrown instanceof LastcallError) throw thrown;
    throw new LastcallError("store", `The vault can't use ${place}: ${explain(thrown)}.`, { cause: thrown });
  };
}
