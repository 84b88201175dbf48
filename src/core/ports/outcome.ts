// Outcomes: the end of a run, as one union that TypeScript can check for exhaustiveness.

import type { Usage } from "../data/call.js";
import type { Receipt, Verification } from "../data/receipt.js";
import type { LastcallError } from "../data/fault.js";
import type { JsonObject } from "../data/json.js";
import type { Decision, Later } from "../data/decision.js";
import type { Principal } from "../data/principal.js";
import type { LimitRaise, LimitReason, raiseLimit } from "../journal/spent.js";
import type { ClosingReason } from "../journal/record.js";
import type { Session } from "../journal/session.js";
import type { AsksForMore } from "./limit.js";
import type { AsksUser, Reachable, Tool } from "./tool.js";

/** The fields of every outcome. */
export interface Ended {
  /** The session with all its records. Pass it to `run(input, { session })` to continue. */
  readonly session: Session;
  /** The words that the run answers, oldest first: its input, and what was sent to it while it worked. Typed replies are JSON text. */
  readonly inputs: readonly string[];
  /**
   * True if another caller's run took this input while the session was busy, or took the same answer before. That caller has the
   * same answer, so a host posts it once. The usage, cost and iterations are then 0: they are in the outcome of that run.
   */
  readonly joined?: true;
  /**
   * Tokens of the model's replies in this run, without the tokens that an earlier outcome of the run has told. If the end of a stored run
   * could not be recorded, usage, cost and iterations are 0: the outcome of the run that goes on has them.
   */
  readonly usage: Usage;
  /**
   * The cost of the run in the currency of `limits.prices`. It covers the replies, the models that the checks asked, and the
   * agents that the tools ran with the run's budget. Absent if the model has no price.
   */
  readonly cost?: number;
  /** Number of model replies in this run. */
  readonly iterations: number;
  /** The name of the agent that spoke last, if the session was handed over to it. Absent for the agent that the run began with. */
  readonly speaker?: string;
}

/** The claim of a completing tool was accepted. */
export interface Completed<By extends string, Value> extends Ended {
  readonly status: "completed";
  /** The tool that was called. */
  readonly by: By;
  /** The return value of the tool's `run`, or its validated input if it has no `run`. */
  readonly value: Value;
  /** The evidence that the checks give: `checked`, `judged`, `held` or `unchecked`. */
  readonly verified: Verification;
  /** The parts of the claim that the model itself declared unverified (see `unverified` of `tool`); empty if it declared none. */
  readonly unverified: readonly string[];
  readonly receipts: readonly Receipt[];
}

/** A call that waits for an answer: the next input of its session. */
export interface WaitingCall<By extends string = string, Value = unknown> {
  /** The tool that was called. */
  readonly by: By;
  /** The return value of the tool's `run`, or its validated input if it has no `run`. The question, if the running call asks it. */
  readonly value: Value;
  /** The id of the waiting call. */
  readonly id: string;
  /** JSON Schema of the awaited reply; absent if the reply is free text. */
  readonly replySchema?: JsonObject;
  /**
   * The digest of the call that the reply allows or refuses, a call of an agent that this run's agent runs. The reply is
   * `{ allowed: true }`, or words for a no. Absent for any other question.
   */
  readonly approves?: string;
  /** The time after which no reply is accepted, in milliseconds since 1970; absent if the reply has no deadline. */
  readonly expiresAt?: number;
  /** Never there: it tells this call from a `ParkedCall`, which waits for a yes or no. */
  readonly approval?: undefined;
}

/** The people whose yes a call needs. */
export interface AwaitedQuorum {
  /** The number of different people who have to say yes. */
  readonly needed: number;
  /** The people who said yes so far, in order. */
  readonly given: readonly Principal[];
  /** The number of people who are missing. */
  readonly missing: number;
}

/** The terms of an approval that a call waits for. */
export interface AwaitedApproval {
  /** The reason why the call needs an approval, in words for people. Secrets are redacted. */
  readonly why: string;
  /** SHA-256 of the tool's name and the input, in hexadecimal. An answer with this digest counts for no other call. */
  readonly digest: string;
  /** The tool's own description of what the call would do, without secrets, and cut if it is long. Absent if the tool has none. */
  readonly preview?: string;
  /** The time after which no answer is accepted, in milliseconds since 1970; absent without a deadline. */
  readonly expiresAt?: number;
  /** The people who said yes so far, and the number who are missing. Absent if one yes is enough. */
  readonly quorum?: AwaitedQuorum;
}

