// One delivery of an input to a session: it may come again at any moment, and counts once.

import {
  LastcallError,
  type AnyOutcome,
  type Event,
  type JournalRecord,
  type JsonObject,
  type Lease,
  type OpenSession,
} from "../../core/index.js";
import { asFault, checkOptions, follow, hasNoEnd, wholeNumber } from "../../core/internal.js";
import { openSession, recordsAfter, type Store } from "../../memory/index.js";
import type { Work } from "./delivery.js";
import type { HostAgent } from "./host-agent.js";
import { liveWatcher } from "./live-run.js";
import { refused } from "./no-run.js";
import { watchedBy, type RunWatcher, type WatchedRun } from "./run-watcher.js";
import { hasCall, toldIn, vainResumes, type Told } from "./told.js";

/** The options of `driveSession`. */
export interface DriveOptions extends Omit<Work, "agent" | "priority" | "tenant" | "first" | "times"> {
  readonly agent: HostAgent;
  readonly store: Store;
  /** Data of the host, stored when the session is new. Default: none. */
  readonly about?: JsonObject | undefined;
  /** The records of the session, if they were just read. Default: they are read. */
  readonly seen?: readonly JournalRecord[] | undefined;
  /** Aborts the run. */
  readonly signal: AbortSignal;
  /** Suspends the run: the delivery has to come again. */
  readonly suspend: AbortSignal;
  /** If another run has the session: `wait` for it, or `leave` and be delivered again. Default `wait`. */
  readonly busy?: "wait" | "leave" | undefined;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /** Sees every event. It must not throw. */
  readonly onEvent?: ((event: Event) => void) | undefined;
  /** Those who watch the run in this process. Default: nobody. */
  readonly watchers?: Iterable<RunWatcher> | undefined;
}

/** The end of a delivery. */
export interface Driven {
  /** The outcome, of this run or of the one that took the input before. */
  readonly outcome: AnyOutcome;
  /**
   * The delivery has to come again: the run was suspended, another run is at work on the session, or the call that the input answers is
   * not there yet. If the answer does not come again, the outcome says that the session takes none. Absent otherwise.
   */
  readonly again?: "suspended" | "busy" | "early";
}

const driveOptions = {
  ...{ session: true, input: true, inputId: true, answers: true, attachments: true, stop: true, before: true },
  ...{ resumeFrom: true, agent: true, store: true, about: true, seen: true, signal: true, suspend: true, busy: true },
  ...{ attempts: true, onEvent: true, watchers: true },
} satisfies Record<keyof DriveOptions, true>;

/**
 * Delivers an input to a session, or goes on with its last run. A delivery that comes again is safe at any moment: the journal says whether
 * the input was taken, whether its run has an end, and with which outcome. So a run is begun once, goes on if its process died, and is not
 * touched after its end. Faults other than those of the store are outcomes, as is an input that the session can't take.
 * @throws LastcallError `store` if the store failed: deliver again.
 */
export async function driveSession(options: DriveOptions): Promise<Driven> {
  checkOptions("driveSession", options, driveOptions);
  const { store, session: id, input, answers, resumeFrom } = options;
  const most = wholeNumber("attempts", options.attempts ?? 10);
  const records = options.seen ?? (await recordsAfter({ store, id }));
  const told = toldIn(records, options);
  if (told.kind === "ended") return { outcome: told.outcome };
  const goesOn = resumeFrom !== undefined && records.length > 0;
  if (input === undefined && told.kind === "new" && !goesOn) return { outcome: nothing(id) };
  if (answers !== undefined && told.kind === "new") {
    // A run that has no end yet may be about to ask.
    if (hasNoEnd(records)) return { ...early(id, answers), again: "busy" };
    if (!hasCall(records, answers)) return early(id, answers);
  }
  const vain = told.kind === "open" ? vainResumes(records) : 0;
  const poison = `The run was resumed ${String(vain)} times and got no further: its process may die of it.`;
  return new Drive(options, told, vain >= most ? poison : options.stop).run();
}

/** One delivery at work. */
class Drive {
  /** Set if the journal was found to have the end, with the session's lease. */
  #ended: AnyOutcome | undefined;
  readonly #abort = new AbortController();
  readonly #leave = new AbortController();
  readonly #options: DriveOptions;
  readonly #told: Told;
  readonly #watched: WatchedRun;
  /** The reason to end the run as soon as it goes on. */
  readonly #stop: string | undefined;

  constructor(options: DriveOptions, told: Told, stop: string | undefined) {
    this.#options = options;
    this.#told = told;
    this.#stop = stop;
    const { store, session, watchers = [] } = options;
    // Those who watch in other processes hear of the run over the store.
    const elsewhere = store.live === undefined ? [] : [liveWatcher(store.live)];
    this.#watched = watchedBy([...elsewhere, ...watchers], session);
  }

  async run(): Promise<Driven> {
    const { signal, suspend } = this.#options;
    const unfollow = [follow(this.#abort, signal), follow(this.#leave, suspend)];
    let fault: LastcallError | undefined;
    try {
      const outcome = await this.#outcome();
      await this.#withdraw(outcome);
      return this.#end(outcome);
    } catch (thrown) {
      fault = asFault(thrown);
      throw thrown;
    } finally {
      this.#watched.end(fault);
      for (const end of unfollow) end();
    }
  }

  /** An input that waited for another run and was aborted is not to be taken by that run, nor by a later one. */
  async #withdraw(outcome: AnyOutcome): Promise<void> {
    const { store, session, inputId } = this.#options;
    if (outcome.status !== "aborted" || outcome.suspended === true || inputId === undefined) return;
    await store.drop(session, [inputId]);
  }

  #end(outcome: AnyOutcome): Driven {
    if (this.#ended !== undefined) return { outcome: this.#ended };
    if (outcome.status === "failed" && outcome.fault.code === "store") throw outcome.fault;
    if (outcome.status !== "aborted" || outcome.suspended !== true) return { outcome };
    return { outcome, again: this.#options.suspend.aborted ? "suspended" : "busy" };
  }

  async #outcome(): Promise<AnyOutcome> {
    const { agent, input, inputId, answers, attachments, onEvent } = this.#options;
    const given = this.#told.kind === "open" ? undefined : input;
    const ids = given === undefined ? {} : { inputId, answers, attachments };
    const signals = { signal: this.#abort.signal, suspend: this.#leave.signal };
    try {
      const stream = agent.stream(given, { session: this.#watched.over(this.#session()), ...signals, ...ids });
      for await (const event of stream) {
        onEvent?.(event);
        this.#watched.event(event);
        if (event.type === "run-start" && this.#stop !== undefined)
          this.#abort.abort(new DOMException(this.#stop, "AbortError"));
        if (event.type === "lease-wait" && this.#options.busy === "leave") this.#leave.abort();
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
        const told = toldIn(lease.records, this.#options);
        if (told.kind !== "ended") return counting(lease);
        this.#ended = told.outcome;
        await lease.release();
        throw new LastcallError("configuration", "The run has ended meanwhile.");
      },
    };
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

function early(id: string, callId: string): Driven {
  const message = `The session ${id} has no call ${callId}, so there is nothing to answer.`;
  return { outcome: refused(id, new LastcallError("configuration", message)), again: "early" };
}

function nothing(id: string): AnyOutcome {
  return refused(id, new LastcallError("configuration", `The session ${id} has no run yet: give it an input.`));
}
