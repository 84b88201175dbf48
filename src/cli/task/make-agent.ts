// The agent of the command. A task and a conversation differ only in the tools that end a run.

import { command, postEdit, type PostEditCheck } from "../../checks/index.js";
import type { Agent, AgentOptions, Check, Hook, LimitOptions, Model, Tool } from "../../core/index.js";
import { createAgent } from "../../index.js";
import { windowed } from "../../memory/index.js";
import type { Approver } from "../../permission/index.js";
import { notes, readResult, workspaceTools } from "../../tools/index.js";
import { nobody } from "../person/approver.js";
import type { CommandLine, Rights } from "../args/args.js";
import { dryTools } from "./planned-changes.js";
import { findShell, hiddenBy, permissionFor } from "../args/rights.js";

/** The needs of the agent, for any ending tools. */
export interface AgentNeeds {
  readonly workdir: string;
  readonly model: Model;
  /** Instructions from files for the system prompt; may be empty. */
  readonly guidance: string;
  readonly rights: Rights;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  readonly protect: readonly string[];
  readonly attempts: number | undefined;
  readonly onEdit: readonly PostEditCheck[];
  readonly limits: LimitOptions;
  /** True: the model has tools for notes. */
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
  /** The ending tool that a reply of text alone calls. Default: none. */
  readonly onText?: string;
  /** Hooks around those of the agent, the first outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
}

/** A tool that does not end a run. */
type WorkingTool = Tool<string, unknown, unknown, "never">;

/** The agent, and words about it for people. */
export interface MadeAgent<Endings extends readonly Tool[]> {
  readonly agent: Agent<readonly [...Endings, ...WorkingTool[]]>;
  /** A sentence for the person: how its commands run. To be printed before the first run. */
  readonly shellNotice: string;
  readonly tools: readonly Tool[];
  readonly checks: readonly Check[];
  /** Lines to print after a run: the changes that a dry run would have made, and rules that would allow the refused calls. */
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

function checksOf(
  { until, protect }: AgentNeeds,
  at: Pick<NonNullable<Parameters<typeof command>[1]>, "cwd" | "shell">,
): readonly Check[] {
  return until.map(({ line, every }) => command(line, { ...at, protect, timeout: checkTimeout, every }));
}
