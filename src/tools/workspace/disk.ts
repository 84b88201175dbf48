// The disk: the real files of a workspace.

import { constants, type Dirent, type Stats } from "node:fs";
import { access, lstat, open, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "../../files/index.js";
import { inPinned, isAt, type Pinned } from "./pinned-folder.js";
import { replaceFile } from "./replace-file.js";
import type { FileKind, FileLook, WorkspaceFiles } from "./workspace-files.js";

/**
 * The files on the disk. Every tool works on them unless it is given other files. On Linux, a link that appears in a
 * path after the path was checked can't lead a tool elsewhere. On other systems a short race remains (see `holdFolder`).
 */
export function disk(): WorkspaceFiles {
  return {
    isDisk: true,
    follow: (path) => realpath(path),
    look,
    read,
    list: (path) =>
      inPinned(path, async (folder) => {
        const entries = await readdir(folder.at("."), { withFileTypes: true });
        return entries.map((entry) => ({ name: entry.name, kind: kindOfEntry(entry) }));
      }),
    replace: replaceFile,
    move,
    remove: (path) => inFolderOf(path, remove),
  };
}

/** Bytes read at a time. */
const pieceBytes = 64 * 1024;

async function look(path: string): Promise<FileLook | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
  const kind = kindOfEntry(stats);
  const isReadOnly = kind === "file" && !(await access(path, constants.W_OK).then(yes, no));
  const version = `${String(stats.ino)} ${String(stats.mtimeMs)} ${String(stats.ctimeMs)}`;
  return { kind, size: stats.size, mode: stats.mode & 0o7777, isReadOnly, version };
}

const yes = (): boolean => true;
const no = (): boolean => false;

/** The flags matter if the file was replaced after the check: no link is followed, and no pipe is waited for. */
async function* read(path: string, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  signal.throwIfAborted();
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    // A device may never end, and the swapped file may be one.
    if (!stats.isFile() || !(await isAt(file, path)))
      throw new Error(`${path} is not what it was a moment ago. Look again.`);
    // One byte more than the size, so that a small file's end is seen with the first read. Some files report size 0 and
    // have content.
    const chunkBytes = stats.size === 0 ? pieceBytes : Math.min(pieceBytes, stats.size + 1);
    // A read may return less than there is: on a disk in the network, for example. Only a read after the whole size, or an empty read,
    // tells the end.
    let readBytes = 0;
    for (let isMore = true; isMore;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      signal.throwIfAborted();
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      readBytes += bytesRead;
      isMore = bytesRead > 0 && (bytesRead === chunkBytes || stats.size === 0 || readBytes < stats.size);
    }
  } finally {
    await file.close();
  }
}

function inFolderOf<Made>(path: string, work: (heldPath: string) => Promise<Made>): Promise<Made> {
  return inPinned(dirname(path), (folder) => {
    folder.check();
    return work(folder.at(basename(path)));
  });
}

async function remove(heldPath: string): Promise<void> {
  if ((await lstat(heldPath)).isDirectory()) await rmdir(heldPath);
  else await unlink(heldPath);
}

function move(from: string, to: string): Promise<void> {
  const moveInto = (target: Pinned): Promise<void> =>
    inFolderOf(from, async (heldPath) => {
      target.check();
      await rename(heldPath, target.at(basename(to)));
    });
  return inPinned(dirname(to), moveInto, { makes: true });
}

function kindOfEntry(entry: Dirent | Stats): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  if (entry.isFIFO()) return "pipe";
  return entry.isSocket() ? "socket" : "device";
}
