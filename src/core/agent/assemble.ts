// The options of an agent, and the parts made from them. All options are validated here.

import { portKinds } from "./port-kinds.js";
import { checkApprovals } from "../approvals/approval-rules.js";
import type { Check } from "../ports/check.js";
import { circuitBounds, type CircuitOptions } from "../journal/circuit.js";
import { clipBound } from "../journal/clip.js";
import type { ContextOf } from "../ports/context.js";
import { define } from "./define.js";
import type { Decision, Later } from "../data/decision.js";
import { LastcallError } from "../data/fault.js";
import type { Hook } from "../ports/hook.js";
import { checkLimits, type AskingLimits, type LimitsThatAsk } from "../ports/limit.js";
import type { MemoryFactory } from "../ports/memory.js";
import type { Model } from "../ports/model.js";
import {
  failClosed,
  type AnyApproval,
  type ApprovalOptions,
  type Approver,
  type FrozenCall,
  type Permission,
} from "../ports/permission.js";
import { systemPrompt } from "../words/system-prompt.js";
import type { AgentParts } from "../run/run.js";
import { systemRuntime, type Runtime } from "../time/runtime.js";
import { noRedactor, redactor, type SecretOptions } from "../secret/redact.js";
import { redactWarnings } from "../run/redaction.js";
import {
  checkOptions,
  needed,
  listOf,
  choiceOf,
  type OptionKinds,
  checkChoice,
  wholeNumber,
} from "../data/settings.js";
import { expectedPrice } from "../journal/spent.js";
import type { FrozenCallOf, Tool } from "../ports/tool.js";
import { overheadOf, renewal, sourcedTools } from "./renew.js";
import { toolbox, type SchemaCompiler, type Toolbox, type ToolSource, type WithSourced } from "../ports/toolbox.js";

/** The defaults that the layers around core give: how schemas compile, the memory, and the permission of an approver. */
export interface AgentDefaults {
  readonly compile: SchemaCompiler;
  readonly memory: MemoryFactory;
  askFirst(approver: Approver<FrozenCall, AnyApproval>): Permission<FrozenCall, unknown, Decision | Later>;
}

/** The options of an agent. */
export interface AgentOptions<
  Tools extends readonly Tool[],
  Answer extends Decision | Later = Decision,
  Returned extends AnyApproval = boolean,
  Sources extends readonly ToolSource[] = readonly [],
  Ask extends LimitsThatAsk = never,
