// A run in progress: the parts of its agent, its journal, and the state that follows from the journal.

import { AttachmentBox } from "./attachment-box.js";
import { BackgroundCalls } from "./background-calls.js";
import type { Budget } from "../ports/budget.js";
import { EarlyCalls } from "./early-calls.js";
import type { Reply } from "../data/call.js";
import type { Check } from "../ports/check.js";
import { ChildSessions, guarded } from "./child-sessions.js";
import type { CircuitBounds } from "../journal/circuit.js";
import type { ClientTool, Definition } from "../data/definition.js";
import type { RunContext } from "../ports/context.js";
import { asFault, LastcallError } from "../data/fault.js";
import type { Hook } from "../ports/hook.js";
import { Ledger } from "../journal/ledger.js";
import type { Limits } from "../ports/limit.js";
import type { Memory } from "../ports/memory.js";
import type { Lease, Session } from "../journal/session.js";
import type { AroundRun, ChildSession } from "../ports/child-session.js";
import type { Model } from "../ports/model.js";
import { everyOf, type AnyPermission, type ApprovalOptions } from "../ports/permission.js";
import { Purse } from "./purse.js";
import type { JournalRecord, RecordBody } from "../journal/record.js";
import { RunJournal } from "./run-journal.js";
import type { Redactor } from "../secret/redact.js";
import type { Runtime } from "../time/runtime.js";
import { takes } from "../journal/run-state.js";
import { projectUsage, spentOn, type Price, type Spent } from "../journal/spent.js";
import { effectKey, type BackgroundCall, type State, type Unanswered } from "../journal/state.js";
import { wait, type StageOf } from "../time/stage.js";
import { throwIfSuspended, type Suspension } from "../time/suspension.js";
import type { Tool } from "../ports/tool.js";
import type { SchemaCompiler, Toolbox } from "../ports/toolbox.js";
import type { WorkTime } from "../time/work-time.js";

/** The parts of an agent, complete and checked. */
export interface AgentParts {
  readonly model: Model;
  readonly system: string;
  readonly definition: Definition;
  readonly tools: Toolbox;
  readonly permission: AnyPermission;
  /** The rules for answers to calls that wait for an approval. */
  readonly approvals: ApprovalOptions;
  readonly checks: readonly Check[];
  readonly maxAttempts: number;
  readonly limits: Limits;
  /** The price of the model; undefined if `limits.prices` does not list it. */
  readonly price: Price | undefined;
  /** Characters of the system prompt and of the tool descriptions. */
  readonly overhead: number;
  readonly hooks: readonly Hook[];
  readonly circuit: CircuitBounds;
  /** Characters of one result that the prompt shows; undefined for all. */
  readonly clip: number | undefined;
  /** The tool that a reply of words alone calls, and the field that takes the words; undefined if such a reply is a failure. */
  readonly onText: { readonly tool: string; readonly field: string } | undefined;
  /** Redacts records, events, warnings and the outcome. */
  readonly secrets: Redactor;
  readonly runtime: Runtime;
  /** False if nobody can answer: no call may ask the user. */
  readonly interactive: boolean;
  /** True if calls that only read may begin while their reply arrives. */
  readonly startsEarly: boolean;
  /** The number of calls that only read and run at the same time. */
  readonly maxParallelReads: number;
  /** Compiles the schema of a reply to a question that a call asked. */
  readonly compile: SchemaCompiler;
  /**
   * The parts with the tools that the sources have now, and the words about the change for the model; undefined without a change. Absent
   * if the agent has no sources. It throws if the new tools can't be used.
   */
  readonly renew?: (parts: AgentParts) => { readonly parts: AgentParts; readonly text: string } | undefined;
  /**
   * The parts with these tools of the caller's client besides. `isNew` says that the caller has just given them.
   * @throws LastcallError `configuration` if one can't be used; if it is new, also for the name of a tool of the agent.
   */
  readonly withClientTools: (
    parts: AgentParts,
    tools: readonly ClientTool[],
    terms: { readonly isNew: boolean },
  ) => AgentParts;
  /** The tools of the caller's client among the tools. Absent if there are none. */
  readonly ofClient?: readonly Tool[];
  /**
   * The parts of the agent that these hand-overs lead to. Absent if the agent hands nothing over.
   * @throws LastcallError `configuration` if a name belongs to no agent.
   */
  readonly partsOf?: (speakers: readonly string[]) => AgentParts;
}

