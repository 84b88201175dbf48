// The file of rivals: a line for each step that is done, so that no step is done twice.

import { mkdir, open, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import type { Tried } from "./tried.js";

/** One step. */
export type RivalLine =
  /** The work folder, `root`, was copied. */
  | { readonly type: "base"; readonly root: string }
  /** The folder of a rival is there. */
  | { readonly type: "laid"; readonly number: number }
  /** Protected files of a rival are about to be put back. */
  | { readonly type: "put-back"; readonly number: number; readonly paths: readonly string[] }
  /** A rival was judged. */
  | ({ readonly type: "judged"; readonly changes: readonly string[] } & Omit<Tried, "outcome">)
  /** The end: the changes of the winner are in the work folder, or there is none. */
  | { readonly type: "end"; readonly number: number | undefined; readonly rivals: number };

/** The lines that are there, and the way to add one. */
export interface RivalsFile {
  readonly lines: readonly RivalLine[];
  /** The lines since the last end: a call for more rivals begins with new copies. */
  readonly sinceEnd: readonly RivalLine[];
  add(line: RivalLine): Promise<void>;
}

/** Opens the file. A line that was not written whole is dropped. */
export async function openRivals(path: string): Promise<RivalsFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = await readFile(path, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  const lines = whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RivalLine);
  let written = Promise.resolve();
  return {
    lines,
    get sinceEnd() {
      return lines.slice(lines.findLastIndex(({ type }) => type === "end") + 1);
    },
    add(line) {
      written = written.then(async () => {
        const file = await open(path, "a", 0o600);
        try {
          await file.appendFile(`${JSON.stringify(line)}\n`);
          await file.datasync();
        } finally {
          await file.close();
        }
        lines.push(line);
      });
      return written;
    },
  };
}
