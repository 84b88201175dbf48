// `handOver` and `handBack`: loop-breaking tools that pass the run to another agent, which goes on in it.

import { z } from "zod";
import {
  LastcallError,
  tool,
  type Agent,
  type HandsOver,
  type HandsOverTo,
  type ParkedAtLimit,
  type ParkedByAny,
  type RaiseOf,
  type ParkedCallOfAny,
  type Reachable,
  type Tool,
} from "../../core/index.js";
import {
  atCaller,
  checkOptions,
  expectKind,
  portKinds,
  recordOf,
  choiceOf,
  type OptionKinds,
  wholeNumber,
} from "../../core/internal.js";

/** The arguments of `hand_over`. */
export interface HandingOver<Name extends string> {
  /** The next agent. */
  to: Name;
  /** The words for the next agent. */
  message: string;
}

/** The arguments of `hand_back`. */
export interface HandingBack {
  /** The words for the agent that goes on. */
  message: string;
}

/** Options of `handBack`. */
export interface HandBackOptions {
  /**
   * The part of the conversation that the next agent sees: everything, or the words of the user and the message of the call alone.
   * Default `all`.
   */
  readonly sees?: "all" | "summary" | undefined;
}

/** Options of `handOver`. */
export interface HandOverOptions<Name extends string> extends HandBackOptions {
  /** For each agent, the matters that it is for. The model reads it. Default: the names say enough. */
  readonly when?: Readonly<Partial<Record<Name, string>>> | undefined;
  /** The most hand-overs of one run, to any agent. A call above it fails. Default 5. */
  readonly max?: number | undefined;
}

/** The tools of an agent, and of all that it leads to. */
export type ToolsOf<One> = One extends Agent<infer Tools, infer _Answer> ? Reachable<Tools[number]> : never;

/** The outcomes that wait for an approval, of an agent and of all that it leads to. */
export type ParkedOf<One> =
  One extends Agent<infer Tools, infer Answer> ? ParkedByAny<Tools[number], Answer> | ParkedAtLimit<Answer> : never;

/** The calls that may wait for an approval, of an agent and of all that it leads to. */
export type CallsOf<One> =
  One extends Agent<infer Tools, infer Answer> ? ParkedCallOfAny<Tools[number], Answer> | RaiseOf<Answer> : never;

/** The tool `hand_over` to these agents. Their endings are endings of the agent that has it. */
export type HandOver<Agents extends Readonly<Record<string, object>>> = Tool<
  "hand_over",
  HandingOver<keyof Agents & string>,
  HandingOver<keyof Agents & string>,
  "handed-over"
> &
  HandsOverTo<ToolsOf<Agents[keyof Agents]>, ParkedOf<Agents[keyof Agents]>, CallsOf<Agents[keyof Agents]>>;

/**
 * `hand_over{ to, message }`: passes the run and its session to another agent, which goes on with its own model, instructions, tools,
 * permission and checks. The journal says who spoke, and later inputs of the session go to the agent that spoke last. Limits of both hold,
 * counted over the whole run. The memory, and the hooks around the run, belong to the agent that the run began with.
 * @throws LastcallError `configuration` without an agent, for an unknown option, or a maximum that is no whole number above 0.
 */
export function handOver<const Agents extends Readonly<Record<string, object>>>(
  agents: Agents,
  options: HandOverOptions<keyof Agents & string> = {},
): HandOver<Agents> {
  return atCaller(handOver as never, () => makeHandOver(agents, options)) as HandOver<Agents>;
}

const handOverOptions = {
  when: recordOf("text"),
  sees: choiceOf("all", "summary"),
  max: "number",
} satisfies OptionKinds<HandOverOptions<string>>;

function makeHandOver(agents: Readonly<Record<string, object>>, options: HandOverOptions<string>): Tool {
  expectKind("The agents of handOver", agents, recordOf(portKinds.agent));
  checkOptions("handOver", options, handOverOptions);
  const { when = {}, sees = "all", max = 5 } = options;
  const names = Object.keys(agents);
  if (names.length === 0) {
    throw new LastcallError("configuration", "handOver needs an agent, for example handOver({ billing }).");
  }
  const unknown = Object.keys(when).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new LastcallError("configuration", `handOver.when names "${unknown}", which is none of ${names.join(", ")}.`);
  }
  checkSees("handOver", sees);
  wholeNumber("handOver.max", max);
  const lines = names.map((name) => `- ${name}${when[name] === undefined ? "" : `: ${when[name]}`}`);
  const passes = tool({
    name: "hand_over",
    description: ["Passes the session to another agent, which goes on in your place:", ...lines].join("\n"),
    input: z.object({
      to: z.enum(names).describe("The next agent"),
      message: messageFor(sees),
    }),
    isLoopBreaking: true,
    effect: "none",
  });
  return handsOverTo(passes, { agents, sees, max });
}

/** The tool, which passes the run on: the value of its `run` names the next agent, and has the words for it. */
export function handsOverTo(passes: Tool, handsOver: HandsOver): Tool {
  return { ...passes, ending: "handed-over", handsOver };
}

/**
 * `hand_back{ message }`: passes the run back to the agent that handed it over. It fails for an agent that nobody handed over to.
 * @throws LastcallError `configuration` for an unknown option.
 */
export function handBack(options: HandBackOptions = {}): Tool<"hand_back", HandingBack, HandingBack, "handed-over"> {
  return atCaller(handBack as never, () => makeHandBack(options));
}

function makeHandBack(options: HandBackOptions): Tool<"hand_back", HandingBack, HandingBack, "handed-over"> {
  checkOptions("handBack", options, { sees: choiceOf("all", "summary") } satisfies OptionKinds<HandBackOptions>);
  const { sees = "all" } = options;
  checkSees("handBack", sees);
  const passes = tool({
    name: "hand_back",
    description: "Passes the session back to the agent that handed it over to you, because the rest is not for you.",
    input: z.object({ message: messageFor(sees) }),
    isLoopBreaking: true,
    effect: "none",
  });
  return { ...passes, ending: "handed-over", handsOver: { agents: {}, sees, max: 0 } };
}

function messageFor(sees: "all" | "summary"): z.ZodString {
  return z
    .string()
    .describe(
      sees === "all"
        ? "The reason, and what the next agent has to do. It sees the whole conversation"
        : "A summary of all that the next agent has to know. It sees nothing else but the user's words",
    );
}

function checkSees(name: string, sees: unknown): void {
  if (sees === "all" || sees === "summary") return;
  throw new LastcallError("configuration", `${name}.sees is ${JSON.stringify(sees)}: give "all" or "summary".`);
}
