// Events: notifications for watchers about the progress of a run. They change nothing and are not stored; the journal is.

import type { Call, Reply } from "../data/call.js";
import type { Failure } from "../data/failure.js";
import type { Json, JsonObject } from "../data/json.js";
import type { AwaitedApproval, ClaimOf, OutcomeWithoutSession } from "./outcome.js";
import type { Decision, Later } from "../data/decision.js";
import type { Thrown } from "../data/thrown.js";
import type { CheckTime } from "../data/receipt.js";
import type { JournalResult, Notice } from "../journal/record.js";
import type { LeaseHolder } from "../journal/session.js";
import type { Tool } from "./tool.js";
import type { StageOf } from "../time/stage.js";

/**
 * The next piece of the model's text. The order of the pieces and their text together are the model's; the cuts between them are not: what
 * came in one piece of bytes is one delta. At the end of a reply, watchers have seen its whole text. Text that was shown is withdrawn by
 * - `reply-retracted`: all text of the reply. This event may follow `reply-end`, before a `reply-failure`;
 * - `claim-retracted`: the text of a claim, or of a reply without a call that counted as a claim (`onText`);
 * - `expiry`: all text of the iteration that was broken off;
 * - `run-end` of an aborted, stopped or failed run: the text of an incomplete reply, or of a claim that was not accepted.
 */
export interface TextDelta {
  readonly type: "text-delta";
  readonly text: string;
  /** The tool, if the text is the field of a call that the tool's `streams` names. */
  readonly tool?: string;
  /** The index of that call in the reply, from 0, as in `call-delta`. Present if `tool` is. */
  readonly index?: number;
  /** True if that tool ends the run. The text counts only after `claim-accepted`. */
  readonly claim?: true;
}

/** The next piece of the model's reasoning. */
export interface ReasoningDelta {
  readonly type: "reasoning-delta";
  readonly text: string;
}

/** The next piece of a call. */
export interface CallDelta {
  readonly type: "call-delta";
  /** The call's place in the reply, from 0. */
  readonly index: number;
  /** The tool's name, or the part that is known so far. */
  readonly name: string;
  /**
   * The next piece of the arguments, as the model's own JSON text. Calls in XML appear as JSON with text values. Calls that
   * leak into the reply's text in another dialect do not appear before the reply is complete.
   */
  readonly text: string;
}

/** A heartbeat, at most once a second, while the model writes arguments that are not shown. */
export interface CallWriting {
  readonly type: "call-writing";
  /** The call's place in the reply, from 0. */
  readonly index: number;
  /** The tool's name, or the part that is known so far. */
  readonly name: string;
  /** Number of characters of the arguments so far. */
  readonly characters: number;
}

/** Everything shown of this reply so far is void: the reply broke off or was cut, or one of its calls was read too early. */
export interface ReplyRetracted {
  readonly type: "reply-retracted";
  readonly reason: string;
}

/** A request failed with an error that may pass, and will be sent again. */
export interface RequestRetry {
  readonly type: "request-retry";
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  readonly reason: string;
}

/**
 * A request is sent in another form: again, because the provider refused the previous form; without a setting that it does not take; or to
 * the next model of a `fallback`. Or a memory does without the model that it asked for a summary, and a rule writes it.
 */
export interface RequestAdjusted {
  readonly type: "request-adjusted";
  readonly reason: string;
}

