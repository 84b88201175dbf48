// createAgent: options in, an agent that can run; everything that can be wrong with the options is said here.

import type { Input } from "./answer.js";
import type { Budget } from "./budget.js";
import type { Check } from "./check.js";
import { circuitBounds, type CircuitOptions } from "./circuit.js";
import { clipBound } from "./clip.js";
import { define } from "./definition.js";
import { explain, LastcallError } from "./fault.js";
import { hold } from "./hold.js";
import type { Hook } from "./hook.js";
import { checkLimits, type LimitOptions } from "./limit.js";
import { liveOrAnswered } from "./live.js";
import { isPlainObject } from "./json.js";
import type { MemoryFactory } from "./memory.js";
import type { Model } from "./model.js";
import { notesIn, type Note } from "./note.js";
import type { Outcome } from "./outcome.js";
import { failClosed, type Permission } from "./permission.js";
import { systemPrompt } from "./prompt.js";
import { noRedactor, redactor, type SecretOptions } from "./secret/redact.js";
import { Run, type Opening, type Parts } from "./run.js";
import { systemRuntime, type Runtime } from "./runtime.js";
import { redactEvents, redactWarnings } from "./secrets.js";
import { checkSession, type Lease, type LiveSession, type Session } from "./session.js";
import { wholeNumber } from "./settings.js";
import { priceOf } from "./spent.js";
import { abortOnLeave, type AgentStream } from "./stream.js";
import type { Tool } from "./tool.js";
import { toolbox, type SchemaCompiler, type Toolbox } from "./toolbox.js";
import { isolate, type Watcher } from "./watcher.js";
import { WorkTime } from "./work-time.js";

/** What an agent is made from. */
export interface AgentOptions<Tools extends readonly Tool[]> {
  readonly model: Model;
  /** At least one of them loop-breaking. Their order does not matter. */
  readonly tools: Tools;
  /** What the agent is for; the rules of the loop are added. Default: the rules alone. */
  readonly instructions?: string | undefined;
  /** Default: reading is allowed, writing, executing and the network are not. */
  readonly permission?: Permission | undefined;
  /** What must hold before a completion is accepted, in order. Default: nothing. */
  readonly checks?: readonly Check[] | undefined;
  /** Claims that may fail a check before the run stops. Default 5. */
  readonly maxAttempts?: number | undefined;
  /** Default: none. A run has no bound of its own. */
  readonly limits?: LimitOptions | undefined;
  /** The first is the outermost. Default: none. */
  readonly hooks?: readonly Hook[] | undefined;
  /** When a run that gets nowhere is stopped. Default: after 5 identical failures, 10 failures, or 6 repetitions in a row. */
  readonly circuit?: CircuitOptions | undefined;
  /**
   * The name of one of the `tools`, loop-breaking and with a text field that it `streams`: a reply of words alone is taken
   * as a call of it. Default: such a reply is the failure `no_tool_call`, as an empty one always is.
   */
  readonly onText?: string | undefined;
  /** False where no person is ever there: tools that await a reply are left out from the start. Default true. */
  readonly interactive?: boolean | undefined;
  /**
   * Characters that the prompt shows of one result at most; false for all. The whole stays in the journal, where the tool
   * `readResult()` reads it. Default 8000.
   */
  readonly clip?: number | false | undefined;
  /** Default: the transcript, which keeps everything and leaves failed streaks out of the prompt. */
  readonly memory?: MemoryFactory | undefined;
  /**
   * Which secrets are left out of all that the run keeps and shows, besides the known formats of keys, tokens and passwords; false
   * for none at all. See docs/secrets.md. Default: the known formats.
   */
  readonly secrets?: SecretOptions | false | undefined;
  /** Default: the machine's clock and randomness. */
  readonly runtime?: Runtime | undefined;
}

/** What core leaves to the layers around it. */
export interface AgentDefaults {
  readonly compile: SchemaCompiler;
  readonly memory: MemoryFactory;
}

