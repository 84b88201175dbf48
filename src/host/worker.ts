// A process that works for an engine: it makes one delivery at a time of each that the engine calls it for, and knows its own close.

import { systemRuntime, type Budget, type Event, type JournalRecord } from "../core/index.js";
import { explain, follow, onAbort } from "../core/internal.js";
import type { Store } from "../memory/index.js";
import { readStored } from "../memory/stores.js";
import { aboutOf, pickAgent, type AgentOf, type Agents } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import { drive, type DriveOptions } from "./delivery/drive-session.js";
import { endOf, type RunEnd } from "./delivery/run-end.js";
import type { RunWatcher } from "./delivery/run-watcher.js";
import { pause } from "./engine.js";
import { stopReason } from "./delivery/stop-text.js";
import { attemptName, inputIdOf, wordsName, type WorkResult } from "./work.js";

/** The things that a worker works with. */
export interface WorkerParts {
  readonly agents: Agents;
  readonly store: Store;
  /** As in `Engine`. */
  readonly agentOf?: AgentOf | undefined;
  readonly attempts?: number | undefined;
  readonly budget?: Budget | undefined;
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
}

/** The end of an attempt: the end of the run, or the wish to be delivered again. */
export type Attempted = RunEnd | { readonly again: "suspended" | "busy" | "fault" };

/** The things that an engine has for one step. */
export interface StepParts {
  /** Aborts once the delivery is withdrawn, for the reason that `reasonOf` finds. Absent if the engine does not withdraw it. */
  readonly signal?: AbortSignal | undefined;
  reasonOf(session: string): Promise<string | undefined>;
  /**
   * True if the delivery was withdrawn, in any attempt, though the signal may not tell yet: a process may fail in a withdrawn attempt, and
   * give the next one. A delivery that the engine does not know was not withdrawn. Absent if the signal always tells.
   */
  isWithdrawn?(delivery: Pick<Work, "first" | "times">): Promise<boolean>;
  /** The engine has lost this process, and gives the delivery to another: the run is left. Absent if the engine can't tell. */
  readonly lost?: AbortSignal | undefined;
  /** The step waits for a session that is busy. Default: it is left, and the delivery comes again. */
  readonly waits?: boolean | undefined;
  /** Sees each event of this delivery. */
  readonly onEvent?: ((event: Event) => void) | undefined;
  /** The records of the session, if they were just read. */
  readonly seen?: readonly JournalRecord[] | undefined;
}

/** The attempt that follows one in vain. */
export interface NextAttempt {
  readonly name: string;
  readonly work: Work;
  /** Milliseconds before it is made. */
  readonly delay: number;
}

/**
 * An engine's side of one delivery.
 *
 * Contract: the engine calls `deliver` whenever it likes, also after the close began. A result that `deliver` returned ends the call, and
 * so does an error for which `isTaken` is true. After any other error the engine has the delivery still.
 */
export interface Hold {
  /** Makes the step, and keeps its result, so that a delivery that comes again finds it. */
  keep(step: (parts: StepParts) => Promise<Attempted>): Promise<Attempted>;
  /** Gives the next attempt to the engine. Returns its name there. Given twice, it is one. */
  give(next: NextAttempt): Promise<string>;
  /** Leaves the delivery with the engine, without an end: this process closes, or was lost. It throws, or never settles. */
  leave(): Promise<never>;
  /** The delivery comes again after an error of the engine's own. It may throw that error only if the engine then delivers again. */
  again(thrown: unknown, next: NextAttempt): Promise<string>;
  /** True if the error says that the delivery was cancelled, or is another process's now. */
  isTaken(thrown: unknown): boolean;
  /** The store failed. If it throws, the engine gives the delivery up. Default: the delivery comes again. */
  failed?(thrown: unknown): void;
}

