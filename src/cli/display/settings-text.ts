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

/** Characters that settings in YAML may have. Its parser takes time that grows with their square. */
const mostYaml = 64 * 1024;
/** Marks of lists, names and quotes in them, for the same reason. */
const mostMarks = 4000;
/** Brackets that may be opened in them, and columns that a line may begin at. Deep nesting ends the whole process. */
const mostBrackets = 300;
const mostColumns = 100;
/** Lists and objects inside each other in settings in JSON. */
const mostNested = 100;

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
 * The settings in the file by their names; none if it is empty. `example` is a setting for the message.
 * @throws LastcallError `configuration` if it is no JSON or YAML, or holds something else than settings by their names.
 */
export function parseSettings(
  { path, text }: SettingsFile,
  example = "tier: read-only",
): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = path.endsWith(".json") ? parseJson(text) : parseBounded(text);
  } catch (thrown) {
    throw new LastcallError("configuration", `${path} can't be read: ${explain(thrown)}`, { cause: thrown });
  }
  if (read === null || read === undefined) return {};
  if (isPlainObject(read)) return read;
  throw new LastcallError("configuration", `${path} must hold settings by their names, such as ${example}.`);
}

/** @throws Error if the text is no JSON, or is nested too deeply to be walked through. */
function parseJson(text: string): unknown {
  let depth = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (mark === "[" || mark === "{") depth += 1;
    if (mark === "]" || mark === "}") depth -= 1;
    if (depth > mostNested) throw new Error(`it is nested more than ${String(mostNested)} deep`);
  }
  return JSON.parse(text);
}

/**
 * Parses YAML that anybody may have written. The bounds count marks in the text, because nothing but the parser itself understands it:
 * closing brackets may stand in comments, so they are not believed.
 * @throws Error if the text is no YAML, or a text that could take long.
 */
function parseBounded(text: string): unknown {
  const count = (marks: RegExp): number => text.match(marks)?.length ?? 0;
  if (text.length > mostYaml) throw new Error(`it is YAML of more than ${String(mostYaml / 1024)} KiB`);
  if (count(/[[{]/g) > mostBrackets) throw new Error(`it has more than ${String(mostBrackets)} opening brackets`);
  if (count(/[-?:,[{&!*"'%]/g) > mostMarks) throw new Error("it has more entries than settings need");
  if (text.split("\n").some((line) => beginningOf(line) > mostColumns))
    throw new Error("it is nested more deeply than settings need");
  return (require("yaml") as Yaml).parse(text, { logLevel: "error" });
}

/** The column at which a line begins, behind its indentation and the marks of lists and of names. */
function beginningOf(line: string): number {
  return /^(?:[ \t]|[-?:](?=[ \t\r]|$))*/.exec(line)?.[0].length ?? 0;
}
