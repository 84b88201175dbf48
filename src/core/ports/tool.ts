// The port for tools: what a tool declares, and `tool()`, which makes one.

import type { Effect, ToolEnding } from "../data/effect.js";
import type { Budget } from "./budget.js";
import type { Note } from "../data/note.js";
import type { Permission, Reach } from "./permission.js";
import type { JournalRecord } from "../journal/record.js";
import type { InputOf, ToolSchema } from "../data/tool-schema.js";

/** What a tool's `run` gets besides its input. */
export interface ToolContext {
  /** Aborts when the run does, and when the tool's own time is up. */
  readonly signal: AbortSignal;
  /** The call's id, stable over a resume: an idempotency key for whatever the tool does outside. */
  readonly callId: string;
  /** What the run has left. A tool that runs an agent hands its context on: `agent.run(task, context)`. */
  readonly budget: Budget;
  /** What a call in this run has to pass. An agent that the tool runs with it can do no more than this one. */
  readonly permission: Permission;
  /** Everything that happened in the session so far, oldest first. */
  readonly records: readonly JournalRecord[];
  /**
   * Writes a note, in place of the one with its id (`notesIn(records)` says which there are). It is kept with the call's result,
   * so where the call fails, or is a claim that is accepted, it is not.
   */
  note(note: Note): void;
}

/**
 * One capability that the model can call.
 *
 * Contract: `run` gets input that its schema has validated, deeply frozen, and the very object that permission saw.
 * It may return a value, a promise of one, or an async generator that yields progress and returns the value. It throws
 * to say that the call failed; the error's message goes to the model, so it should say what to do next. A non-zero
 * exit code of a command is a value, not a failure. It must settle soon after `signal` aborts; one that does not is
 * left behind after a second, and the model is told that its outcome is unknown.
 */
export interface Tool<
  Name extends string = string,
  Input = unknown,
  Value = unknown,
  Ends extends ToolEnding = ToolEnding,
> {
  readonly name: Name;
  readonly description: string;
  /** The schema as it was given; core never looks into it. */
  readonly input: unknown;
  /** How an accepted call of a loop-breaking tool ends the run. */
  readonly ending: Ends;
  readonly effect: Effect | undefined;
  /** The text field of the input that watchers see while it is being written. */
  readonly streams: string | undefined;
  /** Milliseconds one call may work, waits at a yield not counted; undefined for no bound. */
  readonly timeout: number | undefined;
  /** True where the same call is meant to be made again and again, so that its repetition is no stall. */
  readonly pollable: boolean;
  /** True where a call may be run again when it is unknown whether it was run: its effects are the same however often. */
  readonly idempotent: boolean;
  /** The schema of the replies that are awaited, as it was given; undefined where words are. */
  readonly replySchema: unknown;
  /** Milliseconds from the claim on after which no reply is awaited any more; undefined for as long as it takes. */
  readonly expiresAfter: number | undefined;
  /** Whether results hold what comes from outside, data that nobody vouches for. Default: where `effect` is `read`, `execute` or `network`. */
  readonly readsOutside?: boolean;
  /** What a call with this input concerns outside the process; absent where the tool does not say. */
  reach?(input: Input): Reach;
  /** What a call with this input would do, for whoever approves; absent where the arguments say it all. */
  preview?(input: Input, signal: AbortSignal): string | Promise<string>;
  /** True where a call with this input claims to end the run. */
  breaks(input: Input): boolean;
  run(input: Input, context: ToolContext): Value | Promise<Value> | AsyncGenerator<unknown, Value>;
}

/** What `run` makes: the return value of a generator, or of the promise. */
export type Made<Returned> = Returned extends AsyncGenerator<unknown, infer Value> ? Value : Awaited<Returned>;

/** The value of a call: what `run` makes, or the validated input where it makes nothing. */
export type ValueOf<Input, Returned> =
  | Exclude<Made<Returned>, Nothing>
  | (Nothing extends Made<Returned> ? Input : undefined extends Made<Returned> ? Input : never);

/** What a function without a `return` makes. */
type Nothing = ReturnType<() => void>;

/** The parts of a tool that every kind has. */
export interface ToolOptions<Name extends string, Schema extends ToolSchema, Returned> {
  /** One to 64 letters, digits, `_` or `-`; unique in the agent. */
  readonly name: Name;
  /** What the tool does and when to call it, for the model. */
  readonly description: string;
  /** The schema of the arguments: of zod, arktype or any library that writes JSON Schema, or JSON Schema itself. */
  readonly input: Schema;
  /** The work. Without it, the value of a call is its input. */
  readonly run?: ((input: InputOf<Schema>, context: ToolContext) => Returned) | undefined;
  /** Default: undeclared. */
  readonly effect?: Effect | undefined;
  /**
   * A text field of the input to show to watchers while the model is still writing it; what could not be read by then is shown once the
   * reply is whole.
   */
  readonly streams?: (keyof InputOf<Schema> & string) | undefined;
  /** Milliseconds; default: no bound. */
  readonly timeout?: number | undefined;
  /**
   * The same call is meant to be made again and again (a poll, a `next`): an iteration of nothing but such calls is not
   * counted as a repetition. Default false.
   */
  readonly pollable?: boolean | undefined;
  /**
   * The effects of a call are the same however often it is run: one whose process was killed while it ran is run again on a
   * resume. Otherwise the model is told that its outcome is unknown. Default false.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * Whether its results hold what comes from outside: data that nobody vouches for, which the model is shown wrapped. Default: where
   * `effect` is `read`, `execute` or `network`.
   */
  readonly readsOutside?: boolean | undefined;
  /** What a call with this input concerns outside the process, so that rules on paths and commands hold for it. Default: not said. */
  readonly reach?: ((input: InputOf<Schema>) => Reach) | undefined;
  /**
   * What a call with this input would do, in words for whoever approves; it changes nothing. What it throws is shown as it is.
   * Default: nothing, the arguments say it all.
   */
  readonly preview?: ((input: InputOf<Schema>, signal: AbortSignal) => string | Promise<string>) | undefined;
}