> {
  /** The language model, for example `openai()`. */
  readonly model: Model;
  /** At least one tool must be loop-breaking. The order does not matter. */
  readonly tools: Tools;
  /**
   * Sources of more tools. Their lists are read before each iteration, and the model is told of a change. Calls of these tools reach
   * `permission` too. If one of them may ask the user, a run can end `waiting`, and the outcome's type says so. Default: none.
   */
  readonly toolSources?: Sources | undefined;
  /** The purpose of the agent, for the system prompt; the rules of the loop follow it. Default: the rules alone. */
  readonly instructions?: string | undefined;
  /**
   * Decides which calls may run. A function is an approver: it is asked before a call writes, executes or uses the network, and all
   * other calls run unasked. `gate` decides in more detail. If the answer can be `Later`, a run can end to wait for an approval, and the
   * outcome's type says so. Default: calls may read; they may not write, execute or use the network.
   */
  readonly permission?:
    | Permission<FrozenCallOf<WithSourced<Tools, Sources>>, ContextOf<Tools>, Answer>
    | Approver<FrozenCallOf<WithSourced<Tools, Sources>>, Returned, ContextOf<Tools>>
    | undefined;
  /**
   * Rules for answers to calls that wait for an approval: who may give them, and how many people have to say yes. Default: anybody who may
   * use the session, and one yes is enough.
   */
  readonly approvals?: ApprovalOptions | undefined;
  /** The checks that must pass before a completion is accepted, in order. Default: none. */
  readonly checks?: readonly Check[] | undefined;
  /** The number of claims with a failed check that stops the run. Default 5. */
  readonly maxAttempts?: number | undefined;
  /**
   * Bounds on the time, tokens, cost and iterations of each run. If one asks (`limits.ask`), a run can end to wait for an approval, and the
   * outcome's type says so. Default: none. A run has no limit by itself.
   */
  readonly limits?: AskingLimits<Ask> | undefined;
  /** Hooks that watch, steer, stop or change parts of a run. The first is the outermost. Default: none. */
  readonly hooks?: readonly Hook<ContextOf<Tools>>[] | undefined;
  /** The counts that stop a run without progress. Default: 5 identical failures, 10 failures, or 6 repetitions in a row. */
  readonly circuit?: CircuitOptions | undefined;
  /**
   * The name of one of the `tools`, loop-breaking and with a text field that it `streams`: a reply of words alone counts as a
   * call of this tool. Default: such a reply is the failure `no_tool_call`, as an empty reply always is.
   */
  readonly onText?: string | undefined;
  /** False if no person can ever answer: tools that await a reply are then left out. Default true. */
  readonly interactive?: boolean | undefined;
  /**
   * The maximum number of characters of one result in the prompt; false for no maximum. The journal keeps the whole result, and the tool
   * `readResult()` reads it. Default 8000.
   */
  readonly clip?: number | false | undefined;
  /**
   * True if a call with the effect `read` may begin as soon as it is whole, while the rest of its reply arrives. Only calls that no other
   * call than a read comes before, and that permission allows without asking, do. Journal, order and results are the same. A hook with
   * `call` keeps it off. Default true.
   */
  readonly earlyStart?: boolean | undefined;
  /** The number of calls with the effect `read` that run at the same time, agents that only read among them. Default 4. */
  readonly maxParallelReads?: number | undefined;
  /**
   * Keeps the journal of a session and makes the prompt from it. Default: the transcript, which keeps everything and leaves streaks of
   * failures out of the prompt.
   */
  readonly memory?: MemoryFactory | undefined;
  /**
   * The secrets to redact from everything that the run stores and shows, besides the known formats of keys, tokens and passwords. False
   * redacts nothing. See docs/secrets.md. Default: the known formats.
   */
  readonly secrets?: SecretOptions | false | undefined;
  /** The clock, the timers, the ids and the warnings. Default: the machine's clock and randomness. */
  readonly runtime?: Runtime | undefined;
}

/**
 * Validates the options and makes the parts of the agent.
 * @throws LastcallError `configuration` if an option is wrong; the message names the option and the remedy.
 */
export function assemble(
  options: AgentOptions<readonly Tool[], Decision | Later, AnyApproval, readonly ToolSource[], LimitsThatAsk>,
  { compile, askFirst }: Pick<AgentDefaults, "compile" | "askFirst">,
): AgentParts {
  if (!Array.isArray((options as Partial<typeof options> | undefined)?.tools)) {
    throw new LastcallError("configuration", "createAgent needs { model, tools }, tools being a list.");
  }
  checkOptions("createAgent", options, agentOptions);
  options.tools.forEach(checkTool);
  const { model, instructions = "", interactive = true, permission: given = failClosed } = options;
  const { toolSources: sources = [] } = options;
  const own = interactive ? options.tools : options.tools.filter(({ ending }) => ending !== "waiting");
  const tools = toolbox([...own, ...sourcedTools(sources)], compile);
  const system = systemPrompt(instructions, tools, options.onText);
  const permission = typeof given === "function" ? askFirst(given) : given;
  permission.prepare?.(tools.names);
  const secrets = options.secrets === false ? noRedactor : redactor(options.secrets);
  const limits = checkLimits(options.limits ?? {}, model);
  const checks = checkChecks(options.checks ?? []);
  const again = renewal({ sources, own, compile, instructions, onText: options.onText, model, checks });
  return {
    model,
    system,
    definition: define({ model, instructions, system, tools, checks }),
    tools,
    permission,
    approvals: checkApprovals(options.approvals ?? {}),
    checks,
    maxAttempts: wholeNumber("maxAttempts", options.maxAttempts ?? 5),
    limits,
    price: expectedPrice(model, limits.prices),
    overhead: overheadOf(system, tools),
    withClientTools: again.withClientTools,
    ...(sources.length > 0 && { renew: again.renew }),
    hooks: options.hooks ?? [],
    circuit: circuitBounds(options.circuit ?? {}),
    clip: clipBound(options.clip ?? 8000),
    onText: options.onText === undefined ? undefined : textCall(options.onText, tools),
    secrets,
    interactive,
    startsEarly: (options.earlyStart ?? true) && (options.hooks ?? []).every(({ call }) => call === undefined),
    maxParallelReads: wholeNumber("maxParallelReads", options.maxParallelReads ?? 4),
    compile,
    runtime: redactWarnings(secrets, options.runtime ?? systemRuntime),
  };
}

