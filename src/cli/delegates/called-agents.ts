// The agents that the agent of the command can call: `explore`, and agents in Markdown files. Each is a tool of
// `delegate`.

import {
  LastcallError,
  type AgentOptions,
  type Decision,
  type Hook,
  type AskingLimits,
  type Model,
  type Permission,
  type SecretOptions,
  type Tool,
} from "../../core/index.js";
import { explain, openableWalls } from "../../core/internal.js";
import { createAgent } from "../../index.js";
import { windowed } from "../../memory/index.js";
import { askQuestion, delegate, taskCompletion } from "../../tools/index.js";
import { onlyReads, readingTools, type StatedAgent } from "../agent-files/stated-agent.js";
import type { Settings } from "../args/args.js";
import type { ToolSource } from "../modules/modules.js";
import { visible } from "../display/visible.js";

/** An agent that can be called, as `lastcall agents --json` prints it. */
export interface CalledAgent {
  readonly name: string;
  /** The path of its file, or `built in`. */
  readonly source: string;
  /** The name of its model; undefined for the run's model. */
  readonly model: string | undefined;
  readonly tools: readonly string[];
  readonly effect: "read" | undefined;
  readonly description: string;
}

/** The parts of the agent around that the agents below share. */
export interface Around {
  readonly settings: Pick<Settings, "noExplore" | "exploreModel" | "noInput">;
  /** The agents in files. */
  readonly agents: readonly StatedAgent[];
  /** The command's own tools for the folder. */
  readonly tools: readonly Tool[];
  /** False for the agent of a module, whose tools are its own. */
  readonly wantsExplore: boolean;
  readonly model: Model;
  /** The context window of that model; undefined if it is unknown. */
  readonly window: number | undefined;
  /** Makes another model of the same server; undefined if none can be made. */
  readonly modelNamed: ((name: string) => Model) | undefined;
  readonly limits: AskingLimits;
  readonly secrets: SecretOptions;
  /** Instructions of the folder, for agents that may change it. */
  readonly guidance: string;
  /** The hook that traces the runs; undefined if they are not traced. */
  readonly telemetry: Hook | undefined;
  /** The hook that runs after an edit. */
  readonly onEdit: Hook | undefined;
  /** The commands of the person around calls. */
  readonly gate: Hook | undefined;
  readonly clip: number;
}

/** Replies that an agent has for one call. At the end it has one last reply to say how far it came. */
const mostReplies = 100;

const exploreName = "explore";

const explore: Omit<StatedAgent, "model"> = {
  name: exploreName,
  source: "built in",
  tools: readingTools,
  description:
    "Has another agent look for something in the files of this folder. It only reads, and knows nothing but the task: say what to find, and what to report. It answers with the places, as files and lines. Several calls in one reply run side by side. Use it for a search that would take many steps; a file that you know, read yourself.",
  instructions: `You find things in the files of one folder, and change nothing. Paths are relative to that folder.
Search first, then read the parts that matter. Look at more than one place before you say that something is not there.
Your result is all that is read of your work: answer the task in a few sentences, and name each place as path:line.
Say what you did not find or did not look at.`,
};

/** The agents that the settings and the files name, as far as the agent of the command has them. */
export function statedAgents({
  settings: { noExplore, exploreModel },
  agents,
  wantsExplore,
}: Pick<Around, "settings" | "agents" | "wantsExplore">): readonly StatedAgent[] {
  const own = noExplore || !wantsExplore ? [] : [{ ...explore, model: exploreModel }];
  return [...own, ...agents];
}

/** The agent in words. */
export function reportOf(stated: StatedAgent): CalledAgent {
  const { name, source, model, tools, description } = stated;
  return { name, source, model, tools, effect: onlyReads(stated) ? "read" : undefined, description };
}

/**
 * Makes the tools that run the agents, by their sources.
 * @throws LastcallError `configuration` if a model can't be used or has no price, or a tool is not there.
 */
export function agentTools(around: Around): readonly ToolSource[] {
  return statedAgents(around).map((stated) => {
    const isOwn = stated.source === explore.source;
    const path = isOwn ? "the built-in explore (--no-explore leaves it out)" : stated.source;
    try {
      return { path, tools: [toolFor(stated, around)] };
    } catch (thrown) {
      const of = isOwn ? "--explore-model" : visible(path);
      throw new LastcallError("configuration", `${of}: ${explain(thrown)}`, { cause: thrown });
    }
  });
}

function toolFor(stated: StatedAgent, around: Around): Tool {
  const reads = onlyReads(stated);
  const { name, description } = stated;
  const agent = createAgent(optionsFor(stated, around));
  return delegate(agent, { name, description, effect: reads ? "read" : undefined });
}

function optionsFor(stated: StatedAgent, around: Around): AgentOptions<readonly Tool[]> {
  const { model: other, instructions } = stated;
  const isOther = other !== undefined && other !== around.model.name;
  const window = isOther ? undefined : around.window;
  const reads = onlyReads(stated);
  const guidance = reads ? "" : around.guidance;
  return {
    model: isOther ? modelFor(other, around) : around.model,
    instructions: [instructions, guidance].filter((text) => text !== "").join("\n\n"),
    tools: [
      ...around.tools.filter(({ name }) => [...stated.tools, "read_result"].includes(name)),
      ...(stated.tools.includes("ask_question") ? [askQuestion()] : []),
      taskCompletion(),
    ],
    interactive: !around.settings.noInput,
    permission: gateAround,
    // The run around asks at its limits, which count what this agent uses.
    limits: {
      ...around.limits,
      ask: undefined,
      maxIterations: Math.min(mostReplies, around.limits.maxIterations ?? mostReplies),
    },
    hooks: [around.telemetry, around.gate, reads ? undefined : around.onEdit].filter((hook) => hook !== undefined),
    secrets: around.secrets,
    clip: around.clip,
    memory: window === undefined ? undefined : windowed({ window }),
    onText: "task_completion",
  };
}

const itsYes: Decision = { allowed: true, reason: "the run around decides", basis: "mode", opens: openableWalls };

/** The gate of the run around decides about each call and each wall. */
const gateAround: Permission = { decide: () => itsYes, unasked: () => itsYes };

/** Another model of the same server. @throws LastcallError `configuration` if there is no server to ask. */
export function modelFor(name: string, { modelNamed }: Pick<Around, "modelNamed">): Model {
  if (modelNamed !== undefined) return modelNamed(name);
  throw new LastcallError("configuration", `no server is known that has the model ${visible(name)}. Give --base-url.`);
}
