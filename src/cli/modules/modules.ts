// The modules of a command line: loads them, and makes an agent's definition and tools from them.

import { resolve } from "node:path";
import type { Settings } from "../args/args.js";
import { moduleFiles } from "../code/module-files.js";
import type { Place, ProgramFiles } from "../code/program-files.js";
import type { Tool } from "../../core/index.js";
import type { AgentDefinition, CommandWorkspace } from "./agent-module.js";
import { expectUnchanged, ReadOnce, type ReadFile } from "../display/read-once.js";
import { loadModule, type Exports } from "./load-module.js";
import { readAgentModule, type AgentMaker } from "./read-agent.js";
import { readToolsModule, type ToolMaker } from "./read-tools.js";

/** The tools of one module. */
export interface ToolSource {
  /** The path of the module. */
  readonly path: string;
  readonly tools: readonly Tool[];
}

/** The definition of an agent, and its module. */
export interface DefinedAgent {
  /** The path of the module. */
  readonly path: string;
  readonly definition: AgentDefinition;
  readonly tools: readonly Tool[];
}

/** The modules of a command line, loaded. */
export interface Modules {
  /** The files that they consist of, as absolute paths. */
  readonly files: readonly string[];
  /** Places of which files take part in them. */
  readonly asked: readonly Place[];
  /** Makes the agent of `--agent`; undefined without that option. @throws LastcallError `configuration` as the module is at fault. */
  agent(workspace: CommandWorkspace): Promise<DefinedAgent | undefined>;
  /** Makes the tools of `--tools`. @throws LastcallError `configuration` as a module is at fault. */
  tools(workspace: CommandWorkspace): Promise<readonly ToolSource[]>;
}

/**
 * Loads the modules. A module that is named twice is loaded once.
 * @throws LastcallError `configuration` if a module can't be loaded, or is no longer as it was read.
 */
export async function loadModules(
  { agent, tools, workdir }: Pick<Settings, "agent" | "tools" | "workdir">,
  files: ReadOnce = new ReadOnce(),
): Promise<Modules> {
  const makers: (readonly [path: string, make: ToolMaker])[] = [];
  const programs: ProgramFiles[] = [];
  const load = async (path: string): Promise<Exports> => {
    const program = await moduleFiles(path, { workdir, files }).catch(() => undefined);
    if (program !== undefined) programs.push(program);
    return loadAsRead(path, program?.files ?? []);
  };
  const agentPath = agent === undefined ? undefined : resolve(agent);
  let makeAgent: AgentMaker | undefined;
  if (agentPath !== undefined) makeAgent = readAgentModule(agentPath, await load(agentPath));
  const toolPaths = [...new Set(tools.map((path) => resolve(path)))];
  for (const path of toolPaths) makers.push([path, readToolsModule(path, await load(path))]);
  return {
    files: [...new Set(programs.flatMap(({ kept }) => kept))],
    asked: programs.flatMap(({ asked }) => asked),
    async agent(workspace) {
      if (agentPath === undefined || makeAgent === undefined) return undefined;
      const definition = await makeAgent(workspace);
      return { path: agentPath, definition, tools: definition.tools ?? [] };
    },
    tools: (workspace) => Promise.all(makers.map(async ([path, make]) => ({ path, tools: await make(workspace) }))),
  };
}

/** Loads a module whose files are as they were read, before and behind. */
async function loadAsRead(path: string, files: readonly ReadFile[]): Promise<Exports> {
  await expectUnchanged(files);
  const exports = await loadModule(path);
  await expectUnchanged(files);
  return exports;
}
