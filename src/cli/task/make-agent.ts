// Makes the agent of the command line. A task and a conversation differ in the tools that end a run, in `onText` and in the hooks.

import { command, postEdit, type CommandCheckOptions, type PostEditCheck } from "../../checks/index.js";
import type { Agent, AgentOptions, Check, Hook, LimitOptions, Model, Tool } from "../../core/index.js";
import { createAgent } from "../../index.js";
import { windowed } from "../../memory/index.js";
import type { Approver } from "../../permission/index.js";
import { notes, readResult, workspaceTools } from "../../tools/index.js";
import { nobody } from "../person/approver.js";
import type { CommandLine, Rights } from "../args/args.js";
import { dryTools } from "./planned-changes.js";
import { findShell, hiddenBy, permissionFor } from "../args/rights.js";

/** The options of the agent that do not depend on the tools that end its runs. */
export interface AgentNeeds {
  readonly workdir: string;
  readonly model: Model;
  /** Instructions from files for the system prompt; may be empty. */
  readonly guidance: string;
  readonly rights: Rights;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  /** Patterns of files that must not change if the `until` commands are to count. */
  readonly protect: readonly string[];
  /** The number of claims with a failed check that stops the run; undefined for the default. */
  readonly attempts: number | undefined;
  /** Commands that run after an edit of a matching file. */
  readonly onEdit: readonly PostEditCheck[];
  readonly limits: LimitOptions;
  /** True if the model has tools for notes. */
  readonly notes: boolean;
  /** The context window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
  /** The approver; undefined if nobody is there to approve. */
  readonly approver: Approver | undefined;
  /** Keys and other secrets to redact everywhere. */
  readonly secrets: readonly string[];
  /** Folders and files that no tool may write, inside or outside of the workspace. */
  readonly guarded: readonly string[];
  /** False if nobody is there to answer: the model gets no tool to ask. */
  readonly interactive: boolean;
}

/** The parts that differ between a task and a conversation. */
export interface Ends<Endings extends readonly Tool[]> {
  /** The loop-breaking tools. */
  readonly endings: Endings;
  /** The name of the loop-breaking tool that a reply without calls counts as a call of. Default: none. */
  readonly onText?: string;
  /** Hooks around those of the agent, the first outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
}

/** A tool that does not end a run. */
type WorkingTool = Tool<string, unknown, unknown, "never">;

/** The agent with its tools and checks, and texts about it for the person. */
export interface MadeAgent<Endings extends readonly Tool[]> {
  readonly agent: Agent<readonly [...Endings, ...WorkingTool[]]>;
  /** A sentence that tells the person how the agent's commands run. Print it before the first run. */
  readonly shellNotice: string;
  readonly tools: readonly Tool[];
  readonly checks: readonly Check[];
  /** Lines to print after a run: changes of a dry run, a note if its checks were not run, and rules that allow the refused calls. */
  remarks(): readonly string[];
}

const instructions = `You are a careful engineer working in one folder with the tools you have. Paths are relative to that folder.
Look before you change anything, change only what the task needs, and see for yourself that it works before you say so.
A command's exit code other than 0 is an answer: read its output.`;

/** Characters shown of one result in the prompt: enough for most source files. */
const clip = 40_000;

/** Milliseconds for one check: enough for a test suite. */
const checkTimeout = 20 * 60_000;

/**
 * Makes the agent.
 * @throws LastcallError `configuration` if the folder, a rule or a pattern can't be used.
 */
export async function makeAgent<const Endings extends readonly Tool[]>(
  needs: AgentNeeds,
  { endings, onText, hooks = [] }: Ends<Endings>,
): Promise<MadeAgent<Endings>> {
  const { workdir: cwd, rights, until, attempts, window, approver } = needs;
  const { shell, notice } = await findShell(cwd, rights);
  const refuser = nobody();
  const workspace = { root: cwd, shell, hide: hiddenBy(rights.deny) };
  const dry = rights.dryRun ? dryTools(workspace) : undefined;
  const working: readonly WorkingTool[] = [
    readResult(),
    ...(dry?.tools ?? workspaceTools(workspace)),
    ...(needs.notes ? notes() : []),
  ];
  const checks = dry ? [] : checksOf(needs, { cwd, shell });
  const options: AgentOptions<readonly [...Endings, ...WorkingTool[]]> = {
    model: needs.model,
    instructions: needs.guidance === "" ? instructions : `${instructions}\n\n${needs.guidance}`,
    tools: [...endings, ...working],
    clip,
    permission: permissionFor(rights, { root: cwd, guarded: needs.guarded, approver: approver ?? refuser.approver }),
    checks,
    limits: needs.limits,
    hooks: dry ? hooks : [...hooks, postEdit(needs.onEdit, { cwd, shell })],
    secrets: { values: needs.secrets },
    interactive: needs.interactive,
    memory: window === undefined ? undefined : windowed({ window }),
    maxAttempts: attempts,
    onText,
  };
  const unchecked = dry && until.length > 0 ? ["The checks were not run either, so nothing is verified."] : [];
  return {
    agent: createAgent(options),
    shellNotice: notice,
    tools: options.tools,
    checks,
    remarks: () => [...(dry?.plan() ?? []), ...unchecked, ...[refuser.hint()].filter((hint) => hint !== undefined)],
  };
}

function checksOf({ until, protect }: AgentNeeds, at: Pick<CommandCheckOptions, "cwd" | "shell">): readonly Check[] {
  return until.map(({ line, every }) => command(line, { ...at, protect, timeout: checkTimeout, every }));
}
