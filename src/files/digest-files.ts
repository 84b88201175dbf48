// Digests files, so that a later change can be detected.

import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { constants, open, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { matcher, plain } from "./matcher.js";

/** The SHA-256 digests of files, hexadecimal, by path; or `unreadable`. */
export type Digests = Readonly<Record<string, string>>;

/** Folders of dependencies and generated files. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);
const unreadable = "unreadable";
/** Bytes read at a time. */
const pieceBytes = 256 * 1024;

/**
 * The digests of the files under `root` that match one of the patterns (see `matcher`), sorted by their paths relative
 * to `root`, with slashes. `.git`, `node_modules`, `.venv` and `__pycache__` are entered only if a pattern begins with
 * their path. A symbolic link counts as a file: its digest covers the link's target path and the content there. The
 * target is never entered as a folder. An unreadable file has the digest `unreadable`; an unreadable folder counts as
 * empty. Rejects with the signal's reason soon after it aborts.
 * @throws LastcallError `configuration` for an invalid pattern.
 */
export async function digestFiles(root: string, patterns: readonly string[], signal: AbortSignal): Promise<Digests> {
  if (patterns.length === 0) return {};
  const matches = matcher(patterns);
  const digest = digester(signal);
  const digests: (readonly [string, string])[] = [];
  for await (const { path, entry } of walk(root, patterns, signal)) {
    if (matches(path)) digests.push([path, await digest(join(root, path), entry)]);
  }
  return Object.fromEntries(digests.sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface WalkedFile {
  readonly path: string;
  readonly entry: Dirent;
}

/** Everything under `root` except folders. */
async function* walk(
  root: string,
  patterns: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<WalkedFile, void, void> {
  const isNamed = (folder: string): boolean => patterns.some((pattern) => `${plain(pattern)}/`.startsWith(folder));
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries) {
      signal.throwIfAborted();
      const path = folder + entry.name;
      if (!entry.isDirectory()) yield { path, entry };
      else if (!passedOver.has(entry.name) || isNamed(`${path}/`)) folders.push(`${path}/`);
    }
  }
}

/** Reads the files one after another into the same buffer. */
function digester(signal: AbortSignal): (file: string, entry: Dirent) => Promise<string> {
  const piece = Buffer.allocUnsafe(pieceBytes);

  async function digestContent(path: string): Promise<string> {
    const hash = createHash("sha256");
    // If the file has become a named pipe since it was checked, O_NONBLOCK opens it without waiting.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(piece, 0, pieceBytes);
        if (bytesRead === 0) return hash.digest("hex");
        hash.update(piece.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  async function digestFile(path: string, entry: Dirent): Promise<string> {
    try {
      // Checks the kind before opening: opening a device may have any effect.
      const isFile = entry.isFile() || (await stat(path)).isFile();
      return isFile ? await digestContent(path) : unreadable;
    } catch {
      signal.throwIfAborted();
      return unreadable;
    }
  }

  return async (path, entry) => {
    const content = await digestFile(path, entry);
    if (!entry.isSymbolicLink()) return content;
    const target = await readlink(path).catch(() => unreadable);
    return createHash("sha256").update(`${target}\0${content}`).digest("hex");
  };
}
