// write_file: a whole file at once, or not at all.

import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { access, constants, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { tool, type Tool } from "../core/index.js";
import { kindOf, locate, look, openRoot, shown } from "../files/index.js";
import type { RootOptions } from "./root.js";

/** The arguments of `write_file`. */
export interface WriteFile {
  path: string;
  /** All that the file shall hold. */
  content: string;
}

/**
 * `write_file{ path, content }`: makes or replaces a file inside the root. A reader sees the old file or the new one,
 * never a part; the mode of a file that was there stays, hard links to it keep the old one.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export function writeFile(options: RootOptions): Tool<"write_file", WriteFile, string, "never"> {
  const root = openRoot(options.root);
  return tool({
    name: "write_file",
    description:
      "Writes a whole text file of the workspace: makes it, and the folders it needs, or replaces all that was in it.",
    input: z.object({
      path: z.string().describe("The file, relative to the workspace"),
      content: z.string().describe("All that the file shall hold"),
    }),
    effect: "write",
    async run({ path, content }, { signal }) {
      const real = await locate(root, path);
      const old = await look(real);
      if (old !== undefined) await expectWritable(real, old, shown(root, real));
      await mkdir(dirname(real), { recursive: true });
      await replace(real, content, { mode: old?.mode, signal });
      const bytes = Buffer.byteLength(content);
      return `Wrote ${String(bytes)} bytes to ${shown(root, real)} (${old === undefined ? "new file" : "replaced"})`;
    },
  });
}

/** Renaming over a file asks only its folder, so its own mode is asked here. */
async function expectWritable(real: string, old: Stats, path: string): Promise<void> {
  if (!old.isFile())
    throw new Error(`${path} is ${kindOf(old)}, so no text can be written to it. Choose another path.`);
  try {
    await access(real, constants.W_OK);
  } catch (thrown) {
    throw new Error(`${path} is read-only. Choose another path, or leave it as it is.`, { cause: thrown });
  }
}

interface Replacement {
  readonly mode: number | undefined;
  readonly signal: AbortSignal;
}

/** Writes beside the file and renames, so that a crash or an abort leaves the old file whole. */
async function replace(real: string, content: string, { mode, signal }: Replacement): Promise<void> {
  signal.throwIfAborted();
  const fresh = join(dirname(real), `.lastcall-${randomUUID()}`);
  try {
    const file = await open(fresh, "wx");
    try {
      await file.writeFile(content);
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await rename(fresh, real);
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw thrown;
  }
}
