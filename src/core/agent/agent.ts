// Makes an agent from its options.

import { portKinds } from "./port-kinds.js";
import type { Input } from "./answer.js";
import { assemble, type AgentDefaults, type AgentOptions } from "./assemble.js";
import { checkAttachment } from "../attachment/read-attachment.js";
import { takesType, type Attachment, type NewAttachment } from "../data/attachment.js";
import type { Decision, Later } from "../data/decision.js";
import type { ClientTool } from "../data/definition.js";
import type { Budget } from "../ports/budget.js";
import type { AroundRun, ChildSession } from "../ports/child-session.js";
import { readContext, type WithContext } from "../ports/context.js";
import { explain, LastcallError } from "../data/fault.js";
import { runStored } from "./stored-run.js";
import { isPlainObject } from "../data/json.js";
import { readPrincipal, type Principal } from "../data/principal.js";
import { runUnlessAnswered } from "./run-to-end.js";
import type { MemoryFactory } from "../ports/memory.js";
import type { Model } from "../ports/model.js";
import { notesIn } from "../journal/notebook.js";
import { unpriced } from "../journal/spent.js";
import type { Note } from "../journal/record.js";
import type { AskingAt, LimitsThatAsk } from "../ports/limit.js";
import type { AnyOutcome, Outcome, ParkedCallOfAny, RaiseOf, WaitingCallOf } from "../ports/outcome.js";
import type { AnyApproval, AnyPermission, Answered } from "../ports/permission.js";
import { Run, type AgentParts, type RunSetup } from "../run/run.js";
import {
  checkSession,
  expectSession,
  type Lease,
  type OpenSession,
  type ReadableSession,
  type Session,
} from "../journal/session.js";
import type { AgentStream } from "../run/agent-stream.js";
import { abortOnLeave, readToEnd, type StartedRun } from "./stream.js";
import { checkOptions, listOf, type OptionKinds } from "../data/settings.js";
import type { Reachable, Tool } from "../ports/tool.js";
import type { ToolSource, WithSourced } from "../ports/toolbox.js";
import { joinSuspensions } from "../time/suspension.js";
import { isolate, type Watcher } from "../ports/watcher.js";
import { guardedParts, reachableTools, registerAgent, withHandOvers } from "./speakers.js";
import { readWaiting } from "./waiting.js";
import { isBlank } from "../text/sound.js";
import { WorkTime } from "../time/work-time.js";

/** The options of one run. */
export interface RunOptions {
  /** Aborts the run: the outcome is `aborted`, and the session can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Suspends the run when it aborts: the run stops as soon as nothing is lost, and its journal stays open, so `resume` goes on with the
   * same run in any process. A request to the model is dropped at once, and so is the wait for a busy session. Calls and checks that run
   * end first and are recorded; agents of `delegate` are suspended themselves. The outcome is `aborted` with `suspended: true`. A run that
   * ends before has its usual outcome. Abort `signal` as well to wait no longer: that is an ordinary abort. Default: never.
   */
  readonly suspend?: AbortSignal | undefined;
  /**
   * The session to continue: plain data from `outcome.session`, or a stored session (`openSession`). If it waits for a reply, the input
   * is that reply. Default: a new session.
   */
  readonly session?: Session | OpenSession | undefined;
  /**
   * The id of the call that the input answers: `outcome.id` of the run that asked. A second answer to the same call changes nothing and
   * returns the outcome of the run that took the first. Default: the input is the answer if the session waits for one, otherwise new words.
   */
  readonly answers?: string | undefined;
  /**
   * An id of the input, 1 to 200 characters, by which the session knows it again: a queue may deliver it twice, a form may be sent twice.
   * If the session has the input already, nothing is run twice, and the outcome is the outcome of the run which took it, with `joined`.
   * An id counts for one session. Without an input it is the id of the wish to go on. Default: every input is new.
   */
  readonly inputId?: string | undefined;
  /**
   * The time at which the input was given, in milliseconds since 1970. An answer counts if it was given before its call expired, however
   * late it comes: a queue may keep it. A host says it by itself. Default: now, or the time at which the run began to wait for a busy
   * session.
   */
  readonly givenAt?: number | undefined;
  /**
   * A session whose notes, except scratched notes, a new session starts with. They become part of the new journal, so the other session is
   * not needed again. A session that has a run already keeps its own notes. Default: none.
   */
  readonly notesFrom?: Session | undefined;
  /** Limits besides the agent's own, which several runs share (`sharedLimits`). Default: none. */
  readonly budget?: Budget | undefined;
  /**
   * Makes the first prompt of the run as short as possible: old results become stubs, old messages a summary. The journal keeps
   * everything. Default false: the memory shortens the prompt when the window fills.
   */
  readonly compact?: boolean | undefined;
  /**
   * The files that go with the input: images, PDFs, as far as the model takes them. Their bytes are kept beside the journal, in the session
   * itself if it is plain data. An attachment whose bytes the session keeps needs none. Default: none.
   */
  readonly attachments?: readonly (NewAttachment | Attachment)[] | undefined;
  /**
   * The person or program that gives the input, the answer or the approval. The journal keeps it, and calls that follow from the words see
   * it as `context.principal`. Default: in an agent that a call runs, the principal of the call, or for an answer the giver of the answer;
   * otherwise nobody says so.
   */
  readonly by?: Principal | undefined;
}

