// One delivery of an input to a session: it may come again at any moment, and counts once.

import {
  LastcallError,
  type AnyOutcome,
  type Budget,
  type Event,
  type JournalRecord,
  type JsonObject,
  type Lease,
  type OpenSession,
} from "../../core/index.js";
import {
  asFault,
  checkOptions,
  portKinds,
  needed,
  listOf,
  choiceOf,
  type OptionKinds,
  explain,
  follow,
  runState,
  vainResumes,
  wholeNumber,
} from "../../core/internal.js";
import { openSession, recordsAfter, type Store } from "../../memory/index.js";
import type { QueueTerms, Work } from "./delivery.js";
import type { HostAgent } from "./host-agent.js";
import { abortedBefore, refused } from "./no-run.js";
import type { RunWatcher } from "./run-watcher.js";
import { WatchedBy } from "./watched-by.js";
import { hasCall, isAsked, deliveryState } from "./delivery-state.js";
import { stopReason } from "./stop-text.js";

/** The options of `driveSession`. */
export interface DriveOptions extends Omit<Work, "agent" | "first" | "times" | keyof QueueTerms> {
  readonly agent: HostAgent;
  readonly store: Store;
  /** Data of the host, stored when the session is new. Default: none. */
  readonly about?: JsonObject | undefined;
  /** Aborts the run. */
  readonly signal: AbortSignal;
  /** Suspends the run: the delivery has to come again. */
  readonly suspend: AbortSignal;
  /** If another run has the session: `wait` for it, or `leave` and be delivered again. Default `wait`. */
  readonly busy?: "wait" | "leave" | undefined;
  /**
   * Asked with the session's lease, before the session takes the input; before its words go into the inbox; and if the session is left
   * because it is busy: a delivery that was withdrawn meanwhile ends as aborted. Default: none is.
   */
  readonly isWithdrawn?: (() => Promise<boolean>) | undefined;
  /**
   * Asked about words in the inbox, by the ids of their inputs, before a run takes them. Words of a withdrawn delivery are dropped.
   * Default: none are.
   */
  readonly isInputWithdrawn?: ((inputId: string) => Promise<boolean>) | undefined;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /** Limits besides the agent's own, which several runs share. Default: none. */
  readonly budget?: Budget | undefined;
  /** Sees every event. It must not throw. */
  readonly onEvent?: ((event: Event) => void) | undefined;
  /** The watchers of the run in this process. Default: nobody. */
  readonly watchers?: Iterable<RunWatcher> | undefined;
}

/** The end of a delivery. */
export interface Driven {
  /** The outcome, of this run or of the run that took the input before. */
  readonly outcome: AnyOutcome;
  /**
   * The delivery has to come again: the run was suspended, or another run is at work on the session, which may be about to ask for the
   * answer that the input is. Absent otherwise.
   */
  readonly again?: "suspended" | "busy";
}

const driveOptions = {
  session: needed("text"),
  input: ["text", "object"],
  inputId: "text",
  answers: "text",
  attachments: listOf("object"),
  by: "object",
  stop: "text",
  before: "number",
  inputs: listOf("text"),
  givenAt: "number",
  clientTools: listOf("object"),
  resumeFrom: "number",
  agent: needed(portKinds.agent),
  store: needed(portKinds.store),
  about: "object",
  signal: needed("signal"),
  suspend: needed("signal"),
  busy: choiceOf("wait", "leave"),
  isWithdrawn: "function",
  isInputWithdrawn: "function",
  attempts: "number",
  budget: portKinds.budget,
  onEvent: "function",
  watchers: "object",
} satisfies OptionKinds<DriveOptions>;

/**
 * Delivers an input to a session, or goes on with its last run. A delivery that comes again is safe at any moment: the journal says whether
 * the input was taken, whether its run has an end, and with which outcome. So a run is begun once, goes on if its process died, and is not
 * touched after its end. Faults other than the store's faults are outcomes, as is an input that the session can't take.
 * @throws LastcallError `store` if the store failed: deliver again.
 */
export async function driveSession(options: DriveOptions): Promise<Driven> {
  checkOptions("driveSession", options, driveOptions);
  return drive(options);
}

