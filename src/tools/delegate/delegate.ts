// `delegate`: a tool whose calls run an agent, each in its own session that any later process goes on with.

import {
  outcomeOf,
  tool,
  type Agent,
  type AnyOutcome,
  type AskTerms,
  type AsksUser,
  type CompletedBy,
  type Decision,
  type Effect,
  type Input,
  type InputOf,
  type Later,
  type ParkedCall,
  type Reachable,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolSchema,
  type WaitingCall,
} from "../../core/index.js";
import {
  atCaller,
  checkOptions,
  expectKind,
  portKinds,
  needed,
  choiceOf,
  type OptionKinds,
  toJson,
  wholeNumber,
} from "../../core/internal.js";
import { ChildFailure } from "./child-failure.js";
import { asksForAgents, questionFor, type QuestionsOf } from "./child-question.js";

/** The options of a tool that runs an agent. */
export interface DelegateOptions<Name extends string, Arguments> {
  /** The name of the tool: 1 to 64 letters, digits, `_` or `-`. Unique in the agent that has the tool. */
  readonly name: Name;
  /** Tells the model what the agent does and when to call it. */
  readonly description: string;
  /** Makes the agent's input from the arguments. Default: the task, or the arguments as JSON if there is an `input` schema. */
  readonly brief?: ((input: Arguments) => string) | undefined;
  /**
   * The effect of a call. Calls with `read` run side by side, up to `maxParallelReads` of the agent that has the tool. Declare it for
   * agents that change nothing. Default: undeclared, and calls run one after the other.
   */
  readonly effect?: Effect | undefined;
  /** Maximum work time of one call in milliseconds. Default: no timeout. */
  readonly timeout?: number | undefined;
  /** The number of agents that may run one another, this agent included. A call below that fails. Default 3. */
  readonly maxDepth?: number | undefined;
  /** The schema of the context that the agent's own tools take. The run around has to give it. Default: they take none. */
  readonly context?: StandardSchema | undefined;
}

/** The value of a completion by one of these tools. */
export type CompletionOf<Tools extends readonly Tool[]> =
  CompletedBy<Reachable<Tools[number]>> extends { readonly value: infer Value } ? Value : never;

/** A tool that runs an agent with these tools. A question of the agent is a case of the outcome's type. */
export type Delegate<
  Name extends string,
  Arguments,
  Tools extends readonly Tool[],
  Answer extends Decision | Later,
> = Tool<Name, Arguments, CompletionOf<Tools>, "never"> & AsksUser<QuestionsOf<Tools, Answer>>;

/** The arguments of a tool of `delegate` without a schema. */
export interface Task {
  /** The task in words. */
  readonly task: string;
}

/**
 * Makes a tool of an agent. The agent knows nothing but its task, draws from the limits of the run around it, and may do nothing that this
 * run may not. The value of a call is the value of the agent's completion. If the agent ends in another way, the call fails with the
 * reason and the partial result (`ChildFailure`). If it asks the user, the whole tree waits: the answer goes down to the call that asked.
 * The agent's session is kept with the session of the run around it. After a crash the call goes on in it, so nothing that is finished
 * runs twice.
 * @throws LastcallError `configuration` for an unknown option, or a depth that is no whole number above 0.
 */
export function delegate<
  const Name extends string,
  Tools extends readonly Tool[],
  Answer extends Decision | Later,
  Schema extends ToolSchema,
>(
  agent: Agent<Tools, Answer>,
  options: DelegateOptions<Name, InputOf<Schema>> & {
    /** The schema of the arguments. Default: `{ task }`, a text. */
    readonly input: Schema;
  },
): Delegate<Name, InputOf<Schema>, Tools, Answer>;
export function delegate<const Name extends string, Tools extends readonly Tool[], Answer extends Decision | Later>(
  agent: Agent<Tools, Answer>,
  options: DelegateOptions<Name, Task> & { readonly input?: undefined },
): Delegate<Name, Task, Tools, Answer>;
export function delegate(agent: AnyAgent, options: AnyOptions): unknown {
  return atCaller(delegate as never, () => makeDelegate(agent, options));
}