/**
 * An agent that can run any number of times. If a tool declares a context, the options of each run have to give it, as `context`; hooks and
 * permission get it too. Neither the model nor the journal sees it. A run that lacks it throws a LastcallError `configuration` that names
 * the tool.
 */
export interface Agent<Tools extends readonly Tool[] = readonly Tool[], Answer extends Decision | Later = Decision> {
  /**
   * Runs to the end. The input is a text, or an object if the session waits for a reply with a `replySchema` or for an approval:
   * `{ allowed: true }` runs the call that waits, `{ allowed: false, reason }` refuses it, and words are a no. Undefined continues the
   * session without new words, as `resume` does: a session that `fromMessages` made ends with the task. `onEvent` sees every event; if
   * it throws, the runtime warns once and the run goes on.
   * @throws LastcallError `configuration` for an unusable input or session. Later faults are in the outcome.
   */
  run(
    input: Input | undefined,
    ...options: WithContext<Tools, RunOptions & { readonly onEvent?: Watcher<Tools, Answer> | undefined }>
  ): Promise<Outcome<Tools, Answer>>;
  /**
   * Returns the events of a run. The run goes on only while its events are read.
   * @throws LastcallError `configuration` for an unusable input or session.
   */
  stream(input: Input | undefined, ...options: WithContext<Tools, RunOptions>): AgentStream<Tools, Answer>;
  /**
   * Continues a session without new words. A run that a dead process left, or that was suspended, goes on as the same run, and so does an
   * aborted or failed run with a call that was approved and has not begun. Any other run that stopped, was aborted, failed, or got no
   * answer in time is followed by a new run. A completed session starts no run and returns the outcome of its last run. The outcome is
   * `failed` with a `configuration` fault if the session still waits for an answer.
   */
  resume(
    session: Session | OpenSession,
    ...options: WithContext<
      Tools,
      Omit<RunOptions, "session" | "notesFrom"> & { readonly onEvent?: Watcher<Tools, Answer> | undefined }
    >
  ): Promise<Outcome<Tools, Answer>>;
  /**
   * The call whose answer or approval the session waits for, typed by the tools of this agent. Pass its `id` as `answers`. Undefined if no
   * call waits, or if its time is over. Its `value` is read from the journal, so it has been through JSON. It takes no lease,
   * so a session that is at work can be asked too.
   * @throws LastcallError `configuration` if the waiting call is of a tool that this agent does not have, or that awaits no reply.
   */
  waiting(
    session: Session | ReadableSession,
  ): Promise<
    WaitingCallOf<Reachable<Tools[number]>> | ParkedCallOfAny<Tools[number], Answer> | RaiseOf<Answer> | undefined
  >;
}

/**
 * Makes an agent from its options and the defaults of the layers. `lastcall` exports `createAgent`, which has the defaults.
 * @throws LastcallError `configuration` if an option is wrong; the message names the option and the remedy.
 */
export function createBareAgent<
  const Tools extends readonly Tool[],
  Answer extends Decision | Later = Decision,
  Returned extends AnyApproval = boolean,
  const Sources extends readonly ToolSource[] = readonly [],
  Ask extends LimitsThatAsk = never,
