// Config files: the user's own, the one named by `--config`, and that of the workspace once a person trusts it.

import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { parse as parseYaml } from "yaml";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import type { Values } from "./option-table.js";
import { digestOfFiles, moduleFiles, type ModuleFile } from "./module-files.js";
import { fileNames, isValueOf, joinOptions, kindOfOption, withModules } from "./options.js";
import { readWhole } from "../words/bounded-file.js";
import { visible } from "../words/visible.js";

const require = createRequire(import.meta.url);

/** The part of the package that is used. */
interface Yaml {
  readonly parse: typeof parseYaml;
}

/** The places of config files, and the person to ask about one. */
export interface ConfigPlaces {
  readonly workdir: string;
  /** The file named by `--config`, `none` for no file, or undefined. */
  readonly named: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks whether to use a file; undefined if nobody can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly say: (line: string) => void;
}

const endings: readonly string[] = [".json", ".yaml", ".yml"];

/**
 * Reads the options that files set. The user's own `config` in `XDG_CONFIG_HOME/lastcall` comes first. The file named by `--config`,
 * or else `lastcall.config` in the workspace, overrides it. Anybody may have written the file in the workspace, so it is used only
 * after a person has seen and trusted its present contents, and those of the modules that it names.
 * @throws LastcallError `configuration` that says which file and setting is wrong and what to do.
 */
export async function readConfig(places: ConfigPlaces): Promise<Values> {
  const { named, workdir } = places;
  if (named === "none") return {};
  const own = await firstOf(join(homeOf(places), "config"));
  const base = own === undefined ? {} : settingsIn(own);
  if (named !== undefined) {
    const file = await load(resolve(named));
    if (file === undefined) throw new LastcallError("configuration", `--config ${named}: there is no such file.`);
    return joinOptions(settingsIn(file), { config: base });
  }
  const found = await firstOf(join(resolve(workdir), "lastcall.config"));
  if (found === undefined || !(await isTrusted(found, places))) return base;
  return joinOptions(settingsIn(found), { config: base });
}

interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

function homeOf({ env }: Pick<ConfigPlaces, "env">): string {
  const config = env["XDG_CONFIG_HOME"] ?? "";
  return join(config === "" ? join(homedir(), ".config") : config, "lastcall");
}

async function firstOf(path: string): Promise<ConfigFile | undefined> {
  for (const ending of endings) {
    const file = await load(path + ending);
    if (file !== undefined) return file;
  }
  return undefined;
}

async function load(path: string): Promise<ConfigFile | undefined> {
  try {
    return { path, text: await readWhole(path) };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new LastcallError("configuration", `${path} can't be read: ${explain(thrown)}`, { cause: thrown });
  }
}

/**
 * True if a person trusts the present contents of the file and of the modules that it names: the list has their digest, or the person says
 * yes now.
 * @throws LastcallError `configuration` if a module can't be read.
 */
async function isTrusted(file: ConfigFile, places: ConfigPlaces): Promise<boolean> {
  const { path, text } = file;
  const { confirm, say } = places;
  const modules = await modulesNamedIn(file);
  const own = createHash("sha256").update(text);
  const digest = (modules.length === 0 ? own : own.update(digestOfFiles(modules))).digest("hex");
  const list = join(homeOf(places), "trusted.json");
  const trusted = await readTrusted(list);
  if (trusted[path] === digest) return true;
  if (confirm === undefined) {
    say(`${path} is not used: it came with the folder, and nobody has trusted it. To use it: --config ${path}`);
    return false;
  }
  const code = modules.map((one) => `\nThey name code that runs with all your rights, in ${shown(one)}`).join("");
  const question = `${trusted[path] === undefined ? "This folder has settings" : "The settings of this folder have changed"}, in ${shown(file)}${code}\nThey can make commands run and change what is allowed. Use them, now and later?`;
  if (!(await confirm(question))) return false;
  await writeTrusted(list, { ...trusted, [path]: digest });
  return true;
}

/** The path and the contents of a file, for the person. */
function shown({ path, text }: ConfigFile): string {
  return `${visible(path)}:\n  | ${visible(text.trimEnd(), { multiline: true }).replaceAll("\n", "\n  | ")}`;
}

/** The files of the modules that the config file names; none if the file is not valid, because it is refused once it is trusted. */
async function modulesNamedIn(file: ConfigFile): Promise<readonly ModuleFile[]> {
  let values: Values;
  try {
    values = settingsIn(file);
  } catch {
    return [];
  }
  const named = [values.agent ?? [], values.tools ?? []].flat();
  return (await Promise.all(named.map(moduleFiles))).flat();
}

async function readTrusted(list: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await load(list);
  if (file === undefined) return {};
  try {
    const read: unknown = JSON.parse(file.text);
    return isPlainObject(read) ? read : {};
  } catch {
    return {};
  }
}

async function writeTrusted(list: string, trusted: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(list), { recursive: true });
  await writeFile(`${list}.new`, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
  await rename(`${list}.new`, list);
}

/** The settings of the file, each checked against the option with its name. */
function settingsIn({ path, text }: ConfigFile): Values {
  const wrong: string[] = [];
  const values: Record<string, unknown> = {};
  const names: readonly string[] = fileNames;
  for (const [name, value] of Object.entries(parse(path, text))) {
    const known = fileNames.find((one) => one === name);
    const given = typeof value === "number" ? String(value) : value;
    if (known === undefined) wrong.push(`${JSON.stringify(name)} is no setting${likely(name, names)}.`);
    else if (!isValueOf(known, given))
      wrong.push(`${name} must be ${kindOfOption(known)}, and is ${JSON.stringify(value)}.`);
    else values[known] = given;
  }
  if (wrong.length > 0) throw new LastcallError("configuration", `${path}: ${wrong.join(" ")}`);
  return withModules(values, (module) => resolve(dirname(path), module));
}

/** The end of the message: the right spelling if the name differs only in that, else all settings. */
function likely(name: string, known: readonly string[]): string {
  const bare = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
  return known.includes(bare) ? `; ${bare} is` : `; there are ${known.join(", ")}`;
}

function parse(path: string, text: string): Readonly<Record<string, unknown>> {
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
