// The built package, for tests that start it in a process of its own. test/global-setup.ts builds it if a file that runs imports this one.

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the built package. */
export const dist = resolve(import.meta.dirname, "../dist");

/** The built command. */
export const bin = join(dist, "cli/bin.js");

/** The address of a built entry, such as `memory`, for an import in a program. Default: the entry `lastcall`. */
export function built(entry = ""): string {
  return pathToFileURL(join(dist, entry, "index.js")).href;
}