/** What one run may be given besides its input. */
export interface RunOptions {
  /** Aborts the run: the outcome is `aborted` and the session can go on. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The session to go on from: plain data, as `outcome.session` has it, or one that is kept (`openSession`). If it waits for a
   * reply, the input is that reply. Default: a new one.
   */
  readonly session?: Session | LiveSession | undefined;
  /**
   * The call that the input answers, `outcome.id` of the run that asked. An answer that was given before changes nothing: the
   * outcome is that of the run which took it. Default: the input is the answer where the session waits for one, and else new words.
   */
  readonly answers?: string | undefined;
  /**
   * A session whose notes a new one begins with, those that are not scratched: they become part of its journal, so that it does
   * not depend on the other again. One that has a run already keeps what it has. Default: none.
   */
  readonly notesFrom?: Session | undefined;
  /** For a run within a run: `context.budget` of the tool that runs this agent, so that the limits out there hold in here. */
  readonly budget?: Budget | undefined;
  /**
   * For a run within a run: `context.permission` of that tool. A call has to pass it as well as the agent's own. Default: the
   * agent's own alone.
   */
  readonly permission?: Permission | undefined;
  /**
   * Makes the first prompt of the run as short as it goes: old results become stubs, what is old becomes a summary. The journal keeps
   * everything. Default false: the memory decides by the window.
   */
  readonly compact?: boolean | undefined;
}

/** A definition that can be run any number of times. */
export interface Agent<Tools extends readonly Tool[] = readonly Tool[]> {
  /**
   * Runs to the end. The input is a text; an object where the session waits for a reply with a `replySchema`. `onEvent` sees
   * every event; what it throws is reported once and changes nothing.
   * @throws LastcallError `configuration` for input or a session that can't be used; everything later is in the outcome.
   */
  run(input: Input, options?: RunOptions & { readonly onEvent?: Watcher<Tools> | undefined }): Promise<Outcome<Tools>>;
  /**
   * Runs as it is read: the event loop of the reader is the pace of the run.
   * @throws LastcallError `configuration` for input or a session that can't be used.
   */
  stream(input: Input, options?: RunOptions): AgentStream<Tools>;
  /**
   * Goes on without new words: with the very run that a dead process left, or, where the last one stopped, was aborted,
   * failed, or was not answered in time, with a new one. The outcome is `failed` with a `configuration` fault where the session
   * is completed or waits.
   */
  resume(
    session: Session | LiveSession,
    options?: Omit<RunOptions, "session" | "notesFrom"> & { readonly onEvent?: Watcher<Tools> | undefined },
  ): Promise<Outcome<Tools>>;
}

/**
 * Makes an agent of its parts and the layers' defaults. (`lastcall` exports it with the defaults already given.)
 * @throws LastcallError `configuration` with what is wrong and what to do.
 */
export function createAgent<const Tools extends readonly Tool[]>(
  options: AgentOptions<Tools>,
  defaults: AgentDefaults,
): Agent<Tools> {
  const parts = assemble(options, defaults.compile);
  const memory = options.memory ?? defaults.memory;

  const start = (input: Input | undefined, options: RunOptions): AgentStream => {
    const { signal, session, budget, permission, answers, compact = false } = options;
    const begin = { input, answers, notes: notesFrom(options) };
    const abort = new AbortController();
    const time = new WorkTime(parts.runtime);
    const openOn = (from: Session, lease?: Lease): Run => {
      const both = lease === undefined ? abort.signal : AbortSignal.any([abort.signal, lease.signal]);
      return open(parts, from, memory, { signal: both, budget, permission, time, lease, compact });
    };
    const isLive = session !== undefined && "lease" in session;
    const work = isLive
      ? hold(session, begin, { signal: abort.signal, runtime: parts.runtime, open: openOn })
      : liveOrAnswered(openOn(session ?? { version: 1, id: parts.runtime.id(), records: [] }), begin);
    return abortOnLeave(redactEvents(work, parts.secrets), time, { abort, signal });
  };

  const stream = (input: Input, options: RunOptions = {}): AgentStream => {
    if (typeof (input as unknown) === "string" ? input !== "" : isPlainObject(input)) return start(input, options);
    throw new LastcallError("configuration", "The input of a run must be a text that is not empty, or a typed reply.");
  };

  const drain = async (events: AgentStream, onEvent: Watcher | undefined): Promise<Outcome> => {
    const watch = onEvent === undefined ? undefined : isolate(onEvent, parts.runtime);
    for await (const event of events) watch?.(event);
    return events.outcome;
  };

  return {
    stream,
    run: async (input: Input, { onEvent, ...options }: Watched = {}) => drain(stream(input, options), onEvent),
    resume: async (session: NonNullable<RunOptions["session"]>, { onEvent, ...options }: Watched = {}) =>
      drain(start(undefined, { ...options, session }), onEvent),
  } as unknown as Agent<Tools>;
}

