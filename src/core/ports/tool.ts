// The port for tools: the declaration of a tool, and `tool()`, which makes a tool.

import type { Attachment, NewAttachment } from "../data/attachment.js";
import type { Effect, ToolEnding } from "../data/effect.js";
import type { Principal } from "../data/principal.js";
import type { Budget } from "./budget.js";
import type { Decision } from "../data/decision.js";
import type { ChildSession } from "./child-session.js";
import type { AnyPermission, FrozenCall, Reach } from "./permission.js";
import type { JournalRecord, Note } from "../journal/record.js";
import type { Json, JsonObject } from "../data/json.js";
import { atCaller } from "../data/fault.js";
import { checkOptions, needed, choiceOf, type OptionKinds, checkChoice } from "../data/settings.js";
import type { InferOutput, InputOf, StandardSchema, ToolSchema } from "../data/tool-schema.js";

/**
 * The call, as a tool's `run` sees it: its id, its terms, and the questions that it may ask.
 *
 * @example
 * ```ts
 * run: async ({ url }, { signal, callId, attach }) => {
 *   const response = await fetch(url, { signal, headers: { "idempotency-key": callId } });
 *   attach({ bytes: new Uint8Array(await response.arrayBuffer()), mediaType: "image/png" });
 *   return "The picture is attached.";
 * }
 * ```
 */
export interface CallContext<Context = unknown, Question = never> {
  /** The context of the run, as the tool's own schema `context` made it. Undefined if the tool declares none. */
  readonly context: Context;
  /** Aborts when the run aborts, and when the tool's timeout has passed. */
  readonly signal: AbortSignal;
  /** The call's id. It stays the same when a run is resumed, so it serves as an idempotency key for effects outside. */
  readonly callId: string;
  /**
   * The person or program whose words the call follows from: their rights are the call's. It is the same after a resume in another process,
   * and in agents that calls run. Undefined if nobody said who it is.
   */
  readonly principal: Principal | undefined;
  /**
   * The ids of the calls that led to this call, the outermost first, and of this call. It has more than one if an agent in a tool runs
   * the call: `path.length` is the depth.
   */
  readonly path: readonly string[];
  /** The input that permission judged and `preview` saw, deeply frozen. The input that `run` gets is its copy. */
  readonly approved: unknown;
  /** The permission of this run: the tools of a workspace ask it which files may be read. */
  readonly permission: AnyPermission;
  /** The decision that allowed this call, with the walls that it opens. */
  readonly decision: Decision;
  /**
   * Attaches a file to the result, which the model sees if it takes such files: an image, a PDF. Its bytes are kept beside the journal. An
   * attachment of an earlier record may be given again. It is lost if the call fails, or if it is an accepted claim.
   * @throws LastcallError `configuration` if the file is empty, larger than 32 MiB, or of a type that can't be told and is not given.
   */
  attach(file: NewAttachment | Attachment): void;
  /**
   * Asks the user. The run ends `waiting` with this question, as with a loop-breaking question, and any process may answer it. Then the
   * call runs again from its start, with the same `callId`, and this resolves with the answer: a text, or an object that fits
   * `replySchema`. A question is told by its value: a tool that asks several asks the same questions in each of its runs. Ask before
   * anything is changed: what was done before the question is done again. Until there is an answer the promise rejects, and `signal`
   * aborts.
   * @throws LastcallError `configuration` if the tool does not declare `asks`, the question does not fit it, or the agent is not
   * interactive.
   */
  ask(question: Question, terms?: AskTerms): Promise<Json>;
  /** The `state` of the last question that was answered; undefined if the call has asked none, or gave none. */
  readonly state: Json | undefined;
}

/**
 * The session, as a tool's `run` sees it: its records and its notes.
 *
 * @example
 * ```ts
 * run: ({ text }, { records, note }) => {
 *   note({ id: "plan", text, tags: [] });
 *   return `The session has ${String(records.length)} records.`;
 * }
 * ```
 */
