// Reads the files that the person attaches to words: images and PDFs, from anywhere.

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { LastcallError, type NewAttachment } from "../../core/index.js";
import { explain, maxAttachment, recognize } from "../../core/internal.js";
import { readBounded } from "../display/bounded-file.js";
import { visible } from "../display/visible.js";

/** A file that is read, and a line about it for the person. */
export interface AttachedFile {
  readonly file: NewAttachment;
  readonly line: string;
}

/**
 * Reads a file to attach. `given` is the way in which the person named it, for messages: `--attach` or `/attach`.
 * @throws LastcallError `configuration` that says what is wrong with the file and what to do.
 */
export async function attachFile(path: string, given: "--attach" | "/attach"): Promise<AttachedFile> {
  const refuse = (why: string, cause?: unknown): LastcallError =>
    new LastcallError("configuration", `${given} ${visible(path)}: ${why}`, { cause });
  if (path.trim() === "") throw refuse("a file has no empty name. Name an image or a PDF.");
  const { bytes } = await read(resolve(path), refuse);
  const known = recognize(bytes);
  if (bytes.length === 0) throw refuse("it is empty.");
  if (known === undefined)
    throw refuse(
      "it is no PNG, JPEG, GIF, WebP or PDF, and models take no other files. Convert it; or, if it is a text, name it in your words: the agent reads files of the folder itself.",
    );
  const { mediaType } = known;
  const name = basename(path);
  const size = `${bytes.length.toLocaleString("en-US")} bytes`;
  return { file: { bytes, mediaType, name }, line: `attached ${visible(name)}: ${mediaType}, ${size}` };
}

/** @throws what `refuse` makes, if the file is missing, no file, or too large. */
async function read(
  path: string,
  refuse: (why: string, cause?: unknown) => LastcallError,
): ReturnType<typeof readBounded> {
  let about: Stats;
  try {
    about = await stat(path);
  } catch (thrown) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "");
    if (isMissing) throw refuse("there is no such file. A relative path starts at the folder of the command.", thrown);
    throw refuse(`it can't be read: ${explain(thrown)}.`, thrown);
  }
  if (about.isDirectory()) throw refuse("it is a folder. Attach the files in it one by one.");
  if (!about.isFile()) throw refuse("it is a device, a named pipe or a socket. Save what it gives as a file.");
  const tooLarge = `it has more than ${String(maxAttachment / 1024 ** 2)} MiB, and models take no such files. Make it smaller, or attach a part of it.`;
  if (about.size > maxAttachment) throw refuse(tooLarge);
  try {
    // The file may have changed since.
    const file = await readBounded(path, Math.min(maxAttachment, about.size + 1));
    if (!file.isCut) return file;
  } catch (thrown) {
    throw refuse(`it can't be read: ${explain(thrown)}.`, thrown);
  }
  throw refuse("it grew while it was read. Try again when it is complete.");
}
