// The agent of the command: one definition for a task and for a conversation, which differ in the tools that end a run.

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

/** What the agent is made from, whatever ends its runs. */
export interface AgentNeeds {
  readonly workdir: string;
  readonly model: Model;
  /** What files say that it should know, for its system prompt; empty for nothing. */
  readonly guidance: string;
  /** What it may do. */
  readonly rights: Rights;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  readonly protect: readonly string[];
  readonly attempts: number | undefined;
  readonly onEdit: readonly PostEditCheck[];
  readonly limits: LimitOptions;
  /** True where the model has tools to note things with. */
  readonly notes: boolean;
  /** Tokens that the model takes; undefined where that is not known. */
  readonly window: number | undefined;
  /** Who approves; undefined where nobody does. */
  readonly approver: Approver | undefined;
  /** Keys that must not be kept or shown, wherever they turn up. */
  readonly secrets: readonly string[];
  /** Folders and files, in or outside of the workspace, that no tool may write. */
  readonly guarded: readonly string[];
  /** False where nobody is ever there: the model is not offered to ask. */
  readonly interactive: boolean;
}

/** How the runs of the agent end, and what else differs between its uses. */
export interface Ends<Endings extends readonly Tool[]> {
  /** The loop-breaking tools. */
  readonly endings: Endings;
  /** The one of them that words alone are a call of. Default: none. */
  readonly onText?: string;
  /** Hooks around its own, the first outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
}

/** A tool that ends nothing. */
type WorkingTool = Tool<string, unknown, unknown, "never">;

/** The agent, and what there is to say to people about it. */
export interface MadeAgent<Endings extends readonly Tool[]> {
  readonly agent: Agent<readonly [...Endings, ...WorkingTool[]]>;
  /** Where its commands run: to be said before the first of them does. */
  readonly place: string;
  readonly tools: readonly Tool[];
  readonly checks: readonly Check[];
  /** What a dry run would have done so far, and what would let calls through that nobody was there to approve. */
  remarks(): readonly string[];
}

const instructions = `You are a careful engineer working in one folder with the tools you have. Paths are relative to that folder.
Look before you change anything, change only what the task needs, and see for yourself that it works before you say so.
A command's exit code other than 0 is an answer: read its output.`;

/** Characters of a result that the prompt shows: whole source files, as a rule. */
const clip = 40_000;

/** Milliseconds that a check may take: whole test suites do. */
const checkTimeout = 20 * 60_000;

/**
 * Makes it.
 * @throws LastcallError `configuration` where the folder, a rule or a pattern can't be used.
 */
export async function makeAgent<const Endings extends readonly Tool[]>(
  needs: AgentNeeds,
  { endings, onText, hooks = [] }: Ends<Endings>,
): Promise<MadeAgent<Endings>> {
  const { workdir: cwd, rights, until, attempts, window, approver } = needs;
  const { shell, words } = await findShell(cwd, rights);
  const absent = nobody();
  const place = { root: cwd, shell, hide: hiddenBy(rights.deny) };
  const dry = rights.dryRun ? dryTools(place) : undefined;
  const working: readonly WorkingTool[] = [
    readResult(),
    ...(dry?.tools ?? workspaceTools(place)),
    ...(needs.notes ? notes() : []),
  ];
  const checks = dry ? [] : checksOf(needs, { cwd, shell });
  const options: AgentOptions<readonly [...Endings, ...WorkingTool[]]> = {
    model: needs.model,
    instructions: needs.guidance === "" ? instructions : `${instructions}\n\n${needs.guidance}`,
    tools: [...endings, ...working],
    clip,
    permission: permissionFor(rights, { root: cwd, guarded: needs.guarded, approver: approver ?? absent.approver }),
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
    place: words,
    tools: options.tools,
    checks,
    remarks: () => [...(dry?.plan() ?? []), ...unchecked, ...[absent.hint()].filter((hint) => hint !== undefined)],
  };
}

function checksOf(
  { until, protect }: AgentNeeds,
  at: Pick<NonNullable<Parameters<typeof command>[1]>, "cwd" | "shell">,
): readonly Check[] {
  return until.map(({ line, every }) => command(line, { ...at, protect, timeout: checkTimeout, every }));
}