/** `driveSession`, with the records of the session if they were just read. */
export async function drive(options: DriveOptions, seen?: readonly JournalRecord[]): Promise<Driven> {
  const driven = await deliver(options, seen);
  const { store, session, stop, inputs = [] } = options;
  // The process of a delivery that the stop withdrew may have died on its way to the inbox.
  if (stop !== undefined && driven.again === undefined && inputs.length > 0) await store.drop(session, inputs);
  return driven;
}

async function deliver(options: DriveOptions, seen?: readonly JournalRecord[]): Promise<Driven> {
  const { store, session: id, input, answers, resumeFrom, stop } = options;
  const most = wholeNumber("attempts", options.attempts ?? 10);
  const records = seen ?? (await recordsAfter({ store, id }));
  const state = deliveryState(records, options);
  // A stop looks under the session's lease, which fences off a process that stands still just before it begins a run.
  if (stop !== undefined && state.kind !== "open" && (await isStored(store, id, records)))
    return new Drive(options, options).run();
  if (state.kind === "ended") return { outcome: state.outcome };
  if (state.kind === "open") {
    const vain = vainResumes(records);
    const poison = `The run was resumed ${String(vain)} times and got no further: its process may die of it.`;
    return new Drive({ ...options, input: undefined, stop: vain >= most ? poison : stop }, options).run();
  }
  if (input === undefined && (resumeFrom === undefined || records.length === 0)) return { outcome: nothing(id) };
  if (answers !== undefined && !isAsked(records, answers)) {
    // A run that has no end yet may be about to ask. If it has asked, its process may be dead, and the answer goes on with the run.
    if (runState(records) === "open") return { outcome: noCall(id, answers), again: "busy" };
    if (!hasCall(records, answers)) return { outcome: noCall(id, answers) };
  }
  return new Drive(options, options).run();
}

/** One delivery at work. */
class Drive {
  /** The outcome of the delivery, if a look under the session's lease found its end. */
  #ended: AnyOutcome | undefined;
  /** The id under which the input may lie in the inbox. */
  #sent: string | undefined;
  readonly #abort = new AbortController();
  readonly #leave = new AbortController();
  /** The options, without an input that the journal has. */
  readonly #options: DriveOptions;
  readonly #delivery: DriveOptions;
  readonly #watched: WatchedBy;

  constructor(options: DriveOptions, delivery: DriveOptions) {
    this.#options = options;
    this.#delivery = delivery;
    this.#sent = options.inputId;
    const { store, session, watchers = [] } = options;
    this.#watched = new WatchedBy(watchers, session, store.live);
  }

