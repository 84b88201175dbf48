// The options of a command line: parsed and read.

import { join } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { LastcallError } from "../../core/index.js";
import { nearest } from "../display/misspelling.js";
import { rows, takersOf, type KeptName, type Name, type OptionValues, type Values } from "./option-table.js";
import { readers } from "./values.js";

/** The names of all options, in the order of the table. */
export const names = Object.keys(rows) as readonly Name[];

/** The names of the settings that a config file may have. */
export const fileNames: readonly Name[] = names.filter((name) => rows[name].inFiles !== false);

/** The names of the options that a job may have besides its task: the options of a task. */
export const jobNames: readonly Name[] = names.filter(
  (name) => name !== "help" && name !== "version" && takersOf(name).includes("run"),
);

/** The options that are kept with a session, for when it is resumed. They grant no rights. */
export type KeptOptions = Pick<Values, KeptName>;

const parserOptions: ParseArgsConfig["options"] = Object.fromEntries(
  Object.entries(rows).map(([name, { value, multiple = false, short }]) => [
    name,
    { type: value === undefined ? "boolean" : "string", multiple, ...(short !== undefined && { short }) },
  ]),
);

/** `lastcall docs --mcp` takes no file, as `--mcp FILE` does elsewhere: it is the word of an order. */
export const asServer = "--mcp";

/** The task of a file. */
export interface Job {
  /** The absolute path of the file. */
  readonly path: string;
  readonly task: string;
}

/** The words of a command line. */
export interface Words {
  readonly values: Values;
  /** The words that are neither an option nor its value. */
  readonly positionals: readonly string[];
  /** True: `--` stands before all of these words. */
  readonly isTask: boolean;
  /** The job that the task is read from. Default: the words are the task. */
  readonly job?: Job;
}

/**
 * Parses a command line.
 * @throws LastcallError `configuration` for an unknown option, or an option without its value.
 */
export function parseOptions(argv: readonly string[]): Words {
  try {
    const isDocs = argv[0] === "docs";
    const args = isDocs ? argv.filter((word) => word !== asServer) : [...argv];
    const parsed = parseArgs({ args, options: parserOptions, allowPositionals: true, tokens: true });
    const dashes = parsed.tokens.find(({ kind }) => kind === "option-terminator");
    const word = parsed.tokens.find(({ kind }) => kind === "positional");
    const isTask = dashes !== undefined && word !== undefined && dashes.index < word.index;
    const asked = args.length < argv.length ? [asServer] : [];
    return { values: parsed.values, positionals: [...parsed.positionals, ...asked], isTask };
  } catch (thrown) {
    const reason = thrown instanceof Error ? (thrown.message.split(". ")[0] ?? "") : "The command line can't be read";
    const meant = likelyOption(argv);
    throw wrong(meant === undefined ? reason : `${reason}. Did you mean --${meant}?`);
  }
}

/** The option that the first unknown option most likely is: another spelling, its whole name, or its name with two dashes. */
function likelyOption(argv: readonly string[]): Name | undefined {
  const typed = argv.flatMap((word) => /^-(?:-[a-z]|[a-z]{2})[a-z_-]*/i.exec(word)?.[0] ?? []);
  const unknown = typed.find((word) => !names.some((name) => word === `--${name}`));
  const word = (unknown ?? "").replace(/^-+/, "").replaceAll("_", "-");
  if (word === "") return undefined;
  const [whole, ...others] = names.filter((name) => name.startsWith(word.toLowerCase()));
  const meant = whole !== undefined && others.length === 0 ? whole : nearest(word, names);
  return names.find((name) => name === meant);
}

/**
 * Reads the values of all options.
 * @throws LastcallError `configuration` for a word that is no value of its option.
 */
export function readOptions(values: Values): OptionValues {
  const read = names.map((name) => [
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    readOption(name, values[name]),
  ]);
  return Object.fromEntries(read) as OptionValues;
}

