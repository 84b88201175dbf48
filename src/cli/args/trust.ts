// Trust in the files of a folder: a person sees their present contents, and what they make run, before they are used.

import { createHash } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { freeLock, giveBack, newHolder, waitForLock, type Holder } from "../../lock/index.js";
import { digestOfFiles } from "../code/module-files.js";
import { serverLine } from "../mcp-config/server-lines.js";
import type { StatedServer } from "../mcp-config/stated-server.js";
import { loadSettings, type SettingsFile } from "../display/settings-text.js";
import type { ReadFile } from "../display/read-once.js";
import { visible } from "../display/visible.js";

/** A file that came with the folder. */
export interface FolderFile extends SettingsFile {
  /** The option that names the file, and so trusts it. */
  readonly option: "--config" | "--mcp" | "--agents";
  /** The files of the modules that it names. */
  readonly modules: readonly ReadFile[];
  /** The MCP servers that it states or names. */
  readonly servers: readonly StatedServer[];
  /** The files that state these servers, and files of the workspace that they run. */
  readonly serverFiles: readonly ReadFile[];
  /** The files of agents that it names. */
  readonly agents: readonly ReadFile[];
  /** What it makes run that its digest does not cover, in words. */
  readonly untold: readonly string[];
}

/** The list of trusted files, and the person. */
export interface Trusting {
  /** The path of the list. */
  readonly list: string;
  /** Asks whether to use the files; undefined if nobody can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly say: (line: string) => void;
  /** Told the files that are not used. Default: nobody. */
  readonly untrusted?: ((files: readonly FolderFile[]) => void) | undefined;
}

/**
 * The paths of the files that a person trusts in their present contents: the list has their digests, or the person says yes now. One
 * question is about all other files.
 */
export async function trustedAmong(
  files: readonly FolderFile[],
  { list, confirm, say, untrusted }: Trusting,
): Promise<ReadonlySet<string>> {
  const known = await readTrusted(list);
  const isKnown = (file: FolderFile): boolean => known[file.path] === digestOf(file);
  const trusted = files.filter(isKnown);
  const others = files.filter((file) => !isKnown(file));
  if (others.length > 0 && confirm === undefined) say(notUsed(others));
  else if (others.length > 0 && (await confirm?.(questionAbout(others, known))) === true) {
    const now = others.map((file) => [file.path, digestOf(file)] as const);
    await changeOwn(list, async () => ({ ...(await readTrusted(list)), ...Object.fromEntries(now) }));
    return new Set(files.map(({ path }) => path));
  }
  untrusted?.(others);
  return new Set(trusted.map(({ path }) => path));
}

/** The digest of the file and of all that it makes run, as far as it lies in the workspace. */
function digestOf({ text, modules, serverFiles, agents }: FolderFile): string {
  const own = createHash("sha256").update(text);
  const files = [...modules, ...serverFiles, ...agents];
  return (files.length === 0 ? own : own.update(digestOfFiles(files))).digest("hex");
}

function notUsed(files: readonly FolderFile[]): string {
  const names = files.map(({ path }) => visible(path)).join(" and ");
  const options = files.map(({ option, path }) => `${option} ${visible(path)}`).join(" ");
  return files.length === 1
    ? `${names} is not used: it came with the folder, and nobody has trusted it. To use it: ${options}`
    : `${names} are not used: they came with the folder, and nobody has trusted them. To use them: ${options}`;
}

function questionAbout(files: readonly FolderFile[], known: Readonly<Record<string, unknown>>): string {
  const parts = files.map((file) => partAbout(file, known[file.path] !== undefined));
  const change = files.some(({ option }) => option === "--config")
    ? "They can make commands run and change what is allowed. "
    : files.some(({ option }) => option === "--agents")
      ? "A model works by the words of an agent, within the same rights. "
      : "";
  return `${parts.join("\n")}\n${change}Use them, now and later?`;
}

function partAbout(file: FolderFile, isOld: boolean): string {
  const { option, modules, servers, agents, path, serverFiles } = file;
  if (option === "--agents")
    return `${isOld ? "An agent of this folder has changed" : "This folder has an agent"}, in ${shown(file)}`;
  const kind = option === "--config" ? "settings" : "MCP servers";
  const head = isOld ? `The ${kind} of this folder have changed` : `This folder has ${kind}`;
  const contents = option === "--config" ? shown(file) : visible(path);
  const code = modules.map((one) => `\nThey name code that runs with all your rights, in ${shown(one)}`);
  const named = agents.map((one) => `\nThey name an agent, in ${shown(one)}`);
  const parts = [...code, ...named].join("");
  const isRun = modules.length + servers.length + serverFiles.length > 0;
  return `${head}, in ${contents}${parts}${servers.length === 0 ? "" : serversShown(file)}${isRun ? watchedBy(file) : ""}`;
}

/** The servers. */
function serversShown({ servers }: FolderFile): string {
  const lines = servers.map((server) => `\n  | ${serverLine(server)}`).join("");
  return `\nThey start these MCP servers, which run with all your rights, outside of any sandbox:${lines}`;
}

/** Files of a program that a question names. */
const mostNamed = 30;

/** The files whose change is asked about again, and what is run besides, and not covered. */
function watchedBy({ serverFiles, path, untold }: FolderFile): string {
  const files = serverFiles.filter((file) => file.path !== path).map((file) => visible(file.path));
  const more = files.length > mostNamed ? `, and ${String(files.length - mostNamed)} more` : "";
  const again =
    files.length === 0
      ? ""
      : `\nYou are asked again if one of these changes: ${files.slice(0, mostNamed).join(", ")}${more}`;
  return `${again}${untold.length === 0 ? "" : `\nNot covered: ${visible(untold.join("; "))}`}`;
}

/** The path and the contents of a file, for the person. */
function shown({ path, text }: ReadFile): string {
  return `${visible(path)}:\n  | ${visible(text.trimEnd(), { multiline: true }).replaceAll("\n", "\n  | ")}`;
}

async function readTrusted(list: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await loadSettings(list);
  if (file === undefined) return {};
  try {
    const read: unknown = JSON.parse(file.text);
    return isPlainObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Milliseconds for which another command that writes a file of the user's own is waited for. */
const longestWait = 10_000;

/**
 * Changes a file of the user's own while no other command does: `change` reads it and returns its new content. It is written whole or not
 * at all, and only the user may read it.
 * @throws LastcallError `configuration` if another process writes there for too long. Whatever `change` throws.
 */
export async function changeOwn(path: string, change: () => Promise<Readonly<Record<string, unknown>>>): Promise<void> {
  const lock = join(dirname(path), "lock");
  const holder = newHolder();
  const other = await waitForLock(lock, holder, { longest: longestWait });
  if (other !== undefined) throw busy(path, other);
  try {
    const content = await change();
    // A command that only reads may do so at the same moment.
    const fresh = `${path}.${crypto.randomUUID()}.new`;
    await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(fresh, path);
  } finally {
    // The lock of a process that has ended counts no more.
    await giveBack(holder, () => freeLock(lock, holder)).catch(() => undefined);
  }
}

function busy(path: string, { pid, host }: Holder): LastcallError {
  const message = `${path} was not changed: process ${String(pid)} on ${host} has been writing there for ${String(longestWait / 1000)} s. Try again, or end that process.`;
  return new LastcallError("configuration", message);
}
