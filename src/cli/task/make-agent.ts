// Makes the agent of the command. A task and a conversation differ in the tools that end a run, in `onText` and in the hooks.

import { command, commandHooks, postEdit, type CommandCheckOptions } from "../../checks/index.js";
import {
  LastcallError,
  type Agent,
  type AgentOptions,
  type AnyPermission,
  type Check,
  type Decision,
  type Hook,
  type Later,
  type AskingLimits,
  type LimitsThatAsk,
  type Model,
  type Tool,
} from "../../core/index.js";
import { createAgent } from "../../index.js";
import { windowed } from "../../memory/index.js";
import { reachableTools } from "../../core/internal.js";
import type { WorkspaceChanges } from "../../tools/index.js";
import { nobody } from "../person/approver.js";
import { parker, type CommandApprover } from "../person/parked.js";
import type { Rights, Settings } from "../args/args.js";
import type { Place } from "../code/program-files.js";
import type { KeptRules } from "../args/kept-rules.js";
import { permissionFor } from "../args/rights.js";
import type { StatedAgent } from "../agent-files/stated-agent.js";
import { agentTools, reportOf, statedAgents, type Around, type CalledAgent } from "../delegates/called-agents.js";
import { planner } from "../presets/planner.js";
import { readersIn, reviewer } from "../presets/reviewer.js";
import { speech, type Speech } from "../display/said.js";
import type { OpenServers } from "../mcp-config/open-servers.js";
import { visible } from "../display/visible.js";
import type { Workplace } from "./workplace-for.js";
import type { ToolSource } from "../modules/modules.js";

/** The settings that an agent follows from. */
export type AgentSettings = Pick<
  Settings,
  | "as"
  | "rights"
  | "checks"
  | "protect"
  | "attempts"
  | "onEdit"
  | "hook"
  | "hooksOutside"
  | "noInput"
  | "requireVerified"
  | "noExplore"
  | "exploreModel"
  | "plan"
  | "review"
>;

/** The needs of an agent, for a task and for a conversation alike. */
export interface AgentNeeds {
  readonly settings: AgentSettings;
  /** The folder that the agent works in: the root of its tools and the working directory of its commands. */
  readonly workdir: string;
  readonly model: Model;
  /** Instructions that were read from files, for the system prompt. May be empty. */
  readonly guidance: string;
  readonly limits: AskingLimits;
  /** The context window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
  /** The approver; undefined if there is no person to approve calls. */
  readonly approver: CommandApprover | undefined;
  /** The rules that a person chose for the folder, and the place of later ones. Default: none. */
  readonly chosen?: KeptRules | undefined;
  /** Keys and other secrets to redact everywhere. */
  readonly secrets: readonly string[];
  /** Folders and files that no tool may write. Only places inside the workspace need rules, because file tools never leave it. */
  readonly guarded: readonly string[];
  /** Files of modules, which no tool may write either. */
  readonly modules: readonly string[];
  /** Places of which files take part in modules and servers. */
  readonly asked?: readonly Place[] | undefined;
  /** The workplace for these rights. The same rights get the same workplace. @throws LastcallError as `workplaceFor` does. */
  readonly workplaceFor: (rights: Rights) => Promise<Workplace>;
  /** The MCP servers, whose tools the agent has. Default: none. */
  readonly servers?: Pick<OpenServers, "open" | "sources" | "missing" | "tellTo" | "signIn"> | undefined;
  /** The agents in files, which the agent can call. Default: none. */
  readonly agents?: readonly StatedAgent[] | undefined;
  /** The names of agents in files that the options leave out. Default: none. */
  readonly agentsLeftOut?: readonly string[] | undefined;
  /** Makes another model of the same server. Default: there is none. */
  readonly modelNamed?: ((name: string) => Model) | undefined;
  /** The hook that traces the runs. It is the outermost. Default: none. */
  readonly telemetry?: Hook | undefined;
  /** Gets a line about a hook that failed. Default: nobody is told. */
  readonly tell?: ((line: string) => void) | undefined;
  /** The record of what the runs change. Default: none. */
  readonly changes?: WorkspaceChanges | undefined;
  /** The checks that bound these changes. Default: none. */
  readonly caps?: readonly Check[] | undefined;
}

