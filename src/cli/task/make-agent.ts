// Makes the agent of the command line. A task and a conversation differ in the tools that end a run, in `onText` and in the hooks.

import { command, postEdit, type CommandCheckOptions, type PostEditCheck } from "../../checks/index.js";
import type { Agent, AgentOptions, Check, Decision, Hook, Later, LimitOptions, Model, Tool } from "../../core/index.js";
import { createAgent } from "../../index.js";
import { windowed } from "../../memory/index.js";
import { notes, readResult, workspaceTools } from "../../tools/index.js";
import { nobody } from "../person/approver.js";
import type { CommandApprover } from "../person/parked.js";
import type { CommandLine, Rights } from "../args/args.js";
import { dryTools } from "./planned-changes.js";
import { findShell, permissionFor } from "../args/rights.js";

/** The settings that an agent needs for a task and for a conversation alike. */
export interface AgentNeeds {
  /** The folder that the agent works in: the root of its tools and the working directory of its commands. */
  readonly workdir: string;
  readonly model: Model;
  /** Instructions that were read from files, for the system prompt. May be empty. */
  readonly guidance: string;
  readonly rights: Rights;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  /** Patterns of files that must stay unchanged. If one changes, the `until` commands do not count. */
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
  /** The approver; undefined if there is no person to approve calls. */
  readonly approver: CommandApprover | undefined;
  /** Keys and other secrets to redact everywhere. */
  readonly secrets: readonly string[];
  /** Folders and files that no tool may write. Only those inside the workspace need rules, because file tools never leave it. */
  readonly guarded: readonly string[];
  /** False if no person can answer. The model then has no tool for questions. */
  readonly interactive: boolean;
  /** The hook that traces the runs. It is the outermost. Default: none. */
  readonly telemetry?: Hook | undefined;
}

/** The parts that differ between a task and a conversation. */
export interface Ends<Endings extends readonly Tool[]> {
  /** The loop-breaking tools. */
  readonly endings: Endings;
  /** The name of a loop-breaking tool. A reply of text alone counts as a call of this tool. Default: none. */
  readonly onText?: string;
  /** Hooks around the agent's own hooks. The first hook is the outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
}

/** A tool that does not end a run. */
type WorkingTool = Tool<string, unknown, unknown, "never">;

/** The agent with its tools and checks, and texts about it for the person. */
export interface MadeAgent<Endings extends readonly Tool[]> {
  readonly agent: Agent<readonly [...Endings, ...WorkingTool[]], Decision | Later>;
  /** A sentence that tells the person how the agent's commands run. Print it before the first run. */
  readonly shellNotice: string;
  /** The tools that were given. An agent that is not interactive leaves out those that wait for an answer. */
  readonly tools: readonly Tool[];
  readonly checks: readonly Check[];
  /**
   * Lines to print after a run. In a dry run, they list the changes that would have been made, and say if checks were left out. They
   * name the rules that would allow the refused calls. They cover all runs of this agent so far.
   */
  remarks(): readonly string[];
}

const instructions = `You are a careful engineer working in one folder with the tools you have. Paths are relative to that folder.
Look before you change anything, change only what the task needs, and see for yourself that it works before you say so.
A command that exits with a code other than 0 has still told you something: read its output.`;

/** The number of characters of one result that the prompt shows. It is enough for most source files. */
const clip = 40_000;

/** The time limit of one check, in milliseconds. It is enough for a test suite. */
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
  const { shell, notice } = await findShell({ root: cwd, guarded: needs.guarded }, rights);
  const refuser = nobody();
  const workspace = { root: cwd, shell };
  const dry = rights.dryRun ? dryTools(workspace) : undefined;
  const working: readonly WorkingTool[] = [
    readResult(),
    ...(dry?.tools ?? workspaceTools(workspace)),
    ...(needs.notes ? notes() : []),
  ];
  const checks = dry ? [] : checksOf(needs, { cwd, shell });
  const options: AgentOptions<readonly [...Endings, ...WorkingTool[]], Decision | Later> = {
    model: needs.model,
    instructions: needs.guidance === "" ? instructions : `${instructions}\n\n${needs.guidance}`,
    tools: [...endings, ...working],
    clip,
    permission: permissionFor(rights, { root: cwd, guarded: needs.guarded, approver: approver ?? refuser.approver }),
    checks,
    limits: needs.limits,
    hooks: [
      ...(needs.telemetry === undefined ? [] : [needs.telemetry]),
      ...hooks,
      ...(dry ? [] : [postEdit(needs.onEdit, { cwd, shell })]),
    ],
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
