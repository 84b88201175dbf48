// Reads a file that anybody may have put there: a device or a named pipe is refused, and no more than a bound is read.

import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

/** The beginning of a file. */
export interface BoundedFile {
  readonly bytes: Buffer;
  /** True if the file is longer. */
  readonly isCut: boolean;
}

/**
 * Reads at most this many bytes of a file.
 * @throws Error if it can't be opened, or is a folder, a device, a socket or a named pipe.
 */
export async function readBounded(path: string, maxBytes: number): Promise<BoundedFile> {
  // Looked at before: to open a device may do something.
  if (!(await stat(path)).isFile()) throw new Error("it is no plain file");
  // O_NONBLOCK: opening a named pipe that has come meanwhile must not wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is no plain file");
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = (await file.read(buffer, length, buffer.length - length, length)).bytesRead;
    return { bytes: buffer.subarray(0, Math.min(length, maxBytes)), isCut: length > maxBytes };
  } finally {
    await file.close();
  }
}

/** Bytes that a file of settings may have. */
const maxSettings = 1024 * 1024;

/**
 * The text of a file of settings.
 * @throws Error as `readBounded` does, and if the file is longer than 1 MiB.
 */
export async function readWhole(path: string): Promise<string> {
  const { bytes, isCut } = await readBounded(path, maxSettings);
  if (isCut) throw new Error("it is longer than 1 MiB");
  return bytes.toString();
}
