// Looks into a file on the disk for secrets, if its name makes that worthwhile.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { bytesToLookAt, holdsSecret } from "./secret-content.js";
import { isSecretFile, isSecretFolder, suspicionOf } from "./secret-files.js";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

/** The bytes that are read of a file whose name tells nothing. */
const usualBytes = 512;

/** One buffer for all looks, which are made one after the other. */
const buffer = Buffer.alloc(64 * 1024);

/**
 * True if the file at `place` is likely to hold secrets: by its name, and if that does not tell, by its content. `path` is its name for
 * patterns, with slashes. A link is not followed; a pipe or a device is not read. A file that is missing or can't be opened counts by its
 * name.
 */
export function isSecretAt(path: string, place: string): boolean {
  return looksSecret(path, place, Math.max(bytesToLookAt(path), usualBytes));
}

/** The same for a file that somebody found in a folder: a file with a usual name is not opened. */
export function isSecretFound(path: string, place: string): boolean {
  const suspicion = suspicionOf(path);
  if (suspicion === undefined || suspicion === "secret") return suspicion === "secret";
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return false;
  const key = `${path.slice(path.lastIndexOf("/") + 1)}:${String(stats.dev)}:${String(stats.ino)}`;
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

/** The findings, by the names and numbers of the files. The time of a change can't be set by a program. */
const seen = new Map<string, { readonly version: string; readonly isSecret: boolean }>();
const maxSeen = 20_000;

function looksSecret(path: string, place: string, most: number): boolean {
  let file: number;
  try {
    file = openSync(place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (thrown) {
    return isSecretFolder(path) || (isSecretFile(path) && (isThere(thrown) || !isWord.test(path)));
  }
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) return isSecretFolder(path);
    if (!stats.isFile()) return isSecretFile(path);
    const length = readSync(file, buffer, 0, Math.min(most, buffer.length), 0);
    return holdsSecret(path, { bytes: buffer.subarray(0, length), isWhole: stats.size <= length });
  } catch {
    return isSecretFile(path);
  } finally {
    closeSync(file);
  }
}

/** A name that is a word as well, as in `grep -r password`. It is a secret if there is such a file. */
const isWord = /(?:^|\/)(?!id_)[\w-]+$/;

function isThere(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code !== "ENOENT" && thrown.code !== "ENOTDIR";
}
