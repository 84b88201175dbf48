// The log of a session as a file. Each append writes its lines with one system call.

import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { copyFile, open, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { flushElsewhere, type FlushData } from "../disk/flush-data.js";
import { flushFolders } from "../disk/flush-folders.js";
import { checkLine } from "./log-line.js";
import { queue } from "./queue.js";
import { demandFile, isEmptied, noFollow } from "./read-journal.js";
import { changedLog, codeOf, deletedLog, notTakenBack, orStoreFault, unlessMissing } from "../disk/store-fault.js";

/** The writer of a log. */
export interface FileJournal {
  /** Opens the file if it exists. Returns true if its last line has no line feed. */
  begin(): Promise<boolean>;
  append(lines: readonly string[], flush: boolean): Promise<void>;
  cut(lines: number): Promise<void>;
  /** Copies the file as it is. Returns the path of the copy. */
  copy(): Promise<string>;
  close(): Promise<void>;
}

const lineFeed = 10;
/** The time after which the lock and the file are checked again, in milliseconds. */
const recheck = 10;

/**
 * Replaces a log by a copy. A process that still has the file open then writes to a file that has no name any more. A log that was
 * never written is deleted for the same reason.
 */
export async function replaceJournal(file: string): Promise<void> {
  demandFile(file);
  const old = await unlessMissing(stat(file, { bigint: true }));
  if (old === undefined || isEmptied(old)) return;
  if (old.size === 0n) {
    await rm(file, { force: true });
    return;
  }
  const copy = `${file}.${crypto.randomUUID()}`;
  try {
    await copyWhole(file, copy);
    // Whole milliseconds, which no system rounds.
    const seconds = (ns: bigint): number => Math.round(Number(ns) / 1e6) / 1e3;
    await utimes(copy, seconds(old.atimeNs), seconds(old.mtimeNs));
    await rename(copy, file);
  } catch (thrown) {
    await rm(copy, { force: true });
    throw thrown;
  }
  await flushFolders(dirname(file));
}

async function copyWhole(file: string, copy: string): Promise<void> {
  await copyFile(file, copy, constants.COPYFILE_EXCL);
  const copied = await open(copy, "r+");
  try {
    await copied.sync();
  } finally {
    await copied.close();
  }
}

/**
 * Opens a log for its only writer. `mustHold` throws if this process has lost the lock. It is called, and the file is looked at, before a
 * write and after it, unless that was done in the last ten milliseconds. After a write that is flushed it is always done. Such a write
 * counts only if the lock is still held. If the lock was taken over before, the next holder has replaced the file by a copy, and the
 * write reaches nobody. `flushData` flushes the file.
 */
export function fileJournal(file: string, mustHold: () => void, flushData: FlushData = flushElsewhere): FileJournal {
  const inOrder = queue();
  let opened: number | undefined;
  /** The size that this writer left, in bytes. Undefined until the file is open. */
  let left: number | undefined;
  /** True if the log ends without a line feed. */
  let isTorn = false;
  let failure: { readonly cause: unknown } | undefined;
  let areNamesFlushed = false;

  /** The time of the last check of the lock and the file. */
  let checkedAt = -Infinity;

  /** Checks that the lock is held, and that the file is what this writer left. */
  const check = (): void => {
    checkedAt = -Infinity;
    mustHold();
    if (opened !== undefined) {
      const { size, nlink } = fstatSync(opened);
      if (nlink === 0) throw deletedLog(file);
      if (size !== left) throw changedLog(file, left ?? 0, size);
    }
    checkedAt = performance.now();
  };

  const isChecked = (): boolean => opened !== undefined && performance.now() - checkedAt < recheck;

  const close = (): void => {
    if (opened !== undefined) closeSync(opened);
    [opened, left] = [undefined, undefined];
  };

  const handle = (mayCreate = true): number => {
    if (opened !== undefined) return opened;
    demandFile(file);
    const create = mayCreate ? constants.O_CREAT : 0;
    opened = openSync(file, constants.O_RDWR | constants.O_APPEND | noFollow | create, 0o600);
    left = fstatSync(opened).size;
    isTorn = !isWhole(opened, left);
    return opened;
  };

  /** Makes the log end at this size. A log of nothing is no file: an empty file would look like a log that somebody emptied. */
  const truncate = (size: number): void => {
    ftruncateSync(handle(), size);
    left = size;
    isTorn = !isWhole(handle(), size);
    if (size > 0) return;
    unlinkSync(file);
    close();
    areNamesFlushed = false;
  };

  /** Removes an incomplete write, whose failure is the cause if that fails as well. */
  const takeBack = (size: number, cause: unknown): void => {
    failure = { cause };
    try {
      mustHold();
      truncate(size);
      failure = undefined;
    } catch {
      // The caller throws the original failure, and `failure` makes the next append fail.
    }
  };

  /** Writes the lines. Returns the size of the file before. */
  const write = (lines: readonly string[]): number => {
    if (failure !== undefined) throw notTakenBack(file, failure.cause);
    if (!isChecked()) check();
    const descriptor = handle();
    const size = left ?? 0;
    // Text that stands there without an end stays a line by itself.
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${lines.join("\n")}\n`);
    try {
      // One write normally takes all bytes. If the disk is full it takes fewer, and the next write throws the reason.
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    } catch (thrown) {
      takeBack(size, thrown);
      throw thrown;
    }
    left = size + bytes.length;
    isTorn = false;
    return size;
  };

  const flushAll = async (): Promise<void> => {
    if (opened !== undefined) await flushData(opened);
    if (!areNamesFlushed) await flushFolders(dirname(file), dirname(dirname(file)));
    areNamesFlushed = true;
  };

  return {
    begin: async () =>
      inOrder(() =>
        orStoreFault("open", file, async () => {
          try {
            handle(false);
            return isTorn;
          } catch (thrown) {
            if (codeOf(thrown) === "ENOENT") return false;
            throw thrown;
          }
        }),
      ),
    append: async (lines, flush) => {
      if (lines.length === 0) return;
      lines.forEach(checkLine);
      await inOrder(() =>
        orStoreFault("append to", file, async () => {
          const before = write(lines);
          if (flush || !isChecked()) check();
          if (!flush) return;
          try {
            await flushAll();
          } catch (thrown) {
            takeBack(before, thrown);
            // After a failed flush, later answers of the disk can't be trusted.
            failure = { cause: thrown };
            throw thrown;
          }
        }),
      );
    },
    cut: async (lines) =>
      inOrder(() =>
        orStoreFault("cut", file, async () => {
          mustHold();
          const end = endOf(handle(), lines);
          mustHold();
          truncate(end);
          if (isTorn) left = end + writeSync(handle(), "\n");
          isTorn = false;
          failure = undefined;
          await flushAll();
        }),
      ),
    copy: async () =>
      inOrder(() =>
        orStoreFault("copy", file, async () => {
          const copy = `${file}.damaged-${new Date().toISOString().replaceAll(/[^\dT]/g, "")}`;
          await copyWhole(file, copy);
          await flushFolders(dirname(file));
          return copy;
        }),
      ),
    close: async () => inOrder(close),
  };
}

/** False if the last line has no line feed. */
function isWhole(handle: number, size: number): boolean {
  const last = Buffer.alloc(1, lineFeed);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  return last[0] === lineFeed;
}

/** The byte offset after the first `lines` lines; the size of the file if it has fewer, or the last line has no line feed. */
function endOf(handle: number, lines: number): number {
  if (lines <= 0) return 0;
  const chunk = Buffer.alloc(65_536);
  let [offset, left] = [0, lines];
  for (;;) {
    const length = readSync(handle, chunk, 0, chunk.length, offset);
    if (length === 0) return offset;
    const bytes = chunk.subarray(0, length);
    for (let feed = bytes.indexOf(lineFeed); feed >= 0; feed = bytes.indexOf(lineFeed, feed + 1)) {
      left -= 1;
      if (left === 0) return offset + feed + 1;
    }
    offset += length;
  }
}
