// createAgent: options in, an agent that can run.

import type { Input } from "./answer.js";
import { assemble, type AgentOptions } from "./assemble.js";
import type { Budget } from "../ports/budget.js";
import { explain, LastcallError } from "../data/fault.js";
import { runStored } from "./stored-run.js";
import { isPlainObject } from "../data/json.js";
import { runUnlessAnswered } from "./run-to-end.js";
import type { MemoryFactory } from "../ports/memory.js";
import { notesIn } from "../journal/notebook.js";
import { type Note } from "../data/note.js";
import type { Outcome } from "../ports/outcome.js";
import type { Permission } from "../ports/permission.js";
import { Run, type Opening, type Parts } from "../run/run.js";
import { redactEvents } from "../run/redaction.js";
import { checkSession, type Lease, type OpenSession, type Session } from "../journal/session.js";
import { abortOnLeave, type AgentStream } from "./stream.js";
import type { Tool } from "../ports/tool.js";
import type { SchemaCompiler } from "../ports/toolbox.js";
import { isolate, type Watcher } from "../ports/watcher.js";
import { WorkTime } from "../time/work-time.js";

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
  readonly session?: Session | OpenSession | undefined;
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
    session: Session | OpenSession,
    options?: Omit<RunOptions, "session" | "notesFrom"> & { readonly onEvent?: Watcher<Tools> | undefined },
  ): Promise<Outcome<Tools>>;
}

/**
 * Makes an agent of its parts and the layers' defaults. (`lastcall` exports it with the defaults already given.)
 * @throws LastcallError `configuration` with what is wrong and what to do.
 */
export function createBareAgent<const Tools extends readonly Tool[]>(
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
      ? runStored(session, begin, { signal: abort.signal, runtime: parts.runtime, open: openOn })
      : runUnlessAnswered(openOn(session ?? { version: 1, id: parts.runtime.id(), records: [] }), begin);
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
  return [...notesIn(earlier.records).current.values()];
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