/** The session that a run works on, and the conditions that its caller sets. */
export interface RunSetup {
  /** The id of the session. */
  readonly id: string;
  readonly memory: Memory;
  /** The bytes of its attachments, if the session is plain data. */
  readonly attachments: Session["attachments"];
  /** The sessions of the agents that its calls run, if the session is plain data. */
  readonly children: Session["children"];
  readonly signal: AbortSignal;
  /** Suspends the run; undefined if nobody can. */
  readonly suspension?: Suspension | undefined;
  /** The budget of the run around this run; undefined for a run that no tool started. */
  readonly budget: Budget | undefined;
  /** The permission of the run around this run, which calls need as well; undefined for a run that no tool started. */
  readonly permission: AnyPermission | undefined;
  /** The rules of the runs around this run for answers to calls that wait. Empty for a run that no tool started. */
  readonly approvals: readonly ApprovalOptions[];
  /** The working time of the run. It may have started with the stream. */
  readonly time: WorkTime;
  /** The lease of a stored session; undefined if only the memory holds the records. */
  readonly lease: Lease | undefined;
  /** True if the first prompt is to be short. */
  readonly compact: boolean;
  readonly context: RunContext;
  /** The tools that the caller's client carries out; undefined for the tools that the session had last. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** The ids of the calls that led to this run, the outermost first. Empty for a run that no tool started. */
  readonly path: readonly string[];
  /** True if the reader of the run sees its events. */
  readonly isWatched: boolean;
}

/** The usage that the next request of such a run is likely to have. */
export function projected({ prompt }: State, { overhead, price }: Pick<AgentParts, "overhead" | "price">): Spent {
  return spentOn(projectUsage(prompt, overhead), price);
}

/**
 * The name of a request in its key. The closing request may have the same iteration number as a request that timed out, so it has its
 * own name.
 */
export function requestName(iteration: number, isClosing: boolean): string {
  return isClosing ? "closing" : String(iteration);
}

/** The parts of a run that change while it works. All views of the run share them. */
interface Shared {
  /** The parts of the agent that the run began with. */
  readonly first: AgentParts;
  /** The parts of the agent that speaks. */
  parts: AgentParts;
  readonly journal: RunJournal;
  readonly ledger: Ledger;
  readonly purse: Purse;
  readonly attachments: AttachmentBox;
  readonly children: ChildSessions;
  readonly early: EarlyCalls;
  readonly background: BackgroundCalls;
  /** The ids of the calls whose agents were suspended. They get no result. */
  readonly left: Set<string>;
  /** True until the first prompt is requested, if that prompt is to be short. */
  compacts: boolean;
}

/** The parts of the agent that speaks, with the tools of the caller's client. */
function speakingParts(first: AgentParts, speakers: readonly string[], setup: RunSetup, state: State): AgentParts {
  const parts = partsFor(first, speakers);
  const given = setup.clientTools ?? state.definition?.clientTools ?? [];
  if (given.length === 0) return parts;
  return parts.withClientTools(parts, given, { isNew: false });
}

function shareFor(parts: AgentParts, setup: RunSetup): Shared {
  const { memory, lease, attachments, children, budget, compact, signal } = setup;
  const { secrets, runtime } = parts;
  const journal = new RunJournal({ memory, lease, secrets, runtime });
  const state = (): State => journal.state;
  const charge = (spent: Spent, callId: string | undefined): Promise<unknown> =>
    journal.append({ type: "spend", spent, ...(callId !== undefined && { callId }) });
  const shared: Shared = {
    first: parts,
    parts: speakingParts(parts, journal.state.speakers, setup, journal.state),
    journal,
    ledger: new Ledger(),
    purse: new Purse({ state, limits: () => shared.parts.limits, charge }, budget),
    attachments: new AttachmentBox(attachments, lease),
    children: new ChildSessions(children, lease),
    early: new EarlyCalls(),
    background: new BackgroundCalls(signal, runtime),
    left: new Set(),
    compacts: compact,
  };
  return shared;
}