type Watched = RunOptions & { readonly onEvent?: Watcher | undefined };

function notesFrom({ notesFrom: earlier }: RunOptions): readonly Note[] | undefined {
  if (earlier === undefined) return undefined;
  checkSession(earlier);
  return [...notesIn(earlier.records).live.values()];
}

/** Opens a session for a run. Whatever is wrong with its records is said here, before anything happens. */
function open(parts: Parts, session: Session, memory: MemoryFactory, within: Omit<Opening, "id" | "memory">): Run {
  checkSession(session);
  try {
    return new Run(parts, { ...within, id: session.id, memory: memory(session) });
  } catch (thrown) {
    const message = `The session's records can't be read: ${explain(thrown)}. Hand over what \`outcome.session\` was.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

function assemble(options: AgentOptions<readonly Tool[]>, compile: SchemaCompiler): Parts {
  if (!Array.isArray((options as Partial<typeof options> | undefined)?.tools)) {
    throw new LastcallError("configuration", "createAgent needs { model, tools }, tools being a list.");
  }
  const { model, instructions = "", interactive = true, permission = failClosed } = options;
  if (typeof (model as Partial<Model> | undefined)?.respond !== "function") {
    throw new LastcallError("configuration", 'An agent needs a model, for example openai({ model: "..." }).');
  }
  const tools = toolbox(
    interactive ? options.tools : options.tools.filter(({ ending }) => ending !== "waiting"),
    compile,
  );
  const system = systemPrompt(instructions, tools, options.onText);
  permission.prepare?.(tools.names);
  const secrets = options.secrets === false ? noRedactor : redactor(options.secrets);
  const limits = checkLimits(options.limits ?? {}, model.name);
  const checks = checkChecks(options.checks ?? []);
  return {
    model,
    system,
    definition: define({ model, instructions, tools, checks }),
    tools,
    permission,
    checks,
    maxAttempts: wholeNumber("maxAttempts", options.maxAttempts ?? 5),
    limits,
    price: priceOf(model.name, limits.prices),
    overhead: system.length + JSON.stringify(tools.descriptions).length,
    hooks: options.hooks ?? [],
    circuit: circuitBounds(options.circuit ?? {}),
    clip: clipBound(options.clip ?? 8000),
    onText: options.onText === undefined ? undefined : textCall(options.onText, tools),
    secrets,
    runtime: redactWarnings(secrets, options.runtime ?? systemRuntime),
  };
}

function checkChecks(checks: readonly Check[]): readonly Check[] {
  const names = new Set<string>();
  for (const { name } of checks) {
    if (names.has(name)) {
      throw new LastcallError(
        "configuration",
        `Two checks are named "${name}": leave one out, or give it another name.`,
      );
    }
    names.add(name);
  }
  return checks;
}

function textCall(name: string, tools: Toolbox): Parts["onText"] {
  const found = tools.find(name)?.tool;
  const wrong = (what: string, mend: string): LastcallError =>
    new LastcallError("configuration", `onText is "${name}", ${what}: ${mend}.`);
  if (found === undefined) {
    throw wrong("and no tool of this agent has that name", `give one of ${tools.names.join(", ")}`);
  }
  if (found.ending === "never") {
    throw wrong("which is not loop-breaking", "name a tool that has isLoopBreaking, for example converse()");
  }
  if (found.streams === undefined) {
    throw wrong("which streams no text field", "say which field the words go to, with its option `streams`");
  }
  return { tool: name, field: found.streams };
}