export interface SessionContext {
  /** All records of the session so far, oldest first. */
  readonly records: readonly JournalRecord[];
  /**
   * Writes a note. It replaces the note with the same id; `notesIn(records)` lists the existing notes. Notes are stored with the
   * call's result, so they are lost if the call fails, or if it is an accepted claim.
   */
  note(note: Note): void;
}

/**
 * The means by which a tool's `run` runs an agent, or looks after work in the background.
 *
 * @example
 * ```ts
 * run: async ({ topic }, { child }) => {
 *   const outcome = await researcher.run(`Find out about ${topic}.`, { session: await child() });
 *   return outcome.status === "completed" ? outcome.value : failure(outcome.message);
 * }
 * ```
 */
export interface AgentsContext {
  /**
   * Opens the session for an agent that this call runs: `agent.run(task, { session: await child() })`. The agent can do no more than this
   * run: it needs this run's permission as well, draws from its limits, leaves out its secrets, and ends with the call. Watchers of this
   * run see the agent's events. The session is kept where this run's session is, under the call's id, so it is the same session when the
   * call runs again after a crash or a question. `delegate` of lastcall/tools does all this.
   * @throws LastcallError `store` if the journal can't say that there is such a session.
   */
  child(): Promise<ChildSession>;
  /** The rest of the run's limits. A tool that asks a model itself sets aside what that costs. */
  readonly budget: Budget;
  /** The calls of the run that go on in the background. */
  readonly background: BackgroundWork;
}

/** The second argument of a tool's `run`: the call, its session, and the agents and the work that it may start. */
export interface ToolContext<Context = unknown, Question = never>
  extends CallContext<Context, Question>, SessionContext, AgentsContext {}

/** The calls of a run that go on in the background, by the names that the model has for them. */
export interface BackgroundWork {
  /** The state of one; undefined if no call of the session has this name. */
  look(work: string): BackgroundLook | undefined;
  /** Waits until it ends, at most this number of milliseconds. */
  wait(work: string, ms: number): Promise<void>;
  /** Stops it, and waits until it has ended. Its result says so. */
  stop(work: string): Promise<void>;
}

/** The state of a call in the background. The result of an ended call is text once the model was told. */
export type BackgroundLook =
  | { readonly status: "running"; readonly output: string }
  | { readonly status: "ended"; readonly text?: string | undefined };

/** The terms of a question to the user. */
export interface AskTerms {
  /** JSON Schema of the reply, an object schema. Default: the reply is free text. */
  readonly replySchema?: JsonObject | undefined;
  /**
   * The digest of a call that the reply allows or refuses: the call of an agent that the tool runs. The reply then has the form of an
   * approval, `{ allowed: true }` or `{ allowed: false, reason }`, and words are a no. It goes with no `replySchema`. Default: the reply
   * allows nothing.
   */
  readonly approves?: string | undefined;
  /** Milliseconds during which a reply is accepted, restarts included. Default: no deadline. */
  readonly expiresAfter?: number | undefined;
  /** The time after which no reply is accepted, in milliseconds since 1970. Default: the time that `expiresAfter` gives. */
  readonly expiresAt?: number | undefined;
  /** Data that the tool gets back as `context.state` when it runs again. The journal keeps it as it is, with its secrets. Default: none. */
  readonly state?: Json | undefined;
}

/** A tool whose calls may ask the user such questions. Its question is a case of the outcome's type. */
export interface AsksUser<Question> {
  /** The schema of the questions. */
  readonly asks: StandardSchema<unknown, Question>;
}

/** Passes the run to another agent, or back. */
export interface HandsOver {
  /** The agents that a call can name, by name. Empty for a tool that hands back. */
  readonly agents: Readonly<Record<string, object>>;
  /** The part of the conversation that the next agent sees. */
  readonly sees: "all" | "summary";
  /** The most hand-overs of one run. A call that names an agent fails above it. */
  readonly max: number;
}

/**
 * A tool that passes the run on: the tools of all agents that it leads to, and the outcomes and calls of these agents that wait for an
 * approval. These exist as types alone.
 */
export interface HandsOverTo<Tools, Outcomes, Calls> {
  readonly "~tools": Tools;
  readonly "~parked": Outcomes;
  readonly "~parkedCalls": Calls;
}

