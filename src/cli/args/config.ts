// Config files: the user's file, the file named by `--config`, and the workspace's files once a person trusts them.

import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { agentFilesIn, agentFolder } from "../agent-files/agent-files.js";
import { moduleFiles } from "../code/module-files.js";
import type { ProgramFiles } from "../code/program-files.js";
import { lineFiles, serverFiles, type CodePlace } from "../code/server-files.js";
import { readServers, serversIn, type StatedServer } from "../mcp-config/stated-server.js";
import { ReadOnce, type ReadFile } from "../display/read-once.js";
import { parseSettings, type SettingsFile } from "../display/settings-text.js";
import type { Name, Values } from "./option-table.js";
import { fileNames, isValueOf, kindOfOption, withPaths } from "./options.js";
import { joinOptions, storeIn, type StoreSettings } from "./sources.js";
import { trustedAmong, type FolderFile, type Trusting } from "./trust.js";

/** The places of config files. */
export interface FilePlaces {
  readonly workdir: string;
  /** The file named by `--config`, `none` for no file, or undefined. */
  readonly named: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The files that the command reads. They are used as they are read here. Default: none was read before. */
  readonly files?: ReadOnce;
}

/** The places of config files, and the person to ask about one. */
export interface ConfigPlaces extends FilePlaces, Omit<Trusting, "list"> {
  /** False if the servers are known already, so that `.mcp.json` in the workspace is not read. Default true. */
  readonly wantsServers?: boolean;
  /** False if the agents are known already, so that no folder of agents is read. Default true. */
  readonly wantsAgents?: boolean;
}

const endings: readonly string[] = [".json", ".yaml", ".yml"];

/**
 * Reads the options that files set. The user's own `config` in `XDG_CONFIG_HOME/lastcall` comes first. The file named by `--config`,
 * or else `lastcall.config` in the workspace, overrides it. The servers of `.mcp.json` in the workspace come last, and so do the
 * agents of `agents` beside the user's own file and of `.lastcall/agents` in the workspace. Anybody may have written the files in the
 * workspace, so they are used only after a person has seen and trusted their present contents. These include the modules and agents that
 * they name, and the command lines and addresses of the servers.
 * @throws LastcallError `configuration` that says which file and setting is wrong and what to do.
 */
export async function readConfig(places: ConfigPlaces): Promise<Values> {
  const { named, workdir, env, wantsServers = true, wantsAgents = true, files = new ReadOnce() } = places;
  if (named === "none") return {};
  const place: CodePlace = { workdir, env, files };
  const { base, found } = await configFiles(places, files);
  const isOff = (name: "no-mcp" | "no-agents"): boolean =>
    [base, found && readable(found)].some((one) => one?.[name] === true);
  const stated = wantsServers && !isOff("no-mcp") ? await loaded(files, serverListOf(workdir), "--no-mcp") : undefined;
  const agents = wantsAgents && !isOff("no-agents") ? await agentFilesIn(agentFolder(workdir), files) : [];
  const asked: readonly FolderFile[] = [
    ...(found !== undefined && named === undefined ? [await configOf(found, place)] : []),
    ...(stated === undefined ? [] : await serversOf(stated, place)),
    ...agents.map((file): FolderFile => ({ ...file, option: "--agents", ...nothing })),
  ];
  const trusted = await trustedAmong(asked, { ...places, list: join(homeOf(places), "trusted.json") });
  const isUsed = found !== undefined && (named !== undefined || trusted.has(found.path));
  const values = isUsed
    ? joinOptions(named === undefined ? keepingAsk(found, places, base) : settingsIn(found), { config: base })
    : base;
  const servers = stated !== undefined && trusted.has(stated.path) ? [stated] : [];
  const mine = wantsAgents ? await agentFilesIn(join(homeOf(places), "agents"), files) : [];
  return withFiles(values, { mcp: servers, agents: [...mine, ...agents.filter(({ path }) => trusted.has(path))] });
}

/**
 * Reads the settings that say where sessions are, `sessions` and `store`. The files are the files of `readConfig`, and nobody is asked. The
 * workspace's file counts if it is trusted already. It is left alone if it says nothing about them.
 * @throws LastcallError `configuration` as `readConfig` does.
 */
