// Events: what happens in a run, for watchers. They are seen and change nothing; the journal is what lasts.

import type { Call, Reply } from "../data/call.js";
import type { Failure } from "../data/failure.js";
import type { Outcome } from "./outcome.js";
import type { Decision } from "../data/decision.js";
import type { CheckTime } from "../data/receipt.js";
import type { JournalResult, Notice } from "../journal/record.js";
import type { Tool } from "./tool.js";

/**
 * Words of the model, as they arrive; by the end of a reply all of them. They are withdrawn by
 * - `reply-retracted`: all that was shown of the reply. It may come behind the reply's end, before a `reply-failure`;
 * - `claim-retracted`: those of a claim, and of a reply of words alone that was taken as one (`onText`);
 * - `expiry`: all of the iteration that was broken off;
 * - `run-end`: those of a reply that was not whole, or a claim that was not accepted, when the run was aborted, stopped or failed.
 */
export interface TextDelta {
  readonly type: "text-delta";
  readonly text: string;
  /** The tool whose field `streams` the words are, where they are part of a call. */
  readonly tool?: string;
  /** That call's place in the reply, from 0, as `call-delta` has it. There where `tool` is. */
  readonly index?: number;
  /** True where that tool ends the run: the words count once `claim-accepted` says so. */
  readonly claim?: true;
}

/** Reasoning of the model, as it arrives. */
export interface ReasoningDelta {
  readonly type: "reasoning-delta";
  readonly text: string;
}

/** A piece of a call, as it arrives. */
export interface CallDelta {
  readonly type: "call-delta";
  /** The call's place in the reply, from 0. */
  readonly index: number;
  /** The tool's name as far as it is known. */
  readonly name: string;
  /**
   * The next piece of the arguments' text: of JSON, as the model writes it. Calls in XML are shown as JSON whose values are
   * texts; of those that leak into a reply's text in another dialect nothing is shown before the reply is whole.
   */
  readonly text: string;
}

/** Arguments of which nothing is shown are still being written: a heartbeat, at most one a second. */
export interface CallWriting {
  readonly type: "call-writing";
  /** The call's place in the reply, from 0. */
  readonly index: number;
  /** The tool's name as far as it is known. */
  readonly name: string;
  /** Characters of the arguments so far. */
  readonly characters: number;
}

/** What was shown of this reply so far does not count: it broke off or was cut, or a call in it was read too early. */
export interface ReplyRetracted {
  readonly type: "reply-retracted";
  readonly reason: string;
}

/** A request failed in a way that may pass, and is sent again. */
export interface RequestRetry {
  readonly type: "request-retry";
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds until the next one. */
  readonly delay: number;
  readonly reason: string;
}

/** A request is sent in another form than before, because the provider refused that one. */
export interface RequestAdjusted {
  readonly type: "request-adjusted";
  readonly reason: string;
}

/** From now on the model is made to call a tool in another way, because its server does not go along with this one. */
export interface ForcingStep {
  readonly type: "forcing-step";
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** The prompt is not an extension of the one before. */
export interface PromptRewrite {
  readonly type: "prompt-rewrite";
  readonly reason: "recovered" | "input" | "stub" | "fold" | "prune" | "forcing" | "api";
}

/** What a model may yield while it responds. */
export type ModelEvent =
  | TextDelta
  | ReasoningDelta
  | CallDelta
  | ReplyRetracted
  | RequestRetry
  | RequestAdjusted
  | ForcingStep
  | PromptRewrite;

/** Everything a watcher can see. `run-end` is always the last, and there is exactly one. */
export type Event<Tools extends readonly Tool[] = readonly Tool[]> =
  | {
      readonly type: "run-start";
      readonly session: string;
      readonly run: number;
      readonly input: string;
      /** True where a run goes on that its process left. */
      readonly resumed?: true;
    }
  | {
      /** Words of the user that came while the run was busy are now part of it. */
      readonly type: "steer";
      readonly text: string;
    }
  | {
      /** The agent is not made as the one that the session was left by. The run goes on. */
      readonly type: "definition-drift";
      /** What is new, gone or another, in words for people. */
      readonly changes: readonly string[];
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
      /** The call at this place in the reply, from 0, was mended before it was read. */
      readonly type: "call-healed";
      readonly call: number;
      readonly name: string;
      readonly repairs: readonly string[];
    }
  | { readonly type: "reply-end"; readonly reply: Reply }
  | { readonly type: "call-start"; readonly call: Call }
  | ({ readonly type: "call-decision"; readonly callId: string } & Decision)
  | { readonly type: "call-progress"; readonly callId: string; readonly progress: unknown }
  | { readonly type: "call-end"; readonly result: JournalResult }
  | { readonly type: "reply-failure"; readonly failure: Failure }
  | { readonly type: "check-start"; readonly check: string; readonly when: CheckTime }
  | {
      readonly type: "check-end";
      readonly check: string;
      readonly when: CheckTime;
      readonly passed: boolean;
      readonly output: string;
      readonly duration: number;
      /** What the check is made of and was changed since the task began. */
      readonly changed: readonly string[];
    }
  | {
      /** A claim of a tool that `streams` was not accepted: what was shown of it does not count. */
      readonly type: "claim-retracted";
      readonly callId: string;
      readonly tool: string;
      readonly failure: Failure;
    }
  | { readonly type: "claim-accepted"; readonly tool: string; readonly value: unknown }
  | {
      readonly type: "circuit-failure" | "circuit-open";
      readonly signature: string;
      /** Iterations in a row that failed with this signature. */
      readonly count: number;
      /** Iterations in a row that failed in whatever way. */
      readonly inARow: number;
    }
  | { readonly type: "circuit-close" }
  | (Notice & {
      /** The model is told something between two iterations. */
      readonly type: "notice";
      /** What it reads. */
      readonly text: string;
    })
  | {
      /** The iteration, or the baseline before the first, was broken off: its time is up. */
      readonly type: "expiry";
      /** For people. */
      readonly message: string;
    }
  | { readonly type: "iteration-end"; readonly iteration: number; readonly failures: readonly Failure[] }
  | { readonly type: "run-end"; readonly outcome: Outcome<Tools> };