/** The tools, and the tools of all agents that they lead to by hand-overs. */
export type Reachable<T> = T | (T extends { readonly "~tools": infer Others } ? Others : never);

/**
 * One capability that the model can call.
 *
 * Contract: `run` gets its own copy of the input that the schema has validated, and may change it: `approved`, the frozen input that
 * permission saw, stays as it is. `run` returns a value, a promise of a value, or an async generator that yields progress and
 * returns the value. It throws if the call failed. The model reads the error's message, so the message should say what to do next.
 * A non-zero exit code of a command is a value, not a failure. `run` must settle soon after `signal` aborts. After one second the
 * loop stops waiting, and the model is told that the outcome of the call is unknown.
 */
export interface Tool<
  Name extends string = string,
  Input = unknown,
  Value = unknown,
  Ends extends ToolEnding = ToolEnding,
> {
  readonly name: Name;
  readonly description: string;
  /** The schema as the caller passed it. Core never inspects it. */
  readonly input: unknown;
  /** The way in which an accepted call of a loop-breaking tool ends the run. */
  readonly ending: Ends;
  readonly effect: Effect | undefined;
  /** The text field of the input that watchers see while the model writes it; undefined for none. */
  readonly streams: string | undefined;
  /** The field of a completion's input that lists what the model did not verify; undefined for none. */
  readonly unverified?: string | undefined;
  /** Maximum work time of one call in milliseconds. Waits at a yield do not count. Undefined for no timeout. */
  readonly timeout: number | undefined;
  /** True if the model is meant to repeat the same call, so that the repetition does not count as a stall. */
  readonly pollable: boolean;
  /** True if a repeated call has no further effect. A call that was interrupted in an unknown state may then run again. */
  readonly idempotent: boolean;
  /** The schema of the awaited reply, as the caller passed it; undefined if the reply is free text. */
  readonly replySchema: unknown;
  /** Milliseconds after the claim during which a reply is accepted; undefined for no deadline. */
  readonly expiresAfter: number | undefined;
  /**
   * True if results hold untrusted content from outside, `failures` if only failures do. Absent: true if `effect` is `read`, `execute`
   * or `network`.
   */
  readonly readsOutside?: boolean | "failures";
  /** The digest of a definition that a stranger wrote: approvals count for it alone. Absent for a tool of the caller's own. */
  readonly definition?: string;
  /** The schema of the context that a run has to give for this tool. Absent if the tool needs none. */
  readonly context?: StandardSchema;
  /** True if a call goes on in the background: its result comes later, as a notice. See `inBackground` of lastcall/tools. Default false. */
  readonly background?: boolean;
  /** The agents that a call passes the run to. Present if the ending is `handed-over`. */
  readonly handsOver?: HandsOver;
  /** The files and the command that a call with this input uses. Absent if the tool does not declare them. */
  reach?(input: Input): Reach;
  /** Describes what a call with this input would do, for the person who approves it. Absent if the arguments say enough. */
  preview?(input: Input, signal: AbortSignal): string | Promise<string>;
  /** True if a call with this input claims to end the run. */
  breaks(input: Input): boolean;
  run(input: Input, context: ToolContext): Value | Promise<Value> | AsyncGenerator<unknown, Value>;
}

/** The value that `run` makes: the return value of its generator, or the value of its promise. */
export type Made<Returned> = Returned extends AsyncGenerator<unknown, infer Value> ? Value : Awaited<Returned>;

/** The value of a call: the value of `run`, or the validated input if `run` returns nothing. */
export type ValueOf<Input, Returned> =
  | Exclude<Made<Returned>, Nothing>
  | (Nothing extends Made<Returned> ? Input : undefined extends Made<Returned> ? Input : never);

/**
 * A call of one of the tools, as permission sees it. Its `name` tells which tool, and with that the type of `input`:
 * `(call: FrozenCallOf<typeof tools>) => call.name === "pay" && call.input.cents < 1000`. The permission of an agent also
 * decides about the calls of an agent that a tool runs with its context: the list then needs the tools of that agent too.
 */
