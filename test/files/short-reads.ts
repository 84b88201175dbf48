// Reads that return less than the file has.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** Makes each read return at most so many bytes for this test, as a disk in the network may. */
export function readingAtMost(most: number): void {
  const { readSync } = fs;
  const short = (file: number, into: Buffer, from: number, length: number, at: number | null): number =>
    readSync(file, into, from, Math.min(length, most), at);
  fs.readSync = short as typeof readSync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  });
}
