// The entry `lastcall/command`: the shapes of the modules that the command loads, which are tools and an agent of one's own.

import type { AgentOptions, Decision, SecretOptions, Tool, tool, ToolSource } from "../../core/index.js";
import type { Shell } from "../../tools/index.js";

/** The parts of the command that a function of a module gets. */
export interface CommandWorkspace {
  /** The folder that the agent works in, as an absolute path. */
  readonly root: string;
  /** Runs commands as `run_command` of the command does: in a sandbox if there is one. */
  readonly shell: Shell;
  /** The command's own tools for the folder, and `read_result`. In a dry run they change nothing. */
  readonly tools: readonly Tool[];
  /** True in a conversation (`lastcall chat`). */
  readonly isConversation: boolean;
  /** True with `--dry-run`: nothing may be changed. */
  readonly isDryRun: boolean;
  /** Makes a tool, as `tool` of `lastcall` does, for a module that imports nothing. */
  readonly tool: typeof tool;
}

/** The options of `createAgent` that the command sets itself, or that it joins with its own. */
type Supplied = "permission" | "interactive" | "runtime" | "model" | "tools" | "secrets";

/**
 * The definition of an agent: the options of `createAgent` without `permission`, `interactive` and `runtime`, which are the command's. An
 * option of the command line, of a session or of a config file wins over the same option here; checks and secrets of both hold together.
 */
export interface AgentDefinition extends Omit<
  AgentOptions<readonly Tool[], Decision, boolean, readonly ToolSource[]>,
  Supplied
> {
  /**
   * All tools of the agent besides the tools of `--tools` and `--notes`. If no tool is loop-breaking, the command adds `task_completion`,
   * `ask_question` and `give_up`; in a conversation `converse` instead of `give_up`. Default: none.
   */
  readonly tools?: readonly Tool[] | undefined;
  /** Default: the model that the command finds without a module. */
  readonly model?: AgentOptions<readonly Tool[]>["model"] | undefined;
  /** Secrets to redact besides the secrets that the command knows. Default: none. */
  readonly secrets?: SecretOptions | undefined;
  /** Tells the callers of `lastcall mcp serve` what the agent does and when to call it. Default: the beginning of its instructions. */
  readonly description?: string | undefined;
  /** The context of each run, for tools that declare one. Default: none. */
  readonly context?: unknown;
}

/**
 * The default export of a module for `--agent`: a definition, or a function that makes one. The function is called when the command starts,
 * and again if the tier is changed in a conversation.
 */
export type AgentModule =
  AgentDefinition | ((workspace: CommandWorkspace) => AgentDefinition | Promise<AgentDefinition>);

/** An export of a module for `--tools`: a tool, a list of tools, or a function that makes them, called as one of `AgentModule` is. */
export type ToolsModule =
  Tool | readonly Tool[] | ((workspace: CommandWorkspace) => Tool | readonly Tool[] | Promise<Tool | readonly Tool[]>);
