// The parts of a request that differ from run to run by design, and are not compared.

import { isPlainObject } from "../../core/internal.js";

/**
 * A part of each text of a body that is not compared. `nonces`: the letters and digits in `[outside N]` and `[end N]`, which lastcall puts
 * around results from outside. `folder`: the absolute path of the folder that the agent works in.
 */
export type Ignoring = "nonces" | "folder";

/** The names of all parts that can be ignored. */
export const ignorings: readonly Ignoring[] = ["nonces", "folder"];

/** The parts to ignore, and the folder. */
export interface Ignored {
  readonly ignore: readonly Ignoring[];
  readonly folder: string;
}

/** The body with a fixed word in place of each ignored part. */
export function withoutIgnored(body: unknown, { ignore, folder }: Ignored): unknown {
  const seen = new Map<string, string>();
  const nonceFor = (nonce: string): string => {
    const known = seen.get(nonce) ?? `nonce-${String(seen.size + 1)}`;
    seen.set(nonce, known);
    return known;
  };
  // The root folder and a name without a path would be found in any text.
  const path = ignore.includes("folder") && folder.lastIndexOf("/") >= 0 && folder.length > 3 ? folder : undefined;
  const inText = (text: string): string => {
    const shown = path === undefined ? text : withoutFolder(text, path);
    if (!ignore.includes("nonces")) return shown;
    return shown.replaceAll(
      /\[(outside|end) ([0-9a-z]{6})(?=[\]\s])/g,
      (_all, word: string, nonce: string) => `[${word} ${nonceFor(nonce)}`,
    );
  };
  return mapTexts(body, inText);
}

/** The text without the folder. A longer name that begins with the folder's name is another folder. */
function withoutFolder(text: string, folder: string): string {
  return text.split(folder).reduce((before, after) => `${before}${/^[\w-]/.test(after) ? folder : "[folder]"}${after}`);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]));
}
