// The files that were attached with /attach, and go with the next words.

import type { NewAttachment } from "../../core/index.js";
import { attachFile } from "../person/attach-file.js";

/** Collects files until words take them. */
export class NextFiles {
  readonly #files: NewAttachment[] = [];
  #reading: Promise<unknown> = Promise.resolve();

  /** Reads a file. Returns a line about it. @throws LastcallError `configuration` as `attachFile` does. */
  add(path: string): Promise<string> {
    const adding = attachFile(path, "/attach").then(({ file, line }) => {
      this.#files.push(file);
      return line;
    });
    this.#reading = Promise.allSettled([this.#reading, adding]);
    return adding;
  }

  /** Takes all files, also files that are still being read. */
  async take(): Promise<readonly NewAttachment[]> {
    await this.#reading;
    return this.#files.splice(0);
  }
}
