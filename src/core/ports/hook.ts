// The port for hooks: interceptors of the same shape around runs, requests, calls, claims and folds, and a veto that stops the run.

import type { Attachment, NewAttachment } from "../data/attachment.js";
import type { RunContext } from "./context.js";
import type { Event, ModelEvent } from "./event.js";
import type { Failure } from "../data/failure.js";
import type { Folding } from "./memory.js";
import type { Model, ModelRequest, WrittenReply } from "./model.js";
import type { AnyOutcome } from "./outcome.js";
import type { FrozenCall } from "./permission.js";
import type { Note } from "../journal/record.js";
import type { Beginning } from "../journal/run-state.js";
import type { Redactor } from "../secret/redact.js";
import type { State } from "../journal/state.js";

/** The end of one call: its value or its failure. */
export type Execution =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Texts that the model reads after the value. */
      readonly remarks?: readonly string[];
      /** The notes that the call wrote. */
      readonly notes?: readonly Note[];
      /** The files that go with the value. */
      readonly attachments?: readonly (NewAttachment | Attachment)[];
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** The thrown value, with its stack and causes, if an error caused the failure. The model and the journal get only its message. */
      readonly error?: unknown;
    };

/** A run that begins or continues, as a `run` hook sees it. */
export interface RunStart {
  /** The key of the run, `<session>/<life>/<run>`. The key of each effect of the run begins with it and a slash. */
  readonly key: string;
  /** The id of the session. */
  readonly session: string;
  /** The name and the provider of the agent's model. */
  readonly model: Pick<Model, "name" | "provider">;
  /** The record that begins the run, which is an `input`, or continues it. It is in the journal. */
  readonly record: Beginning;
  /** Redacts as the journal of the run does. Hooks see texts before they are redacted. */
  readonly secrets: Redactor;
}

/** The rest of the chain for a run: a `run` hook calls it to let the run go on. */
export type NextRun = () => AsyncGenerator<Event, AnyOutcome, void>;

/** The rest of the chain for a request: a `request` hook calls it to pass the request on. */
export type NextRequest = (request: ModelRequest) => AsyncGenerator<ModelEvent, WrittenReply, void>;

/** The rest of the chain for a call: a `call` hook calls it to pass the call on. */
export type NextCall = (call: FrozenCall) => AsyncGenerator<Event, Execution, void>;

/** The rest of the chain for a claim: a `claim` hook calls it to let the claim be decided. It takes no value: a claim stays as it is. */
export type NextClaim = () => AsyncGenerator<Event, Execution, void>;

/** The rest of the chain for a fold: a `fold` hook calls it to pass the fold on. It returns the summary; undefined if a hook vetoes. */
export type NextFold = (folding: Folding) => AsyncGenerator<never, string | undefined, void>;

/**
 * Intercepts runs, requests, calls, claims and folds as `(value, next, signal)`. The first hook of the list is the outermost.
 *
 * Contract: a hook yields every event that `next` yields; `return yield* next(value)` is the hook that changes nothing. A hook
 * may pass on another value, or return its own answer without calling `next`. If it changes the input of a call, the new input
 * is validated and put to permission as if the model had written it. Several calls with the effect `read` may pass a hook at the
 * same time. An error that a hook throws is a fault and ends the run. `signal` aborts when the run aborts, and when its time is
 * up. The hook's own work besides `next` settles soon after that.
 *
 * `run` surrounds all of a run after the record that begins or continues it: the loop, all other hooks, and the record of the outcome. So
 * it surrounds a resumed run, and a run that goes on after an approval or an answer, once more. It calls `next` once and yields every
 * event. It sees the outcome and cannot change it. An error that it throws before the outcome is recorded ends the run with a fault; a
 * later error only warns. A caller that joins the run of another, or gets an outcome that the journal has already, causes no call.
 *
 * `claim` surrounds the acceptance of a claim: the objections to it, the checks, its `call` hooks, its permission and its own run. `next`
 * decides; the decision is `ok` if the claim is to be accepted. A hook returns that decision, or a failure. A failure refuses the claim,
 * and the model reads it as the result of the call. A hook may refuse before `next` or after it. It can't accept a claim that `next`
 * refused or was not asked about, and it can't change the value: done is a check. An `ok` that differs from `next`'s, and a second `next`,
 * are faults. A claim that waits for an approval looks refused to a hook, and passes it again once somebody has answered.
 *
 * `fold` surrounds the summary that replaces older messages of the prompt. `next` returns its text. A hook may change the question to the
 * model that writes it, return another text, or veto with undefined. After a veto nothing is folded until the prompt has grown, and
 * the memory takes its next step, which is to leave messages out. A text that is empty, or longer than half of what it replaces, is
 * not used: a rule makes the summary. It yields nothing. A memory that folds asks it; `windowed` and the transcript do.
 *
 * `veto` is asked after each iteration that did not end the run. It gets the state so far and changes nothing. If it returns a
 * text, the run stops with the reason `veto` and the text as its message. If it returns undefined, the run continues. It settles
 * soon after the signal aborts.
 *
 * `context` is the context of the run as the caller gave it; undefined without one.
 */
export interface Hook<Context = unknown> {
  run?(start: RunStart, next: NextRun, signal: AbortSignal, context: Context): AsyncGenerator<Event, void, void>;
  request?(
    request: ModelRequest,
    next: NextRequest,
    signal: AbortSignal,
    context: Context,
  ): AsyncGenerator<ModelEvent, WrittenReply, void>;
  call?(
    call: FrozenCall,
    next: NextCall,
    signal: AbortSignal,
    context: Context,
  ): AsyncGenerator<Event, Execution, void>;
  claim?(
    claim: FrozenCall,
    next: NextClaim,
    signal: AbortSignal,
    context: Context,
  ): AsyncGenerator<Event, Execution, void>;
  fold?(
    folding: Folding,
    next: NextFold,
    signal: AbortSignal,
    context: Context,
  ): AsyncGenerator<never, string | undefined, void>;
  veto?(state: State, signal: AbortSignal, context: Context): string | undefined | Promise<string | undefined>;
}

/** A method of a hook without its last argument, which is the context of the run. */
export function inContext<Value, Next, Returned>(
  hook: ((value: Value, next: Next, signal: AbortSignal, context: unknown) => Returned) | undefined,
  { given }: RunContext,
): ((value: Value, next: Next, signal: AbortSignal) => Returned) | undefined {
  return hook && ((value, next, signal) => hook(value, next, signal, given));
}

/** Wraps `innermost` in the hooks. The first hook is the outermost, and each hook gets the signal. */
export function around<Value, Yielded, Returned>(
  hooks: readonly (
    | ((
        value: Value,
        next: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
        signal: AbortSignal,
      ) => AsyncGenerator<Yielded, Returned, void>)
    | undefined
  )[],
  innermost: (value: Value) => AsyncGenerator<Yielded, Returned, void>,
  signal: AbortSignal,
): (value: Value) => AsyncGenerator<Yielded, Returned, void> {
  return hooks.reduceRight<typeof innermost>(
    (next, hook) => (hook ? (value) => hook(value, next, signal) : next),
    innermost,
  );
}
