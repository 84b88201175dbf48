// The reviewer of `lastcall review`: it reads a diff and the files around it, and ends with typed findings.

import { LastcallError, type Model, type Tool } from "../../core/index.js";
import { reportFindings, reviewInstructions } from "../../tools/index.js";
import { onlyReads, readingTools, type StatedAgent } from "../agent-files/stated-agent.js";
import { modelFor, type Around } from "../delegates/called-agents.js";
import { visible } from "../display/visible.js";

/** The reviewer, as the definition of an agent. */
export interface Reviewer {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** Its own model; undefined for the run's model. */
  readonly model: Model | undefined;
}

/**
 * The reviewer with the command's own tools. An agent named `review` in a file states its instructions, tools and model.
 * @throws LastcallError `configuration` if that agent may do more than read, or its model can't be used.
 */
export function reviewer(
  own: readonly Tool[],
  {
    agents = [],
    modelNamed,
  }: { readonly agents?: readonly StatedAgent[] | undefined } & Partial<Pick<Around, "modelNamed">>,
): Reviewer {
  const stated = agents.find(({ name }) => name === "review");
  if (stated !== undefined) expectReader(stated);
  const names = [...(stated?.tools ?? readingTools), "read_result"];
  return {
    instructions: stated?.instructions ?? reviewInstructions,
    tools: [...own.filter(({ name }) => names.includes(name)), reportFindings()],
    model: stated?.model === undefined ? undefined : modelFor(stated.model, { modelNamed }),
  };
}

/** The agents in files that a planner or a reviewer may call: the agents that only read, without the planner and the reviewer. */
export function readersIn(agents: readonly StatedAgent[]): readonly StatedAgent[] {
  return agents.filter((stated) => onlyReads(stated) && stated.name !== "plan" && stated.name !== "review");
}

/** @throws LastcallError `configuration` if the agent has a tool that does more than read. */
export function expectReader(stated: StatedAgent): void {
  if (onlyReads(stated)) return;
  throw new LastcallError(
    "configuration",
    `The agent ${stated.name} in ${visible(stated.source)} may only read: give it tools of ${readingTools.join(", ")}, or leave tools out. To go on without it: --no-agents.`,
  );
}