>(
  options: AgentOptions<Tools, Answer, Returned, Sources, Ask>,
  defaults: AgentDefaults,
): Agent<WithSourced<Tools, Sources>, Answer | Answered<Returned> | AskingAt<Ask>> {
  const own = withHandOvers(assemble(options, defaults));
  const memory = options.memory ?? defaults.memory;

  const start = (input: Input | undefined, options: AnyRunOptions, isSeen: boolean): StartedRun => {
    if ("callId" in options) throw wholeContext();
    checkOptions("run", options, runOptions);
    const { signal, suspend, session, answers, inputId, givenAt, compact = false } = options;
    if (session !== undefined) expectSession(session);
    if (inputId !== undefined) checkInputId(inputId);
    const { around } = (session ?? {}) as Partial<ChildSession>;
    const budget = budgetOf(options.budget, around);
    const parts = around === undefined ? own : guardedParts(own, around.secrets);
    const context = readContext(reachableTools(parts.tools.all), options.context);
    const missing = budget?.needsPrice === true ? unpriced(parts.model, parts.limits.prices) : undefined;
    if (missing !== undefined) {
      const message = `The shared maxCost needs what ${missing} costs: add it to limits.prices of the agent.`;
      throw new LastcallError("configuration", message);
    }
    if (givenAt !== undefined) checkGivenAt(givenAt);
    const giver = answers === undefined ? around?.principal : around?.answeredBy();
    const by = options.by === undefined ? giver : readPrincipal(options.by, "by");
    // Before anything of the session is kept.
    if (options.clientTools !== undefined) parts.withClientTools(parts, options.clientTools, { isNew: true });
    const attachments = checkAttachments(parts.model, input, options.attachments);
    const runInput = { input, answers, inputId, givenAt, by, attachments, notes: notesFrom(options) };
    const abort = new AbortController();
    const { suspension, end } = joinSuspensions(suspend, around?.suspension);
    const time = new WorkTime(parts.runtime);
    const openOn = (from: Session, lease?: Lease, runSignal = abort.signal): Run =>
      open(parts, from, memory, {
        signal: runSignal,
        suspension,
        budget,
        permission: around?.permission,
        approvals: around?.approvals ?? [],
        time,
        lease,
        compact,
        context,
        clientTools: options.clientTools,
        path: around?.path ?? [],
        isWatched: isSeen || around?.tell !== undefined,
      });
    const isStored = session !== undefined && "lease" in session;
    const work = isStored
      ? runStored(session, runInput, { signal: abort.signal, suspension, runtime: parts.runtime, open: openOn })
      : runUnlessAnswered(openOn(session ?? { version: 1, id: parts.runtime.id(), records: [] }), runInput);
    const signals = [signal, around?.signal];
    return { work, secrets: parts.secrets, time, abort, signals, end, tell: around?.tell };
  };

  const startWith = (input: Input | undefined, options: AnyRunOptions, isSeen: boolean): StartedRun => {
    if (isInput(input) || (input === undefined && options.session !== undefined)) return start(input, options, isSeen);
    throw new LastcallError("configuration", "The input of a run must be a text that is not blank, or a typed reply.");
  };

  const toOutcome = (run: StartedRun, onEvent: Watcher | undefined): Promise<AnyOutcome> =>
    readToEnd(run, onEvent === undefined ? undefined : isolate(onEvent, own.runtime));

  const agent = {
    stream: (input: Input | undefined, options: AnyRunOptions = {}): AnyStream =>
      abortOnLeave(startWith(input, options, true)),
    run: async (input: Input | undefined, { onEvent, ...options }: Watched = {}) =>
      toOutcome(startWith(input, options, onEvent !== undefined), onEvent),
    resume: async (session: NonNullable<RunOptions["session"]>, { onEvent, ...options }: Watched = {}) =>
      toOutcome(start(undefined, { ...options, session }, onEvent !== undefined), onEvent),
    waiting: (session: Session | ReadableSession) => readWaiting(own, session),
  } as unknown as Agent<WithSourced<Tools, Sources>, Answer | Answered<Returned> | AskingAt<Ask>>;
  registerAgent(agent, own);
  const recipe: Recipe = {
    options: { ...(options as unknown as Recipe["options"]), permission: own.permission },
    make: (others) => createBareAgent(others, defaults),
  };
  Object.defineProperty(agent, recipeKey, { value: recipe });
  return agent;
}

/** The options that an agent was made from, and the way to make another agent from other options. */
export interface Recipe {
  /** The options. Their permission is never a function. */
  readonly options: AgentOptions<readonly Tool[], Decision | Later, boolean, readonly ToolSource[], LimitsThatAsk> & {
    readonly permission: AnyPermission;
  };
  make(options: Recipe["options"]): Agent<readonly Tool[], Decision | Later>;
}

/** The key of an agent's recipe. Another copy of this package finds it, too. */
const recipeKey = Symbol.for("lastcall.recipe");

/**
 * The recipe of an agent.
 * @throws LastcallError `configuration` if `createAgent` did not make it.
 */
