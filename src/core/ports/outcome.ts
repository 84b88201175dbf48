// Outcomes: how a run ended, as one union that TypeScript can check to be exhausted.

import type { Usage } from "../data/call.js";
import type { Receipt } from "../data/receipt.js";
import type { LastcallError } from "../data/fault.js";
import type { JsonObject } from "../data/json.js";
import type { LimitReason } from "../data/limit-reached.js";
import type { Session } from "../journal/session.js";
import type { Tool } from "./tool.js";

/** What every outcome has. */
export interface Ended {
  /** Everything that happened; hand it to `run(input, { session })` to go on. */
  readonly session: Session;
  /** Tokens of this run's replies. */
  readonly usage: Usage;
  /**
   * What the run cost, in the currency of `limits.prices`: its replies, the models that its checks asked, and the agents that
   * its tools ran with its budget. Absent where the model has no price.
   */
  readonly cost?: number;
  /** Replies of the model in this run. */
  readonly iterations: number;
}

/** A completing tool's claim was accepted. */
export interface Completed<By extends string, Value> extends Ended {
  readonly status: "completed";
  /** The tool that was called. */
  readonly by: By;
  /** What its `run` returned, or its validated input. */
  readonly value: Value;
  /** `checked` where declared checks passed; `judged` where all that passed was a model's opinion; `unchecked` where there were none. */
  readonly verified: "checked" | "judged" | "unchecked";
  readonly receipts: readonly Receipt[];
}

/** A call of a tool with `awaitsReply` was accepted: the next input is its result. */
export interface Waiting<By extends string, Value> extends Ended {
  readonly status: "waiting";
  readonly by: By;
  readonly value: Value;
  /** The call that waits. */
  readonly id: string;
  /** JSON Schema of the reply that is awaited; absent where words are. */
  readonly replySchema?: JsonObject;
  /** Milliseconds since 1970 from which on no reply is awaited any more; absent where it is for as long as it takes. */
  readonly expiresAt?: number;
}

/**
 * Why a run stopped short: the circuit opened, the same calls had the same results again and again, a limit or the host
 * said so, the checks failed too often, the model called a tool that gives up, or the provider refused. `check_passed`: a
 * machine confirmed the goal, and the model did not claim it. `context_full`: the prompt does not fit the model's window,
 * whatever is left out of it.
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

/** The run ended without completion. Nothing in it is an answer. */
export interface Stopped<Claim> extends Ended {
  readonly status: "stopped";
  readonly reason: StopReason;
  /** For people. */
  readonly message: string;
  /** What there is of it. */
  readonly partial: {
    /** The model's last words outside its calls, or in a last claim that was refused; empty if none. */
    readonly text: string;
    /** The loop-breaking call that ended it, where one did. One made because the run had to end is no completion. */
    readonly claim?: Claim;
  };
  /** What each check said last. */
  readonly receipts: readonly Receipt[];
}

/** The caller's signal aborted, or the stream was left. */
export interface Aborted extends Ended {
  readonly status: "aborted";
  /** For people: who aborted it, and why, as far as the signal's reason says. */
  readonly message: string;
  readonly partial: { readonly text: string };
}

/** Something beyond the model's reach went wrong. The session can go on once it is mended. */
export interface Failed extends Ended {
  readonly status: "failed";
  /** For people: the fault's. */
  readonly message: string;
  readonly fault: LastcallError;
  readonly partial: { readonly text: string };
}

/** A loop-breaking call, by any of the tools. */
export type ClaimOf<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? [Ends] extends ["never"]
      ? never
      : { readonly by: Name; readonly value: Value }
    : never;

/** The completions that a tool can bring about. */
export type CompletedBy<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? "completed" extends Ends
      ? Completed<Name, Value>
      : never
    : never;

/** The waits that a tool can bring about. */
export type WaitingFor<T> =
  T extends Tool<infer Name, infer _Input, infer Value, infer Ends>
    ? "waiting" extends Ends
      ? Waiting<Name, Value>
      : never
    : never;

/**
 * How a run with these tools can end. Each outcome that brings no value has a `message` for people.
 *
 * `outcome satisfies never` at the end of a `switch` over `by` needs at least two tools that complete: TypeScript narrows no type that is
 * not a union. With one there is nothing to forget.
 */
export type Outcome<Tools extends readonly Tool[] = readonly Tool[]> =
  CompletedBy<Tools[number]> | WaitingFor<Tools[number]> | Stopped<ClaimOf<Tools[number]>> | Aborted | Failed;