/** The parts that differ between a task and a conversation. */
export interface Ends {
  /** The loop-breaking tools, for an agent without such tools. */
  readonly endings: readonly Tool[];
  /** The name of one of these tools. A reply of text alone counts as a call of this tool. Default: none. */
  readonly onText?: string;
  /** Hooks around the agent's own hooks. The first hook is the outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
}

/** The agent with its tools and checks, and texts about it for the person. */
export interface MadeAgent {
  readonly agent: Agent<readonly Tool[], Decision | Later>;
  /** The agent in words for other agents; undefined if its module has none. */
  readonly description: string | undefined;
  /** The context that each run has to get. */
  readonly context: unknown;
  /** Lines for the person: how the agent's commands run, and the rules that have no effect. Print them before the first run. */
  readonly notices: readonly string[];
  /** The tools of the agent now. An agent that is not interactive leaves out tools that wait for an answer. */
  readonly tools: readonly Tool[];
  readonly checks: readonly Check[];
  /** The agents that it can call. */
  readonly called: readonly CalledAgent[];
  /** Reads the values of these tools for people. */
  readonly speech: Speech;
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
 * @throws LastcallError `configuration` if the folder, a rule, a pattern or a module can't be used.
 */
export async function makeAgent(given: AgentNeeds, ends: Ends): Promise<MadeAgent> {
  const { settings } = given;
  const { rights } = settings;
  const own = await given.workplaceFor(rights);
  return settings.review ? makeIn(reviewing(own, given), ends) : makeIn({ needs: given, workplace: own }, ends);
}

/** An agent's needs, and the workplace for its rights. */
interface Placed {
  readonly needs: AgentNeeds;
  readonly workplace: Workplace;
}

/** The workplace of the reviewer, which has tools and agents that read. */
function reviewing(own: Workplace, needs: AgentNeeds): Placed {
  const { tools, model, ...definition } = reviewer(own.own, needs);
  const [, ...others] = own.sources;
  const sources = [{ path: "the reviewer", tools }, ...others];
  return {
    needs: { ...needs, agents: readersIn(needs.agents ?? []), model: model ?? needs.model },
    workplace: { ...own, definition: { ...definition, clip }, endsItself: true, sources },
  };
}

function makeIn({ needs, workplace }: Placed, ends: Ends): MadeAgent {
  const { settings, workdir: root, guarded, modules, asked = [], approver } = needs;
  const { rights } = settings;
  const { definition = {}, isDry } = workplace;
  const refuser = nobody();
  const below = belowOf(needs, workplace);
  const tools = toolsOf({ ...workplace, sources: [...workplace.sources, ...agentTools(below)] }, ends, settings);
  const used = withoutMissing(rights, needs, tools);
  const gateFor = (held: Rights): AnyPermission => {
    const kept = needs.chosen?.rules;
    const gate = permissionFor(held, { root, guarded, modules, asked, approver: approver ?? refuser.approver, kept });
    return approver === undefined || approver === parker ? unannounced(gate) : gate;
  };
  const checks = isDry
    ? []
    : [
        ...(needs.caps ?? []),
        ...(definition.checks ?? []),
        ...checksOf(settings, { cwd: root, shell: workplace.shell }),
      ];
  const { context, description, ...own } = definition;
  // The effects of the tools of a source are not known, so a dry run has none.
  const toolSources = isDry ? [] : [...(own.toolSources ?? []), ...(needs.servers?.sources ?? [])];
  const options: AgentOptions<readonly Tool[], Decision | Later, boolean, typeof toolSources, LimitsThatAsk> = {
    clip: workplace.definition === undefined ? clip : undefined,
    ...own,
    toolSources,
    model: needs.model,
    instructions: instructionsOf(workplace, needs.guidance),
    tools,
    permission: gateFor(used.rights),
    checks,
    limits: needs.limits,
    hooks: hooksOf(workplace, ends, needs),
    secrets: below.secrets,
    interactive: !settings.noInput,
    memory: own.memory ?? (needs.window === undefined ? undefined : windowed({ window: needs.window })),
    maxAttempts: settings.attempts ?? own.maxAttempts,
    onText: own.onText ?? (workplace.endsItself ? undefined : ends.onText),
  };
  const builds = createAgent(options);
  const plans = settings.plan ? planner(builds, below, rights) : undefined;
  return {
    agent:
      plans === undefined ? builds : createAgent({ ...options, ...plans.parts, permission: gateFor(plans.rights) }),
    description: description ?? definition.instructions,
    context,
    notices: [workplace.notice, ...noEffect(used.idle)],
    get tools() {
      return [...tools, ...toolSources.flatMap((source) => source.tools)];
    },
    checks,
    called: statedAgents(below).map(reportOf),
    speech: speech(reachableTools(plans === undefined ? tools : plans.parts.tools)),
    remarks: () => [
      ...workplace.plan(),
      ...leftOut(workplace, needs),
      ...[refuser.hint()].filter((hint) => hint !== undefined),
    ],
  };
}

/** The parts that the agents below share with the agent. */
function belowOf(needs: AgentNeeds, { definition, isDry, own, shell }: Workplace): Around {
  const { settings, agents = [], model, window, modelNamed, limits, guidance, workdir, telemetry } = needs;
  const ownSecrets = definition?.secrets;
  return {
    ...{ settings, agents, model, window, modelNamed, limits, guidance, clip, telemetry },
    tools: own,
    wantsExplore: definition === undefined || settings.review,
    secrets: { ...ownSecrets, values: [...(ownSecrets?.values ?? []), ...needs.secrets] },
    onEdit: isDry ? undefined : postEdit(settings.onEdit, { cwd: workdir, shell }),
    // A gate before a call is one for all agents of the run. Questions, limits and ends are told of the run itself.
    gate: isDry ? undefined : ofCalls(personsHooks(needs, { shell })),
  };
}

/** The part of a hook that is about calls. */
function ofCalls(hook: Hook | undefined): Hook | undefined {
  return hook?.call && { call: hook.call };
}

/** The permission without announcements, for a command in which nobody is asked. */
function unannounced(permission: AnyPermission): AnyPermission {
  return { ...permission, decide: (call, { announce: _announce, ...deciding }) => permission.decide(call, deciding) };
}

/**
 * All tools of the agent.
 * @throws LastcallError `configuration` if two have one name, a context is missing, or nothing could end a run without a person.
 */
function toolsOf(
  { sources, endsItself, definition }: Workplace,
  { endings }: Ends,
  { noInput }: AgentSettings,
): readonly Tool[] {
  const every = endsItself ? sources : [{ path: "the command", tools: endings }, ...sources];
  expectNoClash(every);
  const all = every.flatMap(({ tools }) => tools);
  const needing = all.find(({ context }) => context !== undefined);
  if (needing !== undefined && definition?.context === undefined)
    throw wrong(`The tool ${needing.name} needs a context. Give it as \`context\` of an agent: --agent FILE.`);
  const finishing = all.filter(({ ending }) => ending !== "never" && ending !== "waiting");
  if (noInput && finishing.length === 0)
    throw wrong(
      "--no-input leaves out the tools that wait for an answer, and the agent has no other tool that ends a run. Add one, or leave --no-input out.",
    );
  return all;
}

/** @throws LastcallError `configuration` that names both sources of a name. */
function expectNoClash(sources: readonly ToolSource[]): void {
  const owners = new Map<string, string>();
  for (const { path, tools } of sources) {
    for (const { name } of tools) {
      const owner = owners.get(name);
      const both = owner === path ? `${path} has two tools` : `${owner ?? ""} and ${path} both have a tool`;
      if (owner !== undefined)
        throw wrong(`${visible(`${both} named "${name}"`)}. Rename one of them, or leave it out.`);
      owners.set(name, path);
    }
  }
}

/**
 * The rights without the rules about tools and agents that the options leave out, or whose server can't be used: the gate refuses a rule
 * about a tool that is not there. Without any server, that is each rule about a tool with the name of a server's tool: another folder has
 * the server. `idle` are the rules about what the options leave out.
 */
function withoutMissing(
  rights: Rights,
  { servers, agentsLeftOut = [], settings: { noInput, noExplore } }: AgentNeeds,
  tools: readonly Tool[],
): { readonly rights: Rights; readonly idle: readonly string[] } {
  const { missing = [], open = [] } = servers ?? {};
  const isLeftOut = ({ ending }: Tool): boolean => noInput && ending === "waiting";
  const here = tools.filter((tool) => !isLeftOut(tool)).map(({ name }) => name);
  const absent = [
    ...tools.filter(isLeftOut).map(({ name }) => name),
    ...(noExplore ? ["explore"] : []),
    ...agentsLeftOut,
  ].filter((name) => !here.includes(name));
  const isIdle = (rule: string): boolean => absent.includes(toolOf(rule));
  const isThere = (rule: string): boolean => {
    const name = toolOf(rule);
    if (here.includes(name)) return true;
    if (isIdle(rule)) return false;
    // Another name that is not there is a mistake, which the gate names.
    if (!name.includes("__")) return true;
    const isOfOwn = here.some((own) => own.includes("__") && own.split("__")[0] === name.split("__")[0]);
    return isOfOwn || (missing.length + open.length > 0 && !missing.some((server) => name.startsWith(`${server}__`)));
  };
  return {
    rights: { ...rights, allow: rights.allow.filter(isThere), deny: rights.deny.filter(isThere) },
    idle: [...rights.allow, ...rights.deny].filter(isIdle),
  };
}

/** The name of the tool that a rule is about. */
function toolOf(rule: string): string {
  return rule.split("(")[0] ?? "";
}

/** A line about the rules that have no effect. */
function noEffect(rules: readonly string[]): readonly string[] {
  if (rules.length === 0) return [];
  const named = visible([...new Set(rules)].map((rule) => JSON.stringify(rule)).join(", "));
  const [words, it] = rules.length === 1 ? [`rule ${named} has`, "it is"] : [`rules ${named} have`, "they are"];
  return [`The ${words} no effect: this run leaves out what ${it} about.`];
}

function instructionsOf({ definition }: Workplace, guidance: string): string {
  const own = definition === undefined ? instructions : (definition.instructions ?? "");
  return [own, guidance].filter((text) => text !== "").join("\n\n");
}

/** A dry run has no hooks but watching hooks, because a hook may change something. */
function hooksOf({ definition, isDry, shell }: Workplace, { hooks = [] }: Ends, needs: AgentNeeds): readonly Hook[] {
  const outermost = needs.telemetry === undefined ? hooks : [needs.telemetry, ...hooks];
  if (isDry) return outermost;
  const recording = needs.changes === undefined ? [] : [needs.changes.hook];
  const persons = personsHooks(needs, { shell });
  return [
    ...outermost,
    ...recording,
    ...(persons === undefined ? [] : [persons]),
    ...(definition?.hooks ?? []),
    postEdit(needs.settings.onEdit, { cwd: needs.workdir, shell }),
  ];
}

/** The commands of the person at moments of a run; undefined if there are none. */
function personsHooks(
  { settings, workdir: cwd, tell }: AgentNeeds,
  { shell }: Pick<Workplace, "shell">,
): Hook | undefined {
  const { hook, hooksOutside } = settings;
  if (hook.length === 0) return undefined;
  return commandHooks(hook, { cwd, ...(!hooksOutside && { shell }), tell });
}

/** Lines about the parts that a dry run left out. */
function leftOut({ definition, isDry }: Workplace, { settings, caps = [] }: AgentNeeds): readonly string[] {
  if (!isDry) return [];
  const hasChecks = settings.checks.length + caps.length + (definition?.checks?.length ?? 0) > 0;
  return [
    ...(hasChecks ? ["The checks were not run either, so nothing is verified."] : []),
    ...((definition?.hooks?.length ?? 0) + settings.hook.length > 0 ? ["The hooks were not run either."] : []),
  ];
}

function checksOf(
  { checks, protect }: AgentSettings,
  at: Pick<CommandCheckOptions, "cwd" | "shell">,
): readonly Check[] {
  return checks.map(({ line, every }) => command(line, { ...at, protect, timeout: checkTimeout, every }));
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