/** A process that works for an engine. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #suspend = new AbortController();
  /** The attempts of this process, with their sessions. */
  readonly #attempts = new Map<Promise<unknown>, string>();
  readonly #watchers = new Set<RunWatcher>();
  readonly #left = new Set<Hold>();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** True once `close` was called. */
  isClosed(): boolean {
    return this.#suspend.signal.aborted;
  }

  /** The number of deliveries that were left because this process closes. */
  get left(): number {
    return this.#left.size;
  }

  /**
   * Makes one delivery: one step, and once more later if it has to come again. An error is never its end: not one of the store, and not one
   * of the engine's own. A delivery that comes once the close began is left before anything is done for it.
   */
  async deliver(work: Work, hold: Hold): Promise<WorkResult> {
    if (this.isClosed()) return this.#leave(hold);
    try {
      const attempted = await hold.keep((parts) => this.#step(work, hold, parts));
      if (!("again" in attempted)) return attempted;
      return { next: await hold.give(nextOf(work)) };
    } catch (thrown) {
      // An engine to which a delivery is left by a throw throws that again.
      if (hold.isTaken(thrown) || this.#left.has(hold)) throw thrown;
      if (this.isClosed()) return this.#leave(hold);
      warn(work, thrown);
      return { next: await hold.again(thrown, nextOf(work)) };
    }
  }

  /** Watches the runs of this process that begin from now on, until the function that it returns is called. */
  watch(watcher: RunWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Suspends all runs, and waits so many milliseconds for them. Returns the sessions whose runs are at work still. */
  async close(timeout: number): Promise<readonly string[]> {
    this.#suspend.abort(new DOMException("the host closes", "AbortError"));
    const timer = new AbortController();
    const late = systemRuntime.sleep(timeout, timer.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#attempts.keys()), late]);
    timer.abort();
    return [...new Set(this.#attempts.values())];
  }

  async #step(work: Work, hold: Hold, parts: StepParts): Promise<Attempted> {
    if (this.isClosed()) return this.#leave(hold);
    try {
      const attempt = this.#attempt(work, parts);
      this.#attempts.set(attempt, work.session);
      const attempted = await attempt.finally(() => this.#attempts.delete(attempt));
      if (!("again" in attempted && attempted.again === "suspended")) return attempted;
    } catch (thrown) {
      if (!this.isClosed()) {
        hold.failed?.(thrown);
        warn(work, thrown);
        return { again: "fault" };
      }
    }
    // A step that returned would be the end of this attempt, and what it returned would be found by the next process.
    return this.#leave(hold);
  }

  /**
   * One attempt at a delivery.
   * @throws LastcallError `store` if the store failed: deliver again.
   */
  async #attempt(work: Work, parts: StepParts): Promise<Attempted> {
    const { store, attempts, budget, onEvent } = this.#parts;
    const { signal, lost, waits = false, seen } = parts;
    const abort = new AbortController();
    const leave = new AbortController();
    const unfollow = [follow(leave, this.#suspend.signal, lost), whenWithdrawn(parts, work.session, abort)];
    try {
      const options: DriveOptions = {
        ...{ ...work, ...(await this.#agentOf(work)), store, attempts, budget },
        // The journal tells of which delivery a run is, so that an abort that withdraws the delivery ends this run.
        inputId: work.inputId ?? inputIdOf(work.first),
        ...{ signal: abort.signal, suspend: leave.signal, busy: waits ? "wait" : "leave" },
        isWithdrawn: async () => signal?.aborted === true || (await parts.isWithdrawn?.(work)) === true,
        isInputWithdrawn: async (inputId) =>
          (await parts.isWithdrawn?.({ first: wordsName(work.session, inputId), times: 0 })) === true,
        onEvent(event) {
          parts.onEvent?.(event);
          onEvent?.(event, work.session);
        },
        watchers: this.#watchers,
      };
      const { outcome, again } = await drive(options, seen);
      return again === undefined ? endOf(outcome) : { again };
    } finally {
      for (const end of unfollow) end();
    }
  }

  /** The agent of a session, and the data with which a new session is stored. */
  async #agentOf({ session: id, agent: name }: Work): Promise<Pick<DriveOptions, "agent" | "about">> {
    const { agents, store, agentOf } = this.#parts;
    if (!Object.hasOwn(agents, name) && agentOf !== undefined) {
      const { about } = await readStored(store, id);
      const agent = about === undefined ? undefined : await agentOf({ id, about });
      if (agent !== undefined) return { agent };
    }
    return { agent: pickAgent(agents, id, { own: name, wanted: undefined }).agent, about: aboutOf(name) };
  }

  #leave(hold: Hold): Promise<never> {
    this.#left.add(hold);
    return hold.leave();
  }
}

function nextOf(work: Work): NextAttempt {
  const times = work.times + 1;
  return { name: attemptName(work.first, times), work: { ...work, times }, delay: pause(work.times) };
}

/** Aborts for the reason that is found once the engine withdraws the delivery. Returns the function that stops listening. */
function whenWithdrawn({ signal, reasonOf }: StepParts, session: string, abort: AbortController): () => void {
  const onCancel = (): void => {
    void reasonOf(session)
      .catch(() => undefined)
      .then((reason) => {
        abort.abort(stopReason(reason ?? "aborted over the host"));
      });
  };
  if (signal?.aborted === true) onCancel();
  return signal === undefined ? () => undefined : onAbort(signal, onCancel);
}

function warn({ session, times }: Work, thrown: unknown): void {
  console.warn(
    `lastcall: the attempt ${String(times + 1)} at a delivery to the session ${session} failed, and comes again: ${explain(thrown)}`,
  );
}
