// Standard input as text: whether it has any, and what it says.

import { fstatSync } from "node:fs";

/** True if the descriptor is a pipe or a file. Terminals, sockets and devices are not: they may be open without anybody who writes. */
export function isPiped(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor);
    return status.isFIFO() || status.isFile();
  } catch {
    return false;
  }
}

/** The bounds of a reading. */
export interface Reading {
  /** Milliseconds that the first byte may take. Infinity: as long as it takes. */
  readonly patience: number;
  /** Bytes to read at most. */
  readonly maxBytes: number;
  /** Stops the reading. */
  readonly signal: AbortSignal;
}

/** The end of a reading. `whole`: the input ended. `silent`: nothing came in time. `long`: it has more bytes than may be read. */
export interface Read {
  readonly end: "whole" | "silent" | "long" | "stopped";
  readonly bytes: Buffer;
}

/**
 * Reads the input to its end, and closes it.
 * @throws Error if the input can't be read.
 */
export function readInput(input: NodeJS.ReadStream, { patience, maxBytes, signal }: Reading): Promise<Read> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (end: Read["end"]): void => {
      clearTimeout(silence);
      signal.removeEventListener("abort", stop);
      input.off("data", take).off("end", ended).off("error", reject);
      input.destroy();
      resolve({ end, bytes: Buffer.concat(parts) });
    };
    const stop = (): void => {
      finish("stopped");
    };
    const ended = (): void => {
      finish("whole");
    };
    const take = (part: Buffer): void => {
      clearTimeout(silence);
      parts.push(part);
      length += part.length;
      if (length > maxBytes) finish("long");
    };
    const silence = Number.isFinite(patience)
      ? setTimeout(() => {
          finish("silent");
        }, patience)
      : undefined;
    signal.addEventListener("abort", stop, { once: true });
    input.on("data", take).on("end", ended).on("error", reject);
    if (signal.aborted) stop();
  });
}
