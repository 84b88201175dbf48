// The port for checks: is what the model claims to have done really done?

import type { CheckTime } from "../data/receipt.js";
import type { Usage } from "../data/call.js";
import type { Json } from "../data/json.js";
import type { JournalRecord } from "../journal/record.js";

/** What a check is asked with. */
export interface CheckContext {
  /** The effect key of this very verification, `<session>/<run>/check:<record>`. */
  readonly key: string;
  /** Aborts when the run does, and when its time is up. */
  readonly signal: AbortSignal;
  readonly when: CheckTime;
  /** The claim to be judged; present at a claim alone. */
  readonly claim?: { readonly by: string; readonly input: unknown };
  /** Everything that happened so far in the session, the input of the run included. */
  readonly records: readonly JournalRecord[];
  /** What the check's own `begin` returned when the task began. */
  readonly begun?: Json;
}

/** What a check found. */
export interface CheckVerdict {
  readonly passed: boolean;
  /** What it saw, for the model to read where it failed. */
  readonly output: string;
  /** The exit code, where the check was a command that exited. */
  readonly exitCode?: number;
  /** What the check itself is made of and is not as it was when the task began: files, say. For people and for the receipt. */
  readonly changed?: readonly string[];
  /** The models it asked, if any, and what that took; it counts for the limits of the run. */
  readonly asked?: readonly { readonly model: string; readonly usage: Usage }[];
}

/**
 * A question about the world that has to be answered with yes before a completion is accepted.
 *
 * Contract: `verify` looks and changes nothing that the run depends on. It returns a verdict for a no as for a yes;
 * throwing counts as a no, with the error as its output. It settles soon after `context.signal` aborts. `begin` is called
 * once, before anything is done, and returns what `verify` wants to be reminded of; what it throws ends the run with a fault.
 */
export interface Check {
  /** For people and for the receipt: the command line, say. Unique in an agent. */
  readonly name: string;
  verify(context: CheckContext): CheckVerdict | Promise<CheckVerdict>;
  begin?(signal: AbortSignal): Json | Promise<Json>;
  /** `iteration`: also after each iteration that changed something. Default `claim`: at completing claims alone. */
  readonly every?: "claim" | "iteration";
  /** True where a model's opinion can make it pass: such checks alone make a completion `judged`, never `checked`. Default false. */
  readonly judged?: boolean;
}