export async function readStore(places: FilePlaces & Pick<Trusting, "say">): Promise<StoreSettings> {
  const { named, workdir, env, say, files = new ReadOnce() } = places;
  if (named === "none") return {};
  const { base, found } = await configFiles(places, files);
  const isTrusted = async (file: SettingsFile): Promise<boolean> => {
    if (Object.keys(storeIn(readable(file))).length === 0) return false;
    const asked = [await configOf(file, { workdir, env, files })];
    const list = join(homeOf(places), "trusted.json");
    return (await trustedAmong(asked, { list, confirm: undefined, say })).has(file.path);
  };
  const isUsed = found !== undefined && (named !== undefined || (await isTrusted(found)));
  return storeIn(isUsed ? joinOptions(settingsIn(found), { config: base }) : base);
}

/** The settings of a workspace's file, without a `yes` that would take back the `ask` of the user's own file. */
function keepingAsk(found: SettingsFile, { say }: Pick<ConfigPlaces, "say">, base: Values): Values {
  const { yes, ...others } = settingsIn(found);
  if (yes !== true) return yes === undefined ? others : { ...others, yes };
  if (base.ask !== true) return { ...others, yes };
  say(`${found.path} has yes, and your own config has ask, so everything is asked about. --yes takes that back.`);
  return others;
}

/** The settings of the user's own file, and the file that overrides it. */
async function configFiles(
  { named, workdir, env }: FilePlaces,
  files: ReadOnce,
): Promise<{ readonly base: Values; readonly found: SettingsFile | undefined }> {
  const own = await firstOf(files, join(homeOf({ env }), "config"));
  const base = own === undefined ? {} : settingsIn(own);
  const found =
    named === undefined
      ? await firstOf(files, join(resolve(workdir), "lastcall.config"), "--no-config")
      : await namedFile(files, named);
  return { base, found };
}

/** The settings of a file; none if it is not valid. */
function readable(file: SettingsFile): Values {
  try {
    return settingsIn(file);
  } catch {
    return {};
  }
}

/** The settings with these files of servers and agents added, unless they say that there are to be none. */
function withFiles(values: Values, files: Readonly<Record<"mcp" | "agents", readonly SettingsFile[]>>): Values {
  const added = (["mcp", "agents"] as const).flatMap((name) => {
    const paths = files[name].map(({ path }) => path);
    return paths.length === 0 || values[`no-${name}`] === true ? [] : [[name, [...(values[name] ?? []), ...paths]]];
  });
  return { ...values, ...(Object.fromEntries(added) as Values) };
}

/** A file of the workspace that makes nothing run. */
const nothing = { modules: [], servers: [], serverFiles: [], agents: [], untold: [] } as const;

/** The path of the list of servers in a workspace. */
function serverListOf(workdir: string): string {
  return join(resolve(workdir), ".mcp.json");
}

async function namedFile(files: ReadOnce, named: string): Promise<SettingsFile> {
  const file = await files.settings(resolve(named));
  if (file === undefined) throw new LastcallError("configuration", `--config ${named}: there is no such file.`);
  return file;
}

/** The folder of the user's own config. */
export function homeOf({ env }: Pick<ConfigPlaces, "env">): string {
  const config = env["XDG_CONFIG_HOME"] ?? "";
  return join(config === "" ? join(homedir(), ".config") : config, "lastcall");
}

