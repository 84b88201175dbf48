// The files of a module: its own text and the texts of the files that it imports, for the trust in their contents.

import { createHash } from "node:crypto";
import { dirname, parse } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { ReadOnce, type ReadFile } from "../display/read-once.js";
import { ProgramWalk, type ProgramFiles } from "./program-files.js";

/** Files that one module may consist of. */
const mostFiles = 200;

/**
 * The file of a module and the files that it names, and so on, in the order of their discovery. Packages are not among them, and neither
 * are files whose paths the module computes.
 * @throws LastcallError `configuration` if the module can't be read, or consists of more than 200 files.
 */
export async function moduleFiles(
  module: string,
  { workdir = dirname(module), files = new ReadOnce() }: { readonly workdir?: string; readonly files?: ReadOnce } = {},
): Promise<ProgramFiles> {
  await files.code(module).catch((thrown: unknown) => {
    const isGone = (thrown as NodeJS.ErrnoException).code === "ENOENT";
    throw wrong(isGone ? `${module}: there is no such file.` : `${module} can't be read: ${explain(thrown)}.`, thrown);
  });
  const walk = new ProgramWalk(workdir, files, parse(module).root);
  await walk.module(module);
  if (walk.found.files.length > mostFiles) throw wrong(`${module} consists of more than ${String(mostFiles)} files.`);
  return walk.found;
}

/** The digest of files: their paths and their texts. */
export function digestOfFiles(files: readonly ReadFile[]): string {
  const parts = files.map(({ path, text }) => [path, text]);
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function wrong(message: string, cause?: unknown): LastcallError {
  return new LastcallError("configuration", message, cause === undefined ? {} : { cause });
}