/** A call that waits for a yes or no: `run({ allowed: true }, { session, answers: id })`. It runs with exactly this input, or never. */
export interface ParkedCall<By extends string = string, Input = unknown> {
  /** The tool that was called. */
  readonly by: By;
  /** The validated input of the call. */
  readonly input: Input;
  /** The id of the waiting call. */
  readonly id: string;
  /** A question of a tool has no such field. */
  readonly approval: AwaitedApproval;
}

/** The permission will decide later about a call. The next input of the session is the answer. */
export interface Parked<By extends string, Input> extends Ended, ParkedCall<By, Input> {
  readonly status: "waiting";
}

/**
 * A call of a tool with `awaitsReply` was accepted, and the next input becomes its result. Or a running call asks the user
 * (`context.ask`), and goes on with the next input.
 */
export interface Waiting<By extends string, Value> extends Ended, WaitingCall<By, Value> {
  readonly status: "waiting";
}

/**
 * The reason why a run stopped without completion:
 * - `circuit_open`: too many iterations in a row failed.
 * - `stalled`: the same calls had the same results again and again.
 * - `checks_failed`: the checks failed too often.
 * - `check_passed`: the checks confirmed the goal, but the model did not claim completion.
 * - `gave_up`: the model called a tool that gives up.
 * - `refused`: the provider refused.
 * - `veto`: a hook's `veto` stopped the run.
 * - `context_full`: the prompt does not fit the model's window, whatever is left out.
 * - otherwise the limit that was reached.
 */
export type StopReason =
  | "circuit_open"
  | "stalled"
  | "checks_failed"
  | "check_passed"
  | "gave_up"
  | "refused"
  | "veto"
  | "context_full"
  | LimitReason;

/** The run stopped without completion. Nothing in it is an answer. */
export interface Stopped<Claim> extends Ended {
  readonly status: "stopped";
  readonly reason: StopReason;
  /** The reason in words for people. */
  readonly message: string;
  /** The partial result of the run. */
  readonly partial: {
    /** The last text of the model outside its calls, or in a last claim that was refused; empty if there is none. */
    readonly text: string;
    /** The loop-breaking call that ended the run, if one did. A call made because the run had to end does not count as completion. */
    readonly claim?: Claim;
  };
  /** The last receipt of each check. */
  readonly receipts: readonly Receipt[];
}

/** The run was aborted or suspended: the caller's signal aborted, or the caller left the stream. */
export interface Aborted extends Ended {
  readonly status: "aborted";
  /**
   * True if the run was suspended: its journal has no end, and `agent.resume(session)` goes on with the same run. The usage, cost and
   * iterations are then 0: the outcome of the run that goes on tells them, as after a crash.
   */
  readonly suspended?: true;
  /** Tells people who aborted the run and why, as far as the signal's reason says. */
  readonly message: string;
  readonly partial: { readonly text: string };
}

/** The run failed for a reason that the model can't fix. The session can continue after the cause is fixed. */
export interface Failed extends Ended {
  readonly status: "failed";
  /** The message of the fault. */
  readonly message: string;
  readonly fault: LastcallError;
  readonly partial: { readonly text: string };
}

/** A loop-breaking call of one of the tools, and of the tools that they lead to by hand-overs. */
export type ClaimOf<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? [Ends] extends ["never"]
      ? never
      : T extends { readonly "~tools": infer Others }
        ? ClaimOf<Others>
        : [Ends] extends ["handed-over"]
          ? never
          : { readonly by: Name; readonly value: Value }
    : never;

/** The `Completed` outcome that a tool can cause. */
export type CompletedBy<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? "completed" extends Ends
      ? Completed<Name, Value>
      : never
    : never;

/** The `Waiting` outcome that a tool can cause. */
export type WaitingFor<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? ("waiting" extends Ends ? Waiting<Name, Value> : never) | AskedBy<Name, T>
    : never;

/** The `Waiting` outcome that a question of a running call of the tool causes. */
type AskedBy<Name extends string, T> = [QuestionOf<T>] extends [never] ? never : Waiting<Name, QuestionOf<T>>;

/** The questions that a running call of the tool may ask; never if it asks none. */
type QuestionOf<T> = T extends AsksUser<infer Question> ? Question : never;

