// The port for checks: is what the model claims to have done really done?

import type { Usage } from "./call.js";
import type { Json } from "./json.js";
import type { JournalRecord } from "./record.js";

/**
 * When a check is run: before the first request, after an iteration that changed something, or at a completing claim. `edit`,
 * after a call that wrote a file, is of what hooks run and show as events: no check is asked then, and nothing recorded.
 */
export type CheckTime = "baseline" | "iteration" | "claim" | "edit";

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

/** What the harness itself saw of a check; nobody else writes one. */
export interface Receipt {
  readonly check: string;
  readonly when: CheckTime;
  readonly passed: boolean;
  readonly exitCode?: number;
  /** True where a model's opinion was enough. */
  readonly judged: boolean;
  /** SHA-256 of the output in the record, hexadecimal. */
  readonly digest: string;
  /** Milliseconds. */
  readonly duration: number;
  /** How often this check had failed earlier in the run, the baseline not counted. */
  readonly failedBefore: number;
  /** True where it failed, and passed later although nothing had been changed in between. */
  readonly flaky: boolean;
  /** Whether it passed before anything was done: a yes then says nothing about the task. Absent where it was not asked then. */
  readonly passedAtBaseline?: boolean;
  /** What the check is made of and was changed since the task began. */
  readonly changed: readonly string[];
  /** The sequence number of the check's record in the journal. */
  readonly record: number;
}
