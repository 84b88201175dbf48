// Reads the beginning of a file on the disk to find secrets, if the name of the file does not decide.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { bytesToLookAt, holdsSecret } from "./secret-content.js";
import { isSecretFile, isSecretFolder, suspicionOf } from "./secret-files.js";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

/** The number of bytes that are read of a file with a usual name. */
const usualBytes = 512;

/** One buffer for all looks, which are made one after the other. */
const buffer = Buffer.alloc(64 * 1024);

/**
 * True if the file is likely to hold secrets: by its name, or by its content if the name does not decide. `place` is where the file is on
 * the disk, and `path` is its name for the patterns, with slashes. A link is not followed; a pipe or a device is not read. A file that is
 * missing or can't be opened counts by its name.
 */
export function isSecretAt(path: string, place: string): boolean {
  return looksSecret(path, place, Math.max(bytesToLookAt(path), usualBytes));
}

/** True if a file of a listing is likely to hold secrets. Files with usual names are not opened, nor are links and pipes. */
export function isSecretFound(path: string, place: string): boolean {
  const suspicion = suspicionOf(path);
  if (suspicion === undefined || suspicion === "secret") return suspicion === "secret";
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return false;
  const key = `${path}:${String(stats.dev)}:${String(stats.ino)}`;
  const version = `${String(stats.ctimeMs)}:${String(stats.size)}`;
  const known = seen.get(key);
  if (known?.version === version) return known.isSecret;
  const isSecret = looksSecret(path, place, bytesToLookAt(path));
  // A file can change twice within one tick of the file system's clock.
  if (Date.now() - stats.ctimeMs > 2000) {
    if (seen.size >= maxSeen) seen.clear();
    seen.set(key, { version, isSecret });
  }
  return isSecret;
}

/** The findings, by path, device and inode: the folders of a path count too. `ctime` shows a change: no program can set it. */
const seen = new Map<string, { readonly version: string; readonly isSecret: boolean }>();
const maxSeen = 20_000;

function looksSecret(path: string, place: string, most: number): boolean {
  let file: number;
  try {
    file = openSync(place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (thrown) {
    return isSecretFolder(path) || (isSecretFile(path) && (isThere(thrown) || !plainWord.test(path)));
  }
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) return isSecretFolder(path);
    if (!stats.isFile()) return isSecretFile(path);
    const length = fill(file, Math.min(most, buffer.length), stats.size);
    return holdsSecret(path, { bytes: buffer.subarray(0, length), isWhole: stats.size <= length });
  } catch {
    return isSecretFile(path);
  } finally {
    closeSync(file);
  }
}

/** Reads up to `most` bytes into the buffer. A read may return less than there is: only an empty read, or the whole size, is the end. */
function fill(file: number, most: number, size: number): number {
  let length = 0;
  let read: number;
  do {
    read = readSync(file, buffer, length, most - length, length);
    length += read;
  } while (read > 0 && length < Math.min(most, size));
  return length;
}

/** A name that may be a plain word, as in `grep -r password`. It counts only if the file exists. */
const plainWord = /(?:^|\/)(?!id_)[\w-]+$/;

function isThere(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code !== "ENOENT" && thrown.code !== "ENOTDIR";
}
