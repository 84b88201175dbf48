// `proposePlan`: a loop-breaking tool with which a planner ends. The user approves the plan, and another agent works it off.

import { z } from "zod";
import { tool, type AsksUser, type HandsOverTo, type Tool } from "../../core/index.js";
import { atCaller, checkOptions, expectKind, portKinds, type OptionKinds } from "../../core/internal.js";
import { handsOverTo, type CallsOf, type ParkedOf, type ToolsOf } from "./hand-over.js";

/** One step of a plan. */
export interface PlanStep {
  /** The work of the step. */
  what: string;
  /** The files that it reads or changes, from the folder of the work. */
  files: string[];
  /** The way to see that the step is done: a command, or something to look at. */
  check: string;
}

/** The arguments of `propose_plan`. */
export interface Plan {
  /** The plan in a sentence or two. */
  summary: string;
  /** The steps in their order. */
  steps: PlanStep[];
}

/** The question about a plan, which the run waits with. */
export interface PlanQuestion extends Plan {
  question: string;
  /** The answer that approves. Other words go to the planner. */
  suggestions: string[];
}

/** Options of `proposePlan`. */
export interface ProposePlanOptions {
  /** True if the user has to approve the plan. False: it is worked off at once. Default true. */
  readonly asks?: boolean | undefined;
}

/** The tool `propose_plan`, which leads to the agent that works the plan off. */
export type ProposePlan<Build extends object> = Tool<"propose_plan", Plan, Plan, "handed-over"> &
  HandsOverTo<ToolsOf<Build>, ParkedOf<Build>, CallsOf<Build>> &
  AsksUser<PlanQuestion>;

/** Instructions for an agent that ends with `propose_plan`. Add what your planner has to know besides. */
export const planInstructions = `You plan work in one folder, and change nothing. Another agent will work the plan off: it sees the user's words and the plan, and nothing that you read.
Look at the files first, until you know which ones the work touches and how it can be checked.
Then call propose_plan. Make the steps small, in the order in which they are worked off, and say for each how one sees that it is done, with a command if there is one.
The user may answer with changes instead of a yes: change the plan, and propose it again. If the user wants no plan at all, call give_up.`;

const words = (): z.ZodString => z.string().refine((text) => text.trim() !== "", "must not be empty");

const planSchema = z.object({
  summary: words().describe("The plan in a sentence or two"),
  steps: z
    .array(
      z.object({
        what: words().describe("The work of this step"),
        files: z.array(words()).describe("The files that it reads or changes"),
        check: words().describe("How one sees that the step is done: a command, or what to look at"),
      }),
    )
    .refine((steps) => steps.length > 0, "must have a step")
    .describe("The steps in their order"),
});

const questionSchema = planSchema.extend({ question: z.string(), suggestions: z.array(z.string()) });

const question = "Shall this plan be worked off? Any other words than yes go to the planner.";

/**
 * `propose_plan{ summary, steps }`: the run ends `waiting` with the plan as its question. With a yes, it goes on with the agent `build`,
 * which sees the user's words and the plan alone, as after `handOver`. Other words are told to the planner, which goes on in the same
 * session. The plan is in the journal, so a run that dies in between goes on with `build`.
 * @throws LastcallError `configuration` for something that is no agent, or an unknown option.
 */
export function proposePlan<Build extends object>(build: Build, options: ProposePlanOptions = {}): ProposePlan<Build> {
  return atCaller(proposePlan as never, () => makeProposePlan(build, options)) as unknown as ProposePlan<Build>;
}

function makeProposePlan(build: object, options: ProposePlanOptions): Tool {
  expectKind("The agent of proposePlan", build, portKinds.agent);
  checkOptions("proposePlan", options, { asks: "flag" } satisfies OptionKinds<ProposePlanOptions>);
  const { asks = true } = options;
  const proposes = tool({
    name: "propose_plan",
    description: "Ends your work: proposes the plan to the user. If the user approves it, another agent works it off.",
    input: planSchema,
    isLoopBreaking: true,
    effect: "none",
    streams: "summary",
    asks: questionSchema,
    async run(plan, { ask }) {
      if (asks) expectYes(await ask({ ...plan, question, suggestions: ["yes"] }));
      return { to: "build", message: messageFor(plan, asks) };
    },
  });
  return handsOverTo(proposes, { agents: { build }, sees: "summary", max: 5 });
}

/** @throws Error with the user's words, for the model, unless they are a yes. */
function expectYes(answer: unknown): void {
  const said = typeof answer === "string" ? answer.trim() : JSON.stringify(answer);
  if (/^(?:y|yes)[.!]?$/i.test(said)) return;
  throw new Error(
    `The user has not approved this plan, and says: ${said}\nChange the plan, and propose it again. If the user wants none, call give_up.`,
  );
}

/** The plan in words, for the agent that works it off. */
function messageFor({ summary, steps }: Plan, isApproved: boolean): string {
  const lines = steps.map(({ what, files, check }, index) =>
    [
      `${String(index + 1)}. ${what}`,
      ...(files.length === 0 ? [] : [`   Files: ${files.join(", ")}`]),
      `   Check: ${check}`,
    ].join("\n"),
  );
  const said = isApproved ? "The user has approved this plan." : "This is the plan for the user's task.";
  return `${said} Work it off in its order, and check each step as it says. If a step turns out to be wrong, do what serves the task, and say so at the end.\n\n${summary}\n${lines.join("\n")}`;
}