/** The way to force the model to call a tool changes from now on, because the server does not support the current way. */
export interface ForcingStep {
  readonly type: "forcing-step";
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** The prompt is not an extension of the previous prompt. */
export interface PromptRewrite {
  readonly type: "prompt-rewrite";
  readonly reason: "recovered" | "input" | "stub" | "fold" | "prune" | "forcing" | "api" | "extras" | "attachments";
}

/** An event that a model may yield while it responds. */
export type ModelEvent =
  | TextDelta
  | ReasoningDelta
  | CallDelta
  | ReplyRetracted
  | RequestRetry
  | RequestAdjusted
  | ForcingStep
  | PromptRewrite;

/** The claim of a tool was accepted. */
type AcceptedClaim<Claim> = Claim extends { readonly by: infer Name; readonly value: infer Value }
  ? { readonly type: "claim-accepted"; readonly tool: Name; readonly value: Value }
  : never;

/** An event of a run. Each run has exactly one `run-end`, and it is the last event. Without types, it is any agent's event. */
export type Event<Tools extends readonly Tool[] = readonly Tool[], Answer extends Decision | Later = Decision | Later> =
  | {
      readonly type: "run-start";
      readonly session: string;
      readonly run: number;
      readonly input: string;
      /** True if this run goes on: its process died, or it waited for an approval, which is the input. */
      readonly resumed?: true;
    }
  | {
      /** A message that the user sent during the run has become part of the run. */
      readonly type: "steer";
      readonly text: string;
    }
  | {
      /** The agent's definition differs from the definition that last used the session. The run continues. */
      readonly type: "definition-drift";
      /** The parts that were added, removed or changed, in words for people. */
      readonly changes: readonly string[];
    }
  | {
      /** The run waits until another run on the session ends. Sent when the wait begins, and once more if it lasts ten seconds. */
      readonly type: "lease-wait";
      readonly session: string;
      /** Milliseconds since the wait began. */
      readonly waited: number;
      /** The process that holds the session, if the store knows it. */
      readonly holder?: LeaseHolder;
    }
  | { readonly type: "iteration-start"; readonly iteration: number }
  | {
      readonly type: "request-start";
      readonly key: string;
      readonly messages: number;
      readonly tools: readonly string[];
    }
  | ModelEvent
  | CallWriting
  | {
      /** A call was repaired before it was parsed. `call` is its index in the reply, from 0. */
      readonly type: "call-healed";
      readonly call: number;
      readonly name: string;
      readonly repairs: readonly string[];
    }
  | { readonly type: "reply-end"; readonly reply: Reply }
  | { readonly type: "call-start"; readonly call: Call }
  | {
      /**
       * Somebody is asked about the call. `call-decision` or `call-parked` follows with the answer, or `run-end` if the run is aborted
       * first. Between them there may be events of other calls.
       */
      readonly type: "call-asking";
      readonly callId: string;
      /** The tool that was called. */
      readonly name: string;
      /** Why somebody is asked, in words for people. */
      readonly why: string;
      /** The rule that would allow exactly this from the start. Absent if no rule would. */
      readonly rule?: string;
    }
  | ({ readonly type: "call-decision"; readonly callId: string } & Decision)
  | ({
      /** The call waits for an approval, so the run ends here. */
      readonly type: "call-parked";
      readonly callId: string;
      /** The tool that was called. */
      readonly name: string;
    } & AwaitedApproval)
  | {
      /** The running call asks the user, so the run ends here. */
      readonly type: "call-question";
      readonly callId: string;
      /** The id that the answer names as `answers`. */
      readonly id: string;
      /** The tool that was called. */
      readonly name: string;
      readonly value: Json;
      /** JSON Schema of the awaited reply; absent if it is free text. */
      readonly replySchema?: JsonObject;
      /** The digest of the call that the reply allows or refuses; absent for any other question. */
      readonly approves?: string;
      /** The time after which no reply is accepted, in milliseconds since 1970; absent without a deadline. */
      readonly expiresAt?: number;
    }
  | { readonly type: "call-progress"; readonly callId: string; readonly progress: unknown }
  | {
      /** An event of an agent that a call runs (`delegate`). */
      readonly type: "child-event";
      /** The ids of the calls that lead to that agent, the outermost first. */
      readonly path: readonly string[];
      /** The event of that agent. It is never a `child-event` itself: `path` says how deep it is. */
      readonly event: Event;
    }
  | {
      readonly type: "call-end";
      readonly result: JournalResult;
      /** The thrown value with its stack and causes, if an error caused the failure. It is not in the result. */
      readonly error?: Thrown;
    }
  | { readonly type: "reply-failure"; readonly failure: Failure }
  | {
      readonly type: "check-start";
      readonly check: string;
      readonly when: CheckTime;
      /** The effect key of this verification, which the check gets as well. Absent if `when` is `edit`: a tool call runs such a check. */
      readonly key?: string;
      /** The id of the call that claims to end the run. Present only if `when` is `claim`. */
      readonly callId?: string;
    }
  | {
      readonly type: "check-end";
      readonly check: string;
      readonly when: CheckTime;
      readonly passed: boolean;
      /** Absent for a goal. */
      readonly kind?: "rule" | "advice";
      readonly output: string;
      readonly duration: number;
      /** The parts of the check that have changed since the task began. */
      readonly changed: readonly string[];
      /** The thrown value with its stack and causes, if the check itself threw. */
      readonly error?: Thrown;
    }
  | {
      /** A claim of a tool with `streams` was not accepted. Its text that was shown is void. */
      readonly type: "claim-retracted";
      readonly callId: string;
      readonly tool: string;
      readonly failure: Failure;
    }
  | AcceptedClaim<ClaimOf<Tools[number]>>
  | {
      /** The work of a call in the background has ended. */
      readonly type: "background-end";
      /** The name that the model has for it. */
      readonly work: string;
      readonly result: JournalResult;
      /** The thrown value with its stack and causes, if an error caused the failure. */
      readonly error?: Thrown;
    }
  | {
      /** A call passed the run to another agent, which speaks from here on. */
      readonly type: "hand-over";
      readonly callId: string;
      readonly tool: string;
      /** The names that lead to the agent that spoke, and to the agent that speaks now. Empty for the agent that the run began with. */
      readonly from: readonly string[];
      readonly to: readonly string[];
    }
  | {
      readonly type: "circuit-failure" | "circuit-open";
      readonly signature: string;
      /** Number of iterations in a row that failed with this signature. */
      readonly count: number;
      /** Number of iterations in a row that failed in any way. */
      readonly inARow: number;
    }
  | { readonly type: "circuit-close" }
  | (Notice & {
      /** The model gets a notice between two iterations. */
      readonly type: "notice";
      /** The text for the model. */
      readonly text: string;
    })
  | {
      /** The iteration, or the baseline before the first iteration, was broken off because its time was up. */
      readonly type: "expiry";
      /** The limit that was reached, in words for people. */
      readonly message: string;
    }
  | { readonly type: "iteration-end"; readonly iteration: number; readonly failures: readonly Failure[] }
  | {
      readonly type: "run-end";
      /** The outcome that `agent.run` returns, without its `session`. */
      readonly outcome: OutcomeWithoutSession<Tools, Answer>;
    };

/** A stage of the loop: it yields the events of its part of a run, and returns its result. */
export type Stage<Returned = void> = StageOf<Event, Returned>;
