// Reads the log of a session from its file: all lines at once, or the bytes of a long log piece by piece.

import { constants, lstatSync, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { LastcallError } from "../../core/index.js";
import { linesIn } from "./log-line.js";
import { emptiedLog, orStoreFault, unlessMissing } from "../disk/store-fault.js";
import type { LogBytes } from "./store.js";

/** Absent on Windows. A pipe would make the process wait for its other end. */
export const noFollow: number =
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** The number of bytes from which a log is long. A shorter one is read before a thread has started. */
const long = 8 * 1024 * 1024;
/** The number of bytes of a piece. */
const piece = 4 * 1024 * 1024;
/** The number of pieces that are read while the caller uses one. A single one would often come late on a busy machine. */
const ahead = 3;

/** The lines of the file from this number on; none if it has no more, and undefined if it is missing. */
export async function readJournal(file: string, from?: number): Promise<readonly string[] | undefined> {
  return orStoreFault("read", file, async () => {
    demandFile(file);
    const handle = await unlessMissing(open(file, constants.O_RDONLY | noFollow));
    if (handle === undefined) return undefined;
    try {
      if (isEmptied(await handle.stat({ bigint: true }))) throw emptiedLog(file);
      return linesIn(await handle.readFile(), from);
    } finally {
      await handle.close();
    }
  });
}

/** The bytes of a long log. The file is open only while they are read. Undefined if it is not long, or missing. */
export async function readJournalBytes(file: string): Promise<LogBytes | undefined> {
  return orStoreFault("read", file, () => {
    demandFile(file);
    const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < long) return undefined;
    const memory = new SharedArrayBuffer(size);
    return { memory, ends: readInto(file, memory) };
  });
}

/** Reads a file into the memory, and yields how far it has got. While the caller uses a piece, the next ones are read. */
async function* readInto(file: string, memory: SharedArrayBuffer): AsyncGenerator<number, void, void> {
  const handle = await orStoreFault("read", file, () => open(file, constants.O_RDONLY | noFollow));
  const bytes = Buffer.from(memory);
  const reading: Promise<number>[] = [];
  let next = 0;
  const readNext = (): void => {
    const read = readPiece(handle, bytes, next);
    // The failure is thrown when its piece is due.
    read.catch(() => undefined);
    reading.push(read);
    next += piece;
  };
  try {
    for (let from = 0; from < bytes.length; from += piece) {
      while (reading.length < ahead && next < bytes.length) readNext();
      const read = await orStoreFault("read", file, () => reading.shift() ?? 0);
      if (read > 0) yield from + read;
      if (read < piece) return;
    }
  } finally {
    await Promise.allSettled(reading);
    await handle.close();
  }
}

/** Reads the piece at this offset. Returns its number of bytes, which is less than a piece only at the end of the file or of its room. */
async function readPiece(handle: FileHandle, bytes: Buffer, from: number): Promise<number> {
  const whole = Math.min(piece, bytes.length - from);
  let done = 0;
  for (let read = -1; done < whole && read !== 0; done += read)
    read = (await handle.read(bytes, from + done, whole - done, from + done)).bytesRead;
  return done;
}

/** True if a log once had lines. A new file was last changed when it was made. The system may not know when that was. */
export function isEmptied({ size, birthtimeNs, mtimeNs }: BigIntStats): boolean {
  return size === 0n && birthtimeNs > 0n && mtimeNs > birthtimeNs;
}

/** Throws if the path is anything but a file. A link is not followed, because the file behind it may be anything. */
export function demandFile(file: string): void {
  const kept = lstatSync(file, { throwIfNoEntry: false });
  if (kept === undefined || kept.isFile()) return;
  const what = kept.isSymbolicLink() ? "is a link, which is not followed" : "is no file";
  throw new LastcallError("store", `${file} ${what}. Move it away, or put the file itself there.`);
}