export function recipeOf(agent: object): Recipe {
  const recipe = (agent as { readonly [recipeKey]?: Recipe })[recipeKey];
  if (recipe !== undefined) return recipe;
  throw new LastcallError("configuration", "The agent is none that createAgent made: give what createAgent returned.");
}

function isInput(input: unknown): boolean {
  return typeof input === "string" ? !isBlank(input) : isPlainObject(input);
}

const runOptions = {
  signal: "signal",
  suspend: "signal",
  session: "any",
  answers: "text",
  inputId: "text",
  givenAt: "number",
  notesFrom: "any",
  budget: portKinds.budget,
  compact: "flag",
  context: "any",
  onEvent: "function",
  attachments: listOf("object"),
  by: "object",
  clientTools: listOf("object"),
} satisfies OptionKinds<Watched>;

/** The options of a run of any tools. */
type AnyRunOptions = RunOptions & {
  readonly context?: unknown;
  /** The tools that the caller's client carries out. Default: the tools that the session had last. Hosts give them. */
  readonly clientTools?: readonly ClientTool[] | undefined;
};

/** The stream of an agent of any tools. */
type AnyStream = AgentStream<readonly Tool[], Decision | Later>;

type Watched = AnyRunOptions & { readonly onEvent?: Watcher | undefined };

function notesFrom({ notesFrom: earlier }: RunOptions): readonly Note[] | undefined {
  if (earlier === undefined) return undefined;
  checkSession(earlier);
  return [...notesIn(earlier.records).current.values()];
}

function wholeContext(): LastcallError {
  const message = "The context of a tool is no options of a run: give { session: await context.child() }.";
  return new LastcallError("configuration", message);
}

/**
 * The limits besides the agent's own.
 * @throws LastcallError `configuration` if there are two.
 */
function budgetOf(own: Budget | undefined, around: AroundRun | undefined): Budget | undefined {
  if (own === undefined || around === undefined) return own ?? around?.budget;
  throw new LastcallError(
    "configuration",
    "A run on context.child() draws from the limits of the run around it: leave out budget.",
  );
}

/** @throws LastcallError `configuration` if it is no time. */
function checkGivenAt(time: unknown): void {
  if (typeof time === "number" && Number.isFinite(time)) return;
  throw new LastcallError(
    "configuration",
    `givenAt is ${String(time)}: give milliseconds since 1970, as Date.now() does.`,
  );
}

/** @throws LastcallError `configuration` for an id that a store could not keep. */
function checkInputId(id: unknown): void {
  if (typeof id === "string" && id !== "" && id.length <= 200 && id.isWellFormed()) return;
  throw new LastcallError("configuration", `inputId is ${JSON.stringify(id)}: give a text of 1 to 200 characters.`);
}

/**
 * Checks the files that go with the input.
 * @throws LastcallError `configuration` if one can't be attached, if the model does not take it, or if there is no input.
 */
function checkAttachments(
  { name, attachments: takes = ["*"] }: Model,
  input: Input | undefined,
  given: unknown = [],
): readonly (NewAttachment | Attachment)[] {
  const refuse = (message: string): LastcallError => new LastcallError("configuration", message);
  if (!Array.isArray(given)) throw refuse("The attachments are no list: give attachments: [{ bytes }].");
  const files: readonly (NewAttachment | Attachment)[] = given;
  if (files.length > 0 && typeof input !== "string") throw refuse("Attachments go with a text: give the run one.");
  for (const file of files) {
    const { mediaType } = checkAttachment(file);
    if (takesType(takes, mediaType)) continue;
    const known = takes.length === 0 ? "no attachments" : `${takes.join(", ")} only`;
    throw refuse(
      `${name} takes ${known}, and ${file.name ?? "an attachment"} is ${mediaType}: choose another model, or put its text into the input.`,
    );
  }
  return files;
}

type SetupWithoutSession = Omit<RunSetup, "id" | "memory" | "attachments" | "children">;

/**
 * Opens a run on a session. Reads all records, so that a broken session fails before anything happens.
 * @throws LastcallError `configuration` if the session or its records cannot be read.
 */
function open(parts: AgentParts, session: Session, memory: MemoryFactory, setup: SetupWithoutSession): Run {
  checkSession(session);
  try {
    const run = new Run(parts, {
      ...setup,
      id: session.id,
      memory: memory(session),
      attachments: session.attachments,
      children: session.children,
    });
    run.renew();
    return run;
  } catch (thrown) {
    if (thrown instanceof LastcallError && thrown.code === "configuration") throw thrown;
    const message = `The session's records can't be read: ${explain(thrown)}. Hand over what \`outcome.session\` was.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}