/** @throws LastcallError `configuration` if it is there and can't be read. It names the option that leaves it out. */
async function loaded(files: ReadOnce, path: string, option: string): Promise<SettingsFile | undefined> {
  try {
    return await files.settings(path);
  } catch (thrown) {
    const message = `${explain(thrown).replace(/\.$/, "")}. Move it away, or leave it out: ${option}.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

async function firstOf(files: ReadOnce, path: string, option?: string): Promise<SettingsFile | undefined> {
  for (const ending of endings) {
    const at = path + ending;
    const file = option === undefined ? await files.settings(at) : await loaded(files, at, option);
    if (file !== undefined) return file;
  }
  return undefined;
}

/**
 * The config file of the workspace, with all that it makes run. A config file that is not valid makes nothing run: it is refused once it
 * is trusted.
 * @throws LastcallError `configuration` if a module, or a file of servers, can't be read.
 */
async function configOf(file: SettingsFile, place: CodePlace): Promise<FolderFile> {
  const { files } = place;
  const values = readable(file);
  const paths = [values.agent ?? [], values.tools ?? []].flat();
  const modules = await Promise.all(paths.map((path) => moduleFiles(path, place)));
  const servers = values["no-mcp"] === true ? [] : await readServers(values.mcp ?? [], { files });
  const lists = (values.mcp ?? []).filter((path) => path !== file.path);
  const texts = await settingsOf(files, lists);
  const lines = await Promise.all(
    [...(values["on-edit"] ?? []), ...(values.hook ?? [])].map((given) =>
      lineFiles(given.replace(/^[^:]*:/, ""), place),
    ),
  );
  const run = [await serverFiles(servers, place), ...lines];
  const used: readonly ReadFile[] = [...texts, ...run.flatMap((one) => one.files)];
  const named = values["no-agents"] === true ? [] : (values.agents ?? []);
  const agents = await settingsOf(files, named);
  const untold = untoldOf([...modules, ...run]);
  return {
    ...file,
    option: "--config",
    modules: modules.flatMap((one) => one.files),
    servers,
    serverFiles: used,
    agents,
    untold,
  };
}

async function settingsOf(files: ReadOnce, paths: readonly string[]): Promise<readonly SettingsFile[]> {
  return (await Promise.all(paths.map(async (path) => (await files.settings(path)) ?? []))).flat();
}

function untoldOf(programs: readonly ProgramFiles[]): readonly string[] {
  return [...new Set(programs.flatMap(({ untold }) => untold))];
}

/** The list of servers of the workspace; none if it is empty. A list that is not valid is refused once it is trusted. */
async function serversOf(file: SettingsFile, place: CodePlace): Promise<readonly FolderFile[]> {
  let servers: readonly StatedServer[];
  const told: string[] = [];
  try {
    servers = serversIn(file, (line) => told.push(line));
  } catch {
    return [{ ...file, option: "--mcp", ...nothing }];
  }
  if (servers.length + told.length === 0) return [];
  const { files, untold } = await serverFiles(servers, place);
  return [{ ...file, option: "--mcp", ...nothing, servers, serverFiles: files, untold }];
}

/** The settings of the file, each checked against the option with its name. */
function settingsIn(file: SettingsFile): Values {
  return settingsOfFile(file, parseSettings(file));
}

/**
 * The settings of a file, as parsed, each checked against the option with its name. Only options with these names can be in it, by default
 * the options of config files.
 * @throws LastcallError `configuration` that names all that is wrong.
 */
export function settingsOfFile(
  file: SettingsFile,
  read: Readonly<Record<string, unknown>>,
  names: readonly Name[] = fileNames,
): Values {
  const { path } = file;
  const wrong: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(read)) {
    // Editors look there for the schema of the file.
    if (name === "$schema" && typeof value === "string") continue;
    const known = names.find((one) => one === name);
    const given = typeof value === "number" ? String(value) : value;
    if (known === undefined) wrong.push(`${JSON.stringify(name)} is no setting${likely(name, names)}.`);
    // The servers are in this file itself.
    else if (known === "mcp" && isPlainObject(value)) values[known] = serversIn(file).length === 0 ? [] : [path];
    else if (!isValueOf(known, given))
      wrong.push(`${name} must be ${kindOfOption(known)}, and is ${JSON.stringify(value)}.`);
    else values[known] = given;
  }
  if (wrong.length > 0) throw new LastcallError("configuration", `${path}: ${wrong.join(" ")}`);
  return withPaths(values, (named) => resolve(dirname(path), named));
}

/** The end of the message: the right spelling if the name differs only in that, else all settings. */
function likely(name: string, known: readonly string[]): string {
  const bare = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
  return known.includes(bare) ? `; ${bare} is` : `; there are ${known.join(", ")}`;
}