export type FrozenCallOf<Tools extends readonly Tool[]> = FrozenCallTo<Tools[number]>;

type FrozenCallTo<T> = T extends Tool<infer Name, infer Input, infer _Value> ? FrozenCall<Name, Input> : never;

/** The return type of a function without a `return`. */
type Nothing = ReturnType<() => void>;

/** The context that `run` gets: the value that the schema makes; undefined without a schema. */
export type ContextMade<Context extends StandardSchema | undefined> = Context extends StandardSchema
  ? InferOutput<Context>
  : undefined;

/** The tool, with the type of its context if it declares one. */
export type Needing<Context extends StandardSchema | undefined, T> = Context extends StandardSchema
  ? T & { readonly context: Context }
  : T;

/** The tool, with the type of its questions if it may ask some. */
export type AskingFor<Asks extends StandardSchema | undefined, T> = Asks extends StandardSchema
  ? T & AsksUser<InferOutput<Asks>>
  : T;

/** The questions that `run` may ask; never without a schema. */
type QuestionOf<Asks extends StandardSchema | undefined> = Asks extends StandardSchema ? InferOutput<Asks> : never;

/** The options of every tool. */
export interface ToolOptions<
  Name extends string,
  Schema extends ToolSchema,
  Returned,
  Context extends StandardSchema | undefined = undefined,
  Asks extends StandardSchema | undefined = undefined,
> {
  /** The name: 1 to 64 letters, digits, `_` or `-`. Unique in the agent. */
  readonly name: Name;
  /** Tells the model what the tool does and when to call it. */
  readonly description: string;
  /** The schema of the arguments, from zod, arktype or any library that writes JSON Schema; or plain JSON Schema. */
  readonly input: Schema;
  /**
   * Does the work of a call and returns its value. The value of a loop-breaking tool is stored as JSON, and the outcome has the part
   * that JSON keeps. Default: the value of a call is its validated input, which keeps what the schema made, such as dates.
   */
  readonly run?:
    ((input: InputOf<Schema>, context: ToolContext<ContextMade<Context>, QuestionOf<Asks>>) => Returned) | undefined;
  /**
   * The schema of the questions that a call may ask the user with `context.ask`. Default: it asks none.
   */
  readonly asks?: Asks | undefined;
  /**
   * A schema of any library of Standard Schema (zod 3.24 or later, arktype, valibot) for values that the caller gives to a run: the user
   * or a database connection, for example. `run(input, { context })` of the agent then requires them, and the tool gets them as
   * `context`. Neither the model nor the journal sees them. Default: none.
   */
  readonly context?: Context | undefined;
  /** The effect of a call on the world. Default: undeclared. */
  readonly effect?: Effect | undefined;
  /**
   * The name of a text field of the input. Watchers see its text while the model writes it, as `text-delta` events. A part that
   * could not be parsed yet is shown when the reply is complete. Default: none.
   */
  readonly streams?: (keyof InputOf<Schema> & string) | undefined;
  /** Maximum work time of one call in milliseconds. Default: no timeout. */
  readonly timeout?: number | undefined;
  /**
   * True if the model is meant to repeat the same call, to poll or to get the next item for example. An iteration with only such
   * calls does not count as a repetition. Default false.
   */
  readonly pollable?: boolean | undefined;
  /**
   * True if a repeated call has no further effect. If the process was killed during such a call, a resumed run runs the call
   * again. If false, the model is told that the outcome of the call is unknown. Default false.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * True if results hold untrusted content from outside. The prompt marks such content as data. `failures` for a tool of which only
   * the thrown messages quote such content. Default: true if `effect` is `read`, `execute` or `network`.
   */
  readonly readsOutside?: boolean | "failures" | undefined;
  /**
   * A digest of the tool's definition, for a tool that a stranger defines and may define anew: one of an MCP server, for example. An
   * approval counts for the calls of this definition alone. Default: the definition is yours, and approvals count whatever it is.
   */
  readonly definition?: string | undefined;
  /** Returns the files and the command that a call with this input uses, so that permission rules apply to them. Default: undeclared. */
  readonly reach?: ((input: InputOf<Schema>) => Reach) | undefined;
  /**
   * Describes what a call with this input would do, for the person who approves it. It changes nothing. The text of an error that
   * it throws is shown to that person. Default: only the arguments are shown.
   */
  readonly preview?: ((input: InputOf<Schema>, signal: AbortSignal) => string | Promise<string>) | undefined;
}

