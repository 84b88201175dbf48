// The calls of one run that go on in the background, beside its iterations.

import { explain } from "../data/fault.js";
import { failure } from "../data/failure.js";
import type { Event } from "../ports/event.js";
import type { Execution } from "../ports/hook.js";
import { follow, unlessAborted } from "../time/abort.js";
import type { Runtime } from "../time/runtime.js";
import { tailOf } from "../text/cut.js";

/** Characters of the latest output of a call that are kept while it runs. */
const maxOutput = 16_000;

/** A call in the background. */
interface Work {
  readonly name: string;
  readonly stop: AbortController;
  /** Settles when the call has ended. */
  readonly ended: Promise<void>;
  output: string;
  /** True if it was stopped on purpose. */
  isStopped: boolean;
  /** Undefined while it runs. */
  execution: Execution | undefined;
}

/** Runs a call under a signal to its end. `see` gets its events. */
type RunCall = (signal: AbortSignal, see: (event: Event) => void) => Promise<Execution>;

/** The calls of one run that go on in the background, by the names that the model has for them. */
export class BackgroundCalls {
  readonly #signal: AbortSignal;
  readonly #runtime: Runtime;
  readonly #open = new Map<string, Work>();
  #events: Event[] = [];

  /** The signal is the whole run's signal. */
  constructor(signal: AbortSignal, runtime: Runtime) {
    this.#signal = signal;
    this.#runtime = runtime;
  }

  has(work: string): boolean {
    return this.#open.has(work);
  }

  /** Starts a call. It ends with the run, or when it is stopped. */
  start(work: string, name: string, runCall: RunCall): void {
    const stop = new AbortController();
    const unfollow = follow(stop, this.#signal);
    const running = { name, stop, output: "", isStopped: false, execution: undefined };
    const ended = this.#run(running, runCall).finally(unfollow);
    this.#open.set(work, Object.assign(running, { ended }));
  }

  async #run(work: Omit<Work, "ended">, runCall: RunCall): Promise<void> {
    try {
      work.execution = await runCall(work.stop.signal, (event) => {
        if (event.type === "call-progress") work.output = lastOf(work.output, event.progress);
        else this.#events.push(event);
      });
    } catch (thrown) {
      const message = explain(thrown);
      const why = failure("tool_error", { tool: work.name, message, advice: "Go another way." });
      work.execution = { ok: false, failure: why, error: thrown };
    }
  }

  /** The events of the calls since the last time, in order. */
  takeEvents(): readonly Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Takes the calls that have ended since the last time. */
  takeEnded(): readonly (readonly [string, Execution])[] {
    const ended = [...this.#open].flatMap(([work, { execution, isStopped, output }]) => {
      if (execution === undefined) return [];
      const stopped = `It was stopped.${output === "" ? "" : ` Its last output:\n${output}`}`;
      return [[work, isStopped ? { ok: true as const, value: stopped } : execution] as const];
    });
    for (const [work] of ended) this.#open.delete(work);
    return ended;
  }

  /** The latest output of a call that runs; undefined if it has ended. */
  outputOf(work: string): string | undefined {
    const open = this.#open.get(work);
    return open?.execution === undefined ? open?.output : undefined;
  }

  /** Waits until the call has ended, at most this number of milliseconds. */
  async wait(work: string, ms: number, signal: AbortSignal): Promise<void> {
    const open = this.#open.get(work);
    if (open === undefined) return;
    const timer = new AbortController();
    const late = this.#runtime.sleep(ms, timer.signal).catch(() => undefined);
    try {
      await unlessAborted(Promise.race([open.ended, late]), signal);
    } finally {
      timer.abort();
    }
  }

  /** Waits until all of these calls have ended. */
  async ended(works: readonly string[]): Promise<void> {
    for (const work of works) await this.#open.get(work)?.ended;
  }

  /** Stops the call and waits until it has ended. */
  async stop(work: string): Promise<void> {
    const open = this.#open.get(work);
    if (open === undefined || open.execution !== undefined) return;
    open.isStopped = true;
    open.stop.abort(new DOMException("It was stopped.", "AbortError"));
    await open.ended;
  }

  /** Ends all calls with the run. The journal still has them as open, so the next run goes on with them, or tells that they are gone. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { stop } of open) stop.abort(new DOMException("The run has ended.", "AbortError"));
    await Promise.all(open.map(({ ended }) => ended));
    this.#open.clear();
  }
}

function lastOf(output: string, progress: unknown): string {
  return typeof progress === "string" ? tailOf(output + progress, maxOutput) : output;
}
