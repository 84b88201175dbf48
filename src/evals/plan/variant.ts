// Variants: the agents that an evaluation compares. Any agent of createAgent, or any command that works in a folder.

import type { AnyOutcome, Budget, Event, Input, Model, OpenSession, Prices, Session, Tool } from "../../core/index.js";
import type { StubStep } from "./stub-tool.js";

/** The options of a run that a trial starts. */
export interface TrialRunOptions {
  readonly session: OpenSession;
  readonly suspend: AbortSignal;
  readonly answers?: string | undefined;
  readonly budget?: Budget | undefined;
  /** The session of the round before, whose notes a round begins with. */
  readonly notesFrom?: Session | undefined;
}

/** An agent that a trial runs: any agent of `createAgent` that needs no context. */
export interface EvaluatedAgent {
  stream(
    input: Input | undefined,
    options: TrialRunOptions,
  ): AsyncIterable<Event> & { readonly outcome: Promise<AnyOutcome> };
}

/** The trial that an agent is made for. */
export interface TrialPlace {
  /** The absolute path of the trial's own folder. */
  readonly root: string;
  /** The model of this trial, bounded by the limiter of its provider. */
  readonly model: Model;
  /** The id of the task. */
  readonly task: string;
  /** The number of the trial of this task, variant and model, from 1. */
  readonly trial: number;
  /** The prices of the evaluation, for `limits.prices` of the agent. A shared `maxCost` needs them there. */
  readonly prices: Prices;
  /** Paths that the agent should not see: `bubblewrap({ hidden })` takes them. */
  readonly hidden: readonly string[];
  /**
   * The tool with scripted results: each call takes the next step, a value or an error to throw. The last step is repeated. A trial that
   * goes on after a crash takes the step after the last result in its journal.
   */
  stub<Stubbed extends Tool>(tool: Stubbed, steps: readonly StubStep[]): Stubbed;
}

/** A command that works in the trial's folder. */
export interface CommandVariant {
  /** The program and its arguments, without a shell. `{task}` in an argument is the task's input. */
  readonly command: readonly string[];
  /** Milliseconds until it is ended. Default 1,800,000, half an hour. */
  readonly timeout?: number | undefined;
}

/** Makes the agent of a trial, or states the command. */
export type Variant = ((place: TrialPlace) => EvaluatedAgent | Promise<EvaluatedAgent>) | CommandVariant;
