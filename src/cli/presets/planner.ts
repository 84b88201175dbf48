// The planner of `--plan`: it reads, proposes a plan, and hands over to the agent that works the plan off.

import type { Agent, AgentOptions, Decision, Later, Tool } from "../../core/index.js";
import { askQuestion, giveUp, planInstructions, proposePlan } from "../../tools/index.js";
import { readingTools } from "../agent-files/stated-agent.js";
import type { Rights } from "../args/args.js";
import { agentTools, modelFor, type Around } from "../delegates/called-agents.js";
import { expectReader, readersIn } from "./reviewer.js";

/** The planner: the options in which it differs from the agent that builds, and its rights. */
export interface Planner {
  readonly parts: Required<Pick<AgentOptions<readonly Tool[]>, "model" | "instructions" | "checks">> & {
    readonly tools: readonly Tool[];
    readonly toolSources: [];
    readonly onText: undefined;
  };
  /** At most reading, with the rules about its tools. */
  readonly rights: Rights;
}

/**
 * The planner for an agent that builds. An agent named `plan` in a file states its instructions, tools and model.
 * @throws LastcallError `configuration` if that agent may do more than read, or its model can't be used.
 */
export function planner(build: Agent<readonly Tool[], Decision | Later>, around: Around, rights: Rights): Planner {
  const stated = around.agents.find(({ name }) => name === "plan");
  if (stated !== undefined) expectReader(stated);
  const names = [...(stated?.tools ?? readingTools), "read_result"];
  // The agent that builds may be a module's own. The planner is the command's.
  const below = agentTools({ ...around, agents: readersIn(around.agents), wantsExplore: true });
  const tools = [
    ...around.tools.filter(({ name }) => names.includes(name)),
    ...below.flatMap(({ tools: some }) => some),
    proposePlan(build, { asks: rights.mode !== "allow-all" }),
    askQuestion(),
    giveUp(),
  ];
  const has = (rule: string): boolean => {
    const name = rule.split("(")[0] ?? "";
    return name === "read" || tools.some((one) => one.name === name);
  };
  const { allow, deny } = rights;
  return {
    parts: {
      model: stated?.model === undefined ? around.model : modelFor(stated.model, around),
      instructions: [stated?.instructions ?? planInstructions, around.guidance]
        .filter((text) => text !== "")
        .join("\n\n"),
      tools,
      checks: [],
      toolSources: [],
      onText: undefined,
    },
    rights: { ...rights, tier: "read-only", allow: allow.filter(has), deny: deny.filter(has) },
  };
}
