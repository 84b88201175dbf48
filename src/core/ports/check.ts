// The port for checks: they verify that the task is really done when the model says so.

import type { CheckTime } from "../data/receipt.js";
import type { Usage } from "../data/call.js";
import type { Json } from "../data/json.js";
import type { JournalRecord } from "../journal/record.js";

/** The arguments of one verification. */
export interface CheckContext {
  /** The effect key of this verification, `<session>/<life>/<run>/check:<record>`, with a later life if there is one. */
  readonly key: string;
  /** Aborts when the run aborts, and when its time is up. */
  readonly signal: AbortSignal;
  readonly when: CheckTime;
  /** The claim to verify: the tool's name and its input. Present only if `when` is `claim`. */
  readonly claim?: { readonly by: string; readonly input: unknown };
  /** All records of the session so far, oldest first. They include the input of the run. */
  readonly records: readonly JournalRecord[];
  /** The value that the check's `begin` returned when the task began. */
  readonly begun?: Json;
}

/** The verdict of a check. */
export interface CheckVerdict {
  readonly passed: boolean;
  /** The output of the check. The model reads it if the check failed. */
  readonly output: string;
  /** The exit code, if the check was a command that exited. */
  readonly exitCode?: number;
  /** The parts of the check that have changed since the task began: files, for example. For people and for the receipt. */
  readonly changed?: readonly string[];
  /** The usage of the models that the check asked. It counts for the limits of the run. */
  readonly asked?: readonly { readonly model: string; readonly usage: Usage }[];
}

/**
 * A test of the world that has to pass before a completion is accepted.
 *
 * Contract: `verify` changes nothing that the run depends on. It returns a verdict whether it passes or fails. A thrown error
 * counts as a failed check with the error as its output. `verify` settles soon after `context.signal` aborts. `begin` is called
 * once, before the model does anything. `verify` gets its return value as `context.begun`. An error that `begin` throws ends the
 * run with a fault.
 */
export interface Check {
  /** The name for people and for the receipt, the command line for example. Unique in an agent. */
  readonly name: string;
  verify(context: CheckContext): CheckVerdict | Promise<CheckVerdict>;
  begin?(signal: AbortSignal): Json | Promise<Json>;
  /** `iteration`: the check also runs after each iteration that changed something. Default `claim`: only at completing claims. */
  readonly every?: "claim" | "iteration";
  /** True if a model's opinion can make the check pass. If all checks are such, a completion is `judged`, not `checked`. Default false. */
  readonly judged?: boolean;
  /**
   * `rule`: it has to pass, and is no evidence, because a run that does nothing obeys it. `advice`: the model and the person are told
   * that it fails, and nothing is refused. Default: it is a goal, which has to pass, and is evidence if it failed before.
   */
  readonly kind?: "rule" | "advice";
}
