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

/** The number of bytes from which a log is long. A shorter log is read before a thread has started. */
const long = 8 * 1024 * 1024;
/** The number of bytes of a piece. */
const piece = 4 * 1024 * 1024;
/** The number of pieces that are read while the caller uses one. A single piece would often come late on a busy machine. */
const ahead = 3;

/** The beginning of the last line that was read of a file, so that the next read of later lines starts there. */
export interface ReadUpTo {
  readonly file: bigint;
  /** The number of lines before it. */
  readonly lines: number;
  /** The number of bytes before it. */
  readonly bytes: number;
}

/** The files whose later lines were read last. */
export class LastReads {
  readonly #most = 1000;
  readonly #reads = new Map<string, ReadUpTo>();

  get(file: string): ReadUpTo | undefined {
    return this.#reads.get(file);
  }

  set(file: string, read: ReadUpTo): void {
    this.#reads.delete(file);
    this.#reads.set(file, read);
    const [oldest] = this.#reads.keys();
    if (this.#reads.size > this.#most && oldest !== undefined) this.#reads.delete(oldest);
  }
}

/**
 * The lines of the file from this number on; none if it has no more, and undefined if it is missing. Later lines are read from where the
 * last read of later lines ended, if the file is still the same file.
 */
export async function readJournal(
  file: string,
  from = 0,
  reads: LastReads = new LastReads(),
): Promise<readonly string[] | undefined> {
  return orStoreFault("read", file, async () => {
    demandFile(file);
    const handle = await unlessMissing(open(file, constants.O_RDONLY | noFollow));
    if (handle === undefined) return undefined;
    try {
      const found = await handle.stat({ bigint: true });
      if (isEmptied(found)) throw emptiedLog(file);
      if (from === 0) return linesIn(await handle.readFile());
      const known = reads.get(file);
      const isKnown = known?.file === found.ino && known.lines <= from && BigInt(known.bytes) <= found.size;
      const start = isKnown && (await isLineStart(handle, known.bytes)) ? known : { lines: 0, bytes: 0 };
      const bytes = await readFrom(handle, start.bytes, Number(found.size));
      const lines = linesIn(bytes, from - start.lines);
      if (lines.length > 0)
        reads.set(file, {
          file: found.ino,
          lines: from + lines.length - 1,
          bytes: start.bytes + lastLineIn(bytes),
        });
      return lines;
    } finally {
      await handle.close();
    }
  });
}

const lineFeed = 10;

async function isLineStart(handle: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return true;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, offset - 1);
  return bytesRead === 1 && buffer[0] === lineFeed;
}

/** The bytes from this offset to the size that the file had, or to its end if it is shorter by now. */
async function readFrom(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, size - offset));
  let done = 0;
  for (let read = -1; done < bytes.length && read !== 0; done += read)
    read = (await handle.read(bytes, done, bytes.length - done, offset + done)).bytesRead;
  return bytes.subarray(0, done);
}

/** The offset at which the last line begins, whether it is whole or not. */
function lastLineIn(bytes: Buffer): number {
  return bytes.length < 2 ? 0 : bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1;
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

/** Reads a file into the memory, and yields how far it has got. While the caller uses a piece, the next pieces are read. */
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