/**
 * The parts of the agent that these hand-overs lead to.
 * @throws LastcallError `configuration` if there is no such agent.
 */
export function partsFor(first: AgentParts, speakers: readonly string[]): AgentParts {
  if (speakers.length === 0) return first;
  const parts = first.partsOf?.(speakers);
  if (parts !== undefined) return parts;
  throw new LastcallError(
    "configuration",
    `The session was handed over to ${speakers.join(", ")}, and this agent hands nothing over: give it to the agent that it began with.`,
  );
}

/** One run on one session, seen under one signal. `within` makes a view of the same run under another signal. */
export class Run {
  readonly memory: Memory;
  readonly time: WorkTime;
  readonly lease: Lease | undefined;
  readonly context: RunContext;
  /** The ids of the calls that led to this run, the outermost first. */
  readonly path: readonly string[];
  /** Aborts when the run does. In a view it may abort earlier: when an iteration's time is up, or when parallel calls stop. */
  readonly signal: AbortSignal;
  readonly suspension: Suspension | undefined;
  readonly #setup: RunSetup;
  readonly #shared: Shared;

  constructor(parts: AgentParts, setup: RunSetup, shared: Shared = shareFor(parts, setup)) {
    const { memory, time, lease, signal, context, path } = setup;
    this.memory = memory;
    this.time = time;
    this.lease = lease;
    this.signal = signal;
    this.suspension = setup.suspension;
    this.context = context;
    this.path = path;
    this.#setup = setup;
    this.#shared = shared;
  }

  /** The parts of the agent that speaks. They change with a hand-over, and between two iterations if it has sources of tools. */
  get parts(): AgentParts {
    return this.#shared.parts;
  }

  /** True if somebody sees the events of the run: its reader or a hook. */
  get isWatched(): boolean {
    return this.#setup.isWatched || this.parts.hooks.length > 0;
  }

