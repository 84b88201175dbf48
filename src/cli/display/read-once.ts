// Files of settings and of code that one command reads: each is read once, so what a person was shown is what is used.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { readBounded, readWhole } from "./bounded-file.js";
import { loadSettings, type SettingsFile } from "./settings-text.js";
import { visible } from "./visible.js";

/** A file of code or of settings, as it was read. */
export interface ReadFile {
  /** The absolute path. */
  readonly path: string;
  /** Its text; of a program of more than 1 MiB, its digest. */
  readonly text: string;
}

/** Bytes of the largest program whose digest is taken. */
const largest = 256 * 1024 * 1024;

/** The files that were read, besides the files that another reader had read when this reader was made. */
export class ReadOnce {
  readonly #settings: Map<string, Promise<SettingsFile | undefined>>;
  readonly #code: Map<string, Promise<ReadFile>>;

  constructor(before?: ReadOnce) {
    this.#settings = new Map(before === undefined ? [] : before.#settings);
    this.#code = new Map(before === undefined ? [] : before.#code);
  }

  /**
   * A file of settings; undefined if there is none.
   * @throws LastcallError `configuration` if it can't be read.
   */
  settings(path: string): Promise<SettingsFile | undefined> {
    const known = this.#settings.get(path) ?? loadSettings(path);
    this.#settings.set(path, known);
    return known;
  }

  /** A file of code. @throws Error if it is not there, or is no plain file. */
  code(path: string): Promise<ReadFile> {
    const known = this.#code.get(path) ?? readCode(path);
    this.#code.set(path, known);
    return known;
  }
}

/**
 * Checks that files are as they were when they were read. It is called right before they run.
 * @throws LastcallError `configuration` that names the first file that is not.
 */
export async function expectUnchanged(files: readonly ReadFile[]): Promise<void> {
  for (const { path, text } of files) {
    const now = await readCode(path).catch(() => undefined);
    if (now?.text === text) continue;
    const how = now === undefined ? "is gone or can't be read" : "has changed";
    throw new LastcallError(
      "configuration",
      `${visible(path)} ${how} since it was read, so nothing of it is run. Start the command again to use it as it is now.`,
    );
  }
}

async function readCode(path: string): Promise<ReadFile> {
  const text = await readWhole(path).catch(async (thrown: unknown) => {
    if ((await readBounded(path, 1)).isCut && explain(thrown).includes("longer than")) return digestOfLarge(path);
    throw thrown;
  });
  return { path, text };
}

async function digestOfLarge(path: string): Promise<string> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of createReadStream(path)) {
    size += (piece as Buffer).length;
    if (size > largest) throw new Error(`it is longer than ${String(largest / 1024 / 1024)} MiB`);
    hash.update(piece as Buffer);
  }
  return `sha256 ${hash.digest("hex")}`;
}