/** The additional options of a loop-breaking tool. */
export interface BreakingOptions<Schema extends ToolSchema, Awaits extends boolean, GivesUp extends boolean> {
  /** True if every call is a claim to end the run, or a predicate on the validated input that tells which calls are. */
  readonly isLoopBreaking: true | ((input: InputOf<Schema>) => boolean);
  /** If true, the run ends `waiting`, and the user's next input becomes the result of this call. Default false. */
  readonly awaitsReply?: Awaits | undefined;
  /** An object schema for the awaited reply. The reply may be an object or its JSON text. Default: the reply is free text. */
  readonly replySchema?: ToolSchema | undefined;
  /**
   * Milliseconds after the claim during which a reply is accepted, restarts included. After that, the next input or
   * `agent.resume` tells the model that no reply came in time. Default: no deadline.
   */
  readonly expiresAfter?: number | undefined;
  /**
   * The name of a field of the input: a list of texts in which the model declares the parts of its claim that it did not verify. They
   * become `outcome.unverified` of a completion. Default: none.
   */
  readonly unverified?: ListField<InputOf<Schema>> | undefined;
  /** If true, the run ends `stopped` with the reason `gave_up`. Default false. */
  readonly givesUp?: GivesUp | undefined;
}

/** The names of the fields that are lists of texts, or may be. */
type ListField<Input> = {
  [Name in keyof Input]-?: readonly string[] extends Input[Name] ? Name : string[] extends Input[Name] ? Name : never;
}[keyof Input] &
  string;

/** The additional options of a tool that never ends the run. */
export interface WorkingOptions {
  readonly isLoopBreaking?: false | undefined;
}

/** The ending that follows from the flags. */
export type EndingOf<Awaits extends boolean, GivesUp extends boolean> = Awaits extends true
  ? "waiting"
  : GivesUp extends true
    ? "stopped"
    : "completed";

/**
 * The part of a value that JSON keeps, as a type. Dates, maps, sets, functions, bigints and instances of classes with methods are
 * `never`: a value with such a part is not `KeptByJson<Value>`.
 */
type KeptByJson<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends bigint | symbol | ((...args: never) => unknown) | Date
    ? never
    : { readonly [Key in keyof Value]: KeptByJson<Value[Key]> };

/** The members of a union of values that JSON does not keep. Nothing made means that the value is the input, which is read back. */
type LostInJson<Value> = unknown extends Value
  ? never
  : Value extends Nothing
    ? never
    : [Value] extends [KeptByJson<Value>]
      ? never
      : Value;

/** The requirement on a loop-breaking tool: `run` makes a value that JSON keeps. An unknown value, or none, fulfils it. */
type MakesJson<Returned> = [LostInJson<Made<Returned>>] extends [never]
  ? unknown
  : {
      readonly run?: "The value of a loop-breaking tool is stored as JSON: return text for a date, lists and objects for a Map, a Set or an instance of a class";
    };

/** The same type, from which TypeScript infers nothing. Its own `NoInfer` is kept inside unions, and then no conditional type fits. */
type Uninferred<Type> = [Type][Type extends unknown ? 0 : never];

/** Makes a loop-breaking tool. Its name and the type of its value become a case of the outcome's type. */
export function tool<
  const Name extends string,
  Schema extends ToolSchema,
  Returned = undefined,
  const Awaits extends boolean = false,
  const GivesUp extends boolean = false,
  Context extends StandardSchema | undefined = undefined,
  Asks extends StandardSchema | undefined = undefined,