/** The `WaitingCall` that a tool can leave in a session. */
export type WaitingCallOf<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? | ("waiting" extends Ends ? WaitingCall<Name, Value> : never)
      | ([QuestionOf<T>] extends [never] ? never : WaitingCall<Name, QuestionOf<T>>)
    : never;

/** The question that a run at a limit leaves in its session; never if no limit of the agent asks. */
export type RaiseOf<Answer> = Answer extends AsksForMore ? ParkedCall<typeof raiseLimit, LimitRaise> : never;

/** The outcome of a run that asks to go on at a limit; never if no limit of the agent asks. */
export type ParkedAtLimit<Answer> = Answer extends AsksForMore ? Parked<typeof raiseLimit, LimitRaise> : never;

/** The `ParkedCall` that a tool can leave in a session; never if the answer of the permission is no `Later`. */
export type ParkedCallOf<T, Answer = Later> = [Extract<Answer, Later>] extends [never]
  ? never
  : T extends Tool<infer Name, infer Input, infer _Value>
    ? ParkedCall<Name, Input>
    : never;

/** The `Parked` outcome that a call of a tool can cause; never if the answer of the permission is no `Later`. */
export type ParkedBy<T, Answer = Later> = [Extract<Answer, Later>] extends [never]
  ? never
  : T extends Tool<infer Name, infer Input, infer _Value>
    ? Parked<Name, Input>
    : never;

/** The `Parked` outcomes of a tool, and of the agents that it leads to. */
export type ParkedByAny<T, Answer> =
  ParkedBy<T, Answer> | (T extends { readonly "~parked": infer Theirs } ? Theirs : never);

/** The calls that may wait for an approval, of a tool and of the agents that it leads to. */
export type ParkedCallOfAny<T, Answer> =
  ParkedCallOf<T, Answer> | (T extends { readonly "~parkedCalls": infer Theirs } ? Theirs : never);

/**
 * The outcome of a run with these tools. Each outcome without a value has a `message` for people.
 *
 * `outcome satisfies never` at the end of a `switch` over `by` needs at least two tools that complete: TypeScript only narrows
 * unions. With one completing tool, the `switch` can forget no case.
 *
 * `Answer` is the answer of the agent's permission. If it may be `Later`, a run can end to wait for an approval (`Parked`).
 *
 * The outcomes of the agents that a tool of `handOver` passes the run to are among them.
 */
export type Outcome<Tools extends readonly Tool[] = readonly Tool[], Answer extends Decision | Later = Decision> =
  | CompletedBy<Reachable<Tools[number]>>
  | WaitingFor<Reachable<Tools[number]>>
  | ParkedByAny<Tools[number], Answer>
  | ParkedAtLimit<Answer>
  | Stopped<ClaimOf<Tools[number]>>
  | Aborted
  | Failed;

/** An outcome of any agent. */
export type AnyOutcome = Outcome<readonly Tool[], Decision | Later>;

/**
 * An outcome without its session, as the event `run-end` has it: the size of an event does not grow with the session. Without types, it is
 * any agent's outcome.
 */
export type OutcomeWithoutSession<
  Tools extends readonly Tool[] = readonly Tool[],
  Answer extends Decision | Later = Decision | Later,
> = WithoutSession<Outcome<Tools, Answer>>;

/** Distributes over a union, so that `status` still narrows it. */
type WithoutSession<One> = One extends unknown ? Omit<One, "session"> : never;

/** The end of a run, before the session, the usage and the counts are added to make the outcome. */
export type Conclusion =
  | StoppedConclusion
  | {
      readonly status: "completed";
      readonly by: string;
      readonly value: unknown;
      readonly verified: Verification;
      readonly unverified: readonly string[];
      readonly receipts: readonly Receipt[];
    }
  | { readonly status: "waiting"; readonly by: string; readonly value: unknown; readonly id: string }
  | ({ readonly status: "waiting" } & ParkedCall);

/** The run ends without completion. */
export interface StoppedConclusion {
  readonly status: "stopped";
  readonly reason: StopReason;
  readonly message: string;
  readonly partial: { readonly text: string; readonly claim?: { readonly by: string; readonly value: unknown } };
  readonly receipts: readonly Receipt[];
}

/** The run is being closed: the next iteration is its last. */
export interface ClosingConclusion {
  readonly status: "closing";
  readonly reason: ClosingReason;
  readonly message: string;
}
