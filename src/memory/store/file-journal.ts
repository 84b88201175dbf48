// The log of a session as a file. Each append writes one line with one system call.

import {
  closeSync,
  createReadStream,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { LastcallError } from "../../core/index.js";
import { flushFolders } from "./flush-folders.js";
import { checkLine, linesIn } from "./log-line.js";
import { queue } from "./queue.js";
import { codeOf, orStoreFault } from "./store-fault.js";

/** The writer of a log. */
export interface FileJournal {
  append(line: string, flush: boolean): Promise<void>;
  cut(lines: number): Promise<void>;
  close(): Promise<void>;
}

const flushData = promisify(fdatasync);
const lineFeed = 10;

/** All lines of the file; undefined if it is missing or empty. */
export async function readJournal(file: string): Promise<readonly string[] | undefined> {
  return orStoreFault("read", file, async () => {
    try {
      const lines = linesIn(await readFile(file));
      return lines.length === 0 ? undefined : lines;
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  });
}

/**
 * Opens a log for its only writer. `mustHold` throws if this process has lost the lock. It is called immediately before each
 * change, in the same turn of the event loop, so that a process that was asleep checks the lock before it writes. A file system
 * has no conditional write. So a process that is stopped between the check and the write until its lock expires could still
 * write one line into the log of the next holder. That loses no line, and the checksums reveal it.
 */
export function fileJournal(file: string, mustHold: () => void): FileJournal {
  const inOrder = queue();
  let opened: number | undefined;
  let isWhole = false;
  let isBroken = false;
  let areNamesFlushed = false;

  const handle = (): number => (opened ??= openSync(file, "a+", 0o600));

  /** Removes an incomplete write. */
  const takeBack = (size: number): void => {
    isBroken = true;
    try {
      mustHold();
      ftruncateSync(handle(), size);
      isBroken = false;
    } catch {
      // The caller throws the original failure, and `isBroken` makes the next append fail.
    }
  };

  const write = (bytes: Buffer): number => {
    mustHold();
    if (isBroken)
      throw new LastcallError("store", `What failed before could not be taken back from ${file}. Open it anew.`);
    const { size, nlink } = fstatSync(handle());
    if (nlink === 0) throw deleted(file);
    if (!isWhole) demandWhole(handle(), size, file);
    isWhole = true;
    try {
      // One write normally takes all bytes. If the disk is full it takes fewer, and the next write throws the reason.
      for (let done = 0; done < bytes.length;) done += writeSync(handle(), bytes, done);
    } catch (thrown) {
      takeBack(size);
      throw thrown;
    }
    return size;
  };

  const flushAll = async (): Promise<void> => {
    await flushData(handle());
    if (!areNamesFlushed) await flushFolders(dirname(file), dirname(dirname(file)));
    areNamesFlushed = true;
  };

  return {
    append: async (line, flush) => {
      const bytes = Buffer.from(`${checkLine(line)}\n`);
      await inOrder(() =>
        orStoreFault("append to", file, async () => {
          const before = write(bytes);
          // The process may have been stopped before the write and have lost the lock: then the append must not be reported as done.
          mustHold();
          if (!flush) return;
          try {
            await flushAll();
          } catch (thrown) {
            takeBack(before);
            // After a failed flush, later answers of the disk can't be trusted.
            isBroken = true;
            throw thrown;
          }
        }),
      );
    },
    cut: async (lines) =>
      inOrder(() =>
        orStoreFault("cut", file, async () => {
          mustHold();
          handle();
          const end = await endOf(file, lines);
          mustHold();
          ftruncateSync(handle(), end.offset);
          if (!end.isWhole) writeSync(handle(), "\n");
          [isWhole, isBroken] = [true, false];
          await flushAll();
        }),
      ),
    close: async () =>
      inOrder(() => {
        if (opened !== undefined) closeSync(opened);
        opened = undefined;
      }),
  };
}

/** The fault for a log that was deleted while it was open: further writes would be lost. */
function deleted(file: string): LastcallError {
  const message = `${file} was deleted while it was written, so what it had is in the outcome of this run alone. Look who deletes there, or keep sessions elsewhere.`;
  return new LastcallError("store", message);
}

/** Throws if the last line has no line feed, because the next line would be appended to it. */
function demandWhole(handle: number, size: number, file: string): void {
  const last = Buffer.alloc(1, lineFeed);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  if (last[0] === lineFeed) return;
  throw new LastcallError("store", `The last line of ${file} was not written to its end. Cut it off before the next.`);
}

/** The byte offset after the first `lines` lines, and whether the last of these ends with a line feed. */
async function endOf(file: string, lines: number): Promise<{ readonly offset: number; readonly isWhole: boolean }> {
  if (lines <= 0) return { offset: 0, isWhole: true };
  let [offset, left, isWhole] = [0, lines, true];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (let feed = chunk.indexOf(lineFeed); feed >= 0; feed = chunk.indexOf(lineFeed, feed + 1)) {
      left -= 1;
      if (left === 0) return { offset: offset + feed + 1, isWhole: true };
    }
    offset += chunk.length;
    isWhole = chunk.at(-1) === lineFeed;
  }
  return { offset, isWhole };
}