>(
  options: ToolOptions<Name, Schema, Returned, Context, Asks> &
    BreakingOptions<Schema, Awaits, GivesUp> &
    MakesJson<Uninferred<Returned>>,
): AskingFor<
  Asks,
  Needing<Context, Tool<Name, InputOf<Schema>, ValueOf<InputOf<Schema>, Returned>, EndingOf<Awaits, GivesUp>>>
>;
/** Makes a tool that never ends the run. */
export function tool<
  const Name extends string,
  Schema extends ToolSchema,
  Returned = undefined,
  Context extends StandardSchema | undefined = undefined,
  Asks extends StandardSchema | undefined = undefined,
>(
  options: ToolOptions<Name, Schema, Returned, Context, Asks> & WorkingOptions,
): AskingFor<Asks, Needing<Context, Tool<Name, InputOf<Schema>, ValueOf<InputOf<Schema>, Returned>, "never">>>;
export function tool(options: AnyToolOptions): unknown {
  return atCaller(tool as never, () => makeTool(options));
}

/** The values of the fields of a tool that have few. */
const choices = {
  effect: ["none", "read", "write", "execute", "network"] satisfies readonly Effect[],
  ending: ["completed", "waiting", "stopped", "handed-over", "never"] satisfies readonly ToolEnding[],
  readsOutside: [true, false, "failures"],
  pollable: [true, false],
  idempotent: [true, false],
  background: [true, false],
} as const;

/**
 * Checks the fields of a tool that have few values. A misspelt effect would pass every approval.
 * @throws LastcallError `configuration` that names the field and its values.
 */
export function checkChoices(tool: Tool): void {
  for (const [field, known] of Object.entries(choices))
    checkChoice(`The field ${field} of tool "${tool.name}"`, tool[field as keyof typeof choices], known);
}

function makeTool(options: AnyToolOptions): Tool {
  checkOptions(`tool "${options.name}"`, options, toolOptions);
  const made = toolOf(options);
  checkChoices(made);
  return made;
}

function toolOf(options: AnyToolOptions): Tool {
  const { name, description, input, run, effect, streams, timeout, isLoopBreaking = false } = options;
  const { pollable = false, idempotent = false, replySchema, expiresAfter, readsOutside, reach, preview } = options;
  const { unverified, context, asks, definition } = options;
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
    ...(unverified !== undefined && { unverified }),
    ...(readsOutside !== undefined && { readsOutside }),
    ...(definition !== undefined && { definition }),
    ...(context !== undefined && { context }),
    ...(asks !== undefined && { asks }),
    ...(reach && { reach: (value: unknown) => reach(value as never) }),
    ...(preview && { preview: (value: unknown, signal: AbortSignal) => preview(value as never, signal) }),
    breaks: typeof isLoopBreaking === "function" ? isLoopBreaking : () => isLoopBreaking,
    run: (value, own) => (run === undefined ? value : run(value as never, own as never)),
  } satisfies Tool;
}

const toolOptions = {
  name: needed("text"),
  description: needed("text"),
  input: needed(["object", "function"]),
  run: "function",
  context: ["object", "function"],
  asks: ["object", "function"],
  effect: choiceOf("none", "read", "write", "execute", "network"),
  streams: "text",
  unverified: "text",
  timeout: "number",
  pollable: "flag",
  idempotent: "flag",
  readsOutside: ["flag", choiceOf("failures")],
  definition: "text",
  reach: "function",
  preview: "function",
  isLoopBreaking: ["function", "flag"],
  awaitsReply: "flag",
  replySchema: ["object", "function"],
  expiresAfter: "number",
  givesUp: "flag",
} satisfies OptionKinds<AnyToolOptions>;

interface AnyToolOptions extends Omit<
  ToolOptions<string, ToolSchema, unknown>,
  "run" | "streams" | "reach" | "preview" | "context" | "asks"
> {
  readonly run?: ((input: never, context: never) => unknown) | undefined;
  readonly context?: StandardSchema | undefined;
  readonly asks?: StandardSchema | undefined;
  readonly reach?: ((input: never) => Reach) | undefined;
  readonly preview?: ((input: never, signal: AbortSignal) => string | Promise<string>) | undefined;
  readonly streams?: string | undefined;
  readonly unverified?: string | undefined;
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