function readOption(name: Name, given: Values[Name]): unknown {
  const { value, read, multiple, default: fallback } = rows[name];
  const reader = read && readers[read];
  const readWord = (word: string): unknown => {
    const known = reader === undefined ? word : reader.read(word);
    if (known === undefined) throw wrong(`--${name} ${JSON.stringify(word)} ${reader?.refusal ?? ""}`);
    return known;
  };
  if (value === undefined) return given ?? false;
  const words = [given ?? fallback ?? []].flat().map((word) => readWord(String(word)));
  return multiple ? words : words[0];
}

/** True if the option takes this value. */
export function isValueOf(name: Name, value: unknown): boolean {
  const { value: placeholder, multiple } = rows[name];
  const isOne = (one: unknown): boolean => typeof one === (placeholder === undefined ? "boolean" : "string");
  return multiple ? Array.isArray(value) && value.every(isOne) : isOne(value);
}

/** The kind of value that the option takes, for messages. */
export function kindOfOption(name: Name): "a list of texts" | "a text" | "true or false" {
  const { value, multiple } = rows[name];
  return value === undefined ? "true or false" : multiple ? "a list of texts" : "a text";
}

/** Picks the options that a session keeps. Drops unknown names, values of another type, and a tier other than read-only. */
export function pickKept(values: Readonly<Record<string, unknown>>): KeptOptions {
  const kept = names.filter((name) => {
    const keeps = rows[name].kept;
    return keeps !== undefined && isValueOf(name, values[name]) && (keeps === true || values[name] === keeps);
  });
  return Object.fromEntries(kept.map((name) => [name, values[name]]));
}

/** The names of the options that were given, in the order of the table. */
export function givenIn(values: Values): readonly Name[] {
  return names.filter((name) => values[name] !== undefined);
}

/** The options with the paths in them changed by the function. A word that stands for something else than a file stays. */
export function withPaths(values: Values, change: (path: string) => string): Values {
  const changed = names.flatMap((name): [Name, unknown][] => {
    const value: unknown = values[name];
    if (rows[name].isPath !== true || value === undefined) return [];
    if ((name === "log" && value === printed) || (name === "record" && value === missing)) return [];
    return [[name, Array.isArray(value) ? value.map((path) => change(String(path))) : change(value as string)]];
  });
  return { ...values, ...(Object.fromEntries(changed) as Values) };
}

/** The file of `--log` that stands for standard output. */
export const printed = "-";

/** The file of `--record` that stands for the file of `--replay`, which gets what it lacks. */
export const missing = "missing";

/** The files in the folder of `--artifacts`. */
export const artifactNames = ["outcome.json", "trajectory.json"] as const;

/** The files that the options name, and that no tool may write. */
export function ownFiles({
  config,
  log,
  replay,
  record,
  prText,
  artifacts,
}: Pick<OptionValues, "config" | "log" | "replay" | "record" | "prText" | "artifacts">): readonly string[] {
  const written = [log === printed ? undefined : log, record === missing ? undefined : record, prText];
  const inFolder = artifacts === undefined ? [] : artifactNames.map((name) => join(artifacts, name));
  const files = [config, replay, ...written, ...inFolder];
  return files.filter((file) => file !== undefined);
}

/** The options as one would type them. */
export function typed(kept: KeptOptions): string {
  return Object.entries(kept)
    .flatMap(([name, value]) =>
      [value].flat().map((one) => `--${name}${one === true ? "" : ` ${quoted(String(one))}`}`),
    )
    .join(" ");
}

/** The word in quotes for a shell, if it needs them. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The error for a command line that can't be obeyed. It names the given page of the help, or the overview. */
export function wrong(reason: string, page?: string): LastcallError {
  const help = page === undefined ? "lastcall --help" : `lastcall help ${page}`;
  return new LastcallError("configuration", `${reason}${/[.?]$/.test(reason) ? "" : "."} See ${help}.`);
}
