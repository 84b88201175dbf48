// Files of settings: read whole, and parsed as JSON or YAML by the ending of their names.

import { createRequire } from "node:module";
import type { parse as parseYaml } from "yaml";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { readWhole } from "./bounded-file.js";

const require = createRequire(import.meta.url);

/** The part of the package that is used. */
interface Yaml {
  readonly parse: typeof parseYaml;
}

/** A file of settings, not yet parsed. */
export interface SettingsFile {
  /** The absolute path. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the file; undefined if there is none.
 * @throws LastcallError `configuration` if it can't be read.
 */
export async function loadSettings(path: string): Promise<SettingsFile | undefined> {
  try {
    return { path, text: await readWhole(path) };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new LastcallError("configuration", `${path} can't be read: ${explain(thrown)}`, { cause: thrown });
  }
}

/**
 * The settings in the file by their names; none if it is empty.
 * @throws LastcallError `configuration` if it is no JSON or YAML, or holds something else than settings by their names.
 */
export function parseSettings({ path, text }: SettingsFile): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = path.endsWith(".json") ? JSON.parse(text) : (require("yaml") as Yaml).parse(text);
  } catch (thrown) {
    throw new LastcallError("configuration", `${path} can't be read: ${explain(thrown)}`, { cause: thrown });
  }
  if (read === null || read === undefined) return {};
  if (isPlainObject(read)) return read;
  throw new LastcallError("configuration", `${path} must hold settings by their names, such as tier: read-only.`);
}