  /** The permission that a call needs: the agent's permission and the permissions of the runs around this run. */
  get permission(): AnyPermission {
    const [own, around] = [this.parts.permission, this.#setup.permission];
    return around === undefined ? own : everyOf([own, around]);
  }

  /** The rules for answers to calls that wait: the agent's rules and the rules of the runs around this run. */
  get approvals(): readonly ApprovalOptions[] {
    return [this.parts.approvals, ...this.#setup.approvals];
  }

  /** The parts of the agent that these hand-overs lead to. */
  partsOf(speakers: readonly string[]): AgentParts {
    return speakingParts(this.#shared.first, speakers, this.#setup, this.state);
  }

  /** Takes the parts of the agent that speaks according to the journal. */
  takeSpeaker(): void {
    this.#shared.parts = this.partsOf(this.state.speakers);
  }

  /** Takes the tools that the sources have now. Returns the words about the change for the model; undefined without a change. */
  renew(): string | undefined {
    const { parts } = this;
    try {
      const renewed = parts.renew?.(parts);
      if (renewed !== undefined) this.#shared.parts = renewed.parts;
      return renewed?.text;
    } catch (thrown) {
      parts.runtime.warn(asFault(thrown));
      return undefined;
    }
  }

  /** A view of this run with its own signal. Both share the journal, the ledger and the purse. */
  within(signal: AbortSignal): Run {
    return new Run(this.parts, { ...this.#setup, signal }, this.#shared);
  }

  get state(): State {
    return this.#shared.journal.state;
  }

  /** The time of the next record, in milliseconds since 1970. */
  get now(): number {
    return this.#shared.journal.now;
  }

  /** No later record is from before this time: it has passed by the clock of somebody else. */
  notBefore(time: number): void {
    this.#shared.journal.notBefore(time);
  }

  get purse(): Purse {
    return this.#shared.purse;
  }

  /** Measures and checks the last prompt. */
  get ledger(): Ledger {
    return this.#shared.ledger;
  }

  /** The session with all records so far. */
  get session(): Session {
    const { attachments, children } = this.#shared;
    return {
      version: 1,
      id: this.#setup.id,
      records: this.memory.records,
      ...(attachments.plain !== undefined && { attachments: attachments.plain }),
      ...(children.plain !== undefined && { children: children.plain }),
    };
  }

  get attachments(): AttachmentBox {
    return this.#shared.attachments;
  }

  /** The calls that run already while their reply arrives. */
  get early(): EarlyCalls {
    return this.#shared.early;
  }

  /** The calls that go on in the background. */
  get background(): BackgroundCalls {
    return this.#shared.background;
  }

  /**
   * The session of the agent that a call runs, with the call's own signal and budget. The journal says first that there is one, so an early
   * call waits for its turn.
   */
  async child(
    callId: string,
    own: Pick<AroundRun, "signal" | "budget" | "principal" | "answeredBy" | "tell">,
  ): Promise<ChildSession> {
    await this.early.turnOf(callId);
    this.signal.throwIfAborted();
    const { unanswered, background } = this.state;
    const call = [...unanswered, ...background].find((one) => one.callId === callId);
    const child = guarded(this.#shared.children.open(callId), {
      ...own,
      permission: this.permission,
      approvals: this.approvals,
      path: [...this.path, callId],
      secrets: this.parts.secrets,
      suspension: this.#suspensionFor(call),
    });
    if (call?.hasChild !== true) await this.append({ type: "child", callId });
    return child;
  }

  /** The sessions of the agent of a call and of the agents below it, by id. */
  sessionsOf(callId: string): Promise<Readonly<Record<string, Session>>> {
    return this.#shared.children.sessionsOf(callId);
  }

  /** The suspension for the agent of a call; undefined if a resumed run could not run the call again. */
  #suspensionFor(call: Unanswered | BackgroundCall | undefined): Suspension | undefined {
    if (this.suspension === undefined || call === undefined || !this.canRunAgain(call)) return undefined;
    return { signal: this.suspension.signal, left: () => void this.#shared.left.add(call.callId) };
  }

  /** True if a resumed run runs the call again, should this process die in it. */
  canRunAgain(call: Unanswered | BackgroundCall): boolean {
    const tool = this.parts.tools.find(call.name)?.tool;
    return tool?.idempotent === true || (tool?.background !== true && "intended" in call && !call.intended);
  }

  /** True if the agent of this call was suspended. */
  hasLeft(callId: string): boolean {
    return this.#shared.left.has(callId);
  }

  /**
   * Stops here if the run was aborted or is to be suspended.
   * @throws the reason of the signal, or Suspended.
   */
  throwIfStopped(): void {
    this.signal.throwIfAborted();
    throwIfSuspended(this.suspension);
  }

  /**
   * Stops here if the agent of a call was suspended: that call is open.
   * @throws Suspended
   */
  throwIfLeft(): void {
    if (this.#shared.left.size > 0) throwIfSuspended(this.suspension);
  }

  /**
   * Lets pending timers and signals fire.
   * @throws the reason of the signal if it has aborted, or Suspended.
   */
  *turn(): StageOf<never, void> {
    yield* wait(this.parts.runtime.turn());
    this.throwIfStopped();
  }

  /** True if the journal has the input with this id. Searches all records; only inputs in the inbox need it, and they are rare. */
  hasTaken(sent: string): boolean {
    return this.memory.records.some((record) => takes(record, { inputId: sent }));
  }

  /** True once if the first prompt of the run is to be short; false from then on. */
  takeCompact(): boolean {
    const { compacts } = this.#shared;
    this.#shared.compacts = false;
    return compacts;
  }

  /**
   * The last reply.
   * @throws LastcallError `bug` before the first reply.
   */
  get reply(): Reply {
    const { reply } = this.#shared.journal;
    if (reply === undefined) throw new LastcallError("bug", "There is no reply to follow from.");
    return reply;
  }

  /** The key of this run: `<session>/<life>/<run>`. In an older run there is no life in it. */
  get runKey(): string {
    const { life, run } = this.state;
    return [this.#setup.id, ...(life === undefined ? [] : [life]), String(run)].join("/");
  }

  /** The key of a new effect of this run: `key("call:3:0")` is `<session>/<life>/<run>/call:3:0`, with a later life if there is one. */
  key(effect: string): string {
    return effectKey(this.runKey, effect, this.state);
  }

  /**
   * Appends one record and steps the state.
   * @throws LastcallError `store` if the lease or the memory cannot store the record; the state then stays the same.
   */
  append(body: RecordBody): Promise<JournalRecord> {
    return this.#shared.journal.append(body);
  }
}
