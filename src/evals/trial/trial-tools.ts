// The parts that every trial needs: the evaluation, its places, its store and its journal.

import type { Budget, Model } from "../../core/index.js";
import type { Store } from "../../memory/index.js";
import type { Evaluation } from "../plan/evaluation.js";

/** The truth at a claim, as the evaluation's journal keeps it. */
export interface ClaimTruths {
  /** The truth at the claim of this call; undefined if it was not asked. */
  of(trial: string, callId: string): "yes" | "no" | "void" | undefined;
  keep(trial: string, callId: string, truth: "yes" | "no" | "void"): Promise<void>;
}

/** The parts of one evaluation at work. */
export interface Workshop {
  readonly evaluation: Evaluation;
  /** The folder at which relative paths begin. */
  readonly base: string;
  /** The folder of the trials' own folders. */
  readonly work: string;
  readonly store: Store;
  /** The models by name, bounded. */
  readonly models: Readonly<Record<string, Model>>;
  readonly budget: Budget | undefined;
  readonly truths: ClaimTruths;
  /** Suspends the trials at work. */
  readonly suspend: AbortSignal;
}

/** One attempt at a trial. */
export interface Attempt {
  /** The id of its session and the name of its folder. */
  readonly id: string;
  /** The attempts that were void before. */
  readonly before: number;
}
