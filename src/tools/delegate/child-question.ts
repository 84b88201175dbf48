// The question of an agent in a tool, as the run around it asks the user.

import type {
  AwaitedApproval,
  Decision,
  Later,
  ParkedCall,
  ParkedCallOfAny,
  RaiseOf,
  Reachable,
  StandardSchema,
  Tool,
  WaitingCall,
  WaitingCallOf,
} from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** A question of an agent that a tool runs, or of one below it. The answer to the run that waits goes down to the call that asked. */
export interface ChildQuestion<By extends string = string, Value = unknown> {
  /** The tool that asks. */
  readonly by: By;
  readonly value: Value;
  /** The id of the question in the session of the agent that asks. */
  readonly id: string;
  /** The names of the tools that lead to that agent, the outermost first. */
  readonly path: readonly string[];
  /** Never there: it tells this question from a `ChildApproval`. */
  readonly approval?: undefined;
}

/** A call of an agent that a tool runs, or of one below it, that waits for a yes or no: `{ allowed: true }`. */
export interface ChildApproval<By extends string = string, CallInput = unknown> {
  /** The tool whose call waits. */
  readonly by: By;
  /** The validated input of the call, as JSON. */
  readonly input: CallInput;
  /** The id of the call. */
  readonly id: string;
  /** The names of the tools that lead to that agent, the outermost first. */
  readonly path: readonly string[];
  readonly approval: AwaitedApproval;
  /** Why the last answer did not count. Absent before the first such answer. */
  readonly refusal?: string;
}

/** The questions of an agent with these tools, as the tool that runs the agent asks them. */
export type QuestionsOf<Tools extends readonly Tool[], Answer extends Decision | Later> =
  | QuestionFrom<WaitingCallOf<Reachable<Tools[number]>>>
  | ApprovalFrom<ParkedCallOfAny<Tools[number], Answer> | RaiseOf<Answer>>;

type QuestionFrom<Call> =
  Call extends WaitingCall<infer By, infer Value>
    ? Value extends AnyChildQuestion
      ? Value
      : ChildQuestion<By, Value>
    : never;

type ApprovalFrom<Call> = Call extends ParkedCall<infer By, infer CallInput> ? ChildApproval<By, CallInput> : never;

type AnyChildQuestion = ChildQuestion | ChildApproval;

/** The schema of the questions of agents. Each is made here, so nothing is left to validate. */
export const asksForAgents: StandardSchema<unknown, never> = {
  "~standard": { version: 1, vendor: "lastcall", validate: (value: unknown) => ({ value: value as never }) },
};

/**
 * The question that the tool asks for its agent. The question of an agent further below goes up unchanged, with a longer path. `refusal`
 * says why the answer before did not count.
 */
export function questionFor(tool: string, call: WaitingCall | ParkedCall, refusal?: string): AnyChildQuestion {
  if (call.approval !== undefined) {
    const { by, id, input, approval } = call;
    return { by, id, input, approval, path: [tool], ...(refusal !== undefined && { refusal }) };
  }
  const { by, id, value } = call;
  return isChildQuestion(value) ? { ...value, path: [tool, ...value.path] } : { by, id, value, path: [tool] };
}

/** True if a tool that runs an agent asks this. Questions of other tools have no path. */
function isChildQuestion(value: unknown): value is AnyChildQuestion {
  if (!isPlainObject(value)) return false;
  const { by, id, path } = value as Partial<AnyChildQuestion>;
  return typeof by === "string" && typeof id === "string" && Array.isArray(path);
}
