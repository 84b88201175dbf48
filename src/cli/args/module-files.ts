// The files of a module: its own text and that of the files that it imports, for the trust in their contents.

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { readWhole } from "../words/bounded-file.js";

/** One file of a module. */
export interface ModuleFile {
  /** The absolute path. */
  readonly path: string;
  readonly text: string;
}

/** The endings of files that Node may run, or that modules import as data. */
const endings: readonly string[] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json"];

/** Files that one module may consist of. */
const mostFiles = 200;

/**
 * The file of a module and the files that it names by relative paths, and so on, in the order of their discovery. Packages are not among
 * them, and neither are files whose paths the module computes.
 * @throws LastcallError `configuration` if the module can't be read, or consists of more than 200 files.
 */
export async function moduleFiles(module: string): Promise<readonly ModuleFile[]> {
  const found = new Map<string, ModuleFile>([[module, { path: module, text: await textOf(module) }]]);
  // A map visits entries that are added during the visit.
  for (const { path, text } of found.values()) {
    for (const imported of await importsOf(path, text)) {
      if (found.has(imported)) continue;
      if (found.size === mostFiles) throw wrong(`${module} consists of more than ${String(mostFiles)} files.`);
      found.set(imported, { path: imported, text: await textOf(imported) });
    }
  }
  return [...found.values()];
}

/** The digest of files: their paths and their texts. */
export function digestOfFiles(files: readonly ModuleFile[]): string {
  const parts = files.map(({ path, text }) => [path, text]);
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

async function textOf(path: string): Promise<string> {
  try {
    return await readWhole(path);
  } catch (thrown) {
    const isGone = (thrown as NodeJS.ErrnoException).code === "ENOENT";
    throw wrong(isGone ? `${path}: there is no such file.` : `${path} can't be read: ${explain(thrown)}.`, thrown);
  }
}

/** The existing files that quoted relative paths in the text lead to. A path may lack its ending, or have that of the compiled file. */
async function importsOf(path: string, text: string): Promise<readonly string[]> {
  if (path.endsWith(".json")) return [];
  const named = [...text.matchAll(/["'`](\.{1,2}\/[^"'`\n]*)["'`]/g)].map(([, to = ""]) => resolve(dirname(path), to));
  const candidates = named.flatMap((to) => [
    to,
    to.replace(/\.([mc]?)js$/, ".$1ts"),
    ...endings.flatMap((ending) => [`${to}${ending}`, resolve(to, `index${ending}`)]),
  ]);
  const wanted = [...new Set(candidates)].filter((one) => endings.includes(extname(one)));
  const existing = await Promise.all(wanted.map(async (one) => ((await isFile(one)) ? [one] : [])));
  return existing.flat();
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function wrong(message: string, cause?: unknown): LastcallError {
  return new LastcallError("configuration", message, cause === undefined ? {} : { cause });
}
