// The workplace of an agent: the shell, the tools and the definition that the command and its modules give for certain rights.

import { tool, type Tool } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { findShell } from "../args/rights.js";
import type { AgentDefinition } from "../modules/agent-module.js";
import type { Modules, ToolSource } from "../modules/modules.js";
import { notes, readResult, workspaceTools, type Shell, type WorkspaceChanges } from "../../tools/index.js";
import { dryTools, type DryTools } from "./planned-changes.js";

/** The needs of a workplace besides the settings. */
export interface WorkplaceNeeds {
  /** The working directory, as an absolute path. */
  readonly root: string;
  /** Files and folders that no tool may write and no command may read. */
  readonly guarded: readonly string[];
  readonly modules: Modules;
  /** The place where changes are recorded. Default: they are not. */
  readonly changes?: WorkspaceChanges | undefined;
}

/** The settings that a workplace follows from. */
export type WorkplaceSettings = Pick<Settings, "rights" | "notes" | "order">;

/** A workplace. */
export interface Workplace {
  readonly shell: Shell;
  /** A sentence that tells the person how commands run. */
  readonly notice: string;
  /** The command's own tools for the folder. */
  readonly own: readonly Tool[];
  /** All tools but the tools with which the command ends a run, by their sources. */
  readonly sources: readonly ToolSource[];
  /** The agent of a module, without its tools; undefined if the agent is the command's own. */
  readonly definition: AgentDefinition | undefined;
  /** True if the agent of a module has loop-breaking tools, so that the command adds none. */
  readonly endsItself: boolean;
  /** True in a dry run. */
  readonly isDry: boolean;
  /** Lines about the changes that a dry run would have made; empty if it is none. */
  plan(): readonly string[];
}

/**
 * Makes the workplace.
 * @throws LastcallError `configuration` if the folder can't be used, or a module is at fault.
 */
export async function workplaceFor(
  { rights, notes: hasNotes, order }: WorkplaceSettings,
  { root, guarded, modules, changes }: WorkplaceNeeds,
): Promise<Workplace> {
  const { shell, notice } = await findShell({ root, guarded, modules: modules.files }, rights);
  const dry = rights.dryRun ? dryTools({ root, shell }) : undefined;
  // A dry run changes nothing.
  const recorded = (tools: readonly Tool[]): readonly Tool[] =>
    dry === undefined && changes !== undefined ? changes.recorded(tools) : tools;
  const own = recorded([readResult(), ...(dry?.tools ?? workspaceTools({ root, shell }))]);
  const isConversation = order.do === "chat";
  const workspace = { root, shell, tools: own, isConversation, isDryRun: rights.dryRun, tool };
  const agent = await modules.agent(workspace);
  const sources: readonly ToolSource[] = [
    agent ?? { path: "the command", tools: own },
    { path: "--notes", tools: hasNotes ? notes() : [] },
    ...(await modules.tools(workspace)),
  ];
  return {
    shell,
    notice,
    own,
    sources: sources.map(({ path, tools }) => ({
      path,
      tools: recorded(tools.map((one) => inPlaceOf(one, own, dry))),
    })),
    definition: agent?.definition,
    endsItself: agent?.tools.some(({ ending }) => ending !== "never") ?? false,
    isDry: dry !== undefined,
    plan: () => dry?.plan() ?? [],
  };
}

/** The tool itself, or in a dry run a tool that changes nothing. */
function inPlaceOf(one: Tool, own: readonly Tool[], dry: DryTools | undefined): Tool {
  return dry === undefined || own.includes(one) ? one : dry.instead(one);
}