  async run(): Promise<Driven> {
    const { signal, suspend } = this.#options;
    const unfollow = [follow(this.#abort, signal), follow(this.#leave, suspend)];
    let fault: LastcallError | undefined;
    try {
      return await this.#end(await this.#outcome());
    } catch (thrown) {
      fault = asFault(thrown);
      throw thrown;
    } finally {
      this.#watched.end(fault);
      for (const end of unfollow) end();
    }
  }

  async #end(outcome: AnyOutcome): Promise<Driven> {
    const { session, suspend } = this.#options;
    if (outcome.status === "failed" && outcome.fault.code === "store") throw outcome.fault;
    if (this.#ended !== undefined) return this.#drop(this.#ended);
    if (outcome.status !== "aborted" || outcome.suspended !== true) return this.#drop(outcome);
    if (suspend.aborted) return { outcome, again: "suspended" };
    return (await this.#isWithdrawn()) ? this.#drop(abortedBefore(session)) : { outcome, again: "busy" };
  }

  /** An input that waited for another run, and was aborted or has its end, is not to be taken by that run, nor by a later run. */
  async #drop(outcome: AnyOutcome): Promise<Driven> {
    const { store, session } = this.#options;
    const mayWait = outcome.status === "aborted" || this.#ended !== undefined;
    if (mayWait && this.#sent !== undefined) await store.drop(session, [this.#sent]);
    return { outcome };
  }

  async #outcome(): Promise<AnyOutcome> {
    const { agent, input, inputId, answers, resumeFrom, givenAt, by, attachments, clientTools, onEvent, stop, busy } =
      this.#options;
    const { budget } = this.#options;
    // Without an input the id is one of a resume, or the journal has it.
    const ids = input === undefined ? resumeFrom !== undefined && { inputId } : { inputId, answers, attachments };
    const signals = { signal: this.#abort.signal, suspend: this.#leave.signal, givenAt, by, clientTools, budget };
    try {
      const stream = agent.stream(input, { session: this.#session(), ...signals, ...ids });
      for await (const event of stream) {
        onEvent?.(event);
        this.#watched.event(event);
        if (event.type === "run-start" && stop !== undefined) this.#abort.abort(stopReason(stop));
        if (event.type === "lease-wait" && busy === "leave") this.#leave.abort();
      }
      return await stream.outcome;
    } catch (thrown) {
      return refused(this.#options.session, thrown);
    }
  }

  /** The session, whose journal is asked once more when its lease is there: another delivery may have been at work until then. */
  #session(): OpenSession {
    const { store, session: id, about } = this.#options;
    const session = openSession({ store, id, about });
    return {
      ...session,
      lease: async (onBusy) => {
        const lease = await session.lease(onBusy);
        if (lease === undefined) return undefined;
        try {
          const state = deliveryState(lease.records, this.#delivery);
          if (state.kind === "ended") throw this.#over(state.outcome);
          if (state.kind === "new" && this.#delivery.stop !== undefined) throw this.#over(nothing(id));
          if (state.kind === "new") await this.#expectOurs();
          return this.#watched.over(this.#withoutWithdrawn(counting(lease)));
        } catch (thrown) {
          await lease.release();
          throw thrown;
        }
      },
      send: async (input) => {
        await this.#expectOurs();
        // An answer comes again with its delivery. In the inbox it could outlast the run that another answer to the call went to.
        if (input.answers !== undefined && this.#options.busy === "leave") {
          this.#leave.abort();
          return { id: "", text: input.text };
        }
        // This process may stand still before the words are there, while the delivery is withdrawn: no run takes them then.
        const sent = await session.send(input);
        this.#sent = sent.id;
        return sent;
      },
    };
  }

  /** The lease, whose inbox has no words of a withdrawn delivery: its process may have died right after it had put them there. */
  #withoutWithdrawn(lease: Lease): Lease {
    const { isInputWithdrawn } = this.#options;
    if (isInputWithdrawn === undefined) return lease;
    return {
      ...lease,
      inbox: async () => {
        const sent = await lease.inbox();
        const gone = new Set<string>();
        for (const { id } of sent) if (await told(() => isInputWithdrawn(id))) gone.add(id);
        if (gone.size === 0) return sent;
        await lease.drop([...gone]);
        return sent.filter(({ id }) => !gone.has(id));
      },
    };
  }

  /** @throws LastcallError if the delivery was withdrawn meanwhile, by the time that this process gets to it. */
  async #expectOurs(): Promise<void> {
    if (await this.#isWithdrawn()) throw this.#over(abortedBefore(this.#options.session));
  }

  /** The delivery has this end: the run is not to begin. */
  #over(outcome: AnyOutcome): LastcallError {
    this.#ended = outcome;
    return new LastcallError("configuration", "The delivery has ended meanwhile.");
  }

  async #isWithdrawn(): Promise<boolean> {
    return told(() => this.#options.isWithdrawn?.());
  }
}

/** @throws LastcallError `store`: an error of the engine's own is never the end of a delivery, and a fault of the store is none. */
async function told(ask: () => Promise<boolean> | undefined): Promise<boolean> {
  try {
    return (await ask()) === true;
  } catch (cause) {
    throw new LastcallError("store", `The engine can't tell whether it has the delivery: ${explain(cause)}`, { cause });
  }
}

/** A lease that stores at once that a run is resumed: a process that dies right after it would not count as an attempt. */
function counting(lease: Lease): Lease {
  return {
    ...lease,
    async append(record) {
      await lease.append(record);
      if (record.type === "resume") await lease.stored();
    },
  };
}

/** False if nobody ever had the session's lease: a process that takes it stores the session first. */
async function isStored(store: Store, id: string, records: readonly JournalRecord[]): Promise<boolean> {
  return records.length > 0 || ((await store.read(id)) ?? []).length > 0;
}

function noCall(id: string, callId: string): AnyOutcome {
  const message = `The session ${id} has no call ${callId}, so there is nothing to answer.`;
  return refused(id, new LastcallError("configuration", message));
}

function nothing(id: string): AnyOutcome {
  return refused(id, new LastcallError("configuration", `The session ${id} has no run yet: give it an input.`));
}
