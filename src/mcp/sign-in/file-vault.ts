// The vault in files: a folder with one file for each key, which the owner alone may read, encrypted if there is a key.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { atCaller, checkOptions, explain, isPlainObject, needed, type OptionKinds } from "../../core/internal.js";
import { freeLock, giveBack, newHolder, renewLock, waitForLock } from "../../lock/index.js";
import { isOver, type Kept, type Vault } from "./vault.js";

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

/** The longest wait for another process that changes the same key, in milliseconds. */
const longestWait = 60_000;

/** The milliseconds between two signs of life of a change. */
const renewal = 5000;

const cipher = "aes-256-gcm";

/**
 * Makes a vault of a folder on this machine. Any number of processes may share it.
 * @throws LastcallError `configuration` for a key that is not 32 bytes. Its methods throw `store` if a file can't be read or written, and
 * `configuration` if a file was written with another key, or with none.
 */
export function fileVault(options: FileVaultOptions): Vault {
  const { folder, key } = atCaller(fileVault, () => {
    checkOptions("fileVault", options, fileVaultOptions);
    return { folder: options.folder, key: options.key === undefined ? undefined : readKey(options.key) };
  });
  const fileOf = (name: string): string =>
    join(folder, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.json`);
  const keptIn = async (name: string): Promise<string | undefined> => {
    const kept = await readKept(fileOf(name), { name, key });
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
        else await write(file, kept, { name, key });
        await removeOld(folder);
      } finally {
        clearInterval(beat);
        await giveBack(holder, () => freeLock(lock, holder));
      }
    },
  };
}

/** The name of a text and the key of its file. */
interface Sealed {
  readonly name: string;
  readonly key: Buffer | undefined;
}

function readKey(text: string): Buffer {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
  if (bytes.length === 32) return bytes;
  throw new LastcallError(
    "configuration",
    "The key of fileVault is not 32 bytes: give 64 hexadecimal digits, for example of `openssl rand -hex 32`.",
  );
}

async function readKept(file: string, sealed: Sealed): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return asStore(file)(thrown);
  }
  const held = parse(text);
  const { until } = held ?? {};
  const opened = held === undefined ? undefined : opening(held, file, sealed);
  if (opened === undefined)
    throw new LastcallError("store", `${file} is damaged: remove it, and people sign in again.`);
  return { text: opened, ...(typeof until === "number" && { until }) };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const held: unknown = JSON.parse(text);
    return isPlainObject(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

/** The text in a file; undefined if the file is damaged. */
function opening(
  { text, sealed, iv, tag }: Readonly<Record<string, unknown>>,
  file: string,
  { name, key }: Sealed,
): string | undefined {
  if (typeof sealed !== "string") {
    if (key !== undefined && typeof text === "string")
      throw new LastcallError(
        "configuration",
        `${file} is not encrypted: remove it, or leave the key of fileVault out.`,
      );
    return typeof text === "string" ? text : undefined;
  }
  if (key === undefined)
    throw new LastcallError("configuration", `${file} is encrypted: give fileVault the key that it was written with.`);
  try {
    const decipher = createDecipheriv(cipher, key, Buffer.from(String(iv), "base64"), { authTagLength: 16 });
    // The name is bound to the text: a file that somebody copied over another opens nothing.
    decipher.setAAD(Buffer.from(name)).setAuthTag(Buffer.from(String(tag), "base64"));
    return Buffer.concat([decipher.update(Buffer.from(sealed, "base64")), decipher.final()]).toString("utf8");
  } catch {
    throw new LastcallError("configuration", `${file} can't be opened with this key of fileVault: it has another.`);
  }
}

async function write(file: string, { text, until }: Kept, sealed: Sealed): Promise<void> {
  const held = { ...(until !== undefined && { until }), ...sealing(text, sealed) };
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

function sealing(text: string, { name, key }: Sealed): Readonly<Record<string, string>> {
  if (key === undefined) return { text };
  const iv = randomBytes(12);
  const sealer = createCipheriv(cipher, key, iv, { authTagLength: 16 }).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([sealer.update(text, "utf8"), sealer.final()]);
  return { sealed: sealed.toString("base64"), iv: iv.toString("base64"), tag: sealer.getAuthTag().toString("base64") };
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
  const until = parse(await readFile(file, "utf8").catch(() => ""))?.["until"];
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