/** What only a loop-breaking tool has. */
export interface BreakingOptions<Schema extends ToolSchema, Awaits extends boolean, GivesUp extends boolean> {
  /** True, or a predicate over the validated input: a call for which it holds is a claim to end the run. */
  readonly isLoopBreaking: true | ((input: InputOf<Schema>) => boolean);
  /** The run ends `waiting`, and the user's next input becomes the result of this call. Default false. */
  readonly awaitsReply?: Awaits | undefined;
  /** An object schema that the awaited reply must fit, given as an object or as its JSON text. Default: words, whatever they are. */
  readonly replySchema?: ToolSchema | undefined;
  /**
   * Milliseconds from the claim on, over all restarts, after which no reply is awaited any more: the model is told so by what
   * comes next, new words or `agent.resume`. Default: a reply is awaited for as long as it takes.
   */
  readonly expiresAfter?: number | undefined;
  /** The run ends `stopped` with the reason `gave_up`. Default false. */
  readonly givesUp?: GivesUp | undefined;
}

/** What makes a tool one that never ends the run. */
export interface WorkingOptions {
  readonly isLoopBreaking?: false | undefined;
}

/** The ending that the flags say. */
export type EndingOf<Awaits extends boolean, GivesUp extends boolean> = Awaits extends true
  ? "waiting"
  : GivesUp extends true
    ? "stopped"
    : "completed";

/** Makes a loop-breaking tool. Its name and the type of its value become a case of the outcome. */
export function tool<
  const Name extends string,
  Schema extends ToolSchema,
  Returned = undefined,
  const Awaits extends boolean = false,
  const GivesUp extends boolean = false,
>(
  options: ToolOptions<Name, Schema, Returned> & BreakingOptions<Schema, Awaits, GivesUp>,
): Tool<Name, InputOf<Schema>, ValueOf<InputOf<Schema>, Returned>, EndingOf<Awaits, GivesUp>>;
/** Makes a tool that works and never ends the run. */
export function tool<const Name extends string, Schema extends ToolSchema, Returned = undefined>(
  options: ToolOptions<Name, Schema, Returned> & WorkingOptions,
): Tool<Name, InputOf<Schema>, ValueOf<InputOf<Schema>, Returned>, "never">;
export function tool(options: AnyToolOptions): unknown {
  const { name, description, input, run, effect, streams, timeout, isLoopBreaking = false } = options;
  const { pollable = false, idempotent = false, replySchema, expiresAfter, readsOutside, reach, preview } = options;
  return {
    name,
    description,
    input,
    ending: endingOf(options),
    effect,
    streams,
    timeout,
    pollable,
    idempotent,
    replySchema,
    expiresAfter,
    ...(readsOutside !== undefined && { readsOutside }),
    ...(reach && { reach: (value: unknown) => reach(value as never) }),
    ...(preview && { preview: (value: unknown, signal: AbortSignal) => preview(value as never, signal) }),
    breaks: typeof isLoopBreaking === "function" ? isLoopBreaking : () => isLoopBreaking,
    run: (value, context) => (run === undefined ? value : run(value as never, context)),
  } satisfies Tool;
}

interface AnyToolOptions extends Omit<
  ToolOptions<string, ToolSchema, unknown>,
  "run" | "streams" | "reach" | "preview"
> {
  readonly run?: ((input: never, context: ToolContext) => unknown) | undefined;
  readonly reach?: ((input: never) => Reach) | undefined;
  readonly preview?: ((input: never, signal: AbortSignal) => string | Promise<string>) | undefined;
  readonly streams?: string | undefined;
  readonly isLoopBreaking?: boolean | ((input: never) => boolean) | undefined;
  readonly awaitsReply?: boolean | undefined;
  readonly replySchema?: ToolSchema | undefined;
  readonly expiresAfter?: number | undefined;
  readonly givesUp?: boolean | undefined;
}

function endingOf({ isLoopBreaking = false, awaitsReply = false, givesUp = false }: AnyToolOptions): ToolEnding {
  if (isLoopBreaking === false) return "never";
  if (awaitsReply) return "waiting";
  return givesUp ? "stopped" : "completed";
}
