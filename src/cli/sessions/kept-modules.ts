// The modules, MCP servers and agents of a stored session. Their digests are kept with it, so that a resume runs nothing changed unseen.

import { resolve } from "node:path";
import { LastcallError, type JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { Settings } from "../args/args.js";
import { readAgents } from "../agent-files/agent-files.js";
import { digestOfFiles, moduleFiles } from "../code/module-files.js";
import type { KeptOptions } from "../args/options.js";
import { digestOfServers, type CodePlace } from "../code/server-files.js";
import { confirm } from "../person/person.js";
import { personIn, type Surroundings } from "../person/surface.js";
import { ReadOnce } from "../display/read-once.js";
import { visible } from "../display/visible.js";

/** The modules and servers of the settings for a new session: absolute paths, and the digests of the files. Empty without any. */
export async function modulesToKeep(
  settings: Pick<Settings, "agent" | "tools" | "mcp" | "agents" | "workdir">,
  around: Pick<Surroundings, "env" | "files">,
): Promise<JsonObject> {
  const place = placeOf(settings.workdir, around);
  const agent = settings.agent === undefined ? undefined : resolve(settings.agent);
  const lists = [settings.tools, settings.mcp, settings.agents];
  const [tools = [], mcp = [], agents = []] = lists.map((paths) => paths.map((path) => resolve(path)));
  const digests = await Promise.all([
    ...[agent ?? [], tools].flat().map(async (path) => [path, await digestOf(path, place)] as const),
    ...mcp.map(async (path) => [path, await digestOfServers(path, place)] as const),
    ...agents.map(async (path) => [path, await digestOfAgent(path, place)] as const),
  ]);
  if (digests.length === 0) return {};
  return {
    ...(agent !== undefined && { agent }),
    ...(tools.length > 0 && { tools }),
    ...(mcp.length > 0 && { mcp }),
    ...(agents.length > 0 && { agents }),
    digests: Object.fromEntries(digests),
  };
}

/**
 * Checks that the modules and servers of the session are as they were when it began, unless the command line names other modules or
 * servers. A person may accept a change.
 * @throws LastcallError `configuration` if one of the files is gone, or has changed and nobody accepted it.
 */
export async function expectSameModules(
  { kept, digests }: { readonly kept: KeptOptions; readonly digests: unknown },
  given: Settings,
  around: Surroundings,
): Promise<void> {
  const place = placeOf(kept.workdir ?? given.workdir, around);
  const servers = given.mcp.length === 0 && !given.noMcp ? (kept.mcp ?? []) : [];
  const agents = given.agents.length === 0 && !given.noAgents ? (kept.agents ?? []) : [];
  const wanted = [
    ...(given.agent === undefined && kept.agent !== undefined ? [["--agent", kept.agent, digestOf] as const] : []),
    ...(given.tools.length === 0 ? (kept.tools ?? []).map((path) => ["--tools", path, digestOf] as const) : []),
    ...servers.map((path) => ["--mcp", path, digestOfServers] as const),
    ...agents.map((path) => ["--agents", path, digestOfAgent] as const),
  ];
  const person = given.noInput ? undefined : personIn(around);
  for (const [option, path, digest] of wanted) {
    const without = ways[option];
    const remedy = `The session has it from ${option}. To go on with this file or another one: ${option} FILE${without}.`;
    const now = await digest(path, place).catch((thrown: unknown) => {
      throw refusal(`${thrown instanceof Error ? thrown.message : path} ${remedy}`);
    });
    if (isPlainObject(digests) && digests[path] === now) continue;
    const change = `${visible(path)} is not as it was when this session began`;
    const rights = option === "--agents" ? "a model works by its words" : "it runs with all your rights";
    const question = `${change}, and ${rights}. Use it as it is now?`;
    if (person === undefined || !(await confirm(person, question, around.signal)))
      throw refusal(`${change}. ${remedy}`);
  }
}

/** The ways to go on without a file, after the way to name another file. */
const ways = {
  "--agent": "",
  "--tools": "",
  "--mcp": "; without servers: --no-mcp",
  "--agents": "; without such agents: --no-agents",
} as const;

function placeOf(workdir: string, { env, files = new ReadOnce() }: Pick<Surroundings, "env" | "files">): CodePlace {
  return { workdir: resolve(workdir), env, files };
}

async function digestOfAgent(path: string, { files }: CodePlace): Promise<string> {
  return digestOfFiles([{ path, text: JSON.stringify(await readAgents([path], files)) }]);
}

async function digestOf(path: string, place: CodePlace): Promise<string> {
  return digestOfFiles((await moduleFiles(path, place)).files);
}

function refusal(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