const agentOptions = {
  model: needed(portKinds.model),
  tools: needed("list"),
  toolSources: listOf(portKinds.toolSource),
  instructions: "text",
  permission: ["function", portKinds.permission],
  approvals: "object",
  checks: listOf(portKinds.check),
  maxAttempts: "number",
  limits: "object",
  hooks: listOf(portKinds.hook),
  circuit: "object",
  onText: "text",
  interactive: "flag",
  clip: ["number", choiceOf(false)],
  earlyStart: "flag",
  maxParallelReads: "number",
  memory: "function",
  secrets: ["object", choiceOf(false)],
  runtime: portKinds.runtime,
} satisfies OptionKinds<AgentOptions<readonly Tool[]>>;

/** Checks that a member of `tools` is a tool, so that a mistake is found before the first call. */
function checkTool(one: unknown, index: number): void {
  const at = `tools[${String(index)}]`;
  if (typeof one === "function") {
    const call = one.name === "" ? "call it" : `call it, ${one.name}()`;
    throw new LastcallError("configuration", `${at} is a function that makes a tool: ${call}.`);
  }
  if (Array.isArray(one)) throw new LastcallError("configuration", `${at} is a list of tools: spread it, [...tools].`);
  const { name, run, breaks } = (one ?? {}) as Partial<Record<keyof Tool, unknown>>;
  if (typeof run === "function" && typeof breaks === "function") return;
  const known = typeof name === "string" ? ` ("${name}")` : "";
  throw new LastcallError("configuration", `${at}${known} is no tool: make it with tool({ ... }).`);
}

function checkChecks(checks: readonly Check[]): readonly Check[] {
  const names = new Set<string>();
  for (const { name, every, kind } of checks) {
    checkChoice(`The field kind of the check "${name}"`, kind, ["rule", "advice"]);
    checkChoice(`The field every of the check "${name}"`, every, ["claim", "iteration"]);
    if (names.has(name)) {
      throw new LastcallError(
        "configuration",
        `Two checks are named "${name}": leave one out, or give it another name.`,
      );
    }
    names.add(name);
  }
  return checks;
}

function textCall(name: string, tools: Toolbox): AgentParts["onText"] {
  const tool = tools.find(name)?.tool;
  const wrong = (problem: string, remedy: string): LastcallError =>
    new LastcallError("configuration", `onText is "${name}", ${problem}: ${remedy}.`);
  if (tool === undefined) {
    throw wrong("and no tool of this agent has that name", `give one of ${tools.names.join(", ")}`);
  }
  if (tool.ending === "never") {
    throw wrong("which is not loop-breaking", "name a tool that has isLoopBreaking, for example converse()");
  }
  if (tool.streams === undefined) {
    throw wrong("which streams no text field", "say which field the words go to, with its option `streams`");
  }
  return { tool: name, field: tool.streams };
}
