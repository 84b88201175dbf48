// The log of a session as a file: one line for each append, each by one write.

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

/** The writing side of a log. */
export interface FileJournal {
  append(line: string, flush: boolean): Promise<void>;
  cut(lines: number): Promise<void>;
  close(): Promise<void>;
}

const flushData = promisify(fdatasync);
const lineFeed = 10;

/** All lines of the file; undefined where there are none. */
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
 * Opens a log for its only writer. `mustHold` throws where it is not that any more, and is asked right before each change, with
 * no turn of the event loop in between: what a process does after it slept begins with a look at the lock. A file system has no
 * write on a condition, so a process that is stopped between these two system calls for as long as a lock lasts could still
 * write one line into its successor's log. No line is lost by that, and the session finds it by its checksums.
 */
export function fileJournal(file: string, mustHold: () => void): FileJournal {
  const inOrder = queue();
  let opened: number | undefined;
  let isWhole = false;
  let isBroken = false;
  let areNamesFlushed = false;

  const handle = (): number => (opened ??= openSync(file, "a+", 0o600));

  /** Keeps nothing of what could not be written whole. */
  const takeBack = (to: number): void => {
    isBroken = true;
    try {
      mustHold();
      ftruncateSync(handle(), to);
      isBroken = false;
    } catch {
      // The failure before this one is thrown, and the next append is refused.
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
      // One write takes it all, unless there is no room: then the next one says why.
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
          // Written by a process that was stopped just before: nobody is told that it is kept.
          mustHold();
          if (!flush) return;
          try {
            await flushAll();
          } catch (thrown) {
            takeBack(before);
            // What a disk says after a flush that failed can't be relied upon.
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
          const kept = await endOf(file, lines);
          mustHold();
          ftruncateSync(handle(), kept.end);
          if (!kept.isWhole) writeSync(handle(), "\n");
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

/** Says that what is written would be in no folder any more. */
function deleted(file: string): LastcallError {
  const message = `${file} was deleted while it was written, so what it had is in the outcome of this run alone. Look who deletes there, or keep sessions elsewhere.`;
  return new LastcallError("store", message);
}

/** Throws where the next line would be glued to one that was not written to its end. */
function demandWhole(handle: number, size: number, file: string): void {
  const last = Buffer.alloc(1, lineFeed);
  if (size > 0) readSync(handle, last, 0, 1, size - 1);
  if (last[0] === lineFeed) return;
  throw new LastcallError("store", `The last line of ${file} was not written to its end. Cut it off before the next.`);
}

/** Where the first so many lines end, and whether the last of them is whole. */
async function endOf(file: string, lines: number): Promise<{ readonly end: number; readonly isWhole: boolean }> {
  if (lines <= 0) return { end: 0, isWhole: true };
  let [end, left, isWhole] = [0, lines, true];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (let feed = chunk.indexOf(lineFeed); feed >= 0; feed = chunk.indexOf(lineFeed, feed + 1)) {
      left -= 1;
      if (left === 0) return { end: end + feed + 1, isWhole: true };
    }
    end += chunk.length;
    isWhole = chunk.at(-1) === lineFeed;
  }
  return { end, isWhole };
}