type AnyOptions = DelegateOptions<string, never> & { readonly input?: ToolSchema | undefined };

const delegateOptions = {
  name: needed("text"),
  description: needed("text"),
  input: ["object", "function"],
  brief: "function",
  effect: choiceOf("none", "read", "write", "execute", "network"),
  timeout: "number",
  maxDepth: "number",
  context: ["object", "function"],
} satisfies OptionKinds<AnyOptions>;

function makeDelegate(agent: AnyAgent, options: AnyOptions): Tool {
  expectKind("The agent of delegate", agent, portKinds.agent);
  checkOptions("delegate", options, delegateOptions);
  const { name, description, input = taskSchema, effect, timeout, maxDepth = 3, context } = options;
  wholeNumber("delegate.maxDepth", maxDepth);
  const brief = (options.brief ?? (options.input === undefined ? taskOf : asJson)) as (input: unknown) => string;
  return {
    ...tool({
      name,
      description,
      input,
      effect,
      timeout,
      context,
      asks: asksForAgents,
      // The agent's words may repeat what it read outside.
      readsOutside: true,
      // The agent's own journal tells what it has done.
      idempotent: true,
      run: (given, own: ToolContext) => {
        if (own.path.length > maxDepth)
          throw new Error(
            `Agents may run one another ${String(maxDepth)} deep, and this is deeper. Do the task yourself.`,
          );
        return work(agent, { name, text: brief(given) }, own);
      },
    }),
  };
}

const taskSchema = {
  type: "object",
  properties: { task: { type: "string", minLength: 1, description: "The task. The agent knows nothing else." } },
  required: ["task"],
  additionalProperties: false,
} as const;

function taskOf({ task }: Task): string {
  return task;
}

function asJson(input: unknown): string {
  return toJson(input) ?? "";
}

/** An agent of any tools, as far as it is run here. */
interface AnyAgent {
  run(input: Input | undefined, options: object): Promise<unknown>;
}

/** The task of a call, and the name of the tool that was called. */
interface Assignment {
  readonly name: string;
  readonly text: string;
}

/** Runs the agent, or goes on with it, until it ends or its question waits for an answer. */
async function work(agent: AnyAgent, { name, text }: Assignment, context: ToolContext): Promise<unknown> {
  const session = await context.child();
  const kept = await session.toJSON();
  const run = async (input: Input | undefined, answers?: string): Promise<AnyOutcome> => {
    const options = { session, context: context.context, ...(answers !== undefined && { answers }) };
    return (await agent.run(input, options)) as AnyOutcome;
  };
  let outcome: AnyOutcome | undefined = outcomeOf(kept);
  if (outcome === undefined || outcome.status === "completed") {
    outcome = await run(kept.records.length === 0 ? text : undefined);
  }
  while (outcome.status === "waiting") {
    const asked: WaitingCall | ParkedCall = outcome;
    let refusal: string | undefined;
    // An answer that does not count leaves the agent as it was, and its call waits on.
    do {
      const answer = await context.ask(questionFor(name, asked, refusal) as never, termsOf(asked));
      outcome = await run(answer as Input, asked.id);
      refusal = refusalIn(outcome);
    } while (refusal !== undefined);
  }
  if (outcome.status === "completed") return outcome.value;
  context.signal.throwIfAborted();
  throw new ChildFailure(name, outcome);
}

/** Why the answer to a call of the agent does not count; undefined if it does. */
function refusalIn(outcome: AnyOutcome): string | undefined {
  return outcome.status === "failed" && outcome.fault.code === "not_allowed" ? outcome.message : undefined;
}

/** The terms on which the question of the agent is asked. */
function termsOf(call: WaitingCall | ParkedCall): AskTerms {
  if (call.approval !== undefined) return { approves: call.approval.digest, expiresAt: call.approval.expiresAt };
  const { replySchema, approves, expiresAt } = call;
  return { replySchema, approves, expiresAt };
}
